// Time series with uPlot, in the colours of the theme.

import { h } from "../dom.js";
import { onTheme } from "../theme.js";

const HEIGHT = 180;
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
    height: HEIGHT,
    cursor: { drag: { x: false, y: false } },
    legend: { live: true },
    padding: [8, 24, 0, 0],
    // A minute at least, so that the first look at it is not one point in a void. From the data itself: around
    // one point uPlot would show a day.
    scales: { x: { range: ({ data: [at] }) => [Math.min(at[0] ?? 0, (at.at(-1) ?? 60) - 60), at.at(-1) ?? 60] }, y: isLog ? { distr: 3 } : { range: (_, low, high) => [0, high > 0 ? high * 1.1 : 1] } },
    axes: [
      { ...axis, size: 30, space: 80, incrs: STEPS, values: (_, stamps) => stamps.map((at) => new Date(at * 1000).toLocaleTimeString("sv")) },
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

// Draws while it is on the page. A refresh makes a fresh one, which only hands its data over: it must hold
// nothing that has to be given back.
class Plot extends HTMLElement {
  connectedCallback() {
    this.forgetTheme = onTheme(() => this.draw());
    this.resize = new ResizeObserver(() => this.fit());
    this.resize.observe(this);
  }

  disconnectedCallback() {
    this.forgetTheme();
    this.resize.disconnect();
    this.drawn?.destroy();
    this.drawn = null;
  }

  draw() {
    this.drawn?.destroy();
    this.drawn = globalThis.uPlot ? new globalThis.uPlot(options(this.canvas, this.state), this.state.data, this.canvas) : null;
  }

  fit() {
    const width = this.canvas.clientWidth;
    if (!this.drawn) this.draw();
    else if (width > 0 && this.drawn.width !== width) this.drawn.setSize({ width, height: HEIGHT });
  }

  keep(fresh) {
    const isSame = fresh.state.series.join("|") === this.state.series.join("|");
    this.state = fresh.state;
    this.words.textContent = fresh.words.textContent;
    if (isSame && this.drawn) this.drawn.setData(this.state.data);
    else this.draw();
  }
}
customElements.define("bulk-plot", Plot);

// isLog: for values that differ by orders of magnitude, all above 0. data: [seconds, values of the first
// series, …]. The summary is what a screen reader hears.
export function plot({ title, series, data, format, summary, isLog = false }) {
  const canvas = h("div", { class: "plot-canvas", "aria-hidden": "true" });
  const words = h("p", { class: "unseen" }, summary);
  const element = h("bulk-plot", { class: "plot" }, canvas, words);
  return Object.assign(element, { canvas, words, state: { series, data, format, title, isLog } });
}
