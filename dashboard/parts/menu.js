// A button that opens a list of things to do.

import { h, replace, uniqueId } from "../dom.js";
import { icon } from "../icons.js";

// items: { label, note, run } or null for a line between.
export function menu(label, iconName, first) {
  const id = uniqueId("menu");
  let items = first;
  const list = h("ul", { class: "menu-list", id, role: "menu", "aria-label": label, hidden: true });
  const entry = (item) =>
    item === null
      ? h("li", { role: "separator" })
      : h(
          "li",
          { role: "none" },
          h(
            "button",
            { type: "button", role: "menuitem", tabindex: "-1", onclick: () => (close(true), item.run()) },
            item.label,
            item.note ? h("span", { class: "quiet-text" }, item.note) : null,
          ),
        );
  const button = h(
    "button",
    { type: "button", class: "button", "aria-haspopup": "menu", "aria-expanded": "false", "aria-controls": id, onclick: () => (list.hidden ? open() : close(false)) },
    icon(iconName),
    label,
    icon("down"),
  );
  const element = h("div", { class: "menu" }, button, list);
  const entries = () => [...list.querySelectorAll("button")];

  const outside = (event) => element.contains(event.target) || close(false);

  function open() {
    replace(list, items.map(entry));
    list.hidden = false;
    document.addEventListener("click", outside);
    button.setAttribute("aria-expanded", "true");
    entries()[0]?.focus();
  }
  function close(returns) {
    list.hidden = true;
    document.removeEventListener("click", outside);
    button.setAttribute("aria-expanded", "false");
    if (returns) button.focus();
  }
  element.onkeydown = (event) => {
    if (list.hidden) return;
    const all = entries();
    const at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape") {
      event.stopPropagation();
      close(true);
    } else if (to !== undefined) {
      event.preventDefault();
      all[(to + all.length) % all.length].focus();
    }
  };
  element.onfocusout = (event) => {
    if (event.relatedTarget && !element.contains(event.relatedTarget)) close(false);
  };
  element.items = items;
  // It is open or not, whatever is refreshed around it; what it offers is of the moment it is opened.
  element.keep = (fresh) => (items = fresh.items);
  return element;
}
