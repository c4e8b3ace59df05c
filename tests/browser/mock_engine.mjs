// A small stand-in for the library behind the API: operations whose rows go through steps, and feeds
// whose runs read partitions, on a timer. What a file's rows do is written in the file: see files.mjs.

import { randomUUID } from "node:crypto";

// What errors of different rows have in common.
export const patternOf = (error) => error.replace(/'[^']*'/g, "'…'").replace(/\d+/g, "#");

const TICK = 40;
const FINAL = ["completed", "completed_with_errors", "failed", "cancelled"];
const now = () => new Date().toISOString().replace("Z", "000Z");
const ago = (seconds) => new Date(Date.now() - seconds * 1000).toISOString();

const column = (name, type, more = {}) => ({
  name, type, required: true, nullable: false, hidden: false, format: null, row_id: false, unique: false, choices: [], ...more,
});
const step = (index, name, kind = "plain", more = {}) => ({
  index, name, kind, max_retries: 0, poll_interval_ms: null, timeout_ms: kind === "plain" ? null : 45_000, allow_operation_retry: true, ...more,
});

export const types = (name) => [
  {
    name,
    description: "Brings devices into the network and tells their owners.",
    is_pipeline: true, retryable: true, track_row_data: true, max_failed_rows: null, max_failed_ratio: null,
    metadata: [
      { name: "requested_by", type: "text", required: true, description: "Who asked for it." },
      { name: "ticket", type: "uint64", required: false, description: "Number of the ticket." },
    ],
    columns: [
      column("IMEI", "text", { row_id: true, unique: true }),
      column("customer", "text"),
      column("plan", "int32", { required: false, nullable: true }),
    ],
    steps: [
      step(0, "SIM Activation", "plain", { max_retries: 2 }),
      step(1, "Carrier Approval", "signalled"),
      step(2, "Customer Notification"),
    ],
  },
  {
    name: "invoice-import",
    description: "Books the invoices of a month.",
    is_pipeline: false, retryable: true, track_row_data: false, max_failed_rows: "100", max_failed_ratio: 0.1,
    metadata: [
      { name: "month", type: "date", required: true, description: "First day of the month." },
      { name: "limit", type: "decimal", required: false, description: "Larger amounts are refused." },
      { name: "is_final", type: "bool", required: false, description: "Close the month afterwards." },
    ],
    columns: [column("number", "text", { row_id: true }), column("amount", "decimal"), column("iban", "text", { hidden: true })],
    steps: [step(0, "Process")],
  },
];

function parseCsv(text) {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/).filter((line) => line !== "");
  if (lines.length === 0) throw new Error("The file has no header line.");
  const cells = (line) => line.split(",").map((cell) => cell.replace(/^"(.*)"$/, "$1"));
  const header = cells(lines[0]);
  for (const wanted of ["IMEI", "customer"])
    if (!header.includes(wanted)) throw new Error(`The file has no column '${wanted}'. Its header names: ${header.join(", ")}.`);
  return lines.slice(1).map((line, i) => {
    const data = Object.fromEntries(cells(line).map((cell, k) => [header[k], cell]));
    return { row: i + 1, line: i + 2, data, steps: [], step: -1, state: "pending" };
  });
}

// What a dry run and the validation find: { column, cell, message } or null.
function faultOf(row, seen) {
  const { IMEI, plan } = row.data;
  if (plan && !/^-?\d+$/.test(plan)) return { failure: "parse", column: "plan", cell: plan, message: "it is not a whole number" };
  if (!/^\d{15}$/.test(IMEI ?? "")) return { failure: "validation", column: "IMEI", cell: IMEI, message: `an IMEI has 15 digits, '${IMEI ?? ""}' has not` };
  if (seen.has(IMEI)) return { failure: "validation", column: "IMEI", cell: IMEI, message: `it is also in row ${seen.get(IMEI)}` };
  seen.set(IMEI, row.row);
  return null;
}
const faultText = (row, fault) => `line ${row.line}, column '${fault.column}', '${fault.cell}': ${fault.message}`;

export class Engine {
  constructor(typeName) {
    this.types = types(typeName);
    this.operations = [];
    this.keys = new Map();
    this.events = [];
    this.listeners = new Set();
    this.done = 0;
    this.rate = 0;
    this.started = now();
    this.feeds = [];
    this.runs = [];
    this.seed(typeName);
    this.timer = setInterval(() => this.tick(), TICK);
  }

  stop() {
    clearInterval(this.timer);
  }

  emit(kind, subject, more = {}) {
    const isRun = "feed" in subject;
    const event = {
      sequence: String(this.events.length + 1), kind, level: "info", operation: isRun ? null : subject.id, run: isRun ? subject.id : null,
      name: isRun ? subject.feed : subject.type, state: subject.state, previous: null, row: null, failure: null, message: "", time: now(), ...more,
    };
    this.events.push(event);
    for (const listener of this.listeners) listener(event);
  }

