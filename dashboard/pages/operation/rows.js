// The rows of an operation, with what became of each at every step.

import { get, path } from "../../api.js";
import { h } from "../../dom.js";
import { big, count, counted, words } from "../../format.js";
import { icon } from "../../icons.js";
import { retryRows } from "../../parts/actions.js";
import { chip } from "../../parts/chip.js";
import { empty } from "../../parts/empty.js";
import { pager } from "../../parts/pager.js";
import { table } from "../../parts/table.js";
import { view } from "../../parts/view.js";
import { setParameters } from "../../router.js";
import { mayOperate } from "../../session.js";
import { ROW_STATES, isActive, isRetryable, look } from "../../states.js";

const PAGE = 50;
const FILTERS = ["state", "step", "row_id", "signal_key", "from_row", "errors_only"];

// Rows that nothing is asked of are paged by number: to count how many match takes the server seconds in a
// million rows, and these need not be counted.
function firstOf({ state, step, row_id, signal_key, errors_only, from_row = "1" }) {
  const isPlain = !state && !step && !row_id && !signal_key && !errors_only && /^\d{1,18}$/.test(from_row);
  return isPlain ? (big(from_row) > 0n ? big(from_row) : 1n) : null;
}

// One small mark a step, in order; the name and state are said too.
function history(row, steps) {
  const records = new Map((row.steps ?? []).map((record) => [record.step_index, record]));
  return h(
    "ol",
    { class: "history", "aria-label": "Steps" },
    steps.map((step) => {
      const record = records.get(step.index);
      const { icon: name, tone, label } = record ? look(record.state) : { icon: "pending", tone: "none", label: "not reached" };
      const text = `${step.name}: ${label}${record && record.attempt > 1 ? `, attempt ${record.attempt}` : ""}`;
      return h("li", { class: tone, title: text }, icon(name), h("span", { class: "unseen" }, text));
    }),
  );
}

