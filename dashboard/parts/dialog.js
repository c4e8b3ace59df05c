// Dialogs on the browser's own <dialog>: what is behind is inert, Esc closes, and the focus stays inside
// and goes back to where it came from.

import { h } from "../dom.js";
import { icon } from "../icons.js";
import { problemView } from "./problem.js";
import { toastRegion } from "./toast.js";

const FOCUSABLE = "a[href],button:not([disabled]),input:not([disabled]),select:not([disabled]),textarea,[tabindex='0']";

function keepFocusIn(dialog) {
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "Tab") return;
    const all = [...dialog.querySelectorAll(FOCUSABLE)].filter((each) => each.offsetParent !== null);
    const [first, last] = [all[0], all.at(-1)];
    const leaves = event.shiftKey ? document.activeElement === first : document.activeElement === last;
    if (!leaves) return;
    event.preventDefault();
    (event.shiftKey ? last : first)?.focus();
  });
}

export function openDialog({ title, content, actions = [], kind = "", onClose }) {
  const before = document.activeElement;
  const close = () => dialog.close();
  const dialog = h(
    "dialog",
    { class: `dialog ${kind}`, "aria-label": title },
    h(
      "header",
      { class: "dialog-head" },
      h("h2", title),
      h("button", { type: "button", class: "button icon-only quiet", "aria-label": "Close", onclick: close }, icon("close")),
    ),
    // What may be longer than the screen is scrolled with keys, also where nothing else in it takes the focus.
    h("div", { class: "dialog-body", tabindex: kind === "ask" ? null : "0", role: kind === "ask" ? null : "group", "aria-label": kind === "ask" ? null : title }, content),
    actions.length ? h("footer", { class: "dialog-foot" }, actions) : null,
  );
  keepFocusIn(dialog);
  dialog.addEventListener("close", () => {
    const words = toastRegion();
    if (dialog.contains(words)) document.body.append(words);
    dialog.remove();
    onClose?.();
    if (before?.isConnected) before.focus();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return { dialog, close };
}

// Asks before something happens and stays open, with what went wrong, until it has. `run` may return
// a promise. `fields` are shown between the text and the buttons.
export function confirm({ title, text, action, tone = "primary", fields = null, run }) {
  const trouble = h("div", { "aria-live": "polite" });
  const act = h("button", { type: "button", class: `button ${tone}` }, action);
  const cancel = h("button", { type: "button", class: "button", autofocus: true }, "Not now");
  const { close } = openDialog({
    title,
    kind: "ask",
    content: [[text].flat().map((each) => h("p", each)), fields, trouble],
    actions: [cancel, act],
  });
  cancel.onclick = close;
  act.onclick = async () => {
    act.disabled = true;
    trouble.replaceChildren();
    try {
      await run();
      close();
    } catch (problem) {
      trouble.replaceChildren(problemView(problem));
    } finally {
      act.disabled = false;
    }
  };
}
