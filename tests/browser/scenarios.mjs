// What operators do, against any server whose operation type behaves as files.mjs says.

import { readFileSync } from "node:fs";
import { csv, repeat, row } from "./files.mjs";


const state = async (page, text) => page.locator(".page-head .chip", { hasText: text }).first().waitFor();

async function chooseFile(page, type, file, by = "ops") {
  await page.locator(".upload-link").click();
  await page.locator(".type-list").getByRole("link", { name: type, exact: true }).click();
  await page.getByLabel("requested by").fill(by);
  await page.getByLabel("File", { exact: true }).setInputFiles(file);
}

async function submit(page, type, file) {
  await chooseFile(page, type, file);
  await page.getByRole("button", { name: "Check the file" }).click();
  await page.getByRole("button", { name: /^Submit (\d|with)/ }).click();
  await page.getByRole("heading", { name: file.name.replaceAll("\u202e", "\ufffd") }).waitFor();
}

// Rows fail next to the field that is wrong, a bad file says what is bad, a good one goes through.
export async function uploadAndWatch({ page, go, checks, inspect, type, label }) {
  await go("");
  await page.locator(".upload-link").click();
  await page.locator(".type-list").getByRole("link", { name: type, exact: true }).click();
  await page.getByRole("button", { name: "Check the file" }).click();
  checks.equal(await page.getByLabel("requested by").getAttribute("aria-invalid"), "true", `${label}: a missing field is marked`);
  checks.ok(await page.getByText("Choose a file.").isVisible(), `${label}: a missing file is named`);

  await page.getByLabel("requested by").fill("ops");
  await page.getByLabel("File", { exact: true }).setInputFiles({ name: "wrong.csv", mimeType: "text/csv", buffer: Buffer.from("serial,owner\n1,Ada\n") });
  await page.getByRole("button", { name: "Check the file" }).click();
  await page.getByText("The file cannot be read").waitFor();
  checks.equal(await page.getByRole("button", { name: /^Submit/ }).count(), 0, `${label}: an unreadable file cannot be submitted`);

  const bad = csv("bad.csv", [row(), row("Ada", { plan: "gold" }), row("Ada", { imei: "12" }), row()]);
  await page.getByLabel("File", { exact: true }).setInputFiles(bad);
  await page.getByRole("button", { name: /^Check/ }).click();
  await page.getByText("2 of 4 rows would fail").waitFor();
  checks.ok(await page.locator(".cell-in-error", { hasText: "gold" }).isVisible(), `${label}: the bad cell is shown`);
  await inspect("upload-checked");

  await page.getByLabel("File", { exact: true }).setInputFiles(csv("good.csv", [...repeat(40, () => row("slow")), row("refuse"), row("approve")]));
  await page.getByRole("button", { name: /^Check/ }).click();
  await page.getByText("All 42 rows are valid").waitFor();
  await page.getByRole("button", { name: "Submit 42 rows" }).click();
  await page.getByRole("heading", { name: "good.csv" }).waitFor();
  await page.evaluate(() => (globalThis.sameDocument = true));
  await page.locator('.live-mark[data-state="live"]').waitFor();
  await state(page, "running");
  await page.locator(".funnel-notes", { hasText: "1 waiting" }).waitFor();
  await page.locator(".facts", { hasText: "1 row waits" }).waitFor(); // and nobody knows how long
}

