// One feed: how far it has been read, how the next run would be cut, and its runs.

import { get, listOf, path, post, put } from "../api.js";
import { h, svg } from "../dom.js";
import { big, count, counted, share } from "../format.js";
import { icon } from "../icons.js";
import { confirm, openDialog } from "../parts/dialog.js";
import { empty } from "../parts/empty.js";
import { card, facts, time } from "../parts/facts.js";
import { pager } from "../parts/pager.js";
import { note } from "../parts/problem.js";
import { readOnlyNote } from "../parts/read_only.js";
import { runTable } from "../parts/run_table.js";
import { toast } from "../parts/toast.js";
import { view } from "../parts/view.js";
import { href, navigate, setParameters } from "../router.js";
import { mayOperate } from "../session.js";
import { isRunActive } from "../states.js";
import { itemsCard } from "./feed/items.js";

function planView(plan) {
  const partitions = plan?.partitions ?? [];
  if (partitions.length === 0) return empty("check", "Nothing to read", "The source has no record that the next run would take.");
  const most = partitions.reduce((high, each) => (big(each.estimated) > high ? big(each.estimated) : high), 1n);
  const text = (range) => (range ? `${range.first} – ${range.last}` : "");
  return h(
    "div",
    h("p", plan.type ? `${plan.type[0].toUpperCase()}${plan.type.slice(1)}: ` : "", `${counted(plan.estimated ?? partitions.reduce((sum, each) => sum + big(each.estimated), 0n), "record")} in ${counted(partitions.length, "partition")}.`),
    plan.is_capped ? note("warn", "attention", h("p", "The source has more; the rest is left out by the limit.")) : null,
    h(
      "ol",
      { class: "plan" },
      partitions.map((each, i) =>
        h(
          "li",
          h("span", { class: "plan-name" }, each.name ?? `partition-${i}`),
          svg(
            "svg",
            { class: "funnel-bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
            svg("rect", { class: "bar-rest", width: 100, height: 10 }),
            svg("rect", { class: "bar-busy", width: share(each.estimated, most) * 100, height: 10 }),
          ),
          h("span", { class: "number" }, count(each.estimated)),
          h("code", { class: "quiet-text" }, text(each.range)),
        ),
      ),
    ),
  );
}

function showPlan(name) {
  const shown = view({
    load: (signal) => get(path("feeds", name, "plan"), {}, signal),
    render: planView,
    busy: "Counting what the source has; this may take a moment",
  });
  openDialog({ title: "Plan of the next run", kind: "wide", content: shown.element, onClose: shown.dispose });
}

function startRun(feed, done) {
  const type = h("select", { id: "run-type" }, h("option", { value: "" }, "as the feed decides"), h("option", { value: "incremental" }, "incremental"), h("option", { value: "full" }, "full"));
  const most = h("input", { id: "run-most", type: "text", inputmode: "numeric", autocomplete: "off" });
  confirm({
    title: `Start a run of ${feed.name}?`,
    text: "A full run reads everything and marks what is gone; an incremental one reads what has changed since the watermark.",
    fields: h(
      "div",
      h("div", { class: "field" }, h("label", { for: "run-type" }, "Type"), type),
      h("div", { class: "field" }, h("label", { for: "run-most" }, "At most so many records"), most, h("p", { class: "hint" }, "Empty: no limit")),
    ),
    action: "Start",
    run: async () => {
      const body = {};
      if (type.value) body.type = type.value;
      if (most.value.trim()) body.max_records = most.value.trim();
      const answer = await post(path("feeds", feed.name, "runs"), body);
      const run = answer && "run" in answer ? answer.run : answer;
      if (run?.id) navigate("run", { id: run.id });
      else toast("good", "check", "There is nothing to read: the source has not changed.");
      done();
    },
  });
}

function moveWatermark(feed, done) {
  const input = h("input", { id: "watermark", type: "text", value: feed.watermark?.value ?? "", autocomplete: "off", spellcheck: "false" });
  confirm({
    title: `Move the watermark of ${feed.name}?`,
    text: "The next incremental run reads what was changed from then on. Earlier reads again what is there already, later leaves changes out for ever.",
    fields: h("div", { class: "field" }, h("label", { for: "watermark" }, "Read up to"), input, h("p", { class: "hint" }, "e.g. 2026-06-01T12:00:00Z. Empty: the next run is a full one")),
    action: "Move it",
    tone: "danger",
    run: async () => {
      await put(path("feeds", feed.name, "watermark"), { value: input.value.trim() || null });
      done();
    },
  });
}

function open(first) {
  const { name } = first;
  let parameters = first;
  const passed = [];
  const items = itemsCard(name, first);
  const shown = view({
    heading: "Feed",
    load: async (signal) => {
      const [feed, runs] = await Promise.all([get(path("feeds", name), {}, signal), get("/runs", { feed: name, limit: 20, after: parameters.after }, signal)]);
      return { feed, page: runs, runs: listOf(runs) };
    },
    render: ({ feed, runs, page }) =>
      h(
        "div",
        { class: "stack" },
        h(
          "header",
          { class: "page-head" },
          h("div", h("h1", feed.name), h("p", { class: "page-sub" }, feed.description || "")),
          h(
            "div",
            { class: "row-of" },
            h("button", { type: "button", class: "button", onclick: () => showPlan(feed.name) }, icon("scan"), "Plan"),
            mayOperate()
              ? h("button", { type: "button", class: "button", onclick: () => moveWatermark(feed, () => shown.refresh()) }, icon("clock"), "Watermark")
              : null,
            mayOperate()
              ? h("button", { type: "button", class: "button primary", onclick: () => startRun(feed, () => shown.refresh()) }, icon("play"), "Start a run")
              : null,
          ),
        ),
        readOnlyNote("start a run or move the watermark"),
        card(
          "Watermark",
          feed.watermark?.value
            ? facts([
                ["Read up to", h("code", feed.watermark.value)],
                ["Moved", time(feed.watermark.moved_at)],
                feed.watermark.run ? ["By run", h("a", { href: href("run", { id: feed.watermark.run }) }, "open")] : null,
                ["Version", count(feed.watermark.version)],
              ])
            : h("p", { class: "quiet-text" }, "None yet: the first run reads everything."),
          facts([
            ["Cut along", feed.position_type],
            ["Page size", count(feed.page_size)],
            ["Workers", `at most ${count(feed.max_workers)}`],
          ]),
        ),
        card(
          "Runs",
          runs.length === 0 ? empty("run", "No run yet", null) : runTable(runs),
          pager({
            shown: runs.length,
            total: page.total,
            next: page.next,
            after: parameters.after,
            passed,
            noun: "run",
            onMove: (after) => setParameters({ after }, { replace: false }),
          }),
        ),
        items.element,
      ),
    concerns: (event) => Boolean(event.run),
    every: ({ runs }) => (runs.some((run) => isRunActive(run.state)) ? 2_000 : 0),
  });
  return {
    element: shown.element,
    update(next) {
      const isOther = next.after !== parameters.after;
      parameters = next;
      items.update(next);
      if (isOther) shown.restart();
    },
    dispose() {
      items.dispose();
      shown.dispose();
    },
  };
}

export const feed = { title: "Feed", identity: ({ name }) => name, open };
