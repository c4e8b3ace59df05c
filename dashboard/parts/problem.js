// What went wrong, in the server's words, and what can be done.

import { h } from "../dom.js";
import { icon } from "../icons.js";

export function problemView(problem, retry) {
  return h(
    "div",
    { class: "notice bad", role: "alert" },
    icon("cross"),
    h(
      "div",
      h("p", { class: "notice-title" }, problem.title ?? problem.message),
      problem.detail ? h("p", problem.detail) : null,
      retry ? h("p", h("button", { type: "button", class: "button", onclick: () => retry() }, icon("retry"), "Try again")) : null,
    ),
  );
}

export function staleNote(problem, retry) {
  return h(
    "div",
    { class: "notice warn", role: "status" },
    icon("attention"),
    h("div", h("p", h("strong", problem.title ?? problem.message), " ", problem.detail ?? "")),
    h("button", { type: "button", class: "button small", onclick: () => retry() }, "Try again"),
  );
}

export function note(tone, iconName, ...content) {
  return h("div", { class: `notice ${tone}` }, icon(iconName), h("div", content));
}
