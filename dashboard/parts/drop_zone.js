// A file by dragging it here or by choosing it.

import { h } from "../dom.js";
import { size } from "../format.js";
import { icon } from "../icons.js";

// The browser's own input is not shown: it would say "no file chosen" beside one that was dropped.
export function dropZone(file, onFile, problem) {
  const input = h("input", {
    type: "file",
    id: "file",
    class: "unseen",
    "aria-label": "File",
    "aria-describedby": "file-hint",
    accept: ".csv,.tsv,.txt,.json,.ndjson,.jsonl,.gz,.zst",
    // Or the same file, corrected meanwhile, could not be chosen again.
    onclick: (event) => (event.target.value = ""),
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
      ? h("p", { class: "drop-name" }, h("strong", h("bdi", file.name)), " ", h("span", { class: "quiet-text" }, size(file.size)))
      : h("p", { class: "drop-name" }, "Drop a file here, or choose one"),
    input,
    h("label", { for: "file", class: "button" }, file ? "Choose another" : "Choose a file"),
    h("p", { class: "hint", id: "file-hint" }, problem ? h("strong", problem) : "CSV, TSV, JSON or NDJSON, also with gzip or zstd"),
  );
}

// A file that misses the zone would be opened by the browser, and the form with it gone.
export function catchMissedDrops() {
  const stop = (event) => event.preventDefault();
  addEventListener("dragover", stop);
  addEventListener("drop", stop);
  return () => {
    removeEventListener("dragover", stop);
    removeEventListener("drop", stop);
  };
}
