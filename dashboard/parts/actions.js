// What may be done to an operation, and the questions that are asked before it is.

import { get, path, post, remove } from "../api.js";
import { h } from "../dom.js";
import { big, count, counted } from "../format.js";
import { icon } from "../icons.js";
import { isActive, isRetryable } from "../states.js";
import { confirm } from "./dialog.js";
import { toast } from "./toast.js";

const at = (operation, ...rest) => path("operations", operation.id, ...rest);

function toDo(operation) {
  if (operation.rows.total === null) return "Its rows are not counted yet.";
  const left = big(operation.rows.total) - big(operation.rows.succeeded) - big(operation.rows.failed);
  return `${counted(operation.rows.processed, "row")} of ${count(operation.rows.total)} ${big(operation.rows.processed) === 1n ? "is" : "are"} done, ${count(left)} ${left === 1n ? "is" : "are"} to do.`;
}

function cancelOperation(operation, done) {
  confirm({
    title: "Cancel the operation?",
    text: [toDo(operation), "Rows that are being worked on are finished and recorded; the rest stays unprocessed. It can be retried later."],
    action: "Cancel the operation",
    tone: "danger",
    run: async () => {
      await post(at(operation, "cancel"));
      done();
    },
  });
}

function pauseOperation(operation, done) {
  confirm({
    title: "Pause the operation?",
    text: [toDo(operation), "Nothing is lost: it goes on where it is when it is resumed. Deadlines of waiting rows run on."],
    action: "Pause",
    run: async () => {
      await post(at(operation, "pause"));
      done();
    },
  });
}

async function resumeOperation(operation, done) {
  try {
    await post(at(operation, "resume"));
    done();
  } catch (problem) {
    toast("bad", "cross", `${problem.title}. ${problem.detail}`);
  }
}

function removeOperation(operation, done) {
  confirm({
    title: "Remove the operation?",
    text: [
      `Its file, the records of ${counted(operation.rows.total ?? 0, "row")}, its errors, events and history are deleted.`,
      "This cannot be undone. Download what you want to keep first.",
    ],
    action: "Remove for good",
    tone: "danger",
    run: async () => {
      await remove(at(operation));
      done();
    },
  });
}

function told(result) {
  const parts = [`${counted(result.submitted, "row")} submitted again`];
  if (big(result.resumed) > 0n) parts.push(`${count(result.resumed)} more resumed`);
  if (big(result.skipped) > 0n) parts.push(`${count(result.skipped)} skipped`);
  const why = (result.reasons ?? []).slice(0, 2).map((reason) => (typeof reason === "string" ? reason : reason.reason));
  toast(big(result.submitted) + big(result.resumed) > 0n ? "good" : "warn", "retry", [parts.join(", "), ...why].join(". ") + ".");
}

function askToRetry(operation, { title, text, body, done }) {
  confirm({
    title,
    text,
    action: "Retry",
    run: async () => {
      told(await post(at(operation, "retry"), body));
      done();
    },
  });
}

const retryableIn = (groups) =>
  groups.filter((group) => isRetryable(group.failure)).reduce((sum, group) => sum + big(group.count), 0n);

async function retryOperation(operation, done) {
  let groups = [];
  let eligibility = {};
  try {
    [groups, eligibility] = await Promise.all([
      get(at(operation, "error-groups")).then((answer) => answer.items ?? answer),
      get(at(operation, "retry-eligibility")),
    ]);
  } catch (problem) {
    toast("bad", "cross", `${problem.title}. ${problem.detail}`);
    return;
  }
  if (eligibility.is_eligible === false) {
    toast("warn", "attention", eligibility.reason ?? "This operation cannot be retried.");
    return;
  }
  const failed = retryableIn(groups);
  const refused = big(operation.rows.failed) - failed;
  const left = big(operation.rows.unprocessed);
  askToRetry(operation, {
    title: failed > 0n ? `Retry ${counted(failed, "failed row")}?` : "Retry the operation?",
    text: [
      "Each goes on with the step at which it failed; earlier steps do not run again.",
      left > 0n ? `${counted(left, "row")} that were never processed run too.` : null,
      refused > 0n ? `${counted(refused, "row")} that the validation refused stay failed: correct them in the file and upload them again.` : null,
    ].filter(Boolean),
    body: {},
    done,
  });
}

export function retryGroup(operation, group, done) {
  askToRetry(operation, {
    title: `Retry ${counted(group.count, "row")}?`,
    text: [`Those of this group go on with “${group.step}”, where they failed:`, group.pattern],
    body: { step: group.step, failure: group.failure, group: group.pattern },
    done,
  });
}

export function retryRows(operation, rows, done) {
  askToRetry(operation, {
    title: rows.length === 1 ? `Retry row ${count(rows[0])}?` : `Retry ${counted(rows.length, "row")}?`,
    text: "Each goes on with the step at which it failed; earlier steps do not run again.",
    body: { rows: rows.map(String) },
    done,
  });
}

// The buttons that fit the operation's state.
export function operationButtons(operation, { refresh, onRemoved }) {
  const button = (label, iconName, run, tone = "") =>
    h("button", { type: "button", class: `button ${tone}`, key: label, onclick: run }, icon(iconName), label);
  const active = isActive(operation.state);
  const retryable =
    ["completed_with_errors", "failed", "cancelled"].includes(operation.state) &&
    (big(operation.rows.failed) > 0n || big(operation.rows.unprocessed) > 0n);
  return [
    active && !operation.paused && !operation.cancel_requested
      ? button("Pause", "pause", () => pauseOperation(operation, refresh))
      : null,
    active && operation.paused ? button("Resume", "play", () => resumeOperation(operation, refresh), "primary") : null,
    active && !operation.cancel_requested
      ? button("Cancel", "ban", () => cancelOperation(operation, refresh), "danger-quiet")
      : null,
    retryable ? button("Retry", "retry", () => retryOperation(operation, refresh), "primary") : null,
    active ? null : button("Remove", "trash", () => removeOperation(operation, onRemoved), "danger-quiet"),
  ];
}
