// What came with the operation: its metadata, its file, and what identifies it.

import { download, path } from "../../api.js";
import { h, morph } from "../../dom.js";
import { size } from "../../format.js";
import { icon } from "../../icons.js";
import { facts } from "../../parts/facts.js";
import { toast } from "../../parts/toast.js";
import { mayReadFiles } from "../../session.js";

function shown(value) {
  if (value === null) return h("span", { class: "quiet-text" }, "not given");
  if (value === "***") return h("span", { class: "quiet-text" }, "hidden");
  return h("code", typeof value === "object" ? JSON.stringify(value) : String(value));
}

function render({ id, data: { operation } }) {
  const metadata = Object.entries(operation.metadata ?? {});
  const save = async () => {
    try {
      await download(path("operations", id, "file"));
    } catch (problem) {
      toast("bad", "cross", `${problem.title}. ${problem.detail}`);
    }
  };
  return h(
    "div",
    { class: "columns" },
    h(
      "section",
      { "aria-label": "Metadata" },
      h("h3", "Metadata"),
      metadata.length === 0
        ? h("p", { class: "quiet-text" }, "None was given.")
        : facts(metadata.map(([name, value]) => [name, shown(value)])),
    ),
    h(
      "section",
      { class: "stack", "aria-label": "File" },
      h("h3", "File"),
      facts([
        ["Name", operation.file?.name],
        ["Size", size(operation.file?.size)],
        ["Operation", h("code", operation.id)],
        operation.idempotency_key ? ["Idempotency key", h("code", operation.idempotency_key)] : null,
        operation.source ? ["Source", operation.source] : null,
      ]),
      operation.file && mayReadFiles() ? h("p", h("button", { type: "button", class: "button", onclick: save }, icon("download"), "Download the file")) : null,
    ),
  );
}

export function aboutTab(context) {
  let drawn = render(context);
  const element = h("div", drawn);
  return {
    element,
    update(_, data) {
      drawn = morph(drawn, render({ ...context, data }));
    },
    dispose() {},
  };
}
