// How far an operation is, by what became of its rows.

import { h, svg } from "../dom.js";
import { big, count, percent, share } from "../format.js";

function parts(rows) {
  const total = big(rows.total);
  const succeeded = big(rows.succeeded);
  const failed = big(rows.failed);
  const left = total - succeeded - failed;
  return { total, succeeded, failed, left: left > 0n ? left : 0n };
}

// A small one for lists: the numbers stand beside it.
export function bar(rows) {
  const { total, succeeded, failed } = parts(rows);
  const good = share(succeeded, total) * 100;
  const bad = share(failed, total) * 100;
  const least = failed > 0n ? Math.max(bad, 1.5) : 0; // one failed row of a million is still seen
  return svg(
    "svg",
    { class: "bar", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "bar-rest", width: 100, height: 6 }),
    svg("rect", { class: "bar-good", width: good, height: 6 }),
    svg("rect", { class: "bar-bad", x: Math.min(good, 100 - least), width: least, height: 6 }),
  );
}

// Why nobody knows yet how many rows there are.
function uncounted({ state, paused, rows }) {
  const run = big(rows.processed) === 0n ? "No row was run." : `${count(rows.processed)} were processed.`;
  if (state === "failed") return `The operation failed before all rows were counted. ${run}`;
  if (state === "cancelled") return `The operation was cancelled before all rows were counted. ${run}`;
  if (paused) return "The operation is paused. Its rows are counted when it goes on.";
  if (state === "pending") return "Waiting for a worker. The file is validated first, and its rows are counted then.";
  return "The file is being validated. Its rows are counted meanwhile.";
}

export function progress(operation) {
  const { rows } = operation;
  if (rows.total === null) return h("p", { class: "quiet-text" }, uncounted(operation));
  const { total, succeeded, failed, left } = parts(rows);
  const legend = (tone, label, value) =>
    h(
      "div",
      { class: `tally ${tone}` },
      h("dt", label),
      h("dd", h("span", { class: "tally-count" }, count(value)), h("span", { class: "quiet-text" }, percent(share(value, total) * 100))),
    );
  return h(
    "div",
    { class: "progress" },
    h(
      "div",
      {
        role: "progressbar",
        "aria-label": "Rows processed",
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        "aria-valuenow": Math.round(operation.percent ?? 0),
        "aria-valuetext": `${count(rows.processed)} of ${count(total)} rows, ${count(failed)} failed`,
      },
      bar(rows),
    ),
    h(
      "dl",
      { class: "tallies" },
      legend("good", "Succeeded", succeeded),
      legend("bad", "Failed", failed),
      legend("rest", left > 0n && big(rows.unprocessed) > 0n && operation.completed_at ? "Unprocessed" : "To do", left),
      h("div", { class: "tally" }, h("dt", "Total"), h("dd", h("span", { class: "tally-count" }, count(total)))),
    ),
  );
}
