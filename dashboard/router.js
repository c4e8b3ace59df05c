// Pages by the query of the address, so that every view can be linked, reloaded and gone back to, and
// the dashboard works at any path at which its one page is served.

const pages = new Map();
let outlet = null;
let shown = null;
let onShown = () => {};

export function href(view, parameters = {}) {
  const query = new URLSearchParams();
  if (view !== "overview") query.set("view", view);
  for (const [name, value] of Object.entries(parameters))
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  const text = query.toString();
  return location.pathname + (text ? `?${text}` : "");
}

function read() {
  const parameters = Object.fromEntries(new URLSearchParams(location.search));
  const view = parameters.view ?? "overview";
  delete parameters.view;
  return { view, parameters };
}

// A page is told of new parameters by `update` as long as it is about the same thing (`identity`).
function show({ isNew }) {
  const { view, parameters } = read();
  const page = pages.get(view) ?? pages.get("missing");
  const identity = `${view}/${page.identity?.(parameters) ?? ""}`;
  if (shown?.identity === identity) {
    shown.page.update?.(parameters);
    return;
  }
  shown?.page.dispose?.();
  const next = page.open(parameters);
  shown = { identity, page: next };
  outlet.replaceChildren(next.element);
  onShown({ view, title: page.title, isNew });
}

export function navigate(view, parameters, { replace = false } = {}) {
  const target = href(view, parameters);
  if (replace) history.replaceState(null, "", target);
  else history.pushState(null, "", target);
  show({ isNew: !replace });
}

// Changes some parameters of the page that is shown; null takes one away.
export function setParameters(changes, { replace = true } = {}) {
  const { view, parameters } = read();
  navigate(view, { ...parameters, ...changes }, { replace });
}

export function startRouter(element, routes, told) {
  outlet = element;
  onShown = told;
  for (const [view, page] of Object.entries(routes)) pages.set(view, page);
  addEventListener("popstate", () => show({ isNew: true }));
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (link.pathname !== location.pathname || link.getAttribute("href").startsWith("#")) return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    show({ isNew: true });
  });
  show({ isNew: false });
}
