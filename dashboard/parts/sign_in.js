// Asks for a token when the server wants to know who is there.

import { Problem, setToken } from "../api.js";
import { h } from "../dom.js";

export function signIn(retry) {
  const input = h("input", { id: "token", type: "password", autocomplete: "current-password", required: true });
  const trouble = h("p", { class: "text-bad", role: "alert" });
  return h(
    "main",
    { class: "sign-in" },
    h("h1", "bulk"),
    h(
      "form",
      {
        class: "card",
        onsubmit: async (event) => {
          event.preventDefault();
          setToken(input.value.trim());
          try {
            await retry();
          } catch (problem) {
            setToken(null);
            trouble.textContent = problem instanceof Problem && problem.status === 401 ? "This token is not known." : `${problem.title ?? problem.message}. ${problem.detail ?? ""}`;
          }
        },
      },
      h("div", { class: "field" }, h("label", { for: "token" }, "Access token"), input, h("p", { class: "hint" }, "Kept in this tab until it is closed.")),
      trouble,
      h("button", { type: "submit", class: "button primary" }, "Sign in"),
    ),
  );
}
