import { get, listOf } from "../api.js";
import { h } from "../dom.js";
import { chip } from "../parts/chip.js";
import { empty } from "../parts/empty.js";
import { card, facts, time } from "../parts/facts.js";
import { runTable } from "../parts/run_table.js";
import { view } from "../parts/view.js";
import { href } from "../router.js";
import { isRunActive } from "../states.js";

function feedCard(feed) {
  const run = feed.newest_run;
  return h(
    "li",
    { class: "card", key: feed.name },
    h("h2", h("a", { href: href("feed", { name: feed.name }) }, feed.name)),
    h("p", { class: "quiet-text" }, feed.description || "No description."),
    facts([
      ["Watermark", feed.watermark?.value ? h("code", feed.watermark.value) : "none yet"],
      ["Newest run", run ? h("a", { href: href("run", { id: run.id }) }, chip(run.state)) : "none yet"],
      run ? ["Started", time(run.started_at)] : null,
    ]),
  );
}

export const feeds = {
  title: "Feeds",
  open() {
    const shown = view({
      load: async (signal) => {
        const [all, runs] = await Promise.all([get("/feeds", {}, signal), get("/runs", { limit: 20 }, signal)]);
        return { feeds: listOf(all), runs: listOf(runs) };
      },
      render: ({ feeds: all, runs }) =>
        all.length === 0
          ? empty("feeds", "No feed", "A feed reads records from another system in partitions. This program declares none.")
          : h(
              "div",
              { class: "stack" },
              h("ul", { class: "type-list" }, all.map(feedCard)),
              card("Runs", runs.length === 0 ? empty("run", "No run yet", "Open a feed to start one.") : runTable(runs, { withFeed: true })),
            ),
      concerns: (event) => Boolean(event.run),
      every: ({ runs }) => (runs.some((run) => isRunActive(run.state)) ? 2_000 : 0),
    });
    return { element: h("div", h("h1", "Feeds"), shown.element), dispose: shown.dispose };
  },
};
