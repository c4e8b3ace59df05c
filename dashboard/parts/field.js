// A form field from the description of a metadata field, and its value as JSON text.

import { h } from "../dom.js";

const isWhole = (type) => /^u?int(8|16|32|64)$/.test(type);
const isNumber = (type) => isWhole(type) || ["float", "double", "decimal"].includes(type);
const HINTS = { date: "2026-06-01", datetime: "2026-06-01T12:00:00Z", uuid: "00000000-0000-0000-0000-000000000000", decimal: "12.50" };

export function field(description, value, problem, onChange) {
  const { name, type, required, choices } = description;
  const id = `field-${name}`;
  const hint = `${id}-hint`;
  const common = {
    id,
    name,
    required: required && type !== "bool",
    "aria-describedby": hint,
    "aria-invalid": problem ? "true" : null,
    oninput: (event) => onChange(name, type === "bool" ? event.target.checked : event.target.value),
  };
  const input =
    type === "bool"
      ? h("input", { ...common, type: "checkbox", checked: value === true })
      : choices?.length
        ? h("select", { ...common, value: value ?? "" }, h("option", { value: "" }, "–"), choices.map((choice) => h("option", { value: choice }, choice)))
        : h("input", {
            ...common,
            type: type === "date" ? "date" : "text",
            inputmode: isNumber(type) ? (isWhole(type) ? "numeric" : "decimal") : null,
            value: value ?? "",
            autocomplete: "off",
            spellcheck: "false",
          });
  return h(
    "div",
    { class: `field ${problem ? "has-problem" : ""}`, key: name },
    h("label", { for: id }, name.replaceAll("_", " "), required ? h("span", { class: "required" }, " (required)") : null),
    input,
    h("p", { class: "hint", id: hint }, problem ? h("strong", problem) : [h("span", { class: "tag" }, type), " ", description.description || "", HINTS[type] ? ` e.g. ${HINTS[type]}` : ""]),
  );
}

export function fieldProblem({ type, required }, value) {
  const text = typeof value === "string" ? value.trim() : value;
  if (text === undefined || text === "") return required && type !== "bool" ? "It is required." : null;
  if (isWhole(type) && !/^-?\d+$/.test(text)) return "It takes a whole number.";
  if (isNumber(type) && !/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text)) return "It takes a number, with a point: 12.50";
  return null;
}

// Numbers are written digit for digit: a 64-bit one would not survive being a JavaScript number.
export function metadataText(fields, values) {
  const members = [];
  for (const { name, type } of fields) {
    const value = typeof values[name] === "string" ? values[name].trim() : values[name];
    if (value === undefined || value === "") continue;
    const text = type === "bool" ? String(value === true) : isNumber(type) ? String(value).replace(/^(-?)0+(?=\d)/, "$1") : JSON.stringify(value);
    members.push(`${JSON.stringify(name)}: ${text}`);
  }
  return `{${members.join(", ")}}`;
}
