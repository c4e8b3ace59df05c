import { get, listOf, path } from "../../api.js";
import { h } from "../../dom.js";
import { view } from "../../parts/view.js";
import { eventList } from "../../parts/event_list.js";

const PAGE = 100;

export function eventsTab({ id }) {
  let events = [];
  let next = null;
  let more = false;
  const shown = view({
    // What was read stays; only what came later is asked for.
    async load(signal) {
      const after = events.at(-1)?.sequence ?? null;
      const page = await get(path("operations", id, "events"), { after, limit: PAGE }, signal);
      const fresh = listOf(page);
      events = [...events, ...fresh];
      next = page.next;
      more = Boolean(next) && fresh.length > 0;
      return events;
    },
    render: (all) =>
      h(
        "div",
        { class: "stack" },
        eventList(all, { linkRows: true }),
        more ? h("p", h("button", { type: "button", class: "button small", onclick: () => shown.refresh() }, "Show later events")) : null,
      ),
    concerns: (event) => event.operation === id && !more,
  });
  return { element: shown.element, refresh: shown.refresh, dispose: shown.dispose };
}
