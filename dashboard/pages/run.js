// One run of a feed: its partitions, what became of its records, and what can be done about it.

import { get, listOf, path, post, remove } from "../api.js";
import { h, svg } from "../dom.js";
import { big, count, counted, duration, share } from "../format.js";
import { icon } from "../icons.js";
import { chip } from "../parts/chip.js";
import { copyable } from "../parts/copy.js";
import { confirm } from "../parts/dialog.js";
import { empty } from "../parts/empty.js";
import { eventList } from "../parts/event_list.js";
import { card, facts, time } from "../parts/facts.js";
import { note } from "../parts/problem.js";
import { table } from "../parts/table.js";
import { view } from "../parts/view.js";
import { href, navigate } from "../router.js";
import { mayOperate } from "../session.js";
import { isRunActive } from "../states.js";

const at = (run, ...rest) => path("runs", run.id, ...rest);

function ask(title, text, action, tone, run) {
  return () => confirm({ title, text, action, tone, run });
}

function buttons(run, refresh) {
  const act = (label, iconName, tone, onclick) =>
    h("button", { type: "button", class: `button ${tone}`, key: label, onclick }, icon(iconName), label);
  const failed = big(run.failed);
  const active = isRunActive(run.state);
  const send = (verb, body) => async () => {
    await post(at(run, verb), body);
    refresh();
  };
  return [
    failed > 0n && !["completed", "cancelled"].includes(run.state)
      ? act("Retry", "retry", "primary", ask(`Retry ${counted(failed, "failed partition")}?`, "Each goes on at the page at which it failed.", "Retry", "primary", send("retry", {})))
      : null,
    run.state === "consolidation_skipped"
      ? act(
          "Consolidate",
          "feeds",
          "",
          ask(
            "Consolidate without the failed partitions?",
            [`${count(run.completed)} of ${counted(run.partitions, "partition")} are complete; ${count(failed)} are missing from the result.`, "The watermark stays where it is, so that a later run reads them again."],
            "Consolidate what is there",
            "danger",
            send("consolidate", { force: true }),
          ),
        )
      : null,
    run.state === "stalled" ? act("Resume", "play", "primary", ask("Resume the run?", "Its unfinished partitions are given to workers again.", "Resume", "primary", send("resume", {}))) : null,
    active || ["consolidation_skipped", "stalled"].includes(run.state)
      ? act(
          "Cancel",
          "ban",
          "danger-quiet",
          ask("Cancel the run?", [`${count(run.completed)} of ${counted(run.partitions, "partition")} are complete, ${counted(run.records, "record")} were read.`, "Nothing of it is consolidated. A later run reads everything again."], "Cancel the run", "danger", send("cancel", {})),
        )
      : act(
          "Remove",
          "trash",
          "danger-quiet",
          ask("Remove the run?", `Its ${counted(run.partitions, "partition")}, bad items and events are deleted. What it has consolidated stays.`, "Remove for good", "danger", async () => {
            await remove(at(run));
            navigate("feed", { name: run.feed });
          }),
        ),
  ];
}

