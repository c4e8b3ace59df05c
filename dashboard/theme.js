// Light and dark: as the system says, until somebody chooses.

const KEY = "bulk.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();

export function theme() {
  return localStorage.getItem(KEY) ?? "system";
}

function isDark() {
  return theme() === "dark" || (theme() === "system" && system.matches);
}

function apply() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

export function setTheme(name) {
  if (name === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, name);
  apply();
}

export function onTheme(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function startTheme() {
  system.addEventListener("change", apply);
  apply();
}
