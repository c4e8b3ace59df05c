// A new operation: which type, its metadata, its file; a dry run; then the upload.

import { download, get, listOf, path, upload as send } from "../api.js";
import { h, morph } from "../dom.js";
import { big, count, counted, size } from "../format.js";
import { icon } from "../icons.js";
import { catchMissedDrops, dropZone } from "../parts/drop_zone.js";
import { empty } from "../parts/empty.js";
import { field, fieldProblem, metadataText } from "../parts/field.js";
import { note, problemView } from "../parts/problem.js";
import { recipients, recipientsProblem, recipientsText } from "../parts/recipients.js";
import { table } from "../parts/table.js";
import { toast } from "../parts/toast.js";
import { view } from "../parts/view.js";
import { href, navigate } from "../router.js";
import { mayOperate } from "../session.js";

// Also where the page is not served over TLS and crypto.randomUUID is missing.
function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function templates(type) {
  const save = async (format) => {
    try {
      await download(path("operation-types", type.name, "template"), { format });
    } catch (problem) {
      toast("bad", "cross", `${problem.title}. ${problem.detail}`);
    }
  };
  const one = (format) =>
    h(
      "button",
      { type: "button", class: "button small", "aria-label": `Template of ${type.name} as ${format.toUpperCase()}`, onclick: () => save(format) },
      icon("download"),
      format.toUpperCase(),
    );
  return h("div", { class: "row-of" }, h("span", { class: "quiet-text" }, "Template"), ["csv", "json", "ndjson"].map(one));
}

function columnTable(type) {
  return table({
    label: "Columns of the file",
    rows: type.columns,
    key: (column) => column.name,
    columns: [
      { label: "Column", cell: (column) => h("code", column.name) },
      { label: "Type", cell: (column) => [column.type, column.choices?.length ? h("span", { class: "quiet-text" }, `: ${column.choices.join(", ")}`) : null] },
      { label: "Needed", cell: (column) => (column.required ? "yes" : "no") },
      {
        label: "Notes",
        kind: "wide",
        cell: (column) => [
          column.row_id ? h("span", { class: "tag" }, "row id") : null,
          column.unique ? h("span", { class: "tag" }, "unique") : null,
          column.hidden ? h("span", { class: "tag" }, "personal") : null,
          column.format ? h("span", { class: "quiet-text" }, column.format) : null,
        ],
      },
    ],
  });
}

function dryRun(result) {
  const bad = big(result.bad_rows);
  if (result.file_error) return note("bad", "cross", h("p", { class: "notice-title" }, "The file cannot be read"), h("p", result.file_error));
  return h(
    "div",
    { class: "stack" },
    result.operation_error ? note("bad", "cross", h("p", { class: "notice-title" }, "The operation would fail"), h("p", result.operation_error)) : null,
    bad === 0n
      ? note("good", "check", h("p", { class: "notice-title" }, `All ${counted(result.rows, "row")} are valid`))
      : note(
          "warn",
          "attention",
          h("p", { class: "notice-title" }, `${count(bad)} of ${counted(result.rows, "row")} would fail`),
          h("p", "Correct them first, or submit the file as it is: the bad rows fail with these reasons, the others are processed."),
        ),
    bad > 0n
      ? table({
          label: "Rows that would fail",
          rows: result.errors,
          key: (error) => `${error.row}/${error.column}`,
          columns: [
            { label: "Row", kind: "number", cell: (error) => count(error.row) },
            { label: "Line", kind: "number", cell: (error) => count(error.line) },
            { label: "Column", cell: (error) => (error.column ? h("code", error.column) : "–") },
            { label: "Cell", cell: (error) => (error.cell ? h("code", { class: "cell-in-error" }, error.cell) : "–") },
            { label: "What is wrong", kind: "wide", cell: (error) => error.message },
          ],
        })
      : null,
    big(result.errors?.length) < bad ? h("p", { class: "quiet-text" }, `The first ${count(result.errors.length)} of them.`) : null,
  );
}

// A tab that is closed takes its upload with it.
const stay = (event) => event.preventDefault();