  // Operations

  dryRun(type, text) {
    const answer = { is_valid: false, rows: "0", bad_rows: "0", metadata_error: null, file_error: null, errors: [], groups: [] };
    try {
      const rows = parseCsv(text);
      const seen = new Map();
      const bad = rows.map((row) => [row, faultOf(row, seen)]).filter(([, fault]) => fault);
      answer.rows = String(rows.length);
      answer.bad_rows = String(bad.length);
      answer.errors = bad.slice(0, 100).map(([row, fault]) => ({ row: String(row.row), line: String(row.line), ...fault }));
      answer.is_valid = bad.length === 0;
    } catch (error) {
      answer.file_error = error.message;
    }
    return answer;
  }

  create({ type, name, text, metadata, by, key, created = now() }) {
    const operation = {
      id: randomUUID(), type, state: "pending", paused: false, cancel_requested: false, file: { id: randomUUID(), name, size: String(Buffer.byteLength(text)) },
      metadata, created_by: by, source: "api", idempotency_key: key ?? null, retry_count: 0, error: null,
      created_at: created, started_at: null, run_started_at: null, completed_at: null, version: 1, text, rows: [], validated: false, history: [], ticks: 0,
    };
    this.operations.unshift(operation);
    this.emit("created", operation, { message: "Operation created" });
    return operation;
  }

  move(operation, state) {
    const previous = operation.state;
    operation.state = state;
    operation.version++;
    if (FINAL.includes(state)) operation.completed_at = now();
    this.emit("status_changed", operation, { previous, message: `${previous} to ${state}` });
    const rows = this.counts(operation);
    if (state === "completed" || state === "completed_with_errors")
      this.emit("completed", operation, { level: rows.failed > 0 ? "warning" : "info", message: `${rows.succeeded}/${rows.total} rows succeeded in ${((Date.now() - Date.parse(operation.started_at)) / 1000).toFixed(3)} s` });
    if (state === "failed") this.emit("failed", operation, { level: "error", message: operation.error });
    if (state === "cancelled") this.emit("cancelled", operation, { level: "warning", message: `Operation cancelled, ${rows.unprocessed} rows not processed` });
  }

  counts(operation) {
    if (operation.fixed) return operation.fixed;
    const rows = operation.rows;
    const last = this.typeOf(operation).steps.length - 1;
    const succeeded = rows.filter((row) => row.state === "completed" && row.step === last).length;
    const failed = rows.filter((row) => row.state === "failed" || row.state === "timed_out").length;
    const total = operation.validated ? rows.length : null;
    return { total, processed: succeeded + failed, succeeded, failed, unprocessed: FINAL.includes(operation.state) ? (total ?? 0) - succeeded - failed : 0 };
  }

  typeOf(operation) {
    return this.types.find((type) => type.name === operation.type);
  }

  record(row, index, name, state, more = {}) {
    let record = row.steps.find((each) => each.step_index === index);
    if (!record) {
      record = { step: name, step_index: index, state, attempt: 1, retry_attempt: 0, failure: null, error: null, signal_key: null, started_at: now(), completed_at: null, wait_until: null };
      row.steps.push(record);
    }
    Object.assign(record, { state, completed_at: ["completed", "failed", "timed_out"].includes(state) ? now() : null }, more);
    Object.assign(row, { step: index, state, failure: record.failure, error: record.error });
    return record;
  }

  fail(operation, row, index, name, failure, error) {
    this.record(row, index, name, "failed", { failure, error });
    this.emit("row_failed", operation, { level: "error", row: String(row.row), failure, message: `Row ${row.row}: ${error}` });
  }

  validate(operation) {
    operation.started_at ??= now();
    try {
      operation.rows = parseCsv(operation.text);
    } catch (error) {
      operation.error = error.message;
      return this.move(operation, "failed");
    }
    operation.validated = true;
    const seen = new Map();
    for (const row of operation.rows) {
      const fault = faultOf(row, seen);
      if (fault) this.fail(operation, row, -1, "Validation", fault.failure, faultText(row, fault));
      else this.record(row, -1, "Validation", "completed");
    }
    operation.run_started_at = now();
    return this.move(operation, "running");
  }

  // One step of one row; returns whether it took up the tick.
  advance(operation, row) {
    const steps = this.typeOf(operation).steps;
    const index = row.state === "completed" ? row.step + 1 : row.step;
    const { name } = steps[index];
    const { customer, IMEI } = row.data;
    if (index === 0 && customer === "refuse" && !row.retried) {
      this.fail(operation, row, index, name, "step_failure", `the carrier refused the SIM of ${IMEI}`);
      row.steps.at(-1).attempt = 3;
    } else if (index === 1 && customer === "approve" && !row.signalled) {
      this.record(row, index, name, "waiting_for_completion", { signal_key: `carrier-${IMEI}`, wait_until: new Date(Date.now() + 600_000).toISOString() });
    } else {
      this.record(row, index, name, "completed", { failure: null, error: null });
    }
    this.done++;
    return customer === "slow";
  }

