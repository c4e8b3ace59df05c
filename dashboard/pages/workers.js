import { get, listOf } from "../api.js";
import { h } from "../dom.js";
import { ago, between, counted } from "../format.js";
import { chip } from "../parts/chip.js";
import { empty } from "../parts/empty.js";
import { time } from "../parts/facts.js";
import { table } from "../parts/table.js";
import { view } from "../parts/view.js";

const inWork = (worker) => (worker.kind === "feeds" ? worker.running_pages : worker.running_operations);

// What a silent one had in work goes on elsewhere.
function state(worker) {
  if (worker.is_silent) return chip("silent");
  return inWork(worker) > 0 ? chip("running") : h("span", { class: "chip quiet" }, "idle");
}

function work(worker) {
  if (worker.is_silent) return "–";
  return worker.kind === "feeds" ? counted(worker.running_pages, "page") : counted(worker.running_operations, "operation");
}

export const workers = {
  title: "Workers",
  open() {
    const shown = view({
      load: (signal) => get("/workers", {}, signal).then(listOf),
      render: (all) =>
        all.length === 0
          ? empty("workers", "No worker has been seen", "Operations and runs wait until a process that works on them is started.")
          : table({
              label: "Workers",
              rows: all,
              key: (worker) => worker.id,
              columns: [
                { label: "Worker", kind: "wide", cell: (worker) => h("code", worker.name) },
                { label: "Works on", cell: (worker) => worker.kind },
                { label: "State", kind: "state", cell: state },
                { label: "In work", kind: "number", cell: work },
                { label: "Host", cell: (worker) => worker.host || "–" },
                { label: "Process", kind: "number", cell: (worker) => String(worker.pid) },
                { label: "Started", kind: "number", cell: (worker) => time(worker.started_at) },
                { label: "Up", kind: "number", cell: (worker) => between(worker.started_at, worker.is_silent ? worker.last_seen : null) },
                { label: "Seen", kind: "number", cell: (worker) => ago(worker.last_seen) },
              ],
            }),
      every: () => 3_000,
    });
    return { element: h("div", h("h1", "Workers"), shown.element), dispose: shown.dispose };
  },
};
