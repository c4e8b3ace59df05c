// Pages by cursor: forward with what the server gave, back with what was passed on the way.

import { h } from "../dom.js";
import { icon } from "../icons.js";
import { counted } from "../format.js";

// onMove(after): null is the first page. `passed` belongs to the page and is emptied when its query changes;
// where places can be counted, `back` is the one before instead, and `text` says where one is.
export function pager({ shown, total, next, after, passed = [], back, text, onMove, noun }) {
  const isFirst = !after;
  if (isFirst && !next) return h("p", { class: "pager quiet-text" }, counted(total ?? shown, noun));
  const step = (label, iconName, target, isOff) =>
    h("button", { type: "button", class: "button small", disabled: isOff, onclick: target }, iconName ? icon(iconName) : null, label);
  return h(
    "nav",
    { class: "pager", "aria-label": `Pages of ${noun}s` },
    h("span", { class: "quiet-text" }, text ? text : total === null || total === undefined ? `${counted(shown, noun)} here` : counted(total, noun)),
    h(
      "span",
      { class: "row-of" },
      step("First", null, () => (passed.splice(0), onMove(null)), isFirst),
      step("Previous", null, () => onMove(back ?? passed.pop() ?? null), isFirst || (back === undefined && passed.length === 0)),
      step("Next", null, () => (passed.push(after ?? null), onMove(next)), !next),
    ),
  );
}