export function rowsTab({ id, data, parameters: first, refresh }) {
  let parameters = first;
  let operation = data.operation;
  let waits = data.waiting.size > 0;
  const passed = [];
  const selected = new Set();

  const move = (changes) => {
    passed.splice(0);
    selected.clear();
    setParameters({ after: null, ...changes });
  };
  let typing = 0;

  const mayRetry = (row) =>
    mayOperate() &&
    ["completed_with_errors", "failed", "cancelled"].includes(operation.state) &&
    ["failed", "timed_out"].includes(row.state) &&
    isRetryable(row.failure);

  const filters = () => {
    const one = (name, label, control) => h("div", { class: "filter", key: name }, h("label", { for: `rows-${name}` }, label), control);
    const pick = (name, label, all, wording) =>
      one(
        name,
        label,
        h(
          "select",
          { id: `rows-${name}`, value: parameters[name] ?? "", onchange: (event) => move({ [name]: event.target.value }) },
          h("option", { value: "" }, "All"),
          all.map((each) => h("option", { value: each }, wording(each))),
        ),
      );
    const type = (name, label, inputmode = null) =>
      one(
        name,
        label,
        h("input", {
          id: `rows-${name}`,
          type: "text",
          inputmode,
          value: parameters[name] ?? "",
          autocomplete: "off",
          oninput: (event) => {
            const value = event.target.value.trim();
            clearTimeout(typing);
            typing = setTimeout(() => move({ [name]: value }), 300);
          },
        }),
      );
    return h(
      "form",
      { class: "filters", role: "search", "aria-label": "Filter rows", onsubmit: (event) => event.preventDefault() },
      pick("state", "State", ROW_STATES, (each) => look(each).label),
      pick("step", "Step", operation.steps.map((step) => step.name), (each) => each),
      type("row_id", "Row id"),
      parameters.signal_key || waits || operation.steps.some((step) => step.kind === "signalled") ? type("signal_key", "Signal key") : null,
      type("from_row", "From row", "numeric"),
      h(
        "label",
        { class: "check" },
        h("input", {
          type: "checkbox",
          checked: parameters.errors_only === "true",
          onchange: (event) => move({ errors_only: event.target.checked ? "true" : null }),
        }),
        "Errors only",
      ),
      selected.size > 0
        ? h(
            "button",
            {
              type: "button",
              class: "button small primary",
              onclick: () =>
                retryRows(operation, [...selected], () => {
                  selected.clear();
                  refresh();
                  shown.refresh();
                }),
            },
            icon("retry"),
            `Retry ${counted(selected.size, "selected row")}`,
          )
        : null,
    );
  };

  const columns = (rows) => [
    rows.some(mayRetry)
      ? {
          label: "Select",
          head: () => {
            const all = rows.filter(mayRetry);
            return h("input", {
              type: "checkbox",
              "aria-label": "Select every row here that can be retried",
              checked: all.every((row) => selected.has(row.row)),
              onchange: (event) => {
                for (const { row } of all)
                  if (event.target.checked) selected.add(row);
                  else selected.delete(row);
                shown.redraw();
              },
            });
          },
          kind: "select",
          cell: (row) =>
            mayRetry(row)
              ? h("input", {
                  type: "checkbox",
                  "aria-label": `Select row ${row.row}`,
                  checked: selected.has(row.row),
                  onchange: (event) => {
                    if (event.target.checked) selected.add(row.row);
                    else selected.delete(row.row);
                    shown.redraw();
                  },
                })
              : null,
        }
      : null,
    {
      label: "Row",
      kind: "number",
      cell: (row) =>
        h(
          "button",
          { type: "button", class: "link", "aria-label": `Open row ${row.row}`, onclick: () => setParameters({ row: row.row }, { replace: false }) },
          count(row.row),
        ),
    },
    { label: "Id", kind: "id", cell: (row) => (row.row_id ? h("code", { class: "clamped", title: row.row_id }, row.row_id) : "–") },
    { label: "State", kind: "state", cell: (row) => chip(row.state) },
    { label: "Step", cell: (row) => (row.step_index < 0 ? "Validation" : (row.step ?? "–")) },
    { label: "History", cell: (row) => history(row, operation.steps) },
    { label: "Error", kind: "wide", cell: (row) => (row.error ? h("span", { class: "clamped", title: row.error }, row.failure ? h("span", { class: "tag" }, words(row.failure)) : null, " ", row.error) : "") },
  ].filter(Boolean);

  const pagerByNumber = (page) => {
    const first = firstOf(parameters);
    const total = operation.rows.total === null ? null : big(operation.rows.total);
    const isMore = total === null ? page.items.length === PAGE : first + BigInt(PAGE) <= total;
    return pager({
      shown: page.items.length,
      total,
      text: page.items.length > 0 ? `Rows ${count(page.items[0].row)} to ${count(page.items.at(-1).row)}${total === null ? "" : ` of ${count(total)}`}` : null,
      next: isMore ? first + BigInt(PAGE) : null,
      after: first > 1n ? first : null,
      back: first > BigInt(PAGE) ? first - BigInt(PAGE) : null,
      noun: "row",
      onMove: (from) => setParameters({ from_row: from === null ? null : String(from), after: null }, { replace: false }),
    });
  };

  const shown = view({
    load(signal) {
      const { state, step, row_id, signal_key, from_row, errors_only, after } = parameters;
      const where = path("operations", id, "rows");
      const first = firstOf(parameters);
      if (first !== null) return get(where, { from_row: first, to_row: first + BigInt(PAGE - 1), limit: PAGE }, signal);
      return get(where, { state, step, row_id, signal_key, from_row, errors_only, limit: PAGE, after }, signal);
    },
    render(page) {
      const isFiltered = FILTERS.some((name) => parameters[name]);
      return h(
        "div",
        { class: "stack" },
        filters(),
        page.items.length === 0
          ? empty(
              "operations",
              isFiltered ? "No row matches" : "No rows yet",
              isFiltered ? "Take a filter away to see more." : "Rows appear here when they have been validated.",
            )
          : table({ label: "Rows", columns: columns(page.items), rows: page.items, key: (row) => row.row }),
        firstOf(parameters) === null
          ? pager({
              shown: page.items.length,
              total: page.total,
              next: page.next,
              after: parameters.after,
              passed,
              noun: "row",
              onMove: (after) => setParameters({ after }, { replace: false }),
            })
          : pagerByNumber(page),
      );
    },
    concerns: (event) => event.operation === id,
    every: () => (isActive(operation.state) && !operation.paused ? 2_500 : 0),
  });

  return {
    element: shown.element,
    refresh: shown.refresh,
    update(next, fresh) {
      const isOther = [...FILTERS, "after"].some((name) => next[name] !== parameters[name]);
      const hasMoved = operation.version !== fresh.operation.version;
      parameters = next;
      operation = fresh.operation;
      waits = fresh.waiting.size > 0;
      if (isOther) shown.restart();
      else if (hasMoved) shown.refresh();
    },
    dispose: shown.dispose,
  };
}
