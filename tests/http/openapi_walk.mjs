// Holds a server to its OpenAPI document: asks for everything that the document has, with values that are
// valid, at the boundary and wrong, and checks each answer against it.
//
//   node openapi_walk.mjs PACKAGES DOCUMENT URL REQUESTS SEEDS [SEED]
//
// SEEDS is a JSON file with a `type`, `metadata`, `files` and `keys` that the server takes for an operation, and its
// `feeds`; `rare` has the operations that need not succeed. The document may be that of version 1, or that of BulkSharp's routes, which ignore what they do not know.
// An answer must have a status, a content type and a body that the document names for the operation. What
// does not fit the schema of a parameter or a body must be refused, and what fits must not be called wrong.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import http from "node:http";

const [packages, file, base, wanted, seedFile, seed = "1"] = process.argv.slice(2);
const require = createRequire(packages + "/");
const Ajv = require("ajv/dist/2020").default;
const addFormats = require("ajv-formats").default;
const document = JSON.parse(readFileSync(file, "utf8"));
const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(document, "document");

const seeds = JSON.parse(readFileSync(seedFile, "utf8"));
const isOlder = document.paths["/api/bulks"] !== undefined;

let state = BigInt(seed);
function random(below) {
  state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
  return Number((state >> 33n) % BigInt(below));
}
const pick = (all) => all[random(all.length)];
const isOneIn = (number) => random(number) === 0;

const validators = new Map();
function validator(schema) {
  const key = JSON.stringify(schema);
  if (!validators.has(key)) validators.set(key, ajv.compile(JSON.parse(key.replaceAll('"#/components', '"document#/components'))));
  return validators.get(key);
}
const resolved = (schema) => (schema.$ref ? schema.$ref.split("/").slice(1).reduce((at, name) => at[name], document) : schema);

function send({ method, path, headers = {}, body = null }) {
  return new Promise((resolve, reject) => {
    const url = new URL(base);
    const asked = http.request({ host: url.hostname, port: url.port, method, path, headers, agent }, (answer) => {
      const parts = [];
      const done = () => resolve({ status: answer.statusCode, type: (answer.headers["content-type"] ?? "").split(";")[0], headers: answer.headers, text: Buffer.concat(parts).toString() });
      answer.on("data", (part) => {
        parts.push(part);
        if ((answer.headers["content-type"] ?? "").startsWith("text/event-stream")) answer.destroy();
      });
      answer.on("end", done);
      answer.on("close", done);
      answer.on("error", done);
      if ((answer.headers["content-type"] ?? "").startsWith("text/event-stream")) setTimeout(() => answer.destroy(), 20);
    });
    asked.on("error", reject);
    if (body !== null) asked.write(body);
    asked.end();
  });
}
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

// What there is: filled from the answers, so that later requests find something.
const known = { id: [], run: [], name: [seeds.type], feed: seeds.feeds, type: [seeds.type], key: seeds.keys, signal_key: seeds.keys, row: ["1", "2"], operationName: [seeds.type] };
const NOBODY = "01890000-0000-7000-8000-000000000000";
function remember(list, id) {
  if (typeof id === "string" && !known[list].includes(id)) known[list] = [id, ...known[list]].slice(0, 12); // the newest: others are removed
}
function learn(value) {
  if (!value || typeof value !== "object") return;
  if (value.state && value.rows) remember("id", value.id);
  if (value.feed && value.partitions) remember("run", value.id);
  if (value.operationName && value.status) remember("id", value.id);
  Object.values(value).forEach(learn);
}

// What stands in a path is of the kind that the path is about.
function learntFor(name, path) {
  if (path.startsWith("/api/v1/runs/") && name === "id") return known.run;
  if (path.startsWith("/api/v1/feeds/") && name === "name") return known.feed;
  return name === "operation" ? known.id : known[name];
}

