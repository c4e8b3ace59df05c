import { get, listOf } from "../api.js";
import { h } from "../dom.js";
import { big, compact, count, counted, duration, rate } from "../format.js";
import { icon } from "../icons.js";
import { card, time } from "../parts/facts.js";
import { chip, stateOf } from "../parts/chip.js";
import { empty } from "../parts/empty.js";
import { plot } from "../parts/plot.js";
import { bar } from "../parts/progress.js";
import { table } from "../parts/table.js";
import { view } from "../parts/view.js";
import { href } from "../router.js";
import { addSample, latencySeries, throughputSeries } from "../samples.js";
import { mayOperate } from "../session.js";
import { OPERATION_STATES, look } from "../states.js";

async function load(signal) {
  const [overview, recent] = await Promise.all([
    get("/overview", {}, signal),
    get("/operations", { limit: 8, sort: "created_at", order: "desc" }, signal),
  ]);
  addSample(overview);
  return { overview, recent: listOf(recent) };
}

function states(overview) {
  return h(
    "ul",
    { class: "state-counts", "aria-label": "Operations by state" },
    OPERATION_STATES.map((state) => {
      const { icon: name, tone, label } = look(state);
      const number = overview.states?.[state] ?? 0;
      return h(
        "li",
        { key: state },
        h(
          "a",
          { href: href("operations", { state }), class: big(number) > 0n ? tone : "none" },
          h("span", { class: "state-number" }, count(number)),
          h("span", { class: "state-label" }, icon(name), label),
        ),
      );
    }),
  );
}

function reason(operation) {
  if (operation.state === "failed") return operation.error || "It failed.";
  if (operation.paused) return "It is paused, and goes on when somebody resumes it.";
  if (big(operation.rows.failed) > 0n) return `${counted(operation.rows.failed, "row")}${operation.rows.total === null ? "" : ` of ${count(operation.rows.total)}`} failed.`;
  if (operation.state === "pending") return "It has been waiting for a worker for more than five minutes.";
  return "Rows are waiting for a signal.";
}

const RUN_REASONS = {
  stalled: "Nothing has happened for a while. Check that a worker runs.",
  consolidation_skipped: "Partitions failed. Retry them, or consolidate without them.",
  failed: "Some items are bad, so the watermark was kept.",
};

// Those that failed more than a day ago are not listed, but never forgotten.
function older(overview, listed) {
  const failed = ["failed", "completed_with_errors"].map((state) => [state, big(overview.states?.[state])]);
  const shown = BigInt(listed.filter(({ state }) => failed.some(([name]) => name === state)).length);
  const all = failed.reduce((sum, [, number]) => sum + number, 0n);
  if (all <= shown) return null;
  const [state] = failed.find(([, number]) => number > 0n);
  return h("p", { class: "quiet-text" }, h("a", { href: href("operations", { state }) }, `${counted(all - shown, "earlier operation")} failed or ${all - shown === 1n ? "has" : "have"} failed rows`));
}

function attention(overview) {
  const operations = overview.attention ?? [];
  const runs = overview.attention_runs ?? [];
  const earlier = older(overview, operations);
  if (operations.length + runs.length === 0)
    return earlier ?? empty("check", "Nothing needs attention", "No operation has failed, is paused or has failed rows, no row waits for a signal, and no feed is stuck.");
  return h(
    "div",
    h("ul", { class: "attention" }, runs.map(runItem), operations.map(operationItem)),
    earlier,
  );
}

function runItem(run) {
  return h(
    "li",
    { key: run.id },
    h("a", { class: "clamped", href: href("run", { id: run.id }) }, run.feed),
    chip(run.state),
    h("p", { class: "quiet-text" }, "Feed · ", run.reason || RUN_REASONS[run.state]),
  );
}

function operationItem(operation) {
  return h(
    "li",
    { key: operation.id },
    h("a", { class: "clamped", title: operation.file?.name, href: href("operation", { id: operation.id }) }, h("bdi", operation.file?.name ?? operation.type)),
    stateOf(operation),
    h("p", { class: "quiet-text" }, `${operation.type} · `, reason(operation)),
  );
}

function recentTable(operations, label) {
  return table({
    label,
    rows: operations,
    key: (operation) => operation.id,
    columns: [
      { label: "File", kind: "wide", cell: (each) => h("a", { class: "clamped", title: each.file?.name, href: href("operation", { id: each.id }) }, h("bdi", each.file?.name ?? each.id)) },
      { label: "Type", kind: "name", cell: (each) => each.type },
      { label: "State", kind: "state", cell: stateOf },
      { label: "Progress", kind: "bar-cell", cell: (each) => (each.rows.total === null ? "–" : bar(each.rows)) },
      { label: "Rows", kind: "number", cell: (each) => count(each.rows.total) },
      { label: "Failed", kind: "number", cell: (each) => h("span", { class: big(each.rows.failed) > 0n ? "text-bad" : "quiet-text" }, count(each.rows.failed)) },
      { label: "Created", kind: "number", cell: (each) => time(each.created_at) },
    ],
  });
}

function latencyTable(overview) {
  const all = overview.step_latency ?? [];
  return table({
    label: "Latency of the steps",
    rows: all,
    key: (each) => `${each.type}/${each.step}`,
    columns: [
      { label: "Step", kind: "wide", cell: (each) => h("div", h("p", each.step), h("p", { class: "quiet-text" }, each.type)) },
      { label: "Median", kind: "number", cell: (each) => duration(each.p50_ms) },
      { label: "95 %", kind: "number", cell: (each) => duration(each.p95_ms) },
      { label: "Times", kind: "number", cell: (each) => count(each.count) },
    ],
  });
}

function render({ overview, recent }) {
  const latency = latencySeries(overview);
  const now = overview.throughput?.rows_per_s ?? 0;
  return h(
    "div",
    { class: "stack" },
    states(overview),
    h(
      "div",
      { class: "columns" },
      card(
        "Throughput",
        h(
          "p",
          { class: "headline" },
          h("strong", rate(now)),
        ),
        plot({ title: "Time", series: ["rows/s"], data: throughputSeries(), format: compact, summary: `Throughput is ${rate(now)}.` }),
      ),
      card("What needs attention", attention(overview)),
    ),
    card(
      "Step latency",
      latency.names.length === 0
        ? empty("clock", "No step has run yet", "How long each step takes is shown here once rows go through.")
        : h(
            "div",
            { class: "columns" },
            plot({ title: "95 % within", series: latency.names, data: latency.data, format: duration, isLog: true, summary: "The table beside it has the same numbers." }),
            latencyTable(overview),
          ),
    ),
    card(
      "Recent operations",
      recent.length === 0
        ? empty(
            "operations",
            "No operation yet",
            "An operation is a file whose rows go through steps.",
            mayOperate() ? h("a", { class: "button primary", href: href("upload") }, icon("upload"), "Upload the first file") : null,
          )
        : recentTable(recent, "Recent operations"),
    ),
  );
}

export const overview = {
  title: "Overview",
  open() {
    const shown = view({
      load,
      render,
      concerns: (event) => event.kind !== "row_failed",
      every: ({ overview }) => (Number(overview.running_operations ?? 0) > 0 ? 2_000 : 5_000),
    });
    return {
      element: h("div", h("h1", "Overview"), shown.element),
      dispose: shown.dispose,
    };
  },
};
