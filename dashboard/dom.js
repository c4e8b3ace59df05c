// Elements without markup: no text ever becomes HTML, and nothing needs an inline script or style.

const SVG = "http://www.w3.org/2000/svg";

// Marks that turn the order of letters around would let "gnp.csv" pass for a "vsc.png": they are shown.
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : String(child).replace(TURNS, "\ufffd"));
  }
  return parent;
}

function build(element, attributes, children) {
  element.handlers = {};
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) {
      element.handlers[name] = value;
      element[name] = value;
    } else if (name === "key") {
      element.key = String(value);
    } else if (name === "value" && "value" in element) {
      element.wanted = value; // set below: a select takes it only when it has its options
    } else if (name === "style") {
      for (const [property, setting] of Object.entries(value)) element.style.setProperty(property, setting);
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  append(element, children);
  if (element.wanted !== undefined) element.value = element.wanted;
  return element;
}

// h("a", { href: "?", onclick: act }, "text", child, [more]); attributes may be left out.
export function h(name, ...rest) {
  const [attributes, children] = split(rest);
  return build(document.createElement(name), attributes, children);
}

export function svg(name, ...rest) {
  const [attributes, children] = split(rest);
  return build(document.createElementNS(SVG, name), attributes, children);
}

function split(rest) {
  const first = rest[0];
  const has = first && typeof first === "object" && !(first instanceof Node) && !Array.isArray(first);
  return has ? [first, rest.slice(1)] : [null, rest];
}

export function replace(parent, ...children) {
  parent.replaceChildren();
  return append(parent, children);
}

function isSame(a, b) {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && a.key === b.key;
}

// Makes `old` look like `fresh` and keeps what can be kept, so that focus, selection, scroll positions
// and open menus outlive a refresh. An element with `keep` looks after itself: it is told of its
// successor by `keep(fresh)` and not touched.
export function morph(old, fresh) {
  if (!isSame(old, fresh)) {
    old.replaceWith(fresh);
    return fresh;
  }
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return old;
  }
  if (old.keep) {
    old.keep(fresh);
    return old;
  }
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && !(name === "open" || name === "style")) old.removeAttribute(name);
  for (const { name, value } of [...fresh.attributes])
    if (name !== "style" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  if (old.style.cssText !== fresh.style.cssText) old.style.cssText = fresh.style.cssText;
  for (const name of Object.keys({ ...old.handlers, ...fresh.handlers })) old[name] = fresh[name] ?? null;
  old.handlers = fresh.handlers;
  morphChildren(old, fresh);
  if (fresh.type === "checkbox") old.checked = fresh.hasAttribute("checked");
  if (fresh.wanted !== undefined && document.activeElement !== old && old.value !== fresh.wanted)
    old.value = fresh.wanted;
  return old;
}

function morphChildren(old, fresh) {
  const keyed = new Map();
  for (const child of old.childNodes) if (child.key !== undefined) keyed.set(child.key, child);
  let at = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const known = wanted.key === undefined ? null : keyed.get(wanted.key);
    if (known && known !== at) old.insertBefore(known, at);
    const mate = known ?? at;
    if (mate && isSame(mate, wanted)) {
      morph(mate, wanted);
      at = mate.nextSibling;
    } else {
      old.insertBefore(wanted, at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

let ids = 0;
export function uniqueId(stem) {
  return `${stem}-${++ids}`;
}
