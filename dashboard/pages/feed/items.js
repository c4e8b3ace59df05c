// What a feed has brought together: the items of its canonical set, by key.

import { get, path } from "../../api.js";
import { h } from "../../dom.js";
import { count } from "../../format.js";
import { icon } from "../../icons.js";
import { empty } from "../../parts/empty.js";
import { time } from "../../parts/facts.js";
import { pager } from "../../parts/pager.js";
import { table } from "../../parts/table.js";
import { view } from "../../parts/view.js";
import { setParameters } from "../../router.js";

const NAMES = ["from_key", "deleted", "items_after"];

const COLUMNS = [
  { label: "Key", kind: "id", cell: (item) => h("code", { class: "clamped", title: item.key }, item.key) },
  {
    label: "Values",
    kind: "wide",
    cell: (item) => [
      item.is_deleted ? [h("span", { class: "chip quiet" }, icon("trash"), "gone from the source"), " "] : null,
      h("code", { class: "clamped" }, typeof item.data === "string" ? item.data : JSON.stringify(item.data)),
    ],
  },
  { label: "Version", kind: "number", cell: (item) => count(item.version) },
  { label: "Changed", kind: "number", cell: (item) => time(item.changed_at) },
];

export function itemsCard(name, first) {
  let parameters = first;
  const passed = [];
  let typing = 0;
  const move = (changes) => {
    passed.splice(0);
    setParameters({ items_after: null, ...changes });
  };

  const filters = () =>
    h(
      "form",
      { class: "filters", role: "search", "aria-label": "Filter items", onsubmit: (event) => event.preventDefault() },
      h(
        "div",
        { class: "filter" },
        h("label", { for: "items-from_key" }, "From key"),
        h("input", {
          id: "items-from_key",
          type: "text",
          value: parameters.from_key ?? "",
          autocomplete: "off",
          spellcheck: "false",
          oninput: (event) => {
            const value = event.target.value.trim();
            clearTimeout(typing);
            typing = setTimeout(() => move({ from_key: value }), 300);
          },
        }),
      ),
      h(
        "label",
        { class: "check" },
        h("input", { type: "checkbox", checked: parameters.deleted === "true", onchange: (event) => move({ deleted: event.target.checked ? "true" : null }) }),
        "Also those gone from the source",
      ),
    );

  const shown = view({
    load: (signal) => get(path("feeds", name, "items"), { from_key: parameters.from_key, deleted: parameters.deleted, after: parameters.items_after, limit: 20 }, signal),
    render: (page) =>
      h(
        "div",
        { class: "stack" },
        filters(),
        page.items.length > 0
          ? table({ label: "Items", columns: COLUMNS, rows: page.items, key: (item) => item.key })
          : parameters.from_key
            ? empty("scan", "No item from this key on", "Take the filter away to see more.")
            : empty("feeds", "No item yet", "Items are here once a run has been consolidated."),
        pager({
          shown: page.items.length,
          total: page.total,
          next: page.next,
          after: parameters.items_after,
          passed,
          noun: "item",
          onMove: (after) => setParameters({ items_after: after }, { replace: false }),
        }),
      ),
    concerns: (event) => ["run_completed", "run_failed"].includes(event.kind) && event.name === name,
    busy: "Loading the items",
  });
  const element = h("section", { class: "card", "aria-label": "Items" }, h("h2", "Items"), shown.element);
  element.keep = () => {}; // it looks after itself
  return {
    element,
    update(next) {
      const isOther = NAMES.some((each) => next[each] !== parameters[each]);
      parameters = next;
      if (isOther) shown.restart();
    },
    dispose: shown.dispose,
  };
}
