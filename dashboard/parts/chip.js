import { h } from "../dom.js";
import { icon } from "../icons.js";
import { look } from "../states.js";

export function chip(state) {
  const { icon: name, tone, label } = look(state);
  return h("span", { class: `chip ${tone}` }, icon(name), label);
}

// An operation that is paused still has a state; both are shown.
export function stateOf(operation) {
  return h(
    "span",
    { class: "chips" },
    chip(operation.state),
    operation.paused ? chip("paused") : null,
    operation.cancel_requested && !["cancelled"].includes(operation.state)
      ? h("span", { class: "chip quiet" }, icon("ban"), "cancelling")
      : null,
  );
}