// On the page that uploadAndWatch leaves: one row waits, one has failed.
export async function signalAndRetry({ page, checks, inspect, label }) {
  await page.getByRole("tab", { name: /^Rows/ }).click();
  await page.getByLabel("State").selectOption("waiting_for_completion");
  checks.ok(page.url().includes("state=waiting_for_completion"), `${label}: the filter is in the address`);
  await page.getByRole("button", { name: "Open row 42" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByText("Answer for Carrier Approval").waitFor();
  await inspect("row-waiting");
  await drawer.getByRole("button", { name: "It succeeded" }).click();
  await drawer.locator(".toast", { hasText: "Row 42 goes on." }).waitFor(); // not behind the drawer, where nobody hears it
  await drawer.locator(".chip.good").first().waitFor();
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  await state(page, "completed with errors");
  checks.ok(await page.evaluate(() => globalThis.sameDocument === true), `${label}: it ended without a reload`);

  await page.getByRole("tab", { name: /^Errors/ }).click();
  await page.locator("#panel .link", { hasText: "41" }).click();
  await drawer.getByText(/step failure/).first().waitFor();
  await inspect("row-failed");
  await drawer.getByRole("button", { name: "Retry this row" }).click();
  const question = page.getByRole("dialog", { name: "Retry row 41?" });
  await question.waitFor();
  await question.getByRole("button", { name: "Retry" }).click();
  await drawer.locator(".tag", { hasText: "retry 1" }).waitFor();
  await page.keyboard.press("Escape");
  await state(page, /^completed$/);
  await inspect("operation-completed");
}

// What failed is downloaded as it was uploaded, corrected, and uploaded again.
export async function downloadAndRepair({ page, checks, inspect, type, label }) {
  await submit(page, type, csv("repair.csv", [row(), row("Ada", { plan: "gold" }), row("Ada", { plan: "silver" })]));
  await state(page, "completed with errors");
  await page.getByRole("tab", { name: /^Errors/ }).click();
  await inspect("operation-errors");
  await page.locator("#panel .link", { hasText: "2" }).first().click();
  await page.locator(".cells .in-error", { hasText: "gold" }).waitFor();
  await inspect("row-cell-in-error");
  await page.keyboard.press("Escape");
  checks.equal(await page.getByRole("button", { name: /^Retry 2 rows/ }).count(), 0, `${label}: rows that cannot be parsed are not offered for a retry`);

  await page.getByRole("button", { name: "Export" }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: /^Failed rows.*spreadsheet and upload/ }).click()]);
  const failed = readFileSync(await download.path(), "utf8");
  checks.equal(failed.trim().split(/\r?\n/).length, 3, `${label}: the failed rows and a header are downloaded`);
  checks.ok(failed.includes("gold") && failed.includes("silver"), `${label}: they are as they were uploaded`);
  const [group] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /^Download 2 rows/ }).click()]);
  checks.ok(readFileSync(await group.path(), "utf8").includes("gold"), `${label}: a group can be downloaded`);

  await submit(page, type, { name: "repaired.csv", mimeType: "text/csv", buffer: Buffer.from(failed.replace("gold", "3").replace("silver", "4")) });
  await state(page, /^completed$/);
}

export async function pauseAndCancel({ page, checks, inspect, type, label }) {
  await submit(page, type, csv("long.csv", repeat(2000, () => row("slow"))));
  await state(page, "running");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("dialog", { name: "Pause the operation?" }).getByRole("button", { name: "Pause" }).click();
  await state(page, "paused");
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator(".page-head .chip", { hasText: "paused" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  const question = page.getByRole("dialog", { name: "Cancel the operation?" });
  checks.ok(/of 2,000 .* are to do/.test(await question.innerText()), `${label}: the question says how many rows: ${await question.innerText()}`);
  await inspect("cancel-question");
  await question.getByRole("button", { name: "Cancel the operation" }).click();
  await state(page, "cancelled");
  await page.locator(".tally", { hasText: "Unprocessed" }).waitFor();
  await page.getByRole("button", { name: "Export" }).click();
  checks.equal(await page.getByRole("menuitem", { name: /^Unprocessed rows/ }).count(), 2, `${label}: the menu offers what the state is now`);
  await page.keyboard.press("Escape");
  for (const [name, rows] of [["Unprocessed rows", "unprocessed"], ["All rows", null]])
    for (const [note, guard] of [["to correct in a spreadsheet", "true"], ["as uploaded", null]]) {
      await page.getByRole("button", { name: "Export" }).click();
      const [asked] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: new RegExp(`^${name}.*CSV ${note}`, "s") }).click()]);
      const query = new URL(asked.url()).searchParams;
      checks.ok(query.get("rows") === rows && query.get("guard") === guard && query.get("format") === "csv", `${label}: ${name}, CSV ${note}: ${asked.url()}`);
    }
  await page.getByRole("tab", { name: "Events" }).click();
  await page.locator(".events", { hasText: "cancelled" }).waitFor();
  await inspect("operation-cancelled");
  const id = new URL(page.url()).searchParams.get("id"); // others may upload a file of the same name meanwhile
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog", { name: "Remove the operation?" }).getByText("2,000 rows").waitFor();
  await page.getByRole("button", { name: "Remove for good" }).click();
  await page.getByRole("heading", { name: "Operations" }).waitFor();
  await page.locator("tbody tr").first().waitFor();
  checks.equal(await page.locator(`a[href*="${id}"]`).count(), 0, `${label}: a removed operation is gone`);
}

