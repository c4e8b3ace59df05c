// Runs the scenarios against BULK_BASE_URL, or against the mock if that is not set.
//
//   BULK_BASE_URL         where the dashboard is, with a slash at the end
//   BULK_GUARDED_URL      where one wants tokens: "secret-of-the-operator" and "secret-of-the-reader"
//   BULK_OPERATION_TYPE   the type that behaves as files.mjs says (device-provisioning)
//   BULK_DASHBOARD        for the mock: what `scripts/dashboard --directory` wrote
//   BULK_SCREENSHOTS      where pictures go
//   BULK_ONLY             names of scenarios, parted by commas

import { Checks, launch, openPage } from "./harness.mjs";
import { start } from "./mock.mjs";
import * as scenarios from "./scenarios.mjs";

const type = process.env.BULK_OPERATION_TYPE ?? "device-provisioning";
const shots = process.env.BULK_SCREENSHOTS ?? "screenshots";
const only = process.env.BULK_ONLY?.split(",");
const directory = process.env.BULK_DASHBOARD;
const isMock = !process.env.BULK_BASE_URL;
const story = ["uploadAndWatch", "signalAndRetry", "downloadAndRepair", "pauseAndCancel", "failBySignal", "hostileNames", "feeds", "everyPage"];
const once = ["wording", "tellSomebody", "manyErrors", "leaveWhileSending", "uploadAgain", "listByAddress", "byKeyboard", "slowServer", "liveAndNot", "switchTheme", "everyWidth"];

const checks = new Checks();
const browser = await launch();
const begun = Date.now();
const since = (time) => `${((Date.now() - time) / 1000).toFixed(1)} s`;

async function play(names, { width, scheme, base, label = `${scheme} ${width}` }) {
  const wanted = names.filter((name) => !only || only.includes(name));
  if (wanted.length === 0) return;
  const opened = await openPage(browser, { base, checks, width, scheme, shots, label });
  if (only && !wanted.includes("readOnly")) await opened.go(""); // scenarios go on where others end
  for (const name of wanted) {
    const time = Date.now();
    try {
      await scenarios[name]({ ...opened, type });
    } catch (error) {
      checks.ok(false, `${label}: ${name}: ${error.message}`);
      await opened.shot(`failed-${name}`).catch(() => {}); // it may be closed already
    }
    console.log(`${label}: ${name}, ${since(time)}`);
  }
  await opened.context.close();
}

// Two pages at a time: a page mostly waits.
async function all() {
  const mock = isMock ? [await start({ directory, typeName: type }), await start({ directory, typeName: type })] : [];
  const base = process.env.BULK_BASE_URL;
  await Promise.all([
    play(story, { width: 1600, scheme: "light", base: base ?? mock[0].url }),
    play(story, { width: 360, scheme: "dark", base: base ?? mock[1].url }),
  ]);
  await Promise.all([
    play([...once, ...(isMock ? ["seeded"] : ["failedFile"])], { width: 1024, scheme: "dark", base: base ?? mock[0].url }),
    guarded(),
  ]);
  for (const each of mock) each.close();
}

async function guarded() {
  const server = isMock ? await start({ directory, typeName: type, token: "secret-of-the-operator" }) : null;
  await play(["readOnly"], { width: 360, scheme: "light", base: server?.url ?? process.env.BULK_GUARDED_URL });
  server?.close();
}

try {
  await all();
} finally {
  await browser.close();
}
for (const failure of checks.failures) console.error(`FAILED ${failure}`);
console.log(`${checks.count - checks.failures.length} of ${checks.count} checks passed in ${since(begun)}; pictures in ${shots}`);
process.exit(checks.failures.length > 0 ? 1 : 0);
