import { download, get, listOf, path } from "../api.js";
import { h } from "../dom.js";
import { between, big, compact, counted, duration, percent, rate } from "../format.js";
import { operationButtons } from "../parts/actions.js";
import { copyable } from "../parts/copy.js";
import { stateOf } from "../parts/chip.js";
import { card, facts, time } from "../parts/facts.js";
import { funnel } from "../parts/funnel.js";
import { menu } from "../parts/menu.js";
import { note } from "../parts/problem.js";
import { progress } from "../parts/progress.js";
import { readOnlyNote } from "../parts/read_only.js";
import { tabs } from "../parts/tabs.js";
import { toast } from "../parts/toast.js";
import { view } from "../parts/view.js";
import { navigate, setParameters } from "../router.js";
import { mayOperate, mayReadFiles } from "../session.js";
import { isActive, look } from "../states.js";
import { aboutTab } from "./operation/about.js";
import { errorsTab } from "./operation/errors.js";
import { eventsTab } from "./operation/events.js";
import { rowsTab } from "./operation/rows.js";
import { openRow } from "./operation/row.js";

const TABS = { errors: errorsTab, rows: rowsTab, events: eventsTab, about: aboutTab };

const MOST_STEPS = 16; // that are asked about

// Any step can tell a row to wait, so all are asked, but only when some row does.
async function waitingRows(operation, where, signal) {
  const ask = (step) => get(where, { state: "waiting_for_completion", step, limit: 1 }, signal);
  const all = await ask(null);
  const total = big(all.total ?? all.items.length);
  if (total === 0n) return new Map();
  if (total === 1n && all.items.length === 1) return new Map([[all.items[0].step_index, 1n]]);
  const steps = operation.steps.slice(0, MOST_STEPS);
  const pages = await Promise.all(steps.map((step) => ask(step.name)));
  return new Map(steps.map((step, i) => [step.index, pages[i].total ?? pages[i].items.length]));
}

// Errors are grouped again when others have failed, and not all the time: in a million rows it takes the
// server a second or more.
const CALM = 5_000;
async function groupsOf(operation, known, signal) {
  const { state, rows, retry_count } = operation;
  const key = `${state}/${rows.failed}/${retry_count}`;
  if (known.key === key || (isActive(state) && known.groups.length > 0 && Date.now() - known.at < CALM)) return known.groups;
  const groups = big(rows.failed) === 0n ? [] : listOf(await get(path("operations", operation.id, "error-groups"), {}, signal));
  Object.assign(known, { key, at: Date.now(), groups });
  return groups;
}

// Failed rows by step come with the groups of errors.
async function load(id, known, signal) {
  const at = (...rest) => path("operations", id, ...rest);
  const operation = await get(at(), {}, signal);
  const groups = await groupsOf(operation, known, signal);
  const failed = new Map();
  for (const group of groups) failed.set(group.step_index, big(failed.get(group.step_index)) + big(group.count));
  const waiting = isActive(operation.state) ? await waitingRows(operation, at("rows"), signal) : new Map();
  return { operation, groups, failed, waiting };
}

const CORRECT = "CSV to correct in a spreadsheet and upload again";
const AS_UPLOADED = "CSV as uploaded; a spreadsheet runs cells that begin with =";

function exportMenu(operation) {
  const save = (what, parameters) => async () => {
    try {
      await download(path("operations", operation.id, what), parameters);
    } catch (problem) {
      toast("bad", "cross", `${problem.title}. ${problem.detail}`);
    }
  };
  const saveFile = save("file");
  const item = (label, note, parameters) => ({ label, note, run: save("export", parameters) });
  // With and without guards in front of what a spreadsheet would run.
  const csvOf = (label, parameters) =>
    [[CORRECT, { guard: true }], [AS_UPLOADED, {}]].map(([note, guard]) => item(label, note, { content: "data", format: "csv", ...parameters, ...guard }));
  const hasUnprocessed = !isActive(operation.state) && big(operation.rows.unprocessed) > 0n;
  return menu("Export", "download", [
    ...csvOf("Failed rows", { rows: "failed" }),
    item("Failed rows", "NDJSON", { content: "data", format: "ndjson", rows: "failed" }),
    null,
    item("Report", "CSV: every row and what became of it", { content: "report", format: "csv" }),
    item("Report", "JSON", { content: "report", format: "json" }),
    item("Report of failed rows", "CSV", { content: "report", format: "csv", rows: "failed" }),
    null,
    ...(hasUnprocessed ? csvOf("Unprocessed rows", { rows: "unprocessed" }) : []),
    ...csvOf("All rows", {}),
    item("All rows", "JSON", { content: "data", format: "json" }),
    mayReadFiles() ? { label: "The file itself", note: operation.file?.name, run: saveFile } : false,
  ].filter((each) => each !== false));
}

function head(operation, refresh) {
  return h(
    "header",
    { class: "page-head" },
    h(
      "div",
      h("h1", h("bdi", operation.file?.name ?? operation.type)),
      h("p", { class: "page-sub" }, stateOf(operation), h("span", operation.type), copyable(operation.id, "id")),
    ),
    h(
      "div",
      { class: "row-of" },
      exportMenu(operation),
      mayOperate() ? operationButtons(operation, { refresh, onRemoved: () => navigate("operations", {}) }) : null,
    ),
  );
}