// A value for a schema, and whether it is meant to be right; the schema itself has the last word.
function valueFor(name, schema, path = "") {
  const of = resolved(schema);
  if (of.anyOf) return valueFor(name, pick(of.anyOf), path);
  const text = () => pick(["a", "1", "x y", "ä", "%", "'", "a".repeat(300), "null", "a/b", "Ω".repeat(40)]);
  const learnt = of.enum ? undefined : learntFor(name, path);
  if (learnt?.length > 0 && !isOneIn(5)) return pick(learnt);
  if (of.enum) return isOneIn(4) ? pick(["nothing", "", of.enum[0].toUpperCase()]) : pick(of.enum);
  if (of.format === "uuid") return isOlder ? NOBODY : pick([NOBODY, "7", "", "01890000-0000-7000-8000-00000000000g"]);
  if (of.format === "date-time") return pick(["2024-02-29T12:00:00Z", "2024-02-29T12:00:00.123456Z", "2024-02-29T12:00:00+01:00", "2023-02-29T12:00:00Z", "2016-12-31T23:59:60Z", "2024-01-01", "now", "", "2024-13-01T00:00:00Z"]);
  if (of.format === "date") return pick(["2024-02-29", "2023-12-31", "2023-02-29", "2024-1-1", "20240101", "2024-13-01", ""]);
  if (of.type === "boolean") return pick(["true", "false", "1", "yes", ""]);
  if (of.type === "integer") return pick(["1", "100", String(of.minimum ?? 0), String(of.maximum ?? 5), String((of.minimum ?? 0) - 1), String((of.maximum ?? 0) + 1), "x", "", "1.5", "1e2", "99999999999999999999", "+1", "01"]);
  if (of.pattern) return pick(["0", "1", "3", "-1", "18446744073709551615", "18446744073709551616", "x", "", "1.0", "+1", "007", "9".repeat(40)]);
  return text();
}

// As a schema sees the text of a parameter.
function typed(text, schema) {
  const of = resolved(schema);
  if (of.type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  if (of.format === "int64" && /^[0-9]{19,}$/.test(text)) return text; // more than it holds, which a JavaScript number cannot tell
  if (of.type === "integer" || of.type === "number") return text !== "" && /^-?[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : text;
  return text;
}
const fits = (value, schema) => validator(schema)(value);

function jsonFor(schema, depth = 0, name = "") {
  const of = resolved(schema);
  if (of.anyOf) return jsonFor(pick(of.anyOf), depth, name);
  if (of.type === "null") return null;
  if (of.enum) return isOneIn(6) ? "nothing" : pick(of.enum);
  if (isOneIn(15)) return pick([null, 7, "x", [], {}, true, -1, "", 1e30]);
  if (of.type === "object") {
    const made = {};
    for (const [name, each] of Object.entries(of.properties ?? {}))
      if ((of.required ?? []).includes(name) ? !isOneIn(10) : isOneIn(3)) made[name] = jsonFor(each, depth + 1, name);
    if (isOneIn(15)) made.unknown = 1;
    return made;
  }
  if (of.type === "array") return Array.from({ length: random(3) }, () => jsonFor(of.items, depth + 1));
  if (of.type === "boolean") return isOneIn(2);
  if (of.type === "integer") return random(5);
  if (of.type === "number") return random(100) / 100;
  return valueFor(name, of);
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })));

const CSV = () => pick(["", "id,amount,name\n1,2,x\n", "id\n1\n2\n", "x\n", "\x1f\x8bgarbage", "[1,2]", '[{"id":1}]']) + pick(["", "1,2\n", "\n\n", '"']);

// A form in which one field in ten is missing or wrong.
function formFor({ properties }) {
  const mark = "mark-of-a-form";
  const right = { operationName: seeds.type, metadata: seeds.metadata, createdBy: "walker", notifications: "", file: null };
  let body = "";
  for (const name of Object.keys(properties)) {
    if (isOneIn(10)) continue;
    const isFile = properties[name].format === "binary";
    const value = isFile ? (isOneIn(4) ? CSV() : pick(seeds.files)) : isOneIn(10) ? pick(["", "x", "{", "null", "a".repeat(300)]) : right[name];
    body += `--${mark}\r\nContent-Disposition: form-data; name="${name}"${isFile ? '; filename="rows.csv"' : ""}\r\n\r\n${value}\r\n`;
  }
  body += isOneIn(30) ? "" : `--${mark}--\r\n`;
  return { headers: { "Content-Type": `multipart/form-data; boundary=${mark}`, "Content-Length": Buffer.byteLength(body) }, body };
}

