// What came with the operation: its metadata, its file, and what identifies it.

import { download, path } from "../../api.js";
import { h, morph } from "../../dom.js";
import { size } from "../../format.js";
import { icon } from "../../icons.js";
import { facts } from "../../parts/facts.js";
import { toast } from "../../parts/toast.js";

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
        : facts(metadata.map(([name, value]) => [name, value === "***" ? h("span", { class: "quiet-text" }, "hidden") : h("code", typeof value === "object" ? JSON.stringify(value) : String(value))])),
    ),
    h(
      "section",
      { "aria-label": "File" },
      h("h3", "File"),
      facts([
        ["Name", operation.file?.name],
        ["Size", size(operation.file?.size)],
        ["Operation", h("code", operation.id)],
        operation.idempotency_key ? ["Idempotency key", h("code", operation.idempotency_key)] : null,
        operation.source ? ["Source", operation.source] : null,
      ]),
      operation.file ? h("p", h("button", { type: "button", class: "button", onclick: save }, icon("download"), "Download the file")) : null,
    ),
  );
}

export function aboutTab(context) {
  let shown = render(context);
  const element = h("div", shown);
  return {
    element,
    update(_, data) {
      shown = morph(shown, render({ ...context, data }));
    },
    dispose() {},
  };
}
