import { get, listOf } from "../api.js";
import { h } from "../dom.js";
import { between, big, count, percent, size } from "../format.js";
import { icon } from "../icons.js";
import { time } from "../parts/facts.js";
import { stateOf } from "../parts/chip.js";
import { empty } from "../parts/empty.js";
import { pager } from "../parts/pager.js";
import { bar } from "../parts/progress.js";
import { table } from "../parts/table.js";
import { view } from "../parts/view.js";
import { href, setParameters } from "../router.js";
import { mayOperate } from "../session.js";
import { OPERATION_STATES, isActive, look } from "../states.js";

const FILTERS = ["type", "state", "created_by", "from", "to"];

// The day that somebody picks is one of their own; the API takes moments.
function startOf(day) {
  return day ? new Date(`${day}T00:00:00`).toISOString() : null;
}
function endOf(day) {
  return day ? new Date(`${day}T23:59:59.999`).toISOString() : null;
}

function columns() {
  return [
    { label: "File", kind: "wide", cell: (each) => h("a", { class: "clamped", title: each.file?.name, href: href("operation", { id: each.id }) }, h("bdi", each.file?.name ?? each.id)) },
    { label: "Type", kind: "name", sort: "name", cell: (each) => each.type },
    { label: "State", kind: "state", sort: "state", cell: stateOf },
    {
      label: "Progress",
      kind: "bar-cell",
      cell: (each) => (each.rows.total === null ? "–" : h("span", { class: "bar-and-text" }, bar(each.rows), percent(each.percent))),
    },
    { label: "Rows", kind: "number", sort: "total_rows", cell: (each) => count(each.rows.total) },
    { label: "Failed", kind: "number", cell: (each) => h("span", { class: big(each.rows.failed) > 0n ? "text-bad" : "quiet-text" }, count(each.rows.failed)) },
    { label: "Size", kind: "number", cell: (each) => size(each.file?.size) },
    { label: "By", cell: (each) => each.created_by || "–" },
    { label: "Created", kind: "number", sort: "created_at", cell: (each) => time(each.created_at) },
    { label: "Took", kind: "number", cell: (each) => (each.started_at ? between(each.started_at, each.completed_at) : "–") },
  ];
}

function open(first) {
  let parameters = first;
  const passed = [];
  let types = [];

  const move = (changes) => {
    passed.splice(0);
    setParameters({ after: null, ...changes });
  };

  let typing = 0;
  const later = (name) => (event) => {
    const { value } = event.target;
    clearTimeout(typing);
    typing = setTimeout(() => move({ [name]: value }), 300);
  };

  const filters = () => {
    const one = (name, label, control) => h("div", { class: "filter", key: name }, h("label", { for: `filter-${name}` }, label), control);
    const pick = (name, label, all, wording) =>
      one(
        name,
        label,
        h(
          "select",
          { id: `filter-${name}`, value: parameters[name] ?? "", onchange: (event) => move({ [name]: event.target.value }) },
          h("option", { value: "" }, "All"),
          all.map((each) => h("option", { value: each }, wording(each))),
        ),
      );
    const day = (name, label) =>
      one(name, label, h("input", { type: "date", id: `filter-${name}`, value: parameters[name] ?? "", onchange: (event) => move({ [name]: event.target.value }) }));
    return h(
      "form",
      { class: "filters", role: "search", "aria-label": "Filter operations", onsubmit: (event) => event.preventDefault() },
      pick("type", "Type", types, (each) => each),
      pick("state", "State", OPERATION_STATES, (each) => look(each).label),
      one("created_by", "Created by", h("input", { type: "text", id: "filter-created_by", value: parameters.created_by ?? "", oninput: later("created_by"), autocomplete: "off" })),
      day("from", "From"),
      day("to", "To"),
      FILTERS.some((name) => parameters[name])
        ? h(
            "button",
            { type: "button", class: "button small quiet", onclick: () => move(Object.fromEntries(FILTERS.map((name) => [name, null]))) },
            icon("close"),
            "Clear",
          )
        : null,
    );
  };

  const shown = view({
    async load(signal) {
      if (types.length === 0) types = listOf(await get("/operation-types", {}, signal)).map((type) => type.name);
      const { type, state, created_by, from, to, sort, order, after } = parameters;
      return get(
        "/operations",
        { type, state, created_by, from: startOf(from), to: endOf(to), sort: sort ?? "created_at", order: order ?? "desc", limit: 20, after },
        signal,
      );
    },
    render(page) {
      const isFiltered = FILTERS.some((name) => parameters[name]);
      return h(
        "div",
        { class: "stack" },
        filters(),
        page.items.length > 0
          ? table({
              label: "Operations",
              columns: columns(),
              rows: page.items,
              key: (operation) => operation.id,
              sort: { by: parameters.sort ?? "created_at", order: parameters.order ?? "desc" },
              onSort: ({ by, order }) => move({ sort: by, order }),
            })
          : isFiltered
            ? empty("scan", "No operation matches", "Take a filter away to see more.")
            : empty(
                "operations",
                "No operation yet",
                "An operation is a file whose rows go through steps.",
                mayOperate() ? h("a", { class: "button primary", href: href("upload") }, icon("upload"), "Upload a file") : null,
              ),
        pager({
          shown: page.items.length,
          total: page.total,
          next: page.next,
          after: parameters.after,
          passed,
          noun: "operation",
          onMove: (after) => setParameters({ after }, { replace: false }),
        }),
      );
    },
    concerns: (event) => event.kind !== "row_failed",
    every: (page) => (page.items.some((each) => isActive(each.state) && !each.paused) ? 2_000 : 0),
  });

  return {
    element: h("div", h("h1", "Operations"), shown.element),
    update(next) {
      parameters = next;
      shown.restart();
    },
    dispose: shown.dispose,
  };
}

export const operations = { title: "Operations", open };