// One request: what to send, whether every value fits its schema, and which do not.
function requestFor({ path, method, operation }) {
  const headers = {};
  const query = new URLSearchParams();
  const wrong = [];
  const isForm = operation.requestBody?.content["multipart/form-data"] && !operation.requestBody.content["application/octet-stream"];
  if (isForm && !isOneIn(20)) return { ask: { method, path, ...formFor(operation.requestBody.content["multipart/form-data"].schema) }, wrong, isUnsure: true };
  if (operation.operationId === "createOperation" && !isOneIn(3)) {
    const { type, metadata } = seeds;
    const body = pick(seeds.files);
    return { ask: { method, path: `${path}?${new URLSearchParams({ type, metadata, file_name: "rows.csv" })}`, headers: { "Content-Type": "text/csv", "Content-Length": Buffer.byteLength(body) }, body }, wrong, isUnsure: false };
  }
  let isUnsure = isOlder && method === "POST"; // a text or a state may be wrong in ways that no schema says
  let target = path;
  for (const parameter of operation.parameters ?? []) {
    const { name, schema, required } = parameter;
    if (!required && !isOneIn(4)) continue;
    let value = valueFor(name, schema, parameter.in === "path" ? path : "");
    if (method === "DELETE" && !isOneIn(4)) value = NOBODY; // or nothing would be left
    if (parameter.in === "path" && value === "") value = "7"; // without it, the path is another
    const isPlainText = resolved(schema).type === "string" && !resolved(schema).enum && !resolved(schema).format && !resolved(schema).pattern;
    if (parameter.in === "path") target = target.replace(`{${name}}`, encodeURIComponent(value));
    else if (parameter.in === "header") {
      if (!/^[\x20-\x7e]*$/.test(value)) continue;
      headers[name] = value;
      isUnsure = true;
      continue;
    } else query.append(name, value);
    if (isPlainText) isUnsure = true;
    // BulkSharp's schemas say less than .NET takes: dates without a time, names in any case.
    if (isOlder && (resolved(schema).enum || resolved(schema).format === "date-time" || value === NOBODY)) {
      isUnsure = true;
      continue;
    }
    if (value === "" && (parameter.allowEmptyValue || isOlder)) continue; // as if it were not given
    if (!fits(typed(value, schema), schema)) wrong.push(`${name}=${value}`);
  }
  // No schema says that the end of a range is not in front of its beginning.
  for (const [from, to] of [["from", "to"], ["from_row", "to_row"]]) if (query.has(from) && query.has(to)) isUnsure = true;
  if (isOneIn(25) && !isOlder) {
    query.append("unknown", "1");
    wrong.push("unknown=1");
  }
  let body = null;
  const content = operation.requestBody?.content;
  if (content) {
    if (content["application/json"]) {
      headers["Content-Type"] = "application/json";
      const made = jsonFor(content["application/json"].schema);
      body = isOneIn(12) ? pick(["", "{", "nul", "[]", '{"a":1,}', "\xff"]) : JSON.stringify(made);
      let parsed;
      try {
        parsed = body === "" ? {} : JSON.parse(body);
      } catch {
        wrong.push("body is no JSON");
      }
      if (parsed !== undefined && !fits(parsed, content["application/json"].schema)) wrong.push(`body ${body}`);
      isUnsure = true;
    } else {
      headers["Content-Type"] = "application/octet-stream";
      body = CSV();
      isUnsure = true;
    }
    headers["Content-Length"] = Buffer.byteLength(body);
  }
  if (isOneIn(40)) headers.Accept = pick(["image/png", "application/json", "*/*;q=0", "text/*"]);
  const text = query.toString();
  return { ask: { method: isOneIn(50) && method === "GET" ? "HEAD" : method, path: target + (text ? `?${text}` : ""), headers, body }, wrong, isUnsure };
}

const failures = new Map();
let count = 0;
function complain(rule, { path, method }, ask, answer) {
  const key = `${rule} | ${method} ${path}`;
  if (!failures.has(key)) failures.set(key, `${key}\n    ${ask.method} ${ask.path} ${JSON.stringify(ask.headers)} ${ask.body ?? ""}\n    ${answer.status} ${answer.type} ${answer.text.slice(0, 300)}`);
}

