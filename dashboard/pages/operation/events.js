// What happened to an operation. There may be an event for each of a million rows: the newest are shown, and
// from the beginning whoever asks for that.

import { get, listOf, path } from "../../api.js";
import { h } from "../../dom.js";
import { count } from "../../format.js";
import { view } from "../../parts/view.js";
import { eventList } from "../../parts/event_list.js";

const PAGE = 100;

export function eventsTab({ id }) {
  let events = [];
  let isFromStart = false;
  let hasEarlier = false;
  let hasLater = false;

  const begin = (fromStart) => {
    events = [];
    isFromStart = fromStart;
    shown.restart();
  };
  const shown = view({
    // What was read stays; only what came later is asked for.
    async load(signal) {
      const after = events.at(-1)?.sequence ?? null;
      const isFirst = after === null;
      const page = isFromStart
        ? await get(path("operations", id, "events"), { after, limit: PAGE }, signal)
        : await get("/events", { operation: id, after, limit: PAGE }, signal);
      const fresh = listOf(page);
      events = [...events, ...fresh];
      hasLater = !isFirst || isFromStart ? fresh.length === PAGE : false;
      if (isFirst) hasEarlier = !isFromStart && fresh.length === PAGE;
      return events;
    },
    render: (all) =>
      h(
        "div",
        { class: "stack" },
        hasLater ? h("p", h("button", { type: "button", class: "button small", onclick: () => shown.refresh() }, "Show later events")) : null,
        isFromStart ? h("p", h("button", { type: "button", class: "button small", onclick: () => begin(false) }, "Show the newest")) : null,
        eventList(all, { linkRows: true }),
        hasEarlier
          ? h("p", { class: "row-of" }, h("span", { class: "quiet-text" }, `The newest ${count(all.length)}.`), h("button", { type: "button", class: "button small", onclick: () => begin(true) }, "Show from the beginning"))
          : null,
      ),
    concerns: (event) => event.operation === id && !hasLater,
  });
  return { element: shown.element, refresh: shown.refresh, dispose: shown.dispose };
}
