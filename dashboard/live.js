// One stream of events for the whole page, read with fetch so that it can carry a token. It goes on
// after the last event that was seen, rests while nobody looks, and asks in turns where streaming fails.

import { get, listOf, stream } from "./api.js";

const SILENCE = 40_000; // the server says something every 15 s
const POLL = 3_000;
const PATIENCE = [500, 1_000, 2_000, 5_000, 10_000];

const listeners = new Set();
const marks = new Set();
let last = null;
let state = "connecting";
let failures = 0;
let current = null;

function setState(next) {
  if (state === next) return;
  state = next;
  for (const mark of marks) mark(state);
}

function tell(event) {
  for (const listener of [...listeners]) listener(event);
}

function receive(event) {
  if (event.sequence !== undefined && event.sequence !== null) last = String(event.sequence);
  tell(event);
}

// Blocks of "name: value" lines, parted by empty ones.
function parser(onMessage) {
  let rest = "";
  let message = {};
  return (text) => {
    const lines = (rest + text).split(/\r\n|\n|\r/);
    rest = lines.pop();
    for (const line of lines) {
      if (line === "") {
        if (message.event || message.data !== undefined) onMessage(message);
        message = {};
      } else if (!line.startsWith(":")) {
        const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line);
        message[name] = name === "data" && message.data !== undefined ? `${message.data}\n${value}` : value;
      }
    }
  };
}

async function follow(signal) {
  const answer = await stream({}, signal, last);
  if (!answer.ok || !answer.body) throw new Error(`the stream answered ${answer.status}`);
  setState("live");
  failures = 0;
  let reset = false;
  const parse = parser((message) => {
    if (message.event === "reset") reset = true;
    else if (message.data) receive({ ...JSON.parse(message.data), ...(message.id ? { sequence: message.id } : {}) });
  });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let watchdog;
  const guard = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => reader.cancel(), SILENCE);
  };
  try {
    for (guard(); ; guard()) {
      const { value, done } = await reader.read();
      if (done) break;
      parse(value);
      if (reset) {
        // We were too slow, and events were left out: everything is read again.
        last = null;
        reader.cancel();
        tell({ kind: "reset" });
        return;
      }
    }
  } finally {
    clearTimeout(watchdog);
  }
}

// One look at what has happened since. The first only learns which event is the newest, and everybody
// looks for themselves.
async function poll(signal) {
  if (last === null) {
    const newest = listOf(await get("/events", { limit: 1 }, signal)).at(-1);
    last = newest ? String(newest.sequence) : "0";
    tell({ kind: "reset" });
    return;
  }
  for (const event of listOf(await get("/events", { after: last, limit: 200 }, signal))) receive(event);
}

function pause(wait, signal) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, wait);
    signal.addEventListener("abort", done);
  });
}

async function run(own) {
  while (!own.signal.aborted) {
    try {
      await follow(own.signal);
    } catch {
      if (own.signal.aborted) return;
      ++failures;
    }
    if (own.signal.aborted) return;
    if (failures > 1) {
      try {
        await poll(own.signal);
        setState("polling");
      } catch {
        if (own.signal.aborted) return;
        setState("stale");
      }
    } else if (failures > 0) {
      setState("connecting");
    }
    const wait = state === "polling" ? POLL : PATIENCE[Math.min(failures, PATIENCE.length - 1)];
    await pause(wait, own.signal);
  }
}

function begin() {
  if (current) return;
  current = new AbortController();
  setState("connecting");
  run(current);
}

function rest() {
  current?.abort();
  current = null;
  setState("paused");
}

export function startLive() {
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      rest();
    } else {
      begin();
      tell({ kind: "reset" });
    }
  });
  // A page that is kept for the back button must not hold a connection.
  addEventListener("pagehide", rest);
  addEventListener("pageshow", (event) => event.persisted && begin());
  if (document.hidden) state = "paused";
  else begin();
}

// `listener(event)` for every event from now on, and { kind: "reset" } when some may have been missed.
export function onEvent(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// connecting, live, polling, stale, paused
export function onLiveState(mark) {
  marks.add(mark);
  mark(state);
  return () => marks.delete(mark);
}
