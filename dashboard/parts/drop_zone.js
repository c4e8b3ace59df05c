// A file by dragging it here or by choosing it.

import { h } from "../dom.js";
import { size } from "../format.js";
import { icon } from "../icons.js";

export function dropZone(file, onFile, problem) {
  const input = h("input", {
    type: "file",
    id: "file",
    "aria-describedby": "file-hint",
    accept: ".csv,.tsv,.txt,.json,.ndjson,.jsonl,.gz,.zst",
    onchange: (event) => event.target.files[0] && onFile(event.target.files[0]),
  });
  const hover = (isOver) => (event) => {
    event.preventDefault();
    event.currentTarget.classList.toggle("is-over", isOver);
  };
  return h(
    "div",
    {
      class: `drop-zone ${problem ? "has-problem" : ""}`,
      ondragover: hover(true),
      ondragleave: hover(false),
      ondrop: (event) => {
        hover(false)(event);
        if (event.dataTransfer.files[0]) onFile(event.dataTransfer.files[0]);
      },
    },
    icon(file ? "file" : "upload"),
    file
      ? h("p", { class: "drop-name" }, h("strong", file.name), " ", h("span", { class: "quiet-text" }, size(file.size)))
      : h("p", { class: "drop-name" }, "Drop a file here, or choose one"),
    h("label", { for: "file", class: "unseen" }, "File"),
    input,
    h("p", { class: "hint", id: "file-hint" }, problem ? h("strong", problem) : "CSV, TSV, JSON or NDJSON, also with gzip or zstd"),
  );
}
