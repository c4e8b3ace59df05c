// Time series with uPlot, in the colours of the theme.

import { h } from "../dom.js";
import { onTheme } from "../theme.js";

const TONES = ["--plot-1", "--plot-2", "--plot-3", "--plot-4", "--plot-5", "--plot-6"];

// A canvas knows no custom properties, and these are different in the dark.
function colour(name) {
  const probe = h("span", { style: { color: `var(${name})` } });
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400]; // seconds

function powersOfTen(_, splits) {
  return splits.map((value) => (Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6) ? value : null));
}

function options(element, { series, format, title, isLog }) {
  const axis = { stroke: colour("--text-quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
  return {
    width: Math.max(200, element.clientWidth),
    height: 180,
    cursor: { drag: { x: false, y: false } },
    legend: { live: true },
    padding: [8, 24, 0, 0],
    // A minute at least, so that the first look at it is not one point in a void.
    scales: { x: { range: (_, from, to) => [Math.min(from, to - 60), to] }, y: isLog ? { distr: 3 } : { range: (_, low, high) => [0, high > 0 ? high * 1.1 : 1] } },
    axes: [
      { ...axis, space: 80, incrs: STEPS, values: (_, stamps) => stamps.map((at) => new Date(at * 1000).toLocaleTimeString("sv")) },
      { ...axis, ...(isLog ? { grid: { ...axis.grid, filter: powersOfTen } } : {}), size: 56, values: (_, values) => values.map((value) => (value === null ? null : format(value))) },
    ],
    series: [
      { label: title, value: (_, at) => (at ? new Date(at * 1000).toLocaleTimeString("sv") : "–") },
      ...series.map((name, i) => ({
        label: name,
        stroke: colour(TONES[i % TONES.length]),
        fill: series.length === 1 ? colour("--plot-fill") : undefined,
        width: 1.75,
        points: { show: (plotted) => plotted.data[0].length < 3, size: 6 },
        spanGaps: true,
        value: (_, value) => (value === null || value === undefined ? "–" : format(value)),
      })),
    ],
  };
}

// isLog: for values that differ by orders of magnitude, all above 0. data: [seconds, values of the first series, …]. The summary is what a screen reader hears.
export function plot({ title, series, data, format, summary, isLog = false }) {
  const canvas = h("div", { class: "plot-canvas", "aria-hidden": "true" });
  const words = h("p", { class: "unseen" }, summary);
  const element = h("div", { class: "plot" }, canvas, words);
  let state = { series, data, format, title, isLog };
  let drawn = null;
  element.state = () => ({ ...state, summary });

  const draw = () => {
    drawn?.destroy();
    drawn = null;
    if (element.isConnected && globalThis.uPlot) drawn = new globalThis.uPlot(options(canvas, state), state.data, canvas);
  };
  const resize = new ResizeObserver(() => {
    if (!element.isConnected) {
      // It was taken off the page: nobody else would free it.
      resize.disconnect();
      forget();
      drawn?.destroy();
    } else if (!drawn) {
      draw();
    } else if (canvas.clientWidth > 0 && drawn.width !== canvas.clientWidth) {
      drawn.setSize({ width: canvas.clientWidth, height: 180 });
    }
  });
  const forget = onTheme(draw);
  resize.observe(element);

  element.keep = (fresh) => {
    const next = fresh.state();
    const isSame = next.series.join("|") === state.series.join("|");
    state = next;
    words.textContent = next.summary;
    if (isSame && drawn) drawn.setData(next.data);
    else draw();
  };
  return element;
}
