// What stands around every page: the way to the others, who is looking, how fresh it is.

import { hasToken, setToken } from "../api.js";
import { h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { href } from "../router.js";
import { has, mayOperate, session, whoAmI } from "../session.js";
import { setTheme, theme } from "../theme.js";
import { liveMark } from "./live_mark.js";
import { toastRegion } from "./toast.js";

// Name and icon, label, and which part of the program it is about.
const PLACES = [
  ["overview", "Overview", "operations"],
  ["operations", "Operations", "operations"],
  ["feeds", "Feeds", "feeds"],
  ["workers", "Workers", "workers"],
];
const PARENTS = { operation: "operations", feed: "feeds", run: "feeds" };

function themeSwitch() {
  const choice = h(
    "select",
    { id: "theme", value: theme(), onchange: (event) => setTheme(event.target.value) },
    ["system", "light", "dark"].map((name) => h("option", { value: name }, name)),
  );
  return h("div", { class: "theme" }, icon("theme"), h("label", { class: "unseen", for: "theme" }, "Theme"), choice);
}

function signOut() {
  setToken(null);
  location.reload();
}

export function shell() {
  const nav = h("nav", { class: "nav", "aria-label": "Pages" });
  const main = h("main", { id: "main", tabindex: "-1" });
  const who = h("div", { class: "who" });

  const mark = (view) => {
    const current = PARENTS[view] ?? view;
    replace(
      nav,
      PLACES.filter(([, , part]) => has(part)).map(([name, label]) =>
        h("a", { href: href(name), "aria-current": current === name ? "page" : null }, icon(name), h("span", label)),
      ),
      mayOperate() && has("operations")
        ? h("a", { class: "button primary upload-link", href: href("upload"), "aria-current": current === "upload" ? "page" : null }, icon("upload"), h("span", h("span", { class: "where-wide" }, "New "), "upload"))
        : null,
    );
    replace(
      who,
      h("span", { class: "who-name" }, h("strong", whoAmI()), h("span", { class: "quiet-text" }, ` ${session().version ?? ""}`)),
      mayOperate() ? null : h("span", { class: "tag", title: "This access may look, not act" }, "read-only"),
      hasToken() ? h("button", { type: "button", class: "button small quiet", onclick: signOut }, "Sign out") : null,
    );
  };

  document.body.replaceChildren(
    h("a", { class: "skip", href: "#main", onclick: (event) => (event.preventDefault(), main.focus()) }, "Skip to the content"),
    h(
      "header",
      { class: "top" },
      h("a", { class: "brand", href: href("overview"), "aria-label": "bulk, overview" }, h("span", { class: "brand-mark", "aria-hidden": "true" }), "bulk"),
      nav,
      h("div", { class: "top-end" }, liveMark(), themeSwitch(), who),
    ),
    main,
    toastRegion(),
  );
  return { main, mark };
}
