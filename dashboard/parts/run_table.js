import { h } from "../dom.js";
import { big, count, duration } from "../format.js";
import { href } from "../router.js";
import { chip } from "./chip.js";
import { time } from "./facts.js";
import { table } from "./table.js";

export function runTable(runs, { withFeed = false } = {}) {
  return table({
    label: "Runs",
    rows: runs,
    key: (run) => run.id,
    columns: [
      { label: "Run", kind: "wide", cell: (run) => h("a", { href: href("run", { id: run.id }) }, withFeed ? run.feed : time(run.started_at)) },
      withFeed ? { label: "Started", kind: "number", cell: (run) => time(run.started_at) } : null,
      { label: "Type", cell: (run) => run.type },
      { label: "State", kind: "state", cell: (run) => chip(run.state) },
      { label: "Partitions", kind: "number", cell: (run) => `${count(run.completed)} / ${count(run.partitions)}` },
      { label: "Failed", kind: "number", cell: (run) => h("span", { class: big(run.failed) > 0n ? "text-bad" : "quiet-text" }, count(run.failed)) },
      { label: "Records", kind: "number", cell: (run) => count(run.records) },
      { label: "Changed", kind: "number", cell: (run) => count(run.changed) },
      { label: "Took", kind: "number", cell: (run) => duration(run.duration_ms === null ? null : Number(run.duration_ms)) },
      { label: "By", cell: (run) => run.started_by || "–" },
    ].filter(Boolean),
  });
}
