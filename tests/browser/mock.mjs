// A server of the API with made-up data, for the dashboard's tests where no real one is there:
//
//   node mock.mjs DIRECTORY [PORT]     DIRECTORY as `scripts/dashboard --directory` writes it

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Engine, patternOf } from "./mock_engine.mjs";

class Problem extends Error {
  constructor(status, kind, detail, field) {
    super(detail);
    Object.assign(this, { status, kind, field });
  }
}
const TITLES = { invalid_argument: "That cannot be used", unauthenticated: "Who are you?", forbidden: "You may not do that", not_found: "There is no such thing", conflict: "Not now", illegal_transition: "Not in this state", unprocessable: "The key belongs to another request" };
// Numbers that JavaScript cannot hold, as the real server writes them.
const jsonOf = (value) => JSON.stringify(value).replace(/"digits (\d+)"/g, "$1");
const text = (value) => (value === null ? null : String(value));

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function formOf(request) {
  const form = await new Response(await bodyOf(request), { headers: { "content-type": request.headers["content-type"] } }).formData();
  if (!form.get("file")) throw new Problem(400, "invalid_argument", "The part 'file' is missing.", "file");
  return { type: form.get("type"), metadata: form.get("metadata") ?? "{}", recipients: form.get("recipients"), name: form.get("file").name, text: await form.get("file").text() };
}

function allow(query, names) {
  for (const name of query.keys())
    if (!names.includes(name)) throw new Problem(400, "invalid_argument", `The parameter '${name}' is not known here.`, name);
}

function page(all, query, show) {
  const limit = Number(query.get("limit") ?? 20);
  const from = Number(Buffer.from(query.get("after") ?? "", "base64").toString() || 0);
  const next = from + limit < all.length ? Buffer.from(String(from + limit)).toString("base64") : null;
  return { items: all.slice(from, from + limit).map(show), next, total: String(all.length) };
}

