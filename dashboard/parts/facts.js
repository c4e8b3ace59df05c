import { h } from "../dom.js";
import { exactMoment, moment } from "../format.js";

// [[label, value], …]; what is null is left out.
export function facts(pairs) {
  return h(
    "dl",
    { class: "facts" },
    pairs
      .filter((pair) => pair && pair[1] !== null && pair[1] !== undefined)
      .map(([label, value]) => h("div", h("dt", label), h("dd", value))),
  );
}

export function time(text) {
  return text ? h("time", { datetime: text, title: exactMoment(text) }, moment(text)) : "–";
}

export function card(title, ...content) {
  return h("section", { class: "card", "aria-label": title }, h("h2", title), content);
}