  isOpen(operation, row) {
    const last = this.typeOf(operation).steps.length - 1;
    return row.state === "pending" || (row.state === "completed" && row.step < last);
  }

  work(operation) {
    if (operation.cancel_requested) return this.move(operation, "cancelled");
    if (operation.paused || operation.ticks++ < 4) return undefined;
    if (operation.state === "pending") {
      operation.ticks = 0;
      return this.move(operation, "validating");
    }
    if (operation.state === "validating") return this.validate(operation);
    if (operation.state === "retrying") return this.move(operation, "running");
    let budget = 10;
    for (const row of operation.rows) {
      if (budget <= 0) break;
      if (this.isOpen(operation, row)) budget -= this.advance(operation, row) ? 10 : 1;
    }
    operation.version++;
    if (!operation.rows.some((row) => this.isOpen(operation, row) || row.state === "waiting_for_completion"))
      this.move(operation, this.counts(operation).failed > 0 ? "completed_with_errors" : "completed");
    return undefined;
  }

  tick() {
    this.rate = this.rate * 0.9 + (this.done / (TICK / 1000)) * 0.1;
    this.done = 0;
    for (const operation of this.operations)
      if (!FINAL.includes(operation.state) && !operation.fixed) this.work(operation);
    for (const run of this.runs) this.workRun(run);
  }

  retry(operation, { rows, step: stepName, failure, group }) {
    const chosen = operation.rows.filter(
      (row) =>
        row.state === "failed" && (!rows || rows.includes(String(row.row))) && (!failure || row.failure === failure) && (!group || patternOf(row.error) === group) &&
        (!stepName || this.typeOf(operation).steps[row.step]?.name === stepName),
    );
    const able = chosen.filter((row) => row.step >= 0);
    for (const row of able) {
      const record = row.steps.find((each) => each.step_index === row.step);
      operation.history.push({ row: String(row.row), step: record.step, step_index: record.step_index, retry_attempt: record.retry_attempt, failure: record.failure, error: record.error, failed_at: record.completed_at });
      Object.assign(record, { state: "pending", failure: null, error: null, attempt: 1, retry_attempt: record.retry_attempt + 1, completed_at: null });
      Object.assign(row, { state: "pending", failure: null, error: null, retried: true });
    }
    const resumed = operation.rows.filter((row) => this.isOpen(operation, row) && !able.includes(row)).length;
    if (able.length + (rows ? 0 : resumed) > 0) {
      Object.assign(operation, { cancel_requested: false, completed_at: null, ticks: 0, retry_count: operation.retry_count + 1 });
      this.move(operation, "retrying");
    }
    return { submitted: String(able.length), skipped: String(chosen.length - able.length), resumed: String(resumed), reasons: [] };
  }

  signal(operation, { key, row: number, failure }) {
    const row = operation.rows.find(
      (each) => each.state === "waiting_for_completion" && (!number || String(each.row) === String(number)) && each.steps.some((record) => record.signal_key === key),
    );
    if (!row) return null;
    const record = row.steps.find((each) => each.signal_key === key);
    if (failure) this.fail(operation, row, record.step_index, record.step, "signal_failure", failure);
    else this.record(row, record.step_index, record.step, "completed");
    row.signalled = true;
    return { is_kept: false, row: String(row.row), step: record.step };
  }

  // Feeds

  newRun(feed, type, partitions) {
    const run = {
      id: randomUUID(), feed, type, state: "workers_running", started_by: "local", trace: null, window: { from: ago(86_400), to: now() },
      consolidated: "0", bad_items: "0", removed: "0", is_forced: false, is_capped: false, watermark_before: ago(86_400), watermark_after: null,
      started_at: now(), active_at: now(), consolidate_at: null, completed_at: null, failed_at: null, cancelled_at: null, reason: null, parts: partitions, bad: [],
    };
    this.runs.unshift(run);
    this.emit("run_started", run, { message: `${partitions.length} partitions` });
    return run;
  }

  partitions(count) {
    return Array.from({ length: count }, (_, number) => ({
      number, name: `partition-${number}`, range: { first: String(number * 250_000), last: String((number + 1) * 250_000 - 1) }, estimated: String(600 + ((number * 37) % 5) * 180),
      state: "pending", next_offset: "0", pass: 0, pages: "0", records: "0", changed: "0", attempt: 1, worker: "worker-1", error: null, started_at: null, updated_at: null, completed_at: null,
    }));
  }