function partitionTable(run, partitions, refresh) {
  const mayRetry = mayOperate() && !["completed", "cancelled"].includes(run.state);
  return table({
    label: "Partitions",
    rows: partitions,
    key: (each) => each.number,
    rowClass: (each) => (each.state === "failed" ? "in-trouble" : ""),
    columns: [
      { label: "Partition", cell: (each) => each.name },
      { label: "Range", cell: (each) => h("code", { class: "quiet-text" }, `${each.range.first} – ${each.range.last}`) },
      { label: "State", kind: "state", cell: (each) => chip(each.state) },
      {
        label: "Progress",
        kind: "bar-cell",
        cell: (each) =>
          svg(
            "svg",
            { class: "bar", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
            svg("rect", { class: "bar-rest", width: 100, height: 6 }),
            svg("rect", {
              class: each.state === "failed" ? "bar-bad" : each.state === "completed" ? "bar-good" : "bar-busy",
              width: each.state === "completed" ? 100 : Math.min(100, share(each.records, each.estimated) * 100),
              height: 6,
            }),
          ),
      },
      { label: "Records", kind: "number", cell: (each) => count(each.records) },
      { label: "Estimated", kind: "number", cell: (each) => count(each.estimated) },
      { label: "Changed", kind: "number", cell: (each) => count(each.changed) },
      { label: "Pages", kind: "number", cell: (each) => count(each.pages) },
      {
        label: "Trouble",
        kind: "wide",
        cell: (each) => [
          each.attempt > 1 ? h("span", { class: "tag" }, `attempt ${each.attempt}`) : null,
          each.error ? h("span", { class: each.state === "failed" ? "text-bad" : "quiet-text" }, each.error) : null,
          each.state === "failed" && mayRetry
            ? [
                " ",
                h(
                  "button",
                  {
                    type: "button",
                    class: "button small",
                    "aria-label": `Retry ${each.name}`,
                    onclick: ask(`Retry ${each.name}?`, "It goes on at the page at which it failed.", "Retry", "primary", async () => {
                      await post(at(run, "retry"), { partition: each.number });
                      refresh();
                    }),
                  },
                  icon("retry"),
                  "Retry",
                ),
              ]
            : null,
        ],
      },
    ],
  });
}

function render({ run, partitions, bad, events }, refresh) {
  return h(
    "div",
    { class: "stack" },
    h(
      "header",
      { class: "page-head" },
      h(
        "div",
        h("h1", "Run of ", h("a", { href: href("feed", { name: run.feed }) }, run.feed)),
        h("p", { class: "page-sub" }, chip(run.state), run.type, run.is_forced ? h("span", { class: "tag" }, "forced") : null, copyable(run.id, "id")),
      ),
      h("div", { class: "row-of" }, mayOperate() ? buttons(run, refresh) : null),
    ),
    run.reason ? note(run.state === "failed" || run.state === "stalled" ? "bad" : "warn", "attention", h("p", run.reason)) : null,
    h(
      "div",
      { class: "columns" },
      card(
        "Records",
        facts([
          ["Partitions", `${count(run.completed)} of ${count(run.partitions)}`],
          ["Failed", big(run.failed) > 0n ? h("span", { class: "text-bad" }, count(run.failed)) : "0"],
          ["Estimated", count(run.estimated)],
          ["Read", count(run.records)],
          ["Changed", count(run.changed)],
          ["Consolidated", count(run.consolidated)],
          ["Removed", count(run.removed)],
          ["Bad", big(run.bad_items) > 0n ? h("span", { class: "text-bad" }, count(run.bad_items)) : "0"],
        ]),
      ),
      card(
        "Times",
        facts([
          ["Started", time(run.started_at)],
          ["Active", time(run.active_at)],
          run.completed_at ? ["Completed", time(run.completed_at)] : null,
          run.failed_at ? ["Failed", time(run.failed_at)] : null,
          run.cancelled_at ? ["Cancelled", time(run.cancelled_at)] : null,
          ["Took", duration(run.duration_ms === null ? null : Number(run.duration_ms))],
          run.window ? ["Changes from", time(run.window.from)] : null,
          run.window ? ["to", time(run.window.to)] : null,
          ["Watermark", h("span", h("code", run.watermark_before ?? "none"), run.watermark_after ? [" → ", h("code", run.watermark_after)] : null)],
          ["By", run.started_by || "–"],
          run.trace ? ["Trace", h("code", run.trace)] : null,
        ]),
      ),
    ),
    card("Partitions", partitions.length === 0 ? empty("feeds", "No partition yet", "The source is being counted.") : [
      partitionTable(run, partitions, refresh),
      Number(run.partitions) > partitions.length ? h("p", { class: "quiet-text" }, `The first ${count(partitions.length)} of ${count(run.partitions)}.`) : null,
    ]),
    bad.length > 0
      ? card(
          "Bad items",
          table({
            label: "Bad items",
            rows: bad,
            key: (item) => item.key,
            columns: [
              { label: "Key", cell: (item) => h("code", item.key) },
              { label: "Why", kind: "wide", cell: (item) => item.reason },
            ],
          }),
        )
      : null,
    card("Events", eventList(events)),
  );
}

function open({ id }) {
  const base = path("runs", id);
  const shown = view({
    load: async (signal) => {
      const [run, partitions, events] = await Promise.all([
        get(base, {}, signal),
        get(`${base}/partitions`, { limit: 1000 }, signal),
        get(`${base}/events`, { limit: 200 }, signal),
      ]);
      const bad = big(run.bad_items) > 0n ? listOf(await get(`${base}/bad-items`, { limit: 50 }, signal)) : [];
      return { run, partitions: listOf(partitions), events: listOf(events), bad };
    },
    render: (data) => render(data, () => shown.refresh()),
    concerns: (event) => event.run === id,
    every: ({ run }) => (isRunActive(run.state) ? 1_500 : 0),
  });
  return { element: shown.element, dispose: shown.dispose };
}

export const run = { title: "Run", identity: ({ id }) => id, open };