// The page of an operation whose file cannot be read says why, first of all. Against a real server: only
// the API takes such a file.
export async function failedFile({ page, go, checks, inspect, type, label }) {
  await go("");
  const id = await page.evaluate(async (name) => {
    const query = new URLSearchParams({ type: name, file_name: "wrong.csv", metadata: '{"requested_by":"ops"}' });
    const answer = await fetch(new URL(`api/v1/operations?${query}`, document.baseURI), { method: "POST", headers: { "Content-Type": "text/csv" }, body: "serial,owner\n1,Ada\n" });
    return (await answer.json()).id;
  }, type);
  await go(`?view=operation&id=${id}`);
  await state(page, "failed");
  const notice = await page.locator(".notice.bad").first().innerText();
  checks.ok(/This operation failed\. .*no column/s.test(notice), `${label}: it says why it failed: ${notice}`);
  const text = await page.locator("main").innerText();
  checks.ok(!/being validated|once the rows are counted/.test(text), `${label}: nothing goes on any more: ${text}`);
  await inspect("operation-failed");
  await go("");
  await isIssue({ page, checks, label }, id, "a failed operation");
}

// What the overview says where there is no issue: `readOnly` sees it on a server that has done nothing yet.
const NO_ISSUES = "Nothing needs attention";

// The overview, which is open, lists it and does not say that there is nothing.
async function isIssue({ page, checks, label }, id, what) {
  await page.locator(".attention, .empty").first().waitFor();
  checks.ok(await page.locator(`.attention a[href*="${id}"]`).isVisible(), `${label}: the overview lists ${what}`);
  checks.equal(await page.getByText(NO_ISSUES).count(), 0, `${label}: and does not say '${NO_ISSUES}' with ${what}`);
}

export async function failBySignal({ page, go, checks, type, label }) {
  await submit(page, type, csv("answers.csv", [row("approve"), row()]));
  await page.locator(".funnel-notes", { hasText: "1 waiting" }).waitFor();
  const id = new URL(page.url()).searchParams.get("id");
  await go("");
  await isIssue({ page, checks, label }, id, "a row that waits for a signal");
  await go(`?view=operation&id=${id}`);
  await page.getByRole("tab", { name: /^Rows/ }).click();
  await page.locator("#panel .chip", { hasText: "waiting" }).waitFor();
  await page.getByRole("button", { name: "Open row 1" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "It failed" }).click();
  await drawer.getByText("Say why it failed").waitFor();
  await drawer.getByLabel("or why it failed").fill("the carrier said no");
  await drawer.getByRole("button", { name: "It failed" }).click();
  await drawer.getByText("the carrier said no").first().waitFor();
  await page.keyboard.press("Escape");
  await state(page, "completed with errors");
  checks.equal(await page.locator(".funnel-notes", { hasText: "1 failed" }).count(), 1, `${label}: the funnel shows where it failed`);
}