// Seen in the browser's tab while somebody works elsewhere.
function titleOf(operation) {
  const name = operation.file?.name ?? operation.type;
  const progress = isActive(operation.state) ? percent(operation.percent) : look(operation.state).label;
  return `${progress} · ${name} · bulk`;
}

// Nobody knows when those will go on who wait for somebody.
function left(operation, waiting) {
  const held = [...waiting.values()].reduce((sum, each) => sum + big(each), 0n);
  const rest = big(operation.rows.total) - big(operation.rows.processed);
  if (operation.paused) return "–";
  if (held > 0n && held >= rest) return `${counted(held, "row waits", "rows wait")}`;
  return operation.eta === null ? "–" : `about ${duration(operation.eta * 1000)}`;
}

function pace(operation, waiting) {
  const active = isActive(operation.state);
  return facts([
    active ? ["Rate", operation.paused ? "paused" : rate(operation.rate)] : null,
    active ? ["Left", left(operation, waiting)] : null,
    ["Created", time(operation.created_at)],
    ["Started", time(operation.started_at)],
    operation.completed_at ? ["Ended", time(operation.completed_at)] : null,
    operation.started_at ? ["Took", between(operation.started_at, operation.completed_at)] : null,
    ["By", operation.created_by || "–"],
    operation.retry_count > 0 ? ["Retried", `${operation.retry_count} ${operation.retry_count === 1 ? "time" : "times"}`] : null,
  ]);
}

// Why it failed, or what else there is to know, before anything else.
function whyEnded({ state, error }) {
  if (state === "failed") return note("bad", "attention", h("p", h("strong", "This operation failed. "), error || "The events say what happened."));
  return error ? note("warn", "attention", h("p", error)) : null;
}

function open(first) {
  const id = first.id;
  let parameters = first;
  let tab = null;
  let tabName = null;
  let drawer = null;
  const known = { key: null, at: 0, groups: [] };
  let firstTab = null; // chosen once: errors that come later must not take the page away from somebody

  const chosen = (data) => {
    firstTab ??= data.groups.length > 0 ? "errors" : "rows";
    return TABS[parameters.tab] ? parameters.tab : firstTab;
  };

  const panel = h("div", { id: "panel", role: "tabpanel", tabindex: "-1" });
  panel.keep = () => {}; // the tab in it refreshes itself

  const showTab = (name, data) => {
    if (tabName === name) {
      tab.update?.(parameters, data);
      return;
    }
    tab?.dispose();
    tabName = name;
    tab = TABS[name]({ id, data, parameters, refresh: () => shown.refresh() });
    panel.setAttribute("aria-labelledby", `tab-${name}`);
    panel.replaceChildren(tab.element);
  };

  const showRow = (data) => {
    if (drawer?.row === parameters.row) return;
    drawer?.close();
    drawer = null;
    if (!parameters.row) return;
    const { row } = parameters;
    drawer = {
      row,
      ...openRow({
        operation: data.operation,
        row,
        refresh: () => {
          shown.refresh();
          tab?.refresh?.();
        },
        onClose: () => {
          if (drawer?.row !== row) return;
          drawer = null;
          if (parameters.row === row) setParameters({ row: null });
        },
      }),
    };
  };

  const render = (data) => {
    const { operation } = data;
    const name = chosen(data);
    document.title = titleOf(operation);
    showTab(name, data);
    queueMicrotask(() => showRow(data));
    return h(
      "div",
      { class: "stack" },
      head(operation, () => shown.refresh()),
      readOnlyNote("retry, cancel or answer"),
      whyEnded(operation),
      h(
        "div",
        { class: "columns wide-left" },
        card("Progress", progress(operation), pace(operation, data.waiting)),
        card("Steps", operation.rows.total === null ? h("p", { class: "quiet-text" }, isActive(operation.state) ? "Shown once the rows are counted." : "No row reached a step.") : funnel(operation, data.failed, data.waiting)),
      ),
      h(
        "section",
        { class: "card tabbed", "aria-label": "Details" },
        tabs(
          "Details",
          [
            { name: "errors", label: "Errors", badge: big(operation.rows.failed) > 0n ? compact(big(operation.rows.failed)) : null, tone: "bad" },
            { name: "rows", label: "Rows", badge: operation.rows.total === null ? null : compact(big(operation.rows.total)) },
            { name: "events", label: "Events" },
            { name: "about", label: ["Metadata", h("span", { class: "where-wide" }, " and file")] },
          ],
          name,
          (next) => setParameters({ tab: next, after: null, state: null, step: null, row_id: null, errors_only: null, signal_key: null, from_row: null }, { replace: false }),
        ),
        panel,
      ),
    );
  };

  const shown = view({
    heading: "Operation",
    load: (signal) => load(id, known, signal),
    render,
    concerns: (event) => event.operation === id,
    every: ({ operation }) => (isActive(operation.state) && !operation.paused ? 1_500 : 0),
    busy: "Loading the operation",
  });

  return {
    element: shown.element,
    update(next) {
      parameters = next;
      shown.redraw();
    },
    dispose() {
      drawer?.close();
      tab?.dispose();
      shown.dispose();
    },
  };
}

export const operation = { title: "Operation", identity: ({ id }) => id, open };
