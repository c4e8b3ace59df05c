// What the overview has seen of the last minutes, so that its plots outlive a reload.

const KEY = "bulk.samples";
const MOST = 400;
const GAP = 30; // seconds without a look are a hole in the line, not a slope

let kept = null;

function all() {
  if (kept === null) {
    try {
      kept = JSON.parse(sessionStorage.getItem(KEY)) ?? [];
    } catch {
      kept = [];
    }
  }
  return kept;
}

export function addSample(overview) {
  const latency = {};
  for (const each of overview.step_latency ?? []) latency[`${each.type}/${each.step}`] = each.p95_ms;
  const samples = all();
  samples.push({ at: Date.now() / 1000, rate: overview.throughput?.rows_per_s ?? 0, latency });
  if (samples.length > MOST) samples.splice(0, samples.length - MOST);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(samples));
  } catch {
    // a full or forbidden storage costs the history after a reload, nothing else
  }
}

function withGaps(pick) {
  const columns = [];
  let before = null;
  for (const sample of all()) {
    if (before !== null && sample.at - before > GAP) columns.push([before + 1, null]);
    columns.push([sample.at, sample]);
    before = sample.at;
  }
  return [columns.map(([at]) => at), ...pick(columns.map(([, sample]) => sample))];
}

export function throughputSeries() {
  return withGaps((samples) => [samples.map((sample) => sample?.rate ?? null)]);
}

// The names of the slowest steps, at most six, and their p95. A line on a logarithmic axis has no zero.
export function latencySeries(overview) {
  const all = overview.step_latency ?? [];
  const slowest = [...all].sort((a, b) => b.p95_ms - a.p95_ms).slice(0, 6);
  const isOneType = new Set(all.map((each) => each.type)).size === 1;
  const above = (value) => (value > 0 ? value : null);
  return {
    names: slowest.map((each) => (isOneType ? each.step : `${each.step} (${each.type})`)),
    data: withGaps((samples) => slowest.map(({ type, step }) => samples.map((sample) => above(sample?.latency[`${type}/${step}`])))),
  };
}