// No table is cut off on screens between the smallest and the widest.
export async function everyWidth({ page, go, inspect }) {
  const usual = page.viewportSize();
  for (const width of [768, 1201, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    for (const [name, query] of Object.entries({ overview: "", operations: "?view=operations", feeds: "?view=feeds" })) {
      await go(query);
      await inspect(`${name}-at-${width}`);
    }
    await go("?view=operations&state=completed_with_errors");
    await page.locator("tbody a").first().click();
    await page.locator("#panel .table-frame").waitFor();
    await inspect(`operation-at-${width}`);
  }
  await page.setViewportSize(usual);
}

// Every page, before anything is asked of it.
export async function everyPage({ page, go, inspect, quiet }) {
  const pages = { overview: "", operations: "?view=operations", upload: "?view=upload", workers: "?view=workers", missing: "?view=nothing", gone: "?view=operation&id=00000000-0000-7000-8000-000000000000", feeds: "?view=feeds" };
  for (const [name, query] of Object.entries(pages)) {
    await quiet(() => go(query)); // what is gone answers 404
    await inspect(name);
  }
  await go("?view=operations");
  await page.locator("tbody a").first().click();
  await page.locator(".page-head h1").waitFor();
  await page.getByRole("tab", { name: /^Metadata/ }).click();
  await inspect("operation-about");
}

// Filters, sort and place in the list are in the address, and a reload keeps them.
export async function listByAddress({ page, go, checks, label }) {
  await go("?view=operations&state=completed");
  checks.equal(await page.getByLabel("State").inputValue(), "completed", `${label}: a filter is read from the address`);
  const created = page.locator("th", { hasText: "Created" });
  checks.equal(await created.getAttribute("aria-sort"), "descending", `${label}: the newest come first`);
  await created.getByRole("button").click();
  await page.locator('th[aria-sort="ascending"]').waitFor();
  checks.ok(page.url().includes("order=asc"), `${label}: the order is in the address`);
  await page.reload();
  await page.locator('th[aria-sort="ascending"]').waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  checks.ok(!page.url().includes("state="), `${label}: filters can be cleared`);
  await go("?view=operations&state=validating&created_by=no-such-person");
  await page.getByText("No operation matches").waitFor();
}

export async function byKeyboard({ page, go, checks, label }) {
  await go("?view=operations");
  await page.keyboard.press("Tab");
  checks.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content", `${label}: the first stop is the skip link`);
  await page.keyboard.press("Enter");
  checks.equal(await page.evaluate(() => document.activeElement.id), "main", `${label}: it leads to the content`);
  await page.locator("tbody a").first().focus();
  await page.keyboard.press("Enter");
  await page.locator(".page-head h1").waitFor();
  const tab = page.getByRole("tab", { selected: true });
  await tab.focus();
  await page.keyboard.press("End");
  checks.equal(await page.evaluate(() => document.activeElement.id), "tab-about", `${label}: End goes to the last tab`);
  const menu = page.getByRole("button", { name: "Export" });
  await menu.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  checks.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "menuitem", `${label}: arrows walk the menu`);
  await page.keyboard.press("Escape");
  checks.ok(await menu.evaluate((each) => each === document.activeElement), `${label}: Esc closes the menu and gives the focus back`);
  const remove = page.getByRole("button", { name: /^(Remove|Cancel)$/ });
  await remove.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  for (let i = 0; i < 8; ++i) {
    await page.keyboard.press("Tab");
    checks.ok(await dialog.evaluate((each) => each.contains(document.activeElement)), `${label}: the focus stays in the dialog`);
  }
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  checks.ok(await remove.evaluate((each) => each === document.activeElement), `${label}: Esc gives the focus back`);
}

// Without the stream the page asks in turns; without a server it says that it is stale; both end by themselves.
export async function liveAndNot({ page, go, checks, quiet, label }) {
  const mark = (name) => page.locator(`.live-mark[data-state="${name}"]`).waitFor();
  await go("");
  await mark("live");
  await quiet(async () => {
    await page.route("**/events/stream*", (route) => route.abort());
    await hide(page, true);
    await mark("paused");
    await hide(page, false);
    await mark("polling");
    await page.route("**/api/v1/**", (route) => route.abort());
    await mark("stale");
    await page.locator(".notice.warn", { hasText: "The server does not answer" }).waitFor();
    checks.ok(await page.locator(".state-counts").isVisible(), `${label}: what was last seen stays`);
    await page.unroute("**/api/v1/**");
    await page.unroute("**/events/stream*");
    await mark("live");
    await page.locator(".notice.warn").waitFor({ state: "detached" });
  });
  // A reset means that events were left out: everything is read again, then the stream goes on.
  let isFirst = true;
  await page.route("**/events/stream*", (route) => {
    if (!isFirst) return route.fallback();
    isFirst = false;
    return route.fulfill({ contentType: "text/event-stream", body: "event: reset\ndata: {}\n\n" });
  });
  await hide(page, true);
  await mark("paused");
  await hide(page, false);
  await page.waitForRequest("**/overview");
  await mark("live");
  await page.unroute("**/events/stream*");
}

async function hide(page, isHidden) {
  await page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => value });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
}

// Events that come while an answer is awaited are not forgotten: a slow server once left the page as it was.
export async function slowServer({ page, go, type }) {
  await go("");
  await page.route("**/error-groups", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await route.fallback();
  });
  await submit(page, type, csv("unhurried.csv", [...repeat(20, () => row("slow")), row("refuse")]));
  await state(page, "completed with errors");
  await page.unroute("**/error-groups");
}

