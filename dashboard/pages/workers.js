import { get, listOf } from "../api.js";
import { h } from "../dom.js";
import { ago, between, count } from "../format.js";
import { chip } from "../parts/chip.js";
import { empty } from "../parts/empty.js";
import { time } from "../parts/facts.js";
import { table } from "../parts/table.js";
import { view } from "../parts/view.js";

const SILENT = 30_000;

export const workers = {
  title: "Workers",
  open() {
    const shown = view({
      load: (signal) => get("/workers", {}, signal).then(listOf),
      render: (all) =>
        all.length === 0
          ? empty("workers", "No worker has been seen", "Operations wait until a process that runs them is started.")
          : table({
              label: "Workers",
              rows: all,
              key: (worker) => worker.name,
              columns: [
                { label: "Worker", kind: "wide", cell: (worker) => h("code", worker.name) },
                { label: "Process", kind: "number", cell: (worker) => (worker.pid === null || worker.pid === undefined ? "–" : String(worker.pid)) },
                {
                  label: "State",
                  kind: "state",
                  cell: (worker) =>
                    Date.now() - Date.parse(worker.last_seen) > SILENT
                      ? chip("stalled")
                      : Number(worker.rows_in_flight) > 0 || Number(worker.running_operations) > 0
                        ? chip("running")
                        : h("span", { class: "chip quiet" }, "idle"),
                },
                { label: "Operations", kind: "number", cell: (worker) => count(Array.isArray(worker.running_operations) ? worker.running_operations.length : worker.running_operations) },
                { label: "Rows in flight", kind: "number", cell: (worker) => count(worker.rows_in_flight) },
                { label: "Up", kind: "number", cell: (worker) => between(worker.started_at) },
                { label: "Started", kind: "number", cell: (worker) => time(worker.started_at) },
                { label: "Seen", kind: "number", cell: (worker) => ago(worker.last_seen) },
              ],
            }),
      every: () => 3_000,
    });
    return { element: h("div", h("h1", "Workers"), shown.element), dispose: shown.dispose };
  },
};
