import { h } from "../dom.js";

// tabs: { name, label, badge }; the panel is the caller's, with id `panel`.
export function tabs(label, all, chosen, onChoose) {
  const list = h(
    "div",
    {
      class: "tabs",
      role: "tablist",
      "aria-label": label,
      onkeydown: (event) => {
        const at = all.findIndex((tab) => tab.name === chosen);
        const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        const next = all[(to + all.length) % all.length];
        onChoose(next.name);
        document.getElementById(`tab-${next.name}`)?.focus();
      },
    },
    all.map((tab) =>
      h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${tab.name}`,
          key: tab.name,
          "aria-selected": tab.name === chosen ? "true" : "false",
          "aria-controls": "panel",
          tabindex: tab.name === chosen ? "0" : "-1",
          onclick: () => onChoose(tab.name),
        },
        tab.label,
        tab.badge ? h("span", { class: `badge ${tab.tone ?? ""}` }, tab.badge) : null,
      ),
    ),
  );
  return list;
}