export async function switchTheme({ page, go, checks, label }) {
  await go("");
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.getByLabel("Theme").selectOption("light");
  const light = await background();
  await page.getByLabel("Theme").selectOption("dark");
  checks.ok((await background()) !== light, `${label}: the theme can be switched`);
  await page.reload();
  await page.locator("main h1").first().waitFor();
  checks.ok((await background()) !== light, `${label}: and stays switched`);
  await page.getByLabel("Theme").selectOption("system");
}

// Every server under test has a feed. Where it has two, the dark page takes the second: a feed has one run at a time.
export async function feeds({ page, go, checks, inspect, quiet, label }) {
  await go("");
  await page.locator(".nav").getByRole("link", { name: "Feeds" }).click();
  const names = page.locator(".type-list h2 a");
  await names.first().waitFor();
  const mine = names.nth(label.startsWith("dark") ? (await names.count()) - 1 : 0);
  const name = await mine.innerText();
  await mine.click();
  await page.getByRole("button", { name: "Plan" }).click();
  await page.getByRole("dialog").locator(".plan li").first().waitFor();
  await inspect("feed-plan");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Watermark" }).click();
  const question = page.getByRole("dialog", { name: /^Move the watermark/ });
  await quiet(async () => {
    await question.getByLabel("Read up to").fill("yesterday");
    await question.getByRole("button", { name: "Move it" }).click();
    await question.locator(".notice.bad").waitFor();
  });
  await question.getByLabel("Read up to").fill("");
  await question.getByRole("button", { name: "Move it" }).click();
  await page.getByText("None yet: the first run reads everything.").waitFor();
  await page.getByRole("button", { name: "Start a run" }).click();
  await page.getByRole("dialog").getByLabel("Type").selectOption("full");
  await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
  await page.getByRole("heading", { name: /^Run of/ }).waitFor();
  await state(page, /^(completed|consolidation skipped)$/);
  if ((await page.locator(".page-head .chip", { hasText: "skipped" }).count()) > 0) await retryPartition({ page, go, checks, inspect, label });
  checks.equal(await page.locator("[aria-label=Partitions] tbody tr").count(), 50, `${label}: a page of partitions`);
  await page.getByRole("navigation", { name: "Pages of partitions" }).getByRole("button", { name: "Next" }).click();
  await partition(page, 50).waitFor();
  await inspect("run");
  await page.locator("h1 a", { hasText: name }).click();
  await browseItems({ page, checks, inspect, label });
}

const partition = (page, number) => page.locator("td").filter({ hasText: new RegExp(`^partition-${number}$`) });

async function retryPartition({ page, go, checks, inspect, label }) {
  const id = new URL(page.url()).searchParams.get("id");
  await go("");
  await isIssue({ page, checks, label }, id, "a feed whose run was skipped");
  await go(`?view=run&id=${id}`);
  await page.getByLabel("State").selectOption("failed");
  await page.getByText("1 partition", { exact: true }).waitFor();
  checks.ok(page.url().includes("state=failed"), `${label}: the filter of partitions is in the address`);
  await inspect("run-skipped");
  await page.getByRole("button", { name: "Retry partition-3" }).click();
  await page.getByRole("dialog", { name: "Retry partition-3?" }).getByRole("button", { name: "Retry" }).click();
  await state(page, /^completed$/);
  await page.getByLabel("State").selectOption("");
  await partition(page, 0).waitFor();
}

async function browseItems({ page, checks, inspect, label }) {
  const keys = page.locator("section[aria-label=Items] tbody td:first-child");
  await keys.filter({ hasText: "article-10000" }).waitFor();
  await page.getByRole("navigation", { name: "Pages of items" }).getByRole("button", { name: "Next" }).click();
  await keys.filter({ hasText: "article-10000" }).waitFor({ state: "detached" });
  checks.ok(page.url().includes("items_after="), `${label}: the place among the items is in the address`);
  await page.getByLabel("From key").fill("article-10030");
  await keys.first().filter({ hasText: "article-10030" }).waitFor(); // from this key on
  checks.ok(!page.url().includes("items_after="), `${label}: another filter begins at its first page`);
  checks.ok(await page.getByText('"Article <b>30</b>"').first().isVisible(), `${label}: values are text`);
  await inspect("feed-items");
  await page.getByLabel("From key").fill("zzz");
  await page.getByText("No item from this key on").waitFor();
}

