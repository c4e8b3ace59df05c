// A place where there is nothing yet says what would be there and how it gets there.

import { h } from "../dom.js";
import { icon } from "../icons.js";

export function empty(iconName, title, text, action = null) {
  return h(
    "div",
    { class: "empty" },
    icon(iconName),
    h("p", { class: "empty-title" }, title),
    text ? h("p", text) : null,
    action,
  );
}
