// Whether what is on the page is of this moment.

import { h, replace } from "../dom.js";
import { onLiveState } from "../live.js";

const WORDS = {
  connecting: ["wait", "Connecting", "Opening the stream of events"],
  live: ["good", "Live", "Changes appear as they happen"],
  polling: ["warn", "Polling", "The stream of events does not answer; looking every few seconds"],
  stale: ["bad", "Stale", "The server does not answer; this is what was last seen"],
  paused: ["quiet", "Paused", "Resting while the page is hidden"],
};

export function liveMark() {
  const element = h("span", { class: "live-mark", role: "status" });
  onLiveState((state) => {
    const [tone, label, title] = WORDS[state];
    element.className = `live-mark ${tone}`;
    element.dataset.state = state;
    element.title = title;
    replace(element, h("span", { class: "dot", "aria-hidden": "true" }), h("span", { class: "unseen" }, "Updates: "), label);
  });
  return element;
}