function check(on, { ask, wrong, isUnsure }, answer) {
  const { operation } = on;
  const documented = operation.responses[String(answer.status)];
  if (!documented) return complain(`status ${answer.status} is not in the document`, on, ask, answer);
  if (answer.status >= 500 && answer.status !== 503) complain("a 5xx", on, ask, answer);
  const isHead = ask.method === "HEAD";
  const types = Object.keys(documented.content ?? {});
  if (types.length === 0) {
    if (answer.text !== "") complain(`a body with ${answer.status}, of which the document has none`, on, ask, answer);
  } else if (!types.includes(answer.type) && !types.includes("*/*")) complain(`content type ${answer.type} with ${answer.status}, not ${types}`, on, ask, answer);
  else if (!isHead && /json$/.test(answer.type) && answer.type !== "application/x-ndjson") {
    const { schema } = documented.content[answer.type] ?? { schema: {} };
    let said;
    try {
      said = JSON.parse(answer.text);
    } catch {
      return complain("no valid JSON", on, ask, answer);
    }
    const validate = validator(schema);
    if (!validate(said)) complain(`answer ${answer.status} is not as its schema: ${ajv.errorsText(validate.errors).slice(0, 160)}`, on, ask, answer);
    if (answer.status < 300) learn(said);
    if (answer.status === 400 && said.field !== undefined) {
      const names = [...(operation.parameters ?? []).map(({ name }) => name), ...Object.keys(resolved(operation.requestBody?.content?.["application/json"]?.schema ?? {}).properties ?? {}), ...Object.keys(operation.requestBody?.content?.["multipart/form-data"]?.schema?.properties ?? {}), "unknown", "Content-Type", "Content-Encoding", "Accept"];
      if (!names.includes(said.field.split(/[.[]/)[0]) && !ask.path.includes(`${encodeURIComponent(said.field)}=`) && !(ask.body ?? "").includes(said.field)) complain(`the problem names '${said.field}', which the request cannot have`, on, ask, answer);
    }
  }
  if (answer.status < 300 && wrong.length > 0) complain(`taken though it does not fit: ${wrong.join(", ").slice(0, 60)}`, on, ask, answer);
  if (answer.status === 400 && wrong.length === 0 && !isUnsure && ask.headers.Accept === undefined) complain("refused though it fits", on, ask, answer);
}

for (let round = 0; count < Number(wanted); ++round) {
  const on = operations[round % operations.length];
  const made = requestFor(on);
  let answer;
  try {
    answer = await send(made.ask);
  } catch (error) {
    if (error.code === "ERR_UNESCAPED_CHARACTERS" || error.code === "ERR_INVALID_CHAR") continue;
    answer = { status: 0, type: "", text: String(error) };
    complain("no answer", on, made.ask, answer);
    continue;
  }
  ++count;
  on.seen = (on.seen ?? new Map()).set(answer.status, (on.seen?.get(answer.status) ?? 0) + 1);
  check(on, made, answer);
}
// What has never succeeded was not looked at.
for (const on of operations)
  if (!seeds.rare.includes(on.operation.operationId) && ![...(on.seen?.keys() ?? [])].some((status) => status < 300)) complain("never succeeded", on, { method: on.method, path: on.path, headers: {} }, { status: [...(on.seen ?? [])].join(" "), type: "", text: "" });
if (process.env.VERBOSE) for (const on of operations) console.log(on.method, on.path, [...(on.seen ?? [])].map(([status, times]) => `${status}:${times}`).join(" "));

// What no operation of the document says: other methods, and addresses that there are not.
for (const path of ["/", ...Object.keys(document.paths).map((each) => each.replaceAll(/\{[^}]*\}/g, "1"))]) {
  const on = { path, method: "any", operation: {} };
  for (const method of ["DELETE", "PATCH", "PUT", "TRACE", "OPTIONS"]) {
    if (document.paths[path]?.[method.toLowerCase()]) continue;
    const ask = { method, path, headers: {} };
    const answer = await send(ask);
    ++count;
    if (method === "OPTIONS" && path !== "/" && answer.status < 300) continue;
    if (path.includes("/1") && answer.status < 500) continue; // it may be one of another form
    if (answer.status !== 405 && answer.status !== 501) complain(`${method} gives ${answer.status}`, on, ask, answer);
    else if (answer.status === 405 && !answer.headers.allow) complain(`405 without Allow`, on, ask, answer);
  }
}

for (const text of failures.values()) console.error(`FAILED ${text}`);
console.log(`${count} requests to ${operations.length} operations, ${failures.size} complaints`);
agent.destroy();
process.exit(failures.size > 0 ? 1 : 0);
