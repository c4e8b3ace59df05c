// A browser whose pages may talk to one origin only, and what every test asks of a page.

import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const folder = process.env.BULK_BROWSER ?? join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../../.deps/browser");
const require = createRequire(join(folder, "package.json"));
const { chromium } = require("playwright-core");
const axe = require("axe-core");

export async function launch() {
  return chromium.launch({ executablePath: process.env.BULK_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

export class Checks {
  constructor() {
    this.count = 0;
    this.failures = [];
  }
  ok(value, what) {
    this.count++;
    if (!value) this.failures.push(what);
    if (!value) console.error(`  FAILED ${what}`);
  }
  equal(value, wanted, what) {
    this.ok(value === wanted, `${what}: '${value}' instead of '${wanted}'`);
  }
}

// One page of one size and colour scheme, with everything that goes wrong on it counted.
export async function openPage(browser, { base, checks, width, scheme, shots, label }) {
  const origin = new URL(base).origin;
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, acceptDownloads: true, reducedMotion: "reduce", serviceWorkers: "block" });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000); // on a machine that compiles, a browser waits its turn
  await page.route("**", (route) => {
    const url = new URL(route.request().url());
    if (url.origin === origin || ["blob:", "data:"].includes(url.protocol)) return route.fallback();
    checks.ok(false, `${label}: the page asked for ${url.href}`);
    return route.abort();
  });
  let expected = 0; // while a test cuts the network off, the browser complains
  page.on("console", (message) => {
    if (message.type() === "error" && expected === 0) checks.ok(false, `${label}: console: ${message.text()}`);
  });
  page.on("pageerror", (error) => checks.ok(false, `${label}: ${error.stack}`));
  mkdirSync(shots, { recursive: true });

  const go = async (query) => {
    await page.goto(base + query);
    await page.locator("main h1").first().waitFor();
    await page.locator(".loading").waitFor({ state: "detached" });
  };
  const shot = (name) => page.screenshot({ path: join(shots, `${name}-${width}-${scheme}.png`), fullPage: false });
  // No violation that axe knows, no sideways scrolling, and a picture to look at.
  const inspect = async (name) => {
    if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"], preload: false, iframes: false }));
    for (const violation of violations)
      checks.ok(false, `${label}: ${name}: ${violation.id}: ${violation.help}: ${violation.nodes.map((node) => `${node.target} ${node.any[0]?.message ?? ""}`).slice(0, 3).join(" | ")}`);
    checks.ok(true, "axe");
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    checks.ok(overflow <= 0, `${label}: ${name} is ${overflow} px wider than the window`);
    const cut = await page.evaluate(() => [...document.querySelectorAll(".table-frame")].filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.getAttribute("aria-label")));
    checks.ok(cut.length === 0, `${label}: ${name} has tables that are cut off: ${cut}`);
    await shot(name);
  };
  return { page, context, go, shot, inspect, checks, label, base, width, quiet: async (work) => { expected++; try { await work(); } finally { expected--; } } };
}
