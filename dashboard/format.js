// Values as people read them. Numbers that may pass 2^53 come as text and are never made floats.

const LOCALE = "en";
const whole = new Intl.NumberFormat(LOCALE);
const rough = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 3 });
const short = new Intl.NumberFormat(LOCALE, { notation: "compact", maximumSignificantDigits: 3 });

export function big(value) {
  if (value === null || value === undefined || value === "") return 0n;
  return typeof value === "bigint" ? value : BigInt(value);
}

export function count(value) {
  return value === null || value === undefined ? "–" : whole.format(big(value));
}

// "1 row", "2,000 rows"
export function counted(value, one, many = one + "s") {
  return `${count(value)} ${big(value) === 1n ? one : many}`;
}

export function compact(value) {
  return short.format(value);
}

// The share of `part` in `all` between 0 and 1, exact enough for a bar at any size.
export function share(part, all) {
  const total = big(all);
  if (total === 0n) return 0;
  return Number((big(part) * 1_000_000n) / total) / 1_000_000;
}

export function percent(value) {
  if (value === null || value === undefined) return "–";
  if (value > 0 && value < 0.1) return "< 0.1 %";
  if (value > 99.9 && value < 100) return "> 99.9 %";
  return `${value % 1 === 0 ? value : value.toFixed(1)} %`;
}

export function rate(value) {
  return value === null || value === undefined ? "–" : `${rough.format(value < 0.05 ? 0 : value)} rows/s`;
}

const SIZES = ["B", "kB", "MB", "GB", "TB", "PB"];
export function size(bytes) {
  if (bytes === null || bytes === undefined) return "–";
  let value = Number(big(bytes));
  let unit = 0;
  while (value >= 1000 && unit + 1 < SIZES.length) {
    value /= 1000;
    ++unit;
  }
  return `${rough.format(value)} ${SIZES[unit]}`;
}

export function duration(ms) {
  if (ms === null || ms === undefined || Number.isNaN(ms)) return "–";
  if (ms < 1) return `${rough.format(ms)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000); // once, or there would be 60 s in a minute
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function between(from, to) {
  if (!from) return "–";
  const ms = (to ? Date.parse(to) : Date.now()) - Date.parse(from);
  return ms < 1 ? "less than 1 ms" : duration(ms); // times come in milliseconds: less was not measured
}

// The day is left out today.
export function moment(text) {
  if (!text) return "–";
  const time = new Date(text);
  const clock = time.toLocaleTimeString(LOCALE, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
  if (time.toDateString() === new Date().toDateString()) return clock;
  return `${time.toLocaleDateString("sv")} ${clock}`;
}

export function exactMoment(text) {
  return text ? `${text} (UTC)` : "";
}

export function ago(text) {
  if (!text) return "never";
  const ms = Date.now() - Date.parse(text);
  return ms < 5000 ? "just now" : `${duration(ms).split(" ").slice(0, 2).join(" ")} ago`;
}

// "device-provisioning" stays; "completed_with_errors" is "completed with errors".
export function words(name) {
  return String(name ?? "").replaceAll("_", " ");
}

export function shortId(id) {
  const text = String(id ?? "");
  return text.length > 12 ? `${text.slice(0, 4)}…${text.slice(-6)}` : text;
}