  workRun(run) {
    if (run.state === "consolidating") {
      Object.assign(run, { state: "completed", completed_at: now(), watermark_after: run.window.to, consolidated: String(run.parts.reduce((sum, each) => sum + Number(each.changed), 0)) });
      this.emit("run_completed", run, { message: `${run.consolidated} items changed` });
      return;
    }
    if (run.state !== "workers_running") return;
    const part = run.parts.find((each) => each.state === "in_progress") ?? run.parts.find((each) => each.state === "pending");
    if (!part) {
      run.state = run.parts.some((each) => each.state === "failed") ? "consolidation_skipped" : "consolidating";
      this.emit(run.state === "consolidating" ? "consolidation_started" : "consolidation_skipped", run, { message: "All partitions are finished" });
      return;
    }
    const records = Math.min(Number(part.estimated), Number(part.records) + 100);
    Object.assign(part, { state: "in_progress", started_at: part.started_at ?? now(), updated_at: now(), records: String(records), changed: String(Math.floor(records / 9)), pages: String(Number(part.pages) + 1) });
    if (records === Number(part.estimated)) {
      Object.assign(part, { state: "completed", completed_at: now() });
      this.emit("partition_completed", run, { message: `${part.name}: ${records} records` });
    }
  }

  retryRun(run, number) {
    for (const part of run.parts)
      if (part.state === "failed" && (number === undefined || part.number === number)) Object.assign(part, { state: "pending", error: null, attempt: 1 });
    run.state = "workers_running";
    this.emit("partitions_retried", run, { message: "Failed partitions are read again" });
  }

  // What a page shows before anybody does anything.
  seed(type) {
    const line = (i, customer = "Ada", plan = "2") => `${490_154_203_000_000 + i},${customer},${plan}`;
    const file = (count, each) => ["IMEI,customer,plan", ...Array.from({ length: count }, (_, i) => each(i))].join("\n");
    const old = (name, text, seconds, by = "ops") => {
      const operation = this.create({ type, name, text, metadata: { requested_by: by, ticket: "digits 18446744073709551615" }, by });
      operation.created_at = ago(seconds);
      return operation;
    };
    const finish = (operation) => {
      for (let i = 0; i < 10_000 && !FINAL.includes(operation.state); ++i) this.work(operation);
      operation.started_at = ago((Date.now() - Date.parse(operation.created_at)) / 1000 - 3);
      operation.completed_at = ago((Date.now() - Date.parse(operation.created_at)) / 1000 - 41);
    };
    const exact = old("every-device.csv", file(3, (i) => line(i)), 90_000);
    finish(exact);
    exact.fixed = { total: "9007199254740993", processed: "9007199254740993", succeeded: "9007199254740993", failed: "0", unprocessed: "0" };
    for (let i = 0; i < 24; ++i) finish(old(`batch-${String(i + 1).padStart(2, "0")}.csv`, file(40, (k) => line(k + i * 40)), 80_000 - i * 1800, i % 3 ? "ops" : "night-shift"));
    finish(old("devices-may.csv", file(240, (i) => line(i, i % 20 === 3 ? "refuse" : "Ada", i % 31 === 5 ? "gold" : "2")), 7200));
    finish(old("wrong-header.csv", "serial,owner\n1,Ada", 3600, "ada"));
    const paused = old("devices-berlin.csv", file(120, (i) => line(i, "slow")), 1800);
    for (let i = 0; i < 60; ++i) this.work(paused);
    paused.paused = true;
    const waiting = old("approvals.csv", file(12, (i) => line(i, i % 3 === 0 ? "approve" : "Ada")), 600, "ada");
    for (let i = 0; i < 40; ++i) this.work(waiting);
    this.items = Array.from({ length: 45 }, (_, i) => ({ key: `article-${10_000 + i}`, data: { title: `Article <b>${i}</b>`, number: i }, is_deleted: i === 7, version: "3", changed_at: ago(3_600) }));
    this.feeds.push({ name: "products", description: "Items of the shop, cut along their ids.", position_type: "int64", page_size: 500, max_workers: 8 });
    const good = this.newRun("products", "full", this.partitions(4));
    for (let i = 0; i < 200 && good.state !== "completed"; ++i) this.workRun(good);
    const bad = this.newRun("products", "incremental", this.partitions(6));
    Object.assign(bad.parts[3], { state: "failed", error: "the source answered 503 five times", attempt: 5, records: "300" });
    Object.assign(bad, { bad_items: "1", bad: [{ key: "item-77", payload: "{}", reason: "the price is negative" }] });
    for (let i = 0; i < 200 && bad.state === "workers_running"; ++i) this.workRun(bad);
    for (const event of this.events) event.time = ago(600);
  }
}
