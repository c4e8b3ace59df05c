// Line icons of 16 by 16, each a few paths in the text's own colour.

import { svg } from "./dom.js";

const PATHS = {
  attention: "M8 2.2 14.6 13.6H1.4ZM8 6.3v3.4M8 11.4v.6",
  ban: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM3.7 3.7l8.6 8.6",
  check: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM5.2 8.2l2 2 3.7-4",
  clock: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM8 4.6V8l2.4 1.6",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  copy: "M5.5 5.5h8v8h-8ZM10.5 5.5v-3h-8v8h3",
  cross: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4",
  down: "M4 6.5 8 10.5 12 6.5",
  download: "M8 2v8M4.8 7 8 10.2 11.2 7M2.5 13.5h11",
  feeds: "M2.5 4h11M2.5 8h7.5M2.5 12h4M12 10v4M10.2 12.2 12 14l1.8-1.8",
  file: "M4 1.8h5l3.4 3.4v9H4ZM9 1.8v3.4h3.4",
  next: "M6.5 4 10.5 8 6.5 12",
  operations: "M2.5 3h11v3h-11ZM2.5 8.4h11M2.5 11h11M2.5 13.6h7",
  overview: "M2.2 13.5h11.6M4 13V8.5M8 13V3M12 13V6",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  pending: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM5.2 8h.1M8 8h.1M10.8 8h.1",
  play: "M5 3.2 12.5 8 5 12.8Z",
  plus: "M8 3v10M3 8h10",
  retry: "M13 8a5 5 0 1 1-1.5-3.6M13.2 2v3h-3",
  run: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM6.6 5.6 10.4 8 6.6 10.4Z",
  scan: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.4 10.4l3.4 3.4",
  signal: "M8 8v.1M5.4 10.6a3.7 3.7 0 0 1 0-5.2M10.6 5.4a3.7 3.7 0 0 1 0 5.2M3.2 12.8a6.8 6.8 0 0 1 0-9.6M12.8 3.2a6.8 6.8 0 0 1 0 9.6",
  skip: "M3.5 4 8 8l-4.5 4ZM8.5 4 13 8l-4.5 4Z",
  theme: "M8 1.8a6.2 6.2 0 1 0 0 12.4ZM8 1.8a6.2 6.2 0 0 1 0 12.4",
  timeout: "M4.5 2h7M4.5 14h7M5 2c0 4 6 8 6 12M11 2c0 4-6 8-6 12",
  trash: "M3 4.2h10M6.3 4V2.4h3.4V4M4.4 4.4l.6 9.2h6l.6-9.2",
  upload: "M8 10.5v-8M4.8 5.5 8 2.3l3.2 3.2M2.5 13.5h11",
  workers: "M2.5 3h11v4h-11ZM2.5 9h11v4h-11ZM5 5h.1M5 11h.1",
};

export function icon(name) {
  return svg(
    "svg",
    { class: "icon", viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true", focusable: "false" },
    svg("path", { d: PATHS[name] ?? PATHS.pending }),
  );
}