// What only the mock has to show.
export async function seeded({ page, go, checks, inspect, quiet, type, label }) {
  await go("?view=operations&order=asc");
  checks.ok(await page.getByText("9,007,199,254,740,993").first().isVisible(), `${label}: numbers beyond 2^53 are exact`);
  await page.getByRole("button", { name: "Next" }).click();
  await page.locator("tbody a", { hasText: "approvals.csv" }).waitFor();
  await page.getByRole("button", { name: "Previous" }).click();
  await page.locator("tbody a", { hasText: "every-device.csv" }).waitFor();
  await go("?view=operations&state=completed_with_errors");
  await page.getByRole("link", { name: "devices-may.csv" }).click();
  await page.getByRole("tab", { name: /^Rows/ }).click();
  await page.getByLabel("Errors only").check();
  await page.getByLabel("Select row 4", { exact: true }).check();
  await page.getByLabel("Select row 24", { exact: true }).check();
  checks.equal(await page.getByLabel("Select row 6", { exact: true }).count(), 0, `${label}: a row that cannot be retried cannot be selected`);
  await page.getByRole("button", { name: "Retry 2 selected rows" }).click();
  await page.getByRole("dialog", { name: "Retry 2 rows?" }).getByRole("button", { name: "Retry" }).click();
  await page.locator(".tally.bad", { hasText: "18" }).waitFor();
  await state(page, "completed with errors");
  await page.getByRole("tab", { name: /^Errors/ }).click();
  await page.getByRole("button", { name: "Retry", exact: true }).first().click();
  const question = page.getByRole("dialog", { name: "Retry 10 failed rows?" });
  await question.getByText("8 rows that the validation refused stay failed").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Retry 10 rows/ }).click();
  await page.getByRole("dialog", { name: "Retry 10 rows?" }).getByRole("button", { name: "Retry" }).click();
  await page.locator(".tally.bad", { hasText: "8" }).waitFor();
  await state(page, "completed with errors");
  await inspect("operation-retried");
  await go("?view=feeds");
  await page.locator("tbody tr", { hasText: "consolidation skipped" }).locator("a").click();
  await page.getByRole("button", { name: "Retry partition-3" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
  await state(page, /^completed$/);
  await chooseFile(page, type, csv("refused.csv", [row()]), "nobody");
  await quiet(async () => {
    await page.getByRole("button", { name: "Submit without a check" }).click();
    await page.locator(".field.has-problem", { hasText: "'nobody' cannot ask for anything." }).waitFor();
  });
  await inspect("upload-refused");
}

// Somebody is told how it ends; a number that no float can hold arrives as it is.
export async function tellSomebody({ page, go, checks, inspect, type, label }) {
  await go("");
  await chooseFile(page, type, csv("told.csv", [row()]));
  await page.getByLabel("ticket").fill("18446744073709551615");
  await page.getByRole("button", { name: "Tell somebody" }).click();
  await page.getByRole("button", { name: "Submit without a check" }).click();
  await page.getByText("Name the channel, or take the line away.").waitFor();
  checks.equal(await page.evaluate(() => document.activeElement.id), "recipient-channel-0", `${label}: the focus goes to what is missing`);
  await page.getByLabel("Channel").fill("mail");
  await page.getByLabel("Address").fill("ops@example.org");
  await page.getByLabel("When").selectOption("on_completion_with_errors");
  await page.getByRole("button", { name: "Tell somebody" }).click();
  await page.getByRole("button", { name: "Do not tell recipient 2" }).click();
  await inspect("upload-recipients");
  const [request] = await Promise.all([
    page.waitForRequest((each) => each.method() === "POST" && each.url().endsWith("/operations")),
    page.getByRole("button", { name: "Submit without a check" }).click(),
  ]);
  const sent = /name="recipients"\r\n\r\n(.*)\r\n/.exec(request.postData() ?? "")?.[1];
  checks.equal(sent, '[{"channel":"mail","target":"ops@example.org","when":"on_completion_with_errors"}]', `${label}: the recipients are sent`);
  await page.getByRole("heading", { name: "told.csv" }).waitFor();
  await page.getByRole("tab", { name: /^Metadata/ }).click();
  await page.getByText("18446744073709551615", { exact: true }).waitFor();
}

// More events than a page: the newest are there at once, the oldest on demand. Every row of a page is chosen at once.
export async function manyErrors({ page, go, checks, inspect, type, label }) {
  await go("");
  await submit(page, type, csv("many.csv", repeat(120, () => row("refuse"))));
  await state(page, "completed with errors");
  await page.getByRole("tab", { name: "Events" }).click();
  await page.locator(".events li").first().filter({ hasText: "0/120" }).waitFor();
  checks.equal(await page.locator(".events li").count(), 100, `${label}: the newest events`);
  await page.getByRole("button", { name: "Show from the beginning" }).click();
  await page.locator(".events li").last().filter({ hasText: "created" }).waitFor();
  await page.getByRole("button", { name: "Show later events" }).click();
  await page.locator(".events li").first().filter({ hasText: "0/120" }).waitFor();
  await page.getByRole("tab", { name: /^Rows/ }).click();
  const pages = page.getByRole("navigation", { name: "Pages of rows" });
  await pages.getByText("Rows 1 to 50 of 120").waitFor();
  const bounded = page.waitForRequest(/\/rows\?from_row=51&to_row=100&/); // or the server would count all rows behind it
  await pages.getByRole("button", { name: "Next" }).click();
  await bounded;
  await page.getByRole("button", { name: "Open row 51" }).waitFor();
  await page.getByLabel("From row").fill("101");
  await pages.getByText("Rows 101 to 120 of 120").waitFor();
  checks.ok(await pages.getByRole("button", { name: "Next" }).isDisabled(), `${label}: the last page is the last`);
  await pages.getByRole("button", { name: "Previous" }).click();
  await pages.getByText("Rows 51 to 100 of 120").waitFor();
  await pages.getByRole("button", { name: "First" }).click();
  await pages.getByText("Rows 1 to 50 of 120").waitFor();
  await page.getByLabel("Select every row here that can be retried").check();
  await page.getByRole("button", { name: "Retry 50 selected rows" }).click();
  await page.getByRole("dialog", { name: "Retry 50 rows?" }).getByRole("button", { name: "Retry" }).click();
  await page.locator(".tally.bad", { hasText: "70" }).waitFor();
  await state(page, "completed with errors");
  await inspect("operation-retried-page");
}

// Names and cells are text, whatever they look like.
export async function hostileNames({ page, go, checks, inspect, type, label }) {
  const name = '<img src=x onerror="document.title=1">ملف\u202egnp.csv';
  await go("");
  await submit(page, type, csv(name, [row(), row("Ada", { imei: "<b>12</b>" }), row("Ada", { imei: "1".repeat(400) })]));
  await state(page, "completed with errors");
  await page.getByRole("tab", { name: /^Rows/ }).click();
  await page.getByLabel("Errors only").check();
  await page.getByRole("button", { name: "Open row 2" }).click();
  await page.getByRole("dialog").getByText("<b>12</b>").first().waitFor();
  await inspect("hostile-row");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await inspect("hostile-operation");
  const error = page.locator("#panel td.wide", { hasText: "has not" }).first();
  checks.ok((await error.boundingBox()).x < (await page.evaluate(() => innerWidth)), `${label}: a long id does not push its error off the screen`);
  await go("?view=operations");
  await page.getByText("<img src=x").first().waitFor();
  checks.ok(!(await page.locator("main").innerText()).includes("\u202e"), `${label}: nor turns letters around`);
  checks.equal(await page.locator("main img, main b").count(), 0, `${label}: nothing of it became markup`);
  await inspect("hostile-list");
}

// Whoever goes on to another page while a file is sent stays there, and is told.
export async function leaveWhileSending({ page, go, checks, type, label }) {
  await go("");
  await chooseFile(page, type, csv("left.csv", [row()]));
  let send = () => {};
  const left = new Promise((resolve) => (send = resolve));
  await page.route("**/api/v1/operations", async (route) => {
    if (route.request().method() === "POST") await left;
    await route.fallback();
  });
  await page.getByRole("button", { name: "Submit without a check" }).click();
  await page.getByText("Uploading").waitFor();
  await page.getByRole("link", { name: "Workers" }).click();
  await page.getByRole("heading", { name: "Workers" }).waitFor();
  send();
  await page.locator(".toast", { hasText: "left.csv is uploaded." }).waitFor();
  checks.ok(page.url().includes("view=workers"), `${label}: an upload that ends takes nobody away from a page`);
  await page.unroute("**/api/v1/operations");
}

// What was cut off is sent again under the same key, so that nothing is created twice.
export async function uploadAgain({ page, go, checks, quiet, type, label }) {
  await go("");
  await chooseFile(page, type, csv("ignored.csv", [row()]));
  const transfer = await page.evaluateHandle((text) => {
    const all = new DataTransfer();
    all.items.add(new File([text], "dropped.csv", { type: "text/csv" }));
    return all;
  }, `IMEI,customer,plan\n${row()}\n`);
  await page.locator(".drop-zone").dispatchEvent("drop", { dataTransfer: transfer });
  await page.locator(".drop-name", { hasText: "dropped.csv" }).waitFor();
  const keys = [];
  await page.route("**/api/v1/operations", (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    keys.push(route.request().headers()["idempotency-key"]);
    return keys.length === 1 ? route.abort() : route.fallback();
  });
  await quiet(async () => {
    await page.getByRole("button", { name: "Submit without a check" }).click();
    await page.getByText("The upload was cut off").waitFor();
  });
  await page.getByRole("button", { name: "Submit without a check" }).click();
  await page.getByRole("heading", { name: "dropped.csv" }).waitFor();
  checks.ok(keys.length === 2 && keys[0] === keys[1] && keys[0].length >= 32, `${label}: an upload that is repeated keeps its key: ${keys}`);
  await page.unroute("**/api/v1/operations");
}

// Where a token is wanted. Who may only look is told why there is nothing to press.
export async function readOnly({ page, checks, inspect, quiet, base, type, label }) {
  const signIn = async (token) => {
    await page.getByLabel("Access token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  await quiet(async () => {
    await page.goto(base);
    await signIn("wrong");
    await page.getByText("This token is not known.").waitFor();
    await inspect("sign-in");
  });
  await signIn("secret-of-the-operator");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  if (process.env.BULK_BASE_URL) await page.getByText(NO_ISSUES).waitFor(); // the mock has a past
  await page.locator(".upload-link").click();
  const [template] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: `Template of ${type} as CSV` }).click()]);
  checks.ok(readFileSync(await template.path(), "utf8").startsWith("IMEI,customer,plan"), `${label}: a template is downloaded, with the token`);
  await submit(page, type, csv("guarded.csv", [row("approve"), row("Ada", { plan: "gold" }), row("refuse")]));
  await page.locator(".funnel-notes", { hasText: "1 waiting" }).waitFor();
  await quiet(async () => {
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Access token").waitFor();
  });
  await signIn("secret-of-the-reader");
  await page.locator(".page-head h1").waitFor();
  await page.locator('.live-mark[data-state="live"]').waitFor();
  for (const name of ["Retry", "Remove", "Cancel", "Pause"])
    checks.equal(await page.getByRole("button", { name, exact: true }).count(), 0, `${label}: a reader sees no ${name}`);
  checks.equal(await page.getByRole("link", { name: /upload/i }).count(), 0, `${label}: nor an upload`);
  checks.ok(await page.getByText("read-only", { exact: true }).isVisible(), `${label}: and that it is read-only`);
  checks.ok(await page.getByText(/may look, not act/).isVisible(), `${label}: and why`);
  await page.getByRole("tab", { name: /^Rows/ }).click();
  await page.getByRole("button", { name: "Open row 1" }).click();
  await page.getByRole("dialog").getByText(/may look, not act/).waitFor();
  checks.equal(await page.getByRole("dialog").getByRole("button", { name: "It succeeded" }).count(), 0, `${label}: a reader answers for nobody`);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Export" }).click();
  checks.equal(await page.getByRole("menuitem", { name: /^The file itself/ }).count(), 0, `${label}: a reader sees no file as it was uploaded`);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: /^Report of failed rows/ }).click()]);
  checks.ok(download.suggestedFilename().startsWith("guarded-failed"), `${label}: a reader downloads, with the token: ${download.suggestedFilename()}`);
  await inspect("read-only");
}

const module = (name) => import(`data:text/javascript,${encodeURIComponent(readFileSync(new URL(`../../dashboard/${name}`, import.meta.url), "utf8"))}`);

// Where an ordinary day ends.
export async function wording({ checks }) {
  const { duration, moment } = await module("format.js");
  checks.equal(duration(119_700), "2 min 0 s", "a minute has 60 seconds");
  checks.equal(duration(59_800), "1 min 0 s", "and so has the first");
  const midnight = new Date();
  midnight.setHours(0, 5, 7, 0);
  checks.equal(moment(midnight.toISOString()), "00:05:07", "a day begins at 0");
}
