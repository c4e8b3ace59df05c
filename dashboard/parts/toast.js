// Short words at the edge: said once, politely, and gone after a while, but not under somebody's hand.

import { h } from "../dom.js";
import { icon } from "../icons.js";

const LIFE = 8_000;
const most = () => (innerWidth < 600 ? 2 : 4);
const region = h("div", { class: "toasts", role: "status", "aria-live": "polite" });

export function toastRegion() {
  return region;
}

export function toast(tone, iconName, text, link = null) {
  const element = h(
    "div",
    { class: `toast ${tone}` },
    icon(iconName),
    h("span", text),
    link ? h("a", { href: link.href }, link.label) : null,
    h(
      "button",
      { type: "button", class: "button icon-only quiet", "aria-label": "Dismiss", onclick: () => element.remove() },
      icon("close"),
    ),
  );
  // What is behind a dialog is neither seen nor read out.
  const host = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  if (region.parentNode !== host) host.append(region);
  region.append(element);
  while (region.children.length > most()) region.firstChild.remove();
  const leave = () => (element.matches(":hover, :focus-within") ? setTimeout(leave, LIFE) : element.remove());
  setTimeout(leave, LIFE);
}
