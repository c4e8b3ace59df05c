import { h } from "../dom.js";
import { count, words } from "../format.js";
import { icon } from "../icons.js";
import { setParameters } from "../router.js";
import { empty } from "./empty.js";
import { time } from "./facts.js";

const ICONS = { info: "check", warning: "attention", error: "cross" };
const TONES = { info: "quiet", warning: "warn", error: "bad" };

export function eventList(events, { linkRows = false } = {}) {
  if (events.length === 0) return empty("clock", "Nothing has happened yet", null);
  return h(
    "ol",
    { class: "events" },
    [...events].reverse().map((event) =>
      h(
        "li",
        { key: event.sequence, class: TONES[event.level] ?? "quiet" },
        icon(ICONS[event.level] ?? "check"),
        h("span", { class: "event-time" }, time(event.time)),
        h("span", { class: "event-kind" }, words(event.kind), h("span", { class: "unseen" }, ` (${event.level})`)),
        h(
          "span",
          { class: "event-text" },
          event.message,
          linkRows && event.row
            ? [" ", h("button", { type: "button", class: "link", onclick: () => setParameters({ row: event.row }, { replace: false }) }, `open row ${count(event.row)}`)]
            : null,
        ),
      ),
    ),
  );
}
