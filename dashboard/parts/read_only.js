// Why somebody who may only look sees no buttons.

import { h } from "../dom.js";
import { icon } from "../icons.js";
import { mayOperate, whoAmI } from "../session.js";

export function readOnlyNote(what) {
  if (mayOperate()) return null;
  return h("p", { class: "quiet-text read-only-note" }, icon("ban"), h("span", `${whoAmI()} may look, not act: to ${what} takes an access that may operate.`));
}
