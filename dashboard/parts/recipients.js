// Who is told how an upload ends: by which channel of the program, where, and when.

import { h } from "../dom.js";
import { icon } from "../icons.js";

// As the API names them.
const WHEN = [
  ["on_end", "it ends, however"],
  ["on_completion", "every row succeeded"],
  ["on_completion_with_errors", "it ends with failed rows"],
  ["on_failure", "it fails"],
  ["on_cancelled", "it is cancelled"],
  ["on_status_change", "its state changes"],
  ["all", "anything of these happens"],
];
const MOST = 100;

export function recipientsProblem(all) {
  const wrong = all.findIndex((each) => each.channel.trim() === "");
  return wrong < 0 ? null : { at: wrong, text: "Name the channel, or take the line away." };
}

export function recipientsText(all) {
  return JSON.stringify(all.map(({ channel, target, when }) => ({ channel: channel.trim(), target: target.trim(), when })));
}

// `onChange(all)` with a fresh list; problem: { at, text } marks one line, or text alone.
export function recipients(all, problem, onChange) {
  const line = (each, i) => {
    const isWrong = problem?.at === i;
    const change = (name) => (event) => onChange(all.map((other, at) => (at === i ? { ...other, [name]: event.target.value } : other)));
    const part = (name, label, control) => h("div", { class: "filter" }, h("label", { for: `recipient-${name}-${i}` }, label), control);
    const text = (name, more) => h("input", { type: "text", id: `recipient-${name}-${i}`, value: each[name], autocomplete: "off", spellcheck: "false", oninput: change(name), ...more });
    return h(
      "li",
      { class: "filters", key: each.key },
      part("channel", "Channel", text("channel", { "aria-invalid": isWrong ? "true" : null, "aria-describedby": "recipients-hint" })),
      part("target", "Address", text("target")),
      part("when", "When", h("select", { id: `recipient-when-${i}`, value: each.when, onchange: change("when") }, WHEN.map(([value, label]) => h("option", { value }, label)))),
      h("button", { type: "button", class: "button icon-only quiet", "aria-label": `Do not tell recipient ${i + 1}`, onclick: () => onChange(all.filter((_, at) => at !== i)) }, icon("close")),
    );
  };
  const add = () => onChange([...all, { key: String(Math.random()), channel: all.at(-1)?.channel ?? "", target: "", when: "on_end" }]);
  return h(
    "fieldset",
    { class: `recipients ${problem ? "has-problem" : ""}` },
    h("legend", "Who is told"),
    all.length > 0 ? h("ul", { class: "stack" }, all.map(line)) : null,
    h("p", { class: "hint", id: "recipients-hint" }, problem ? h("strong", problem.text) : "A channel is one that the program has, mail or webhook say; the address is what that channel takes."),
    all.length < MOST ? h("button", { type: "button", class: "button small", onclick: add }, icon("plus"), "Tell somebody") : null,
  );
}