// Everything that the form knows; what the server said belongs to one file, type and metadata only.
function form(type) {
  const state = { values: {}, file: null, recipients: [], problems: {}, sending: null, sent: 0, checked: null, trouble: null, key: newKey() };
  const live = h("p", { class: "unseen", role: "status" });

  const changed = () => {
    state.checked = null;
    state.trouble = null;
    state.key = newKey();
    draw();
  };

  const check = () => {
    state.problems = {};
    for (const description of type.metadata) {
      const problem = fieldProblem(description, state.values[description.name]);
      if (problem) state.problems[description.name] = problem;
    }
    if (!state.file) state.problems.file = "Choose a file.";
    else if (state.file.size === 0) state.problems.file = "The file is empty.";
    const nobody = recipientsProblem(state.recipients);
    if (nobody) state.problems.recipients = nobody;
    draw();
    const first = Object.keys(state.problems)[0];
    const place = { file: "file", recipients: `recipient-channel-${nobody?.at}` };
    if (first) document.getElementById(place[first] ?? `field-${first}`)?.focus();
    return !first;
  };

  const body = (withType) => {
    const data = new FormData();
    if (withType) data.set("type", type.name);
    data.set("metadata", metadataText(type.metadata, state.values));
    if (withType && state.recipients.length > 0) data.set("recipients", recipientsText(state.recipients));
    data.set("file", state.file, state.file.name); // last: the server takes it as it comes
    return data;
  };

  const run = async (what, where, withType, done) => {
    if (!check()) return;
    const own = new AbortController();
    Object.assign(state, { sending: { what, stop: () => own.abort() }, sent: 0, trouble: null });
    draw();
    addEventListener("beforeunload", stay);
    try {
      const answer = await send(where, body(withType), {
        idempotencyKey: withType ? state.key : null,
        signal: own.signal,
        onProgress: (sent, total) => {
          state.sent = total ? sent / total : 0;
          draw();
        },
      });
      state.sending = null;
      done(answer);
    } catch (problem) {
      state.sending = null;
      state.trouble = problem;
      const text = problem.detail || problem.title;
      if (problem.field) state.problems[problem.field] = problem.field === "recipients" ? { text } : text;
      if (!element.isConnected) toast("bad", "cross", `${state.file.name}: ${problem.title}. ${problem.detail}`);
    } finally {
      removeEventListener("beforeunload", stay);
    }
    draw();
  };

  const dry = () =>
    run("Checking", path("operation-types", type.name, "validate"), false, (result) => {
      state.checked = result;
      if (result.metadata_error) state.trouble = { title: "The metadata cannot be used", detail: result.metadata_error };
      live.textContent = result.is_valid ? "The file is valid." : "The check found problems.";
    });
  // Whoever went on to another page stays there.
  const submit = () =>
    run("Uploading", "/operations", true, ({ id }) => {
      if (element.isConnected) navigate("operation", { id });
      else toast("good", "upload", `${state.file.name} is uploaded.`, { href: href("operation", { id }), label: "Open" });
    });

  const buttons = () => {
    if (state.sending)
      return h(
        "div",
        { class: "sending", key: "sending" },
        h("progress", { max: 1, value: state.sent, "aria-label": state.sending.what }),
        h("span", { class: "number" }, `${state.sending.what} ${size(state.file.size)}: ${Math.floor(state.sent * 100)} %`),
        h("button", { type: "button", class: "button small", onclick: state.sending.stop }, "Stop"),
      );
    const { checked } = state;
    const isUsable = checked && !checked.file_error && !checked.metadata_error;
    const bad = big(checked?.bad_rows);
    return h(
      "div",
      { class: "row-of", key: "buttons" },
      h("button", { type: "submit", class: `button ${isUsable ? "" : "primary"}` }, icon("scan"), checked ? "Check again" : "Check the file"),
      isUsable
        ? h(
            "button",
            { type: "button", class: "button primary", onclick: submit },
            icon("upload"),
            bad > 0n ? `Submit with ${counted(bad, "bad row")}` : `Submit ${counted(checked.rows, "row")}`,
          )
        : checked
          ? null
          : h("button", { type: "button", class: "button quiet", onclick: submit }, "Submit without a check"),
    );
  };

  const render = () =>
    h(
      "form",
      {
        class: "stack",
        "aria-label": `New ${type.name}`,
        novalidate: true,
        onsubmit: (event) => {
          event.preventDefault();
          dry();
        },
      },
      h(
        "section",
        { class: "card", "aria-label": "File and metadata" },
        h("h2", type.name),
        type.description ? h("p", { class: "quiet-text" }, type.description) : null,
        templates(type),
        dropZone(
          state.file,
          (file) => {
            state.file = file;
            delete state.problems.file;
            changed();
          },
          state.problems.file,
        ),
        type.metadata.map((description) =>
          field(description, state.values[description.name], state.problems[description.name], (name, value) => {
            state.values[name] = value;
            delete state.problems[name];
            changed();
          }),
        ),
        recipients(state.recipients, state.problems.recipients, (all) => {
          const isMore = all.length > state.recipients.length;
          state.recipients = all;
          delete state.problems.recipients;
          state.key = newKey(); // the check of the file stays good
          draw();
          if (isMore) document.getElementById(`recipient-channel-${all.length - 1}`)?.focus();
        }),
        buttons(),
      ),
      state.trouble ? problemView(state.trouble) : null,
      state.checked && !state.checked.metadata_error ? dryRun(state.checked) : null,
      h(
        "details",
        { class: "card", open: true },
        h("summary", h("h2", `${counted(type.columns.length, "column")} of the file`)),
        columnTable(type),
      ),
    );

  let shown = render();
  function draw() {
    shown = morph(shown, render());
  }
  const element = h("div", live, shown);
  return element;
}

function chooser(types) {
  return h(
    "ul",
    { class: "type-list" },
    types.map((type) =>
      h(
        "li",
        { class: "card", key: type.name },
        h("h2", h("a", { href: href("upload", { type: type.name }) }, type.name)),
        h("p", { class: "quiet-text" }, type.description || "No description."),
        h("p", type.steps.length === 0 ? "One step." : type.steps.map((step) => step.name).join(" → ")),
        templates(type),
      ),
    ),
  );
}

function open(parameters) {
  if (!mayOperate())
    return { element: h("div", h("h1", "New upload"), empty("ban", "You may look, not act", "Your access is read-only, so nothing can be uploaded with it.")) };
  const forgetDrops = catchMissedDrops();
  const shown = view({
    load: (signal) =>
      parameters.type ? get(path("operation-types", parameters.type), {}, signal) : get("/operation-types", {}, signal).then(listOf),
    render(data) {
      if (parameters.type) return form(data);
      return data.length === 0
        ? empty("upload", "No operation type", "The program declares none, so there is nothing to upload for.")
        : chooser(data);
    },
    once: true,
  });
  return {
    element: h(
      "div",
      h("h1", "New upload"),
      parameters.type ? h("p", { class: "page-sub" }, h("a", { href: href("upload") }, "Another type")) : null,
      shown.element,
    ),
    dispose() {
      forgetDrops();
      shown.dispose();
    },
  };
}

export const upload = { title: "New upload", identity: ({ type }) => type ?? "", open };