// token: if set, requests must carry it; "secret-of-the-reader" may then only look.
export function start({ directory, port = 0, typeName = "device-provisioning", token = null }) {
  const engine = new Engine(typeName);
  const built = JSON.parse(readFileSync(join(directory, "assets.json"), "utf8"));
  const streams = new Set();

  const operationJson = (operation) => {
    const rows = engine.counts(operation);
    const done = rows.total === null ? 0 : Number((BigInt(rows.processed) * 1000n) / (BigInt(rows.total) || 1n)) / 10;
    const left = Number(rows.total ?? 0) - Number(rows.processed);
    const isRunning = operation.state === "running" && !operation.paused;
    const { id, type, state, paused, cancel_requested, file, metadata, created_by, source, idempotency_key, retry_count, error, created_at, started_at, run_started_at, completed_at } = operation;
    return {
      id, type, state, paused, cancel_requested, file, metadata, created_by, source, idempotency_key,
      rows: { total: text(rows.total), processed: text(rows.processed), succeeded: text(rows.succeeded), failed: text(rows.failed), unprocessed: text(rows.unprocessed) },
      percent: done, rate: isRunning ? engine.rate : null, eta: isRunning && engine.rate > 1 ? (left * 3) / engine.rate : null,
      retry_count, error, created_at, started_at, run_started_at, completed_at, version: String(operation.version),
      steps: engine.typeOf(operation).steps.map(({ index, name, kind }) => ({ index, name, kind })), links: { self: `/api/v1/operations/${id}` },
    };
  };
  const stepName = (operation, index) => (index < 0 ? "validation" : engine.typeOf(operation).steps[index].name);
  const rowJson = (operation) => (row) => ({
    row: String(row.row), row_id: row.failure === "parse" ? null : row.data.IMEI, state: row.state, step: stepName(operation, row.step), step_index: row.step,
    error: row.error ?? null, failure: row.failure ?? null, data: row.failure === "parse" ? null : row.data, steps: row.steps,
  });
  const runJson = (run) => {
    const { parts, bad, ...rest } = run;
    const sum = (name) => String(parts.reduce((total, part) => total + Number(part[name]), 0));
    const end = run.completed_at ?? run.cancelled_at;
    return {
      ...rest, partitions: parts.length, completed: parts.filter((part) => part.state === "completed").length, failed: parts.filter((part) => part.state === "failed").length,
      estimated: sum("estimated"), records: sum("records"), changed: sum("changed"), duration_ms: String((end ? Date.parse(end) : Date.now()) - Date.parse(run.started_at)),
    };
  };
  const feedJson = ({ moved: byHand, ...feed }) => {
    const runs = engine.runs.filter((run) => run.feed === feed.name);
    const moved = runs.find((run) => run.watermark_after);
    return { ...feed, watermark: byHand ? byHand : moved ? { value: moved.watermark_after, run: moved.id, moved_at: moved.completed_at, version: "3" } : { value: null, run: null, moved_at: null, version: "0" }, newest_run: runs[0] ? runJson(runs[0]) : null };
  };
  const groupsOf = (operation) => {
    const groups = new Map();
    for (const row of operation.rows.filter((each) => each.state === "failed")) {
      const pattern = patternOf(row.error);
      const key = `${row.step}/${row.failure}/${pattern}`;
      const known = groups.get(key);
      if (known) known.count = String(Number(known.count) + 1);
      else groups.set(key, { count: "1", step: stepName(operation, row.step), step_index: row.step, failure: row.failure, pattern, sample: row.error, first_row: String(row.row) });
    }
    return [...groups.values()].sort((a, b) => Number(b.count) - Number(a.count));
  };
  const find = (all, id, what) => {
    const found = all.find((each) => each.id === id || each.name === id);
    if (!found) throw new Problem(404, "not_found", `No ${what} is named '${id}'.`);
    return found;
  };

  function overview() {
    const states = {};
    for (const { state } of engine.operations) states[state] = (states[state] ?? 0) + 1;
    const running = engine.operations.filter((each) => each.state === "running" && !each.paused);
    const jitter = () => 1 + Math.random() / 4;
    return {
      states,
      attention: engine.operations.filter((each) => ["failed", "completed_with_errors"].includes(each.state) || each.paused || (each.state === "running" && each.rows.some((row) => ["failed", "waiting_for_completion"].includes(row.state)))).map(operationJson),
      attention_runs: engine.feeds.map((feed) => engine.runs.filter((run) => run.feed === feed.name)[0]).filter((run) => run && ["stalled", "failed", "consolidation_skipped"].includes(run.state)).map(runJson),
      throughput: { rows_per_s: engine.rate },
      step_latency: engine.types[0].steps.map((step, i) => ({ type: engine.types[0].name, step: step.name, p50_ms: [12, 840, 3.4][i] * jitter(), p95_ms: [48, 2600, 9.1][i] * jitter(), count: String(2400 - i * 11) })),
      running_operations: running.length,
      queue_depth: running.reduce((sum, each) => sum + each.rows.filter((row) => engine.isOpen(each, row)).length, 0),
    };
  }

  function exportOf(operation, query) {
    const rows = operation.rows.filter(
      (row) =>
        (query.get("rows") !== "failed" || row.state === "failed") && (!query.get("failure") || row.failure === query.get("failure")) &&
        (!query.get("step") || stepName(operation, row.step) === query.get("step")),
    );
    const isReport = query.get("content") !== "data";
    const lines = rows.map((row) => (isReport ? [row.row, row.state, row.error ?? ""] : Object.values(row.data)).map((cell) => (/[",\n]/.test(cell) ? `"${cell}"` : cell)).join(","));
    return [isReport ? "row,state,error" : "IMEI,customer,plan", ...lines].join("\n") + "\n";
  }

  const routes = [
    ["GET", "", () => ({ name: "bulk", version: "0.1.0", read_only: false, principal: "local", links: Object.fromEntries(["operations", "feeds", "workers", "events"].map((name) => [name, `/api/v1/${name}`])) })],
    ["GET", "/overview", overview],
    ["GET", "/operation-types", () => ({ items: engine.types, next: null, total: String(engine.types.length) })],
    ["GET", "/operation-types/:name", ({ name }) => find(engine.types, name, "operation type")],
    ["GET", "/operation-types/:name/template", ({ name, send }) => send(200, "text/csv", find(engine.types, name, "operation type").columns.map((each) => each.name).join(",") + "\n", { "Content-Disposition": `attachment; filename="${name}.csv"` })],
    ["POST", "/operation-types/:name/validate", async ({ name, request }) => {
      const type = find(engine.types, name, "operation type");
      return engine.dryRun(type, (await formOf(request)).text);
    }],
    ["GET", "/operations", ({ query }) => {
      allow(query, ["type", "state", "created_by", "from", "to", "sort", "order", "limit", "after"]);
      const field = { created_at: "created_at", name: "type", state: "state", total_rows: "version" }[query.get("sort") ?? "created_at"];
      if (!field) throw new Problem(400, "invalid_argument", "Operations are sorted by created_at, name or state.", "sort");
      const sign = query.get("order") === "asc" ? 1 : -1;
      const all = engine.operations
        .filter((each) => ["type", "state", "created_by"].every((name) => !query.get(name) || each[name] === query.get(name)))
        .filter((each) => (!query.get("from") || each.created_at >= query.get("from")) && (!query.get("to") || each.created_at <= query.get("to")))
        .sort((a, b) => (a[field] < b[field] ? -sign : a[field] > b[field] ? sign : 0));
      return page(all, query, operationJson);
    }],
    ["POST", "/operations", async ({ request, principal, send }) => {
      const form = await formOf(request);
      const type = find(engine.types, form.type, "operation type");
      let metadata;
      try {
        metadata = JSON.parse(form.metadata.replace(/: (\d{16,})/g, ': "digits $1"'));
      } catch {
        throw new Problem(400, "invalid_argument", "The metadata is not a JSON object.", "metadata");
      }
      if (type.metadata.some((each) => each.name === "requested_by") && /^nobody$/.test(metadata.requested_by))
        throw new Problem(400, "invalid_argument", "'nobody' cannot ask for anything.", "requested_by");
      if (JSON.parse(form.recipients ?? "[]").some((each) => !each.channel)) throw new Problem(400, "invalid_argument", "a channel is missing", "recipients");
      const key = request.headers["idempotency-key"];
      const known = key && engine.keys.get(key);
      if (known && known.text !== form.text) throw new Problem(422, "unprocessable", "The same Idempotency-Key came with another body.");
      const operation = known ?? engine.create({ type: type.name, name: form.name, text: form.text, metadata, by: principal, key });
      if (key) engine.keys.set(key, operation);
      return send(known ? 200 : 202, "application/json", jsonOf(operationJson(operation)), { Location: `/api/v1/operations/${operation.id}` });
    }],
    ["GET", "/operations/:id", ({ operation }) => operationJson(operation)],
    ["DELETE", "/operations/:id", ({ operation, send }) => {
      if (!operation.completed_at) throw new Problem(409, "conflict", "The operation is active; cancel it first.");
      engine.operations.splice(engine.operations.indexOf(operation), 1);
      return send(204, null, "");
    }],
    ["GET", "/operations/:id/rows", ({ operation, query }) => {
      allow(query, ["state", "step", "row_id", "from_row", "to_row", "errors_only", "signal_key", "limit", "after"]);
      const steps = engine.typeOf(operation).steps;
      const all = operation.rows.filter(
        (row) =>
          (!query.get("state") || row.state === query.get("state")) && (!query.get("step") || steps[row.step]?.name === query.get("step")) &&
          (!query.get("row_id") || row.data.IMEI === query.get("row_id")) && (query.get("errors_only") !== "true" || row.state === "failed") &&
          (!query.get("signal_key") || row.steps.some((record) => record.signal_key === query.get("signal_key"))) && row.row >= Number(query.get("from_row") ?? 1) && row.row <= Number(query.get("to_row") ?? Infinity),
      );
      return page(all, query, rowJson(operation));
    }],
    ["GET", "/operations/:id/rows/:row", ({ operation, row }) => {
      const found = operation.rows.find((each) => String(each.row) === row);
      if (!found) throw new Problem(404, "not_found", `The operation has no row ${row}.`);
      return rowJson(operation)(found);
    }],
    ["GET", "/operations/:id/error-groups", ({ operation }) => ({ items: groupsOf(operation), next: null, total: null })],
    ["GET", "/operations/:id/events", ({ operation, query }) => {
      const all = engine.events.filter((event) => event.operation === operation.id && Number(event.sequence) > Number(query.get("after") ?? 0));
      const limit = Number(query.get("limit") ?? 100);
      return { items: all.slice(0, limit), next: all.length > limit ? all[limit - 1].sequence : null, total: null };
    }],
    ["GET", "/operations/:id/file", ({ operation, send }) => send(200, "text/csv", operation.text, { "Content-Disposition": `attachment; filename="${operation.file.name}"` })],
    ["GET", "/operations/:id/export", ({ operation, query, send }) => {
      allow(query, ["content", "format", "rows", "state", "failure", "step", "group"]);
      const name = `${operation.file.name.replace(/\.csv$/, "")}-${query.get("rows") ?? "all"}.${query.get("format")}`;
      return send(200, "text/csv", exportOf(operation, query), { "Content-Disposition": `attachment; filename="${name}"` });
    }],
    ["POST", "/operations/:id/retry", ({ operation, body }) => {
      if (!operation.completed_at) throw new Problem(409, "illegal_transition", "The operation is still active.");
      return engine.retry(operation, body);
    }],
    ["GET", "/operations/:id/retry-eligibility", () => ({ is_eligible: true, reason: null })],
    ["GET", "/operations/:id/retry-history", ({ operation, query }) => page(operation.history.filter((entry) => !query.get("row") || entry.row === query.get("row")), query, (entry) => entry)],
    ["POST", "/operations/:id/cancel", ({ operation }) => (operation.cancel_requested = true, operationJson(operation))],
    ["POST", "/operations/:id/pause", ({ operation }) => (operation.paused = true, operationJson(operation))],
    ["POST", "/operations/:id/resume", ({ operation }) => (operation.paused = false, operationJson(operation))],
    ["POST", "/operations/:id/signals", ({ operation, body }) => {
      const told = engine.signal(operation, body);
      if (!told) throw new Problem(409, "conflict", "No row waits for this signal.", "key");
      return told;
    }],
    ["GET", "/events", ({ query }) => {
      const limit = Number(query.get("limit") ?? 100);
      allow(query, ["after", "limit", "operation"]);
      const about = query.get("operation");
      const all = engine.events.filter((event) => !about || event.operation === about || event.run === about);
      const items = query.has("after") ? all.filter((event) => Number(event.sequence) > Number(query.get("after"))).slice(0, limit) : all.slice(-limit);
      return { items, next: null, total: null };
    }],
    ["GET", "/workers", () => [
      { id: "01234567-89ab-7def-8123-456789abcd01", kind: "operations", name: "worker-1", host: "here", pid: process.pid, started_at: engine.started, last_seen: new Date().toISOString(), is_silent: false, running_operations: engine.operations.filter((each) => each.state === "running").length, running_pages: 0 },
      { id: "01234567-89ab-7def-8123-456789abcd02", kind: "feeds", name: "worker-1", host: "here", pid: process.pid, started_at: engine.started, last_seen: new Date().toISOString(), is_silent: false, running_operations: 0, running_pages: 3 },
      { id: "01234567-89ab-7def-8123-456789abcd03", kind: "operations", name: "worker-2", host: "there", pid: 4711, started_at: new Date(Date.now() - 7_200_000).toISOString(), last_seen: new Date(Date.now() - 3_600_000).toISOString(), is_silent: true, running_operations: 2, running_pages: 0 },
    ]],
    ["GET", "/feeds", () => ({ items: engine.feeds.map(feedJson), next: null, total: null })],
    ["GET", "/feeds/:name", ({ name }) => feedJson(find(engine.feeds, name, "feed"))],
    ["GET", "/feeds/:name/plan", () => ({ partitions: engine.partitions(5).map(({ name, range, estimated }) => ({ name, range, estimated })), is_capped: false, type: "incremental", estimated: "4800" })],
    ["PUT", "/feeds/:name/watermark", ({ name, body }) => {
      if (body.value !== null && Number.isNaN(Date.parse(body.value))) throw new Problem(400, "invalid_argument", `'${body.value}' is no moment.`, "value");
      find(engine.feeds, name, "feed").moved = { value: body.value, run: null, moved_at: new Date().toISOString(), version: "4" };
      return feedJson(find(engine.feeds, name, "feed")).watermark;
    }],
    ["GET", "/feeds/:name/items", ({ query }) => {
      allow(query, ["key", "from_key", "deleted", "changed_since", "limit", "after"]);
      const all = engine.items.filter((item) => item.key >= (query.get("from_key") ?? "") && (query.get("deleted") === "true" || !item.is_deleted));
      return { ...page(all, query, (item) => item), total: null };
    }],
    ["POST", "/feeds/:name/runs", ({ name, body }) => runJson(engine.newRun(name, body.type ?? "incremental", engine.partitions(body.type === "full" ? 60 : 5)))],
    ["GET", "/runs", ({ query }) => page(engine.runs.filter((run) => !query.get("feed") || run.feed === query.get("feed")), query, runJson)],
    ["GET", "/runs/:run", ({ run }) => runJson(run)],
    ["GET", "/runs/:run/partitions", ({ run, query }) => page(run.parts.filter((part) => !query.get("state") || part.state === query.get("state")), query, (part) => part)],
    ["GET", "/runs/:run/bad-items", ({ run, query }) => page(run.bad, query, (item) => item)],
    ["GET", "/runs/:run/events", ({ run, query }) => page(engine.events.filter((event) => event.run === run.id), query, (event) => event)],
    ["POST", "/runs/:run/retry", ({ run, body }) => (engine.retryRun(run, body.partition), runJson(run))],
    ["POST", "/runs/:run/consolidate", ({ run }) => (Object.assign(run, { state: "consolidating", is_forced: true }), runJson(run))],
    ["POST", "/runs/:run/resume", ({ run }) => ((run.state = "workers_running"), runJson(run))],
    ["POST", "/runs/:run/cancel", ({ run }) => (Object.assign(run, { state: "cancelled", cancelled_at: new Date().toISOString() }), runJson(run))],
    ["DELETE", "/runs/:run", ({ run, send }) => (engine.runs.splice(engine.runs.indexOf(run), 1), send(204, null, ""))],
  ].map(([method, pattern, handle]) => ({ method, parts: pattern.split("/"), handle }));

  const match = (method, path) => {
    const parts = path.split("/").map(decodeURIComponent);
    for (const route of routes) {
      if (route.method !== method || route.parts.length !== parts.length) continue;
      const found = {};
      if (route.parts.every((part, i) => (part.startsWith(":") ? ((found[part.slice(1)] = parts[i]), true) : part === parts[i]))) return [route.handle, found];
    }
    throw new Problem(404, "not_found", `Nothing answers ${method} ${path}.`);
  };

  function openStream(request, response) {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    const write = (event) => response.write(`id: ${event.sequence}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`);
    response.write(": hello\n\n");
    const after = request.headers["last-event-id"];
    if (after) for (const event of engine.events.slice(Number(after))) write(event);
    engine.listeners.add(write);
    const beat = setInterval(() => response.write(": still here\n\n"), 15_000);
    streams.add(response);
    request.on("close", () => {
      clearInterval(beat);
      engine.listeners.delete(write);
      streams.delete(response);
    });
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url, "http://localhost");
    const send = (status, type, content, headers = {}) => {
      response.writeHead(status, { ...(type ? { "Content-Type": type } : {}), "X-Content-Type-Options": "nosniff", ...headers });
      response.end(content);
      return undefined;
    };
    try {
      const asset = built.assets.find((each) => each.path === pathname);
      if (asset && request.method === "GET")
        return send(200, asset.type, readFileSync(join(directory, asset.file)), {
          "Content-Security-Policy": built.policy, ETag: asset.etag, "Cache-Control": asset.is_immutable ? "max-age=31536000, immutable" : "no-cache",
        });
      if (!pathname.startsWith("/api/v1")) throw new Problem(404, "not_found", `Nothing is at ${pathname}.`);
      const given = request.headers.authorization?.replace("Bearer ", "") ?? null;
      if (token && given !== token && given !== "secret-of-the-reader") throw new Problem(401, "unauthenticated", "A token is wanted.");
      const isReader = given === "secret-of-the-reader";
      if (isReader && request.method !== "GET") throw new Problem(403, "forbidden", "This token may only read.");
      if (pathname === "/api/v1/events/stream") return openStream(request, response);
      const [handle, found] = match(request.method, pathname.slice("/api/v1".length));
      const context = { ...found, query, request, send, principal: isReader ? "reader" : "local" };
      if (found.id) context.operation = find(engine.operations, found.id, "operation");
      if (found.run) context.run = find(engine.runs, found.run, "run");
      if (request.headers["content-type"]?.startsWith("application/json")) context.body = JSON.parse((await bodyOf(request)).toString() || "{}");
      let answer = await handle(context);
      if (answer === undefined) return undefined;
      if (pathname === "/api/v1") answer = { ...answer, read_only: isReader, principal: { name: context.principal, may_operate: !isReader, may_read_files: !isReader } };
      return send(request.method === "POST" ? 202 : 200, "application/json", jsonOf(answer));
    } catch (error) {
      const { status = 500, kind = "internal", field } = error;
      return send(status, "application/problem+json", JSON.stringify({ type: `urn:bulk:problem:${kind}`, title: TITLES[kind] ?? "The mock is broken", status, detail: status === 500 ? error.stack : error.message, ...(field ? { field } : {}), instance: pathname }));
    }
  });
  return new Promise((resolve) => {
    server.listen(port, "127.0.0.1", () =>
      resolve({
        url: `http://127.0.0.1:${server.address().port}/`,
        engine,
        close() {
          engine.stop();
          for (const stream of streams) stream.end();
          server.close();
          server.closeAllConnections();
        },
      }),
    );
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { url } = await start({ directory: process.argv[2], port: Number(process.argv[3] ?? 8080) });
  console.log(url);
}
