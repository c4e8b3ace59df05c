// Tables: sort by buttons in the head, cells that name their column where the screen is narrow.

import { h } from "../dom.js";
import { icon } from "../icons.js";

function head(column, sort, onSort) {
  const direction = column.sort && sort?.by === column.sort ? sort.order : null;
  const label = column.sort
    ? h(
        "button",
        {
          type: "button",
          class: `sort ${direction ?? ""}`,
          onclick: () => onSort({ by: column.sort, order: direction === "desc" ? "asc" : "desc" }),
        },
        column.label,
        icon("down"),
      )
    : column.head
      ? column.head()
      : column.hidden
      ? h("span", { class: "unseen" }, column.label)
      : column.label;
  const sorted = direction === "asc" ? "ascending" : direction === "desc" ? "descending" : "none";
  return h(
    "th",
    { scope: "col", role: "columnheader", class: column.kind ?? "", "aria-sort": column.sort ? sorted : null },
    label,
  );
}

// columns: { label, cell(row), kind: "number" | "wide" | "actions", sort: name for the API, hidden: label
// for screen readers only, head(): instead of it }; rows keyed by `key(row)`.
export function table({ label, columns, rows, key, sort = null, onSort = () => {}, rowClass = () => "" }) {
  return h(
    "div",
    { class: `table-frame ${columns.length > 2 ? "many" : ""}`, role: "group", "aria-label": label, tabindex: "0" },
    h(
      "table",
      { role: "table", "aria-label": label },
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, columns.map((column) => head(column, sort, onSort)))),
      h(
        "tbody",
        { role: "rowgroup" },
        rows.map((row) =>
          h(
            "tr",
            { role: "row", key: key(row), class: rowClass(row) },
            columns.map((column) =>
              h("td", { role: "cell", class: column.kind ?? "", "data-label": column.label }, column.cell(row)),
            ),
          ),
        ),
      ),
    ),
  );
}
