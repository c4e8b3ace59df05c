// The partitions of a run, a page at a time: there may be thousands, and those that failed are asked for first.

import { post } from "../../api.js";
import { h, svg } from "../../dom.js";
import { count, share } from "../../format.js";
import { icon } from "../../icons.js";
import { chip } from "../../parts/chip.js";
import { confirm } from "../../parts/dialog.js";
import { empty } from "../../parts/empty.js";
import { pager } from "../../parts/pager.js";
import { table } from "../../parts/table.js";
import { setParameters } from "../../router.js";
import { mayOperate } from "../../session.js";
import { PARTITION_STATES, look } from "../../states.js";

function progress({ state, records, estimated }) {
  const tone = { failed: "bar-bad", completed: "bar-good" }[state] ?? "bar-busy";
  return svg(
    "svg",
    { class: "bar", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "bar-rest", width: 100, height: 6 }),
    svg("rect", { class: tone, width: state === "completed" ? 100 : Math.min(100, share(records, estimated) * 100), height: 6 }),
  );
}

function retryButton(where, each, refresh) {
  const ask = () =>
    confirm({
      title: `Retry ${each.name}?`,
      text: `It has ${count(each.records)} of some ${count(each.estimated)} records, and goes on at the page at which it failed.`,
      action: "Retry",
      run: async () => {
        await post(`${where}/retry`, { partition: each.number });
        refresh();
      },
    });
  return h("button", { type: "button", class: "button small", "aria-label": `Retry ${each.name}`, onclick: ask }, icon("retry"), "Retry");
}

function partitionTable(where, run, partitions, refresh) {
  const mayRetry = mayOperate() && !["completed", "cancelled"].includes(run.state);
  return table({
    label: "Partitions",
    rows: partitions,
    key: (each) => each.number,
    rowClass: (each) => (each.state === "failed" ? "in-trouble" : ""),
    columns: [
      { label: "Partition", cell: (each) => each.name },
      { label: "Range", cell: (each) => h("code", { class: "quiet-text" }, `${each.range.first} – ${each.range.last}`) },
      { label: "State", kind: "state", cell: (each) => chip(each.state) },
      { label: "Progress", kind: "bar-cell", cell: progress },
      { label: "Records", kind: "number", cell: (each) => count(each.records) },
      { label: "Estimated", kind: "number", cell: (each) => count(each.estimated) },
      { label: "Changed", kind: "number", cell: (each) => count(each.changed) },
      { label: "Pages", kind: "number", cell: (each) => count(each.pages) },
      {
        label: "Trouble",
        kind: "wide",
        cell: (each) => [
          each.attempt > 1 ? [h("span", { class: "tag" }, `attempt ${each.attempt}`), " "] : null,
          each.error ? h("span", { class: each.state === "failed" ? "text-bad" : "quiet-text" }, each.error) : null,
          each.state === "failed" && mayRetry ? [" ", retryButton(where, each, refresh)] : null,
        ],
      },
    ],
  });
}

// `passed` belongs to the page that shows the run.
export function partitionsView({ where, run, page, parameters, passed, refresh }) {
  const move = (state) => {
    passed.splice(0);
    setParameters({ state, after: null });
  };
  return [
    h(
      "div",
      { class: "filters" },
      h(
        "div",
        { class: "filter" },
        h("label", { for: "partition-state" }, "State"),
        h(
          "select",
          { id: "partition-state", value: parameters.state ?? "", onchange: (event) => move(event.target.value) },
          h("option", { value: "" }, "All"),
          PARTITION_STATES.map((state) => h("option", { value: state }, look(state).label)),
        ),
      ),
    ),
    page.items.length > 0
      ? partitionTable(where, run, page.items, refresh)
      : parameters.state
        ? empty("scan", "No partition matches", "Take the filter away to see all.")
        : empty("feeds", "No partition yet", "The source is being counted."),
    pager({
      shown: page.items.length,
      total: page.total,
      next: page.next,
      after: parameters.after,
      passed,
      noun: "partition",
      onMove: (after) => setParameters({ after }, { replace: false }),
    }),
  ];
}
