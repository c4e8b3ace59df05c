// One row: its cells with the one in error marked, what each step did, its earlier attempts, and a box
// to answer for whoever it waits for.

import { get, listOf, path, post } from "../../api.js";
import { h } from "../../dom.js";
import { between, count, words } from "../../format.js";
import { icon } from "../../icons.js";
import { retryRows } from "../../parts/actions.js";
import { chip } from "../../parts/chip.js";
import { openDialog } from "../../parts/dialog.js";
import { time } from "../../parts/facts.js";
import { problemView } from "../../parts/problem.js";
import { readOnlyNote } from "../../parts/read_only.js";
import { toast } from "../../parts/toast.js";
import { view } from "../../parts/view.js";
import { mayOperate } from "../../session.js";
import { isRetryable } from "../../states.js";

// Errors name their column and cell: "line 4, column 'age', 'seven': it is not a whole number".
function cellInError(error) {
  const [, column = null, cell = null] = /column '([^']+)'(?:, '(.*?)')?:/.exec(error ?? "") ?? [];
  return { column, cell };
}

// A row that could not be read has no values but the one in its error.
function cells(row) {
  const { column: wrong, cell } = cellInError(row.error);
  const data = row.data ?? (wrong ? { [wrong]: cell } : null);
  const note = row.data ? null : h("p", { class: "quiet-text" }, data ? "The other values are in the file." : "The values of this row are not kept. The file still has them.");
  return [data ? cellList(data, wrong) : null, note];
}

function cellList(data, wrong) {
  return h(
    "dl",
    { class: "cells" },
    Object.entries(data).map(([name, value]) => {
      const isWrong = name === wrong;
      const text = value === null || value === "" ? h("span", { class: "quiet-text" }, "empty") : typeof value === "object" ? JSON.stringify(value) : String(value);
      return h(
        "div",
        { class: isWrong ? "in-error" : "" },
        h("dt", name),
        h("dd", isWrong ? [icon("cross"), h("span", { class: "unseen" }, "In error: ")] : null, h("code", text)),
      );
    }),
  );
}

function attempts(row, history) {
  const earlier = new Map();
  for (const entry of history) {
    const key = entry.step_index ?? entry.step;
    earlier.set(key, [...(earlier.get(key) ?? []), entry]);
  }
  return h(
    "ol",
    { class: "timeline" },
    row.steps.map((record) =>
      h(
        "li",
        { key: record.step_index },
        h(
          "p",
          { class: "timeline-head" },
          h("strong", record.step_index < 0 ? "Validation" : record.step),
          chip(record.state),
          record.attempt > 1 ? h("span", { class: "tag" }, `attempt ${record.attempt}`) : null,
          record.retry_attempt > 0 ? h("span", { class: "tag" }, `retry ${record.retry_attempt}`) : null,
        ),
        record.error ? h("p", { class: "text-bad" }, record.failure ? `${words(record.failure)}: ` : "", record.error) : null,
        h(
          "p",
          { class: "quiet-text" },
          record.started_at ? ["Started ", time(record.started_at), record.completed_at ? `, took ${between(record.started_at, record.completed_at)}` : ""] : null,
          record.state === "waiting_for_completion" && record.wait_until ? [", waits until ", time(record.wait_until)] : null,
        ),
        record.signal_key && record.state === "waiting_for_completion" ? h("p", "Waits for the signal ", h("code", record.signal_key)) : null,
        (earlier.get(record.step_index) ?? earlier.get(record.step) ?? []).map((entry) =>
          h("p", { class: "earlier" }, h("span", { class: "tag" }, entry.retry_attempt > 0 ? `retry ${entry.retry_attempt}` : "first run"), " ", entry.error ?? entry.error_message ?? "", " ", entry.failed_at ? time(entry.failed_at) : null),
        ),
      ),
    ),
  );
}

function signalBox(operation, row, record, done) {
  const trouble = h("div", { "aria-live": "polite" });
  const why = h("input", { type: "text", id: "signal-reason", autocomplete: "off" });
  const send = async (failure) => {
    trouble.replaceChildren();
    if (failure !== null && failure.trim() === "") {
      why.setAttribute("aria-invalid", "true");
      trouble.replaceChildren(problemView({ title: "Say why it failed", detail: "The reason becomes the row's error." }));
      why.focus();
      return;
    }
    try {
      const body = { key: record.signal_key, row: row.row, ...(failure === null ? {} : { failure: failure.trim() }) };
      await post(path("operations", operation.id, "signals"), body);
      toast("good", "signal", failure === null ? `Row ${count(row.row)} goes on.` : `Row ${count(row.row)} was failed.`);
      done();
    } catch (problem) {
      trouble.replaceChildren(problemView(problem));
    }
  };
  const element = h(
    "section",
    { class: "signal-box", "aria-label": "Signal" },
    h("h3", icon("signal"), "Answer for ", record.step),
    h("p", "The row waits until somebody says how it went. Row ", count(row.row), " alone is told."),
    h(
      "div",
      { class: "row-of" },
      h("button", { type: "button", class: "button primary", onclick: () => send(null) }, icon("check"), "It succeeded"),
    ),
    h("label", { for: "signal-reason" }, "or why it failed"),
    h("div", { class: "row-of" }, why, h("button", { type: "button", class: "button danger", onclick: () => send(why.value) }, icon("cross"), "It failed")),
    trouble,
  );
  element.key = `${record.step_index}/${record.attempt}`;
  element.keep = () => {}; // somebody may be typing
  return element;
}

export function openRow({ operation, row: number, refresh, onClose }) {
  const at = path("operations", operation.id, "rows", number);
  const done = () => {
    shown.refresh();
    refresh();
  };
  const shown = view({
    load: async (signal) => {
      const [row, history] = await Promise.all([
        get(at, {}, signal),
        get(path("operations", operation.id, "retry-history"), { row: number, limit: 100 }, signal),
      ]);
      return { row, history: listOf(history) };
    },
    render({ row, history }) {
      const waiting = row.steps.find((record) => record.state === "waiting_for_completion" && record.signal_key);
      const mayRetry = mayOperate() && ["failed", "timed_out"].includes(row.state) && isRetryable(row.failure);
      return h(
        "div",
        { class: "stack" },
        h("p", { class: "page-sub" }, chip(row.state), row.row_id ? h("code", row.row_id) : null, row.step_index >= 0 ? `at ${row.step}` : null),
        row.error ? h("p", { class: "notice bad" }, icon("cross"), h("span", row.failure ? h("strong", `${words(row.failure)}: `) : null, row.error)) : null,
        mayRetry
          ? h("p", h("button", { type: "button", class: "button primary", onclick: () => retryRows(operation, [row.row], done) }, icon("retry"), "Retry this row"))
          : null,
        waiting ? (mayOperate() ? signalBox(operation, row, waiting, done) : readOnlyNote("answer for whoever it waits for")) : null,
        h("section", { "aria-label": "Values" }, h("h3", "Values"), cells(row)),
        h("section", { "aria-label": "Steps" }, h("h3", "Steps"), attempts(row, history)),
      );
    },
    concerns: (event) => event.operation === operation.id && (!event.row || event.row === number),
    every: ({ row }) => (["running", "pending", "waiting_for_completion"].includes(row.state) ? 2_000 : 0),
    busy: "Loading the row",
  });
  const { close } = openDialog({
    title: `Row ${count(number)}`,
    kind: "drawer",
    content: shown.element,
    onClose: () => {
      shown.dispose();
      onClose();
    },
  });
  return { close };
}
