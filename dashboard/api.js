// The HTTP API: JSON in and out, a problem document as an error with its title, detail and field.

const BASE = new URL("api/v1", document.baseURI).href;
const TOKEN = "bulk.token";

export class Problem extends Error {
  constructor({ title, detail, status = 0, field = null, type = "" }) {
    super(title);
    Object.assign(this, { title, detail: detail ?? "", status, field, type });
  }
}

function token() {
  return sessionStorage.getItem(TOKEN);
}

export function hasToken() {
  return Boolean(token());
}

export function setToken(text) {
  if (text) sessionStorage.setItem(TOKEN, text);
  else sessionStorage.removeItem(TOKEN);
}

// `parameters` without what is empty: the API refuses what it does not know, and empty is not a value.
export function url(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  const text = query.toString();
  return BASE + path + (text ? `?${text}` : "");
}

export function path(...parts) {
  return "/" + parts.map(encodeURIComponent).join("/");
}

let signedOut = () => {};

// Called when a token that was good is not any more.
export function onSignedOut(listener) {
  signedOut = listener;
}

function headers(more = {}) {
  return token() ? { Authorization: `Bearer ${token()}`, ...more } : more;
}

function problemOf(status, type, text) {
  if (type?.includes("problem+json")) {
    try {
      return new Problem(JSON.parse(text));
    } catch {
      // falls through: an answer that is cut is shown as what it is
    }
  }
  return new Problem({ title: `The server answered ${status}`, detail: text.slice(0, 300), status });
}

const UNREACHABLE = {
  title: "The server does not answer",
  detail: "The program may be stopped or the network down. What is on the page is the last that was seen.",
};

// Metadata and rows may hold whole numbers that a float cannot: those stay text, where the browser
// tells what was written.
function exactly(_, value, context) {
  const isInexact = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isInexact && /^-?\d+$/.test(context?.source ?? "") ? context.source : value;
}

function parse(text) {
  return JSON.parse(text, exactly);
}

async function send(method, address, { body, signal, extra } = {}) {
  let answer;
  try {
    answer = await fetch(address, {
      method,
      signal,
      headers: headers({
        Accept: "application/json",
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...extra,
      }),
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(UNREACHABLE);
  }
  const text = await answer.text();
  if (answer.status === 401) signedOut();
  if (!answer.ok) throw problemOf(answer.status, answer.headers.get("Content-Type"), text);
  return text ? parse(text) : null;
}

export function get(where, parameters, signal) {
  return send("GET", url(where, parameters), { signal });
}

export function post(where, body = {}) {
  return send("POST", url(where), { body });
}

export function put(where, body) {
  return send("PUT", url(where), { body });
}

export function remove(where) {
  return send("DELETE", url(where));
}

export function listOf(answer) {
  return Array.isArray(answer) ? answer : (answer?.items ?? []);
}

export function stream(parameters, signal, lastId) {
  return fetch(url("/events/stream", parameters), {
    signal,
    cache: "no-store",
    headers: headers({ Accept: "text/event-stream", ...(lastId ? { "Last-Event-ID": lastId } : {}) }),
  });
}

// A form with a file, by XMLHttpRequest: fetch does not tell how far an upload is.
export function upload(where, form, { idempotencyKey, onProgress, signal } = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", url(where));
    for (const [name, value] of Object.entries(headers({ Accept: "application/json" })))
      request.setRequestHeader(name, value);
    if (idempotencyKey) request.setRequestHeader("Idempotency-Key", idempotencyKey);
    request.upload.onprogress = (event) => onProgress?.(event.loaded, event.total);
    request.onload = () => {
      if (request.status === 401) signedOut();
      if (request.status >= 200 && request.status < 300) resolve(parse(request.responseText));
      else reject(problemOf(request.status, request.getResponseHeader("Content-Type"), request.responseText));
    };
    request.onerror = () =>
      reject(
        new Problem({
          title: "The upload was cut off",
          detail: "Nothing was created. The network, the server or the file on disk went away; send it again.",
        }),
      );
    request.onabort = () => reject(new Problem({ title: "The upload was stopped", detail: "Nothing was created." }));
    signal?.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}

// A browser's own download cannot carry a token; with one the file is fetched first.
export async function download(where, parameters) {
  const address = url(where, parameters);
  const link = document.createElement("a");
  link.download = "";
  link.href = address;
  if (token()) {
    const answer = await fetch(address, { headers: headers() });
    if (!answer.ok) throw problemOf(answer.status, answer.headers.get("Content-Type"), await answer.text());
    const name = /filename="?([^";]+)/.exec(answer.headers.get("Content-Disposition") ?? "");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = name?.[1] ?? "download";
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }
  link.click();
}
