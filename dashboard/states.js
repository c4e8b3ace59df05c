// How every state looks: an icon and a tone beside its name, so that no meaning hangs on colour alone.

const LOOKS = {
  pending: ["pending", "quiet"],
  validating: ["scan", "busy"],
  running: ["run", "busy"],
  retrying: ["retry", "busy"],
  completed: ["check", "good"],
  completed_with_errors: ["attention", "warn"],
  failed: ["cross", "bad"],
  cancelled: ["ban", "quiet"],
  paused: ["pause", "warn"],
  waiting_for_completion: ["clock", "wait"],
  timed_out: ["timeout", "bad"],
  created: ["pending", "quiet"],
  workers_running: ["run", "busy"],
  in_progress: ["run", "busy"],
  consolidating: ["feeds", "busy"],
  consolidation_skipped: ["skip", "warn"],
  stalled: ["attention", "bad"],
  silent: ["attention", "bad"],
};
const LABELS = { waiting_for_completion: "waiting", workers_running: "reading", in_progress: "reading" };

export const OPERATION_STATES = [
  "pending", "validating", "running", "retrying", "completed", "completed_with_errors", "failed", "cancelled",
];
export const ROW_STATES = ["pending", "running", "waiting_for_completion", "completed", "failed", "timed_out"];

export const PARTITION_STATES = ["pending", "in_progress", "completed", "failed", "cancelled"];

export function look(state) {
  const [icon, tone] = LOOKS[state] ?? ["pending", "quiet"];
  return { icon, tone, label: LABELS[state] ?? String(state ?? "unknown").replaceAll("_", " ") };
}

export function isActive(state) {
  return ["pending", "validating", "running", "retrying"].includes(state);
}

export function isRunActive(state) {
  return ["created", "workers_running", "consolidating"].includes(state);
}

// Rows that were refused before they ran cannot be retried: the file is wrong, not the moment.
export function isRetryable(failure) {
  return failure !== "parse" && failure !== "validation";
}
