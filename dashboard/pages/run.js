// One run of a feed: its partitions, what became of its records, and what can be done about it.

import { get, listOf, path, post, remove } from "../api.js";
import { h } from "../dom.js";
import { big, count, counted, duration } from "../format.js";
import { icon } from "../icons.js";
import { chip } from "../parts/chip.js";
import { copyable } from "../parts/copy.js";
import { confirm } from "../parts/dialog.js";
import { eventList } from "../parts/event_list.js";
import { card, facts, time } from "../parts/facts.js";
import { note } from "../parts/problem.js";
import { readOnlyNote } from "../parts/read_only.js";
import { table } from "../parts/table.js";
import { view } from "../parts/view.js";
import { href, navigate } from "../router.js";
import { mayOperate } from "../session.js";
import { isRunActive } from "../states.js";
import { partitionsView } from "./run/partitions.js";

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

const EVENTS = 50;

function render({ run, partitions, bad, events }, { where, parameters, passed, refresh }) {
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
    readOnlyNote("retry, consolidate or cancel"),
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
          run.window ? ["Changes to", time(run.window.to)] : null,
          ["Watermark", h("span", h("code", run.watermark_before ?? "none"), run.watermark_after ? [" → ", h("code", run.watermark_after)] : null)],
          ["By", run.started_by || "–"],
          run.trace ? ["Trace", h("code", run.trace)] : null,
        ]),
      ),
    ),
    card("Partitions", partitionsView({ where, run, page: partitions, parameters, passed, refresh })),
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
              { label: "As it came", kind: "wide", cell: (item) => h("code", { class: "clamped" }, item.payload) },
            ],
          }),
          big(run.bad_items) > BigInt(bad.length) ? h("p", { class: "quiet-text" }, `The first ${count(bad.length)} of ${count(run.bad_items)}.`) : null,
        )
      : null,
    card("Events", eventList(events), events.length === EVENTS ? h("p", { class: "quiet-text" }, `The newest ${count(EVENTS)}.`) : null),
  );
}

function open(first) {
  const { id } = first;
  const base = path("runs", id);
  const passed = [];
  let parameters = first;
  const shown = view({
    heading: "Run",
    load: async (signal) => {
      const [run, partitions, events] = await Promise.all([
        get(base, {}, signal),
        get(`${base}/partitions`, { state: parameters.state, limit: 50, after: parameters.after }, signal),
        get("/events", { operation: id, limit: EVENTS }, signal),
      ]);
      const bad = big(run.bad_items) > 0n ? listOf(await get(`${base}/bad-items`, { limit: 50 }, signal)) : [];
      return { run, partitions, events: listOf(events), bad };
    },
    render: (data) => render(data, { where: base, parameters, passed, refresh: () => shown.refresh() }),
    concerns: (event) => event.run === id,
    every: ({ run }) => (isRunActive(run.state) ? 1_500 : 0),
  });
  return {
    element: shown.element,
    update(next) {
      parameters = next;
      shown.restart();
    },
    dispose: shown.dispose,
  };
}

export const run = { title: "Run", identity: ({ id }) => id, open };
