// Where everything begins: who is there, then the shell, the pages and the stream of events.

import { onSignedOut, setToken } from "./api.js";
import { h } from "./dom.js";
import { onEvent, startLive } from "./live.js";
import { feed } from "./pages/feed.js";
import { feeds } from "./pages/feeds.js";
import { operation } from "./pages/operation.js";
import { operations } from "./pages/operations.js";
import { overview } from "./pages/overview.js";
import { run } from "./pages/run.js";
import { upload } from "./pages/upload.js";
import { workers } from "./pages/workers.js";
import { empty } from "./parts/empty.js";
import { problemView } from "./parts/problem.js";
import { shell } from "./parts/shell.js";
import { signIn } from "./parts/sign_in.js";
import { toast } from "./parts/toast.js";
import { href, startRouter } from "./router.js";
import { has, openSession } from "./session.js";
import { startTheme } from "./theme.js";

const missing = {
  title: "Not here",
  open: () => ({
    element: h("div", h("h1", "Not here"), empty("scan", "There is no such page", null, h("a", { class: "button", href: href("overview") }, "To the overview"))),
  }),
};
const routes = { overview, operations, operation, upload, workers, feeds, feed, run, missing };

// Ends are worth a word wherever one is, unless one is looking at it; the page shows the rest.
function announce() {
  const begun = Date.now() - 2_000;
  onEvent((event) => {
    if (!event.time || Date.parse(event.time) < begun) return;
    if (new URLSearchParams(location.search).get("id") === (event.operation ?? event.run)) return;
    const link = event.operation
      ? { href: href("operation", { id: event.operation }), label: "Open" }
      : event.run
        ? { href: href("run", { id: event.run }), label: "Open" }
        : null;
    if (["completed", "run_completed"].includes(event.kind))
      toast(event.level === "info" ? "good" : "warn", event.level === "info" ? "check" : "attention", `${event.name}: ${event.message}`, link);
    else if (["failed", "run_failed", "partition_failed"].includes(event.kind))
      toast("bad", "cross", `${event.name}: ${event.message}`, link);
  });
}

async function start() {
  await openSession();
  onSignedOut(() => {
    setToken(null);
    location.reload();
  });
  const { main, mark } = shell();
  startLive();
  announce();
  startRouter(main, has("operations") ? routes : { ...routes, overview: feeds }, ({ view, title, isNew }) => {
    mark(view);
    document.title = `${title} · bulk`;
    if (isNew) {
      main.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
  });
}

async function begin() {
  startTheme();
  try {
    await start();
  } catch (problem) {
    if (problem.status === 401) document.body.replaceChildren(signIn(start));
    else document.body.replaceChildren(h("main", { class: "sign-in" }, h("h1", "bulk"), problemView(problem, () => location.reload())));
  }
}

begin();
