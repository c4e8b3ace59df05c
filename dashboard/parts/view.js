// A part of a page that shows what the server says, and says it again when an event concerns it, when
// its time has come, or when it is told to.

import { h, morph } from "../dom.js";
import { onEvent } from "../live.js";
import { problemView, staleNote } from "./problem.js";

const CALM = 400; // events come in swarms; at most one look in so many milliseconds
const CROWD = 1_500; // and of failed rows there may be a million

// load(signal) -> data; render(data) -> element; concerns(event) -> whether to look again; every(data)
// -> milliseconds until the next look, 0 for none; once: what was shown is not touched again; heading: of
// a page that has no other while there is nothing to show.
export function view({ load, render, concerns = () => false, every = () => 0, once = false, busy = "Loading", heading = null }) {
  let shown = h("div", { class: "loading", "aria-busy": "true" }, h("span", { class: "spinner" }), busy);
  const element = h("div", { class: "view" }, shown);
  let data;
  let has = false;
  let running = null;
  let again = false;
  let timer = 0;
  let due = 0;
  let lastLook = 0;
  let disposed = false;

  const put = (next) => {
    shown = morph(shown, next);
  };

  // An answer of another shape than we know must not leave the page turning for ever.
  const draw = (problem) => {
    if (!has) return put(h("div", heading ? h("h1", heading) : null, problemView(problem, refresh)));
    try {
      put(h("div", problem ? staleNote(problem, refresh) : null, render(data)));
    } catch (error) {
      console.error(error);
      put(problemView({ title: "The answer of the server cannot be shown", detail: String(error) }, refresh));
    }
    return undefined;
  };

  // The soonest of what was asked for counts.
  const schedule = (wait) => {
    if (disposed || wait <= 0 || document.hidden) return;
    const at = Date.now() + wait;
    if (timer && due <= at) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(() => {
      timer = 0; // it is used up, also when a look is under way and this one has to wait
      refresh();
    }, wait);
  };

  async function refresh() {
    if (disposed) return;
    if (running) {
      again = true;
      return;
    }
    clearTimeout(timer);
    timer = 0;
    lastLook = Date.now();
    const own = (running = new AbortController());
    let problem = null;
    try {
      const next = await load(own.signal);
      if (own.signal.aborted) return;
      data = next;
      has = true;
    } catch (error) {
      if (own.signal.aborted) return;
      problem = error;
    } finally {
      if (running === own) running = null;
    }
    if (disposed) return;
    element.removeAttribute("aria-busy");
    draw(problem);
    if (again) {
      again = false;
      schedule(CALM);
    } else {
      schedule(problem ? (problem.status === 404 ? 0 : 5_000) : every(data));
    }
  }

  // For other data than before: what is under way is not waited for.
  function restart() {
    running?.abort();
    running = null;
    again = false;
    element.setAttribute("aria-busy", "true"); // what is seen is still the answer to another question
    return refresh();
  }

  const stop = onEvent((event) => {
    if (once && has) return;
    const calm = event.kind === "row_failed" ? CROWD : CALM;
    if (event.kind === "reset" || concerns(event)) schedule(Math.max(1, calm - (Date.now() - lastLook)));
  });
  refresh();

  return {
    element,
    refresh,
    restart,
    redraw: () => has && draw(null),
    data: () => data,
    dispose() {
      disposed = true;
      running?.abort();
      clearTimeout(timer);
      stop();
    },
  };
}
