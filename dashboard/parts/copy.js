import { h } from "../dom.js";
import { shortId } from "../format.js";
import { icon } from "../icons.js";
import { toast } from "./toast.js";

export function copyable(text, label) {
  return h(
    "button",
    {
      type: "button",
      class: "copyable",
      title: `${text}: click to copy`,
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(text);
          toast("good", "check", `The ${label} is in the clipboard.`);
        } catch {
          toast("warn", "attention", `The browser does not let this page copy. The ${label} is ${text}`);
        }
      },
    },
    h("span", { class: "unseen" }, `Copy the ${label} `),
    h("code", shortId(text)),
    icon("copy"),
  );
}
