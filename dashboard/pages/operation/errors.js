// Errors that say the same, together: how many, where, and what can be done about all of them.

import { download, path } from "../../api.js";
import { h, morph } from "../../dom.js";
import { count, words } from "../../format.js";
import { icon } from "../../icons.js";
import { retryGroup } from "../../parts/actions.js";
import { empty } from "../../parts/empty.js";
import { table } from "../../parts/table.js";
import { toast } from "../../parts/toast.js";
import { setParameters } from "../../router.js";
import { mayOperate } from "../../session.js";
import { isActive, isRetryable } from "../../states.js";

function render({ id, data: { operation, groups }, refresh }) {
  if (groups.length === 0)
    return isActive(operation.state)
      ? empty("check", "No row has failed so far", "Rows that fail appear here, grouped by what went wrong.")
      : empty("check", "No row failed", null);
  const mayRetry = mayOperate() && ["completed_with_errors", "failed", "cancelled"].includes(operation.state);
  const save = async (group) => {
    try {
      await download(path("operations", id, "export"), {
        content: "data",
        format: "csv",
        rows: "failed",
        failure: group.failure,
        step: group.step,
        group: group.pattern,
      });
    } catch (problem) {
      toast("bad", "cross", `${problem.title}. ${problem.detail}`);
    }
  };
  const small = (label, name, iconName, run) =>
    h("button", { type: "button", class: "button small", "aria-label": name, onclick: run }, icon(iconName), label);
  return table({
    label: "Errors by what they say",
    rows: groups,
    key: (group) => `${group.step_index}/${group.failure}/${group.pattern}`,
    columns: [
      { label: "Rows", kind: "number", cell: (group) => h("strong", count(group.count)) },
      {
        label: "What they say",
        kind: "wide",
        cell: (group) => h("div", h("p", { class: "clamped", title: group.sample }, group.sample || group.pattern), group.pattern !== group.sample ? h("p", { class: "quiet-text clamped" }, group.pattern) : null),
      },
      { label: "Kind", cell: (group) => words(group.failure ?? "–") },
      { label: "Step", cell: (group) => (group.step_index < 0 ? "Validation" : group.step) },
      {
        label: "First row",
        kind: "number",
        cell: (group) => h("button", { type: "button", class: "link", onclick: () => setParameters({ row: group.first_row }, { replace: false }) }, count(group.first_row)),
      },
      {
        label: "Actions",
        hidden: true,
        kind: "actions",
        cell: (group) =>
          h(
            "div",
            { class: "row-of" },
            mayRetry && group.failure && isRetryable(group.failure)
              ? small("Retry", `Retry ${count(group.count)} rows: ${group.pattern}`, "retry", () => retryGroup(operation, group, refresh))
              : null,
            small("Download", `Download ${count(group.count)} rows: ${group.pattern}`, "download", () => save(group)),
            small("Rows", `Show the failed rows of ${group.step_index < 0 ? "the validation" : group.step}`, "operations", () =>
              setParameters({ tab: "rows", errors_only: "true", step: group.step_index < 0 ? null : group.step, after: null }, { replace: false }),
            ),
          ),
      },
    ],
  });
}

export function errorsTab(context) {
  let shown = render(context);
  const element = h("div", shown);
  return {
    element,
    update(_, data) {
      shown = morph(shown, render({ ...context, data }));
    },
    dispose() {},
  };
}
