// How many rows came to each step, and what held the others up.

import { h, svg } from "../dom.js";
import { big, count, counted, share } from "../format.js";

// From the end backwards: who came to a step has passed it, failed at it or waits at it. `failed` and
// `waiting` map a step's index to a number.
function stepsOf(operation, failed, waiting) {
  const steps = [];
  let through = big(operation.rows.succeeded);
  for (const step of [...operation.steps].sort((a, b) => b.index - a.index)) {
    const lost = big(failed.get(step.index));
    const held = big(waiting.get(step.index));
    steps.unshift({ ...step, passed: through, failed: lost, waiting: held, reached: through + lost + held });
    through += lost + held;
  }
  return steps;
}

export function funnel(operation, failed, waiting) {
  const steps = stepsOf(operation, failed, waiting);
  if (steps.length === 0) return null;
  const total = big(operation.rows.total);
  const refused = big(failed.get(-1));
  const line = (name, kind, { reached, passed, failed: lost, waiting: held }) => {
    const widths = [passed, held, lost].map((part) => share(part, total) * 100);
    let x = 0;
    const piece = (tone, width) => {
      const rect = svg("rect", { class: `bar-${tone}`, x, width, height: 10 });
      x += width;
      return rect;
    };
    return h(
      "li",
      { key: name },
      h("span", { class: "funnel-name" }, name, kind === "plain" || !kind ? null : h("span", { class: "tag" }, kind)),
      svg(
        "svg",
        { class: "funnel-bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { class: "bar-rest", width: 100, height: 10 }),
        piece("good", widths[0]),
        piece("wait", widths[1]),
        piece("bad", lost > 0n ? Math.max(widths[2], 1) : 0),
      ),
      h("span", { class: "funnel-count" }, count(reached), h("span", { class: "unseen" }, " rows reached it")),
      h(
        "span",
        { class: "funnel-notes" },
        held > 0n ? h("span", { class: "text-wait" }, `${count(held)} waiting`) : null,
        lost > 0n ? h("span", { class: "text-bad" }, `${count(lost)} failed`) : null,
      ),
    );
  };
  return h(
    "ol",
    { class: "funnel", "aria-label": `Steps of ${counted(total, "row")}` },
    line("Validation", null, { reached: total, passed: total - refused, failed: refused, waiting: 0n }),
    steps.map((step) => line(step.name, step.kind, step)),
  );
}
