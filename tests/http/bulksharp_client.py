"""A client of BulkSharp, pointed at a program of ours: it has BulkSharp's types and nothing else, and refuses whatever
they have no place for. Then the same program in two halves.

  bulksharp_client.py PROGRAM ROOT    the program of bulksharp_program.cpp, and the checkout
"""

import csv
import http.client
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.parse
import urllib.request
import uuid

import bulksharp_types as types

program = str(pathlib.Path(sys.argv[1]).resolve())
root = pathlib.Path(sys.argv[2]).resolve()
environment = {name: value for name, value in os.environ.items() if not name.startswith("BULK_")}
problems = []
seen = set()  # fields of types, values of enumerations
asked = set()  # (operationId, status)
compared = set()  # names of texts
NOBODY = "01890000-0000-7000-8000-000000000000"
ORIGIN = "https://ops.example"


def expect(what, holds, *said):
    if not holds:
        problems.append(f"{what}: {said}")


def says(where, text, **values):
    """Whether a text is what the table has for that place."""
    compared.add(where)
    expect(f"{where} says what BulkSharp says", text == types.TEXTS[where].format(**values), text, types.TEXTS[where])


def start(*words):
    return subprocess.Popen([program, *words, "--json"], text=True, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body
        self.kind = headers.get("Content-Type", "")
        self.value = json.loads(body) if self.kind == "application/json" and body else None

    def __getitem__(self, name):
        return self.value[name]

    def __repr__(self):
        return f"{self.status} {self.kind} {self.body[:500]}"


class Server:
    """`serve` on a port of its own."""

    def __init__(self, *words):
        self.process = start("serve", "--port", "0", "--service-name", "shop", *words)
        line = self.process.stdout.readline()
        if not line:
            sys.exit("serve did not begin: " + self.process.stderr.read())
        self.address = json.loads(line)["url"].removeprefix("http://").removesuffix("/")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=60)
        expect("serve ends when it is asked to", self.process.returncode == 0, self.process.returncode, out, err)

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(self.address, timeout=60)
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        read = Answer(answer.status, answer.headers, answer.read())
        connection.close()
        return read

    def call(self, operation, *places, query=None, body=None, headers=None, status=200):
        """One route, by its operationId: the answer is of the type that the table has for it."""
        _, verb, path, parameters, takes, gives, refusals = next(each for each in types.ROUTES if each[0] == operation)
        for place in places:
            path = re.sub(r"{\w+}", urllib.parse.quote(str(place), safe=""), path, count=1)
        known = {name for name, _, _ in types.fields(parameters)} if parameters else set()
        expect(f"{operation} has these parameters", set(query or {}) <= known, query)
        headers = dict(headers or {})
        if isinstance(body, dict):
            expect(f"{operation} takes a body", not problems_in(body, takes, operation), body)
            body, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        target = path + ("?" + urllib.parse.urlencode(query) if query else "")
        answer = self.ask(verb, target, body, headers)
        asked.add((operation, answer.status))
        expect(f"{verb} {target} is {status}", answer.status == status, answer)
        if answer.status == status:
            check(answer, gives if status == 200 else refusals[status], f"{verb} {target}")
        return answer

    def form(self, operation, parts, status=200, headers=None):
        """A form, its parts in this order: a text, or the name and the content of a file."""
        mark, body = uuid.uuid4().hex, ""
        for name, value in parts.items():
            file = f'; filename="{value[0]}"' if isinstance(value, tuple) else ""
            text = value[1] if isinstance(value, tuple) else value
            body += f'--{mark}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n{text}\r\n'
        body += f"--{mark}--\r\n"
        return self.call(operation, body=body.encode(), status=status,
                         headers={"Content-Type": f"multipart/form-data; boundary={mark}", **(headers or {})})

    def until(self, holds, operation, *places, query=None):
        """Asks as its clients do, again and again; at most a minute."""
        for _ in range(600):
            said = self.call(operation, *places, query=query)
            if said.status == 200 and holds(said):
                return said
            time.sleep(0.1)
        expect(f"{operation} came to it", False, said)
        return said


def problems_in(value, kind, where):
    return types.problems_of(value, kind, where, seen)


def check(answer, kind, where):
    """Whether an answer is of a type of the table."""
    if kind == "nothing":
        expect(f"{where} has no body", answer.body == b"", answer)
    elif kind == "file":
        expect(f"{where} is a file", "attachment" in answer.headers.get("Content-Disposition", ""), dict(answer.headers))
    elif kind == "Error or text":
        check(answer, "text" if isinstance(answer.value, str) else "Error", where)
    elif answer.value is None:
        expect(f"{where} is JSON", False, answer)
    else:
        problems.extend(problems_in(answer.value, "string" if kind == "text" else kind, where))


# One of every fate. Rows 2 and 3 are the file's fault; 4 fails once; 5 and 6 wait; 7 waits too long; 8 is not retried.
ROWS = ("sku,quantity,fate,weight\n"
        "A-1,1,fine,1.5\n"
        "A-2,ten,fine,\n"
        "A-3,0,fine,\n"
        "A-4,4,fail once,\n"
        "A-5,5,wait,\n"
        "A-6,6,wait,\n"
        "A-7,7,late,\n"
        '"A-8, the last",8,lost,2\n')
METADATA = json.dumps({"requested_by": "client", "batch": 7})
RECIPIENTS = json.dumps({"recipients": [{"channel": "mail", "target": "ops@example.org", "triggers": 6}]})


def descriptors(server):
    orders, pings = sorted(server.call("getOperations").value, key=lambda each: each["name"])
    expect("a pipeline", orders["isStepBased"] is True and pings["isStepBased"] is False, orders, pings)
    expect("metadata has a type where there is some", "metadataType" in orders and "metadataType" not in pings, pings)
    columns = {each["name"]: (each["type"], each["required"]) for each in orders["fileColumns"]}
    expect("columns", columns == {"sku": ("string", True), "quantity": ("int", True), "fate": ("string", True),
                                  "weight": ("double?", False)}, columns)
    metadata = {each["name"]: (each["type"], each["required"]) for each in orders["metadataFields"]}
    expect("metadata", metadata == {"requested_by": ("string", True), "batch": ("int?", False)}, metadata)
    template = server.call("getOperationTemplate", "orders")
    expect("a template", template.body == b"sku,quantity,fate,weight\n" and template.kind == "text/csv", template)
    expect("by its name", "orders-template.csv" in template.headers["Content-Disposition"])
    says("getOperationTemplate 404", server.call("getOperationTemplate", "none", status=404).value, name="none")


def validation(server):
    file = ("orders.csv", ROWS)
    good = ("orders.csv", "sku,quantity,fate\nA-1,1,fine\n")
    said = server.form("validateBulk", {"file": good, "operationName": "orders", "metadata": METADATA})
    expect("nothing is wrong", said.value == {"valid": True, "metadataErrors": [], "fileErrors": []}, said)
    said = server.form("validateBulk", {"operationName": "orders", "metadata": METADATA, "file": file})
    expect("the file is wrong", not said["valid"] and said["fileErrors"] and not said["metadataErrors"], said)
    said = server.form("validateBulk", {"operationName": "orders", "file": good, "metadata": '{"batch": "x"}'})
    expect("metadata behind the file is read", not said["valid"] and said["metadataErrors"], said)
    said = server.form("validateBulk", {"operationName": "orders", "metadata": "{}"})
    expect("metadata alone is checked", not said["valid"] and said["metadataErrors"], said)
    said = server.form("validateBulk", {"operationName": "none", "file": good})
    expect("an operation that there is not", not said["valid"] and len(said["metadataErrors"]) == 1, said)
    says("validateBulk metadataErrors, unknown operation", said["metadataErrors"][0], name="none")
    said = server.form("validateBulk", {"file": good}, status=400)
    says("validateBulk 400", said["error"])


WHOLE = {"file": ("orders.csv", ROWS), "operationName": "orders", "createdBy": "client", "metadata": METADATA,
         "notifications": RECIPIENTS}


def refused_forms(server):
    said = server.ask("POST", "/api/bulks", b"{}", {"Content-Type": "application/json"})
    expect("only a form is taken", said.status == 400, said)
    says("createBulk 400, no form", said.value)
    said = server.ask("POST", "/api/bulks", b"operationName=orders", {"Content-Type": "application/x-www-form-urlencoded"})
    expect("with a file", said.status == 400 and isinstance(said.value, str), said)
    for part, value, why in [("file", None, "no file"), ("file", ("a.csv", ""), "no file"),
                             ("operationName", None, "no operationName"), ("operationName", "  ", "no operationName"),
                             ("createdBy", None, "no createdBy"), ("createdBy", " ", "no createdBy"),
                             ("operationName", "x" * 201, "long operationName"),
                             ("createdBy", "x" * 201, "long createdBy"), ("createdBy", "ë" * 201, "long createdBy"),
                             ("createdBy", "😀" * 101, "long createdBy"),  # two UTF-16 code units each
                             ("metadata", "x" * 1_048_577, "long metadata"),
                             ("notifications", "{", "wrong notifications")]:
        parts = {name: each for name, each in {**WHOLE, part: value}.items() if each is not None}
        says(f"createBulk 400, {why}", server.form("createBulk", parts, status=400).value)
    server.form("createBulk", {**WHOLE, "operationName": "none"}, status=400)


def creation(server):
    # In the order of its dashboard, in the opposite one, and with the file in between.
    return [server.form("createBulk", {name: WHOLE[name] for name in order})["operationId"] for order in
           [("file", "operationName", "createdBy", "metadata", "notifications"),
            ("notifications", "metadata", "createdBy", "operationName", "file"),
            ("operationName", "file", "metadata", "createdBy")]]


def created(server, ids):
    for each in ids:
        said = server.call("getBulk", each)
        expect("whatever the order", said["createdBy"] == "client" and json.loads(said["metadataJson"])["batch"] == 7, said)
        expect("its service", said["source"] == "shop" and said["fileName"] == "orders.csv", said)
        expect("its size", said["fileSize"] == len(ROWS), said)
    sent = json.loads(server.call("getBulk", ids[0])["notificationOptionsJson"])
    expect("recipients come back as its page reads them",
           sent == {"Recipients": [{"Channel": "mail", "Target": "ops@example.org", "Triggers": 6}]}, sent)
    expect("none are none", "notificationOptionsJson" not in server.call("getBulk", ids[2]).value)


def signals(server, bulk):
    waiting = server.until(lambda said: said["totalCount"] == 2, "getBulkRows", bulk,
                           query={"state": "WaitingForCompletion"})
    steps = {each["rowNumber"]: each["steps"][1] for each in waiting["items"]}
    expect("rows wait by their full keys", {number: step["signalKey"] for number, step in steps.items()} ==
           {5: f"{bulk}:confirm-A-5:5", 6: f"{bulk}:confirm-A-6:6"}, steps)
    said = server.call("getBulkStatus", bulk)
    expect("it runs", said["status"] == "Running" and "completedAt" not in said.value, said)
    for key in ["confirm-A-1", "confirm-A-55", "none"]:
        for said in [server.call("signalStep", bulk, key, status=404),
                     server.call("failStep", bulk, key, body={"errorMessage": "no"}, status=404)]:
            says("signalStep 404, failStep 404", said["error"], key=key)
    server.call("signalStep", NOBODY, "confirm-A-5", status=404)
    said = server.call("signalStep", bulk, "confirm-A-5")
    expect("a step is completed here", said.value == {"rowNumber": 5, "step": "Confirm", "completed": True,
                                                      "failed": False, "crossProcess": False}, said)
    server.call("failStep", bulk, "confirm-A-6", status=400)  # without a body
    said = server.call("failStep", bulk, "confirm-A-6", body={"errorMessage": "not in this colour"})
    expect("a step is failed here", said.value == {"rowNumber": 6, "step": "Confirm", "completed": False, "failed": True,
                                                   "error": "not in this colour", "crossProcess": False}, said)
    server.until(lambda now: now["status"] == "CompletedWithErrors", "getBulkStatus", bulk)
    server.call("signalStep", bulk, "confirm-A-5", status=404)


def results(server, bulk):
    said = server.call("getBulkStatus", bulk)
    expect("all of it", said["processedRows"] == 8 and said["errorCount"] == 6 and said["progress"] == 100, said)
    said = server.call("getBulk", bulk)
    expect("counts", (said["totalRows"], said["successfulRows"], said["failedRows"], said["errorCount"]) ==
           (8, 2, 6, 6), said)
    errors = server.call("getBulkErrors", bulk)
    kinds = {each["rowNumber"]: each["errorType"] for each in errors["items"]}
    expect("errors are of kinds that it has", kinds == {2: "Validation", 3: "Validation", 4: "StepFailure",
                                                        6: "SignalFailure", 7: "Timeout", 8: "StepFailure"}, kinds)
    expect("each has an id", len({each["id"] for each in errors["items"]}) == 6, errors)
    expect("which stays", server.call("getBulkErrors", bulk).value == errors.value)
    says("errorMessage of a row, timed out", errors["items"][4]["errorMessage"], step="Confirm")
    expect("and its row", json.loads(errors["items"][2]["rowData"])["sku"] == "A-4", errors["items"][2])

    def rows(**query):
        return [each["rowNumber"] for each in server.call("getBulkErrors", bulk, query=query)["items"]]
    for query, wanted in [({"errorType": "Validation"}, [2, 3]), ({"errorType": "timeout"}, [7]),
                          ({"errorType": "None"}, []), ({"errorType": "Parse"}, [2, 3, 4, 6, 7, 8]),
                          ({"rowNumber": 4}, [4]), ({"rowNumber": 0}, []), ({"rowId": "a-8"}, [8]),
                          ({"sortBy": "RowNumber", "sortDescending": "True"}, [8, 7, 6, 4, 3, 2]),
                          ({"pageSize": 2, "page": 2}, [4, 6]), ({"pageSize": 2, "page": 9}, []),
                          ({"page": 2_000_000_000}, []), ({"page": 0, "pageSize": 0}, [2])]:
        expect(f"errors by {query}", rows(**query) == wanted, rows(**query))
    for query in [{"rowNumber": "x"}, {"page": "x"}, {"page": 2**31}, {"pageSize": "1.5"},
                  {"sortDescending": "maybe"}]:
        server.call("getBulkErrors", bulk, query=query, status=400)
    expect("no operation has no errors", server.call("getBulkErrors", NOBODY)["totalCount"] == 0)

    rows_of = server.call("getBulkRows", bulk)
    states = {each["rowNumber"]: (each["currentStep"], each["currentState"], each["completedSteps"])
              for each in rows_of["items"]}
    expect("rows", states == {1: ("Ship", "Completed", 3), 2: ("validation", "Failed", 0),
                              3: ("validation", "Failed", 0), 4: ("Reserve", "Failed", 0),
                              5: ("Ship", "Completed", 3), 6: ("Confirm", "Failed", 1),
                              7: ("Confirm", "TimedOut", 1), 8: ("Ship", "Failed", 2)}, states)
    expect("all have as many steps", {each["totalSteps"] for each in rows_of["items"]} == {3}, rows_of)
    for query, wanted in [({"state": "TimedOut"}, [7]), ({"state": "Nonsense"}, [*range(1, 9)]),
                          ({"stepName": "Ship"}, [1, 5, 8]), ({"stepName": "None"}, []), ({"rowId": "A-3"}, [3]),
                          ({"state": "Completed"}, [1, 5]), ({"pageSize": 3, "page": 3}, [7, 8])]:
        found = [each["rowNumber"] for each in server.call("getBulkRows", bulk, query=query)["items"]]
        expect(f"rows by {query}", found == wanted, found)
    server.call("getBulkRows", bulk, query={"page": "x"}, status=400)
    expect("no operation has no rows", server.call("getBulkRows", NOBODY)["items"] == [])

    file = server.call("getBulkFile", bulk)
    expect("the file comes back", file.body.decode() == ROWS and "orders.csv" in file.headers["Content-Disposition"], file)


def exports(server, bulk):
    def export(**query):
        said = server.call("exportBulk", bulk, query=query)
        name = f'operation-{bulk}-{query.get("mode", "report")}.{query.get("format", "csv")}'
        expect("its name", name in said.headers["Content-Disposition"], dict(said.headers))
        kind = "application/json" if query.get("format") == "json" else "text/csv"
        expect("its type", said.headers["Content-Type"] == kind, dict(said.headers))
        return said.body.decode()

    own = ["sku", "quantity", "fate", "weight"]
    lines = list(csv.reader(io.StringIO(export())))
    expect("the header of a report", lines[0] == [*types.REPORT, *own], lines[0])
    expect("a line for each row", [line[0] for line in lines[1:]] == [str(n) for n in range(1, 9)], lines)
    table = [dict(zip(lines[0], line)) for line in lines[1:]]
    report = json.loads(export(mode="report", format="json"))
    expect("the same as JSON", [each["RowNumber"] for each in report] == [*range(1, 9)], report)
    for line, each in zip(table, report):
        expect("the members of a report", list(each)[:len(types.REPORT)] == list(types.REPORT), each)
        for name, kind in types.REPORT.items():
            if each[name] is None:
                expect(f"{name} of a report can be null", kind.endswith("?"), each)
                expect(f"{name} is empty in CSV", line[name] == "", line)
                continue
            problems.extend(problems_in(each[name], kind.removesuffix("?"), f"report {name}"))
            expect(f"{name} is the same in CSV", line[name] == str(each[name]), line, each)
    states = {each["RowNumber"]: (each["State"], each["ErrorType"], each["StepName"], each["StepIndex"]) for each in report}
    expect("how rows ended", states == {
        1: ("Completed", None, "Ship", 2), 2: ("Failed", "Validation", "validation", -1),
        3: ("Failed", "Validation", "validation", -1), 4: ("Failed", "StepFailure", "Reserve", 0),
        5: ("Completed", None, "Ship", 2), 6: ("Failed", "SignalFailure", "Confirm", 1),
        7: ("TimedOut", "Timeout", "Confirm", 1), 8: ("Failed", "StepFailure", "Ship", 2)}, states)
    expect("columns of the row stand beside them", (report[0]["sku"], report[0]["weight"]) == ("A-1", 1.5), report[0])
    data = list(csv.reader(io.StringIO(export(mode="data"))))
    expect("data as CSV", data[0] == own and data[8][0] == "A-8, the last", data)
    data = json.loads(export(mode="data", format="json"))
    expect("data as JSON", [each["sku"] for each in data if each][0] == "A-1" and set(data[0]) == set(own), data)
    for query, wanted in [({"errorType": "Validation"}, [2, 3]), ({"errorType": "Timeout"}, [7]),
                          ({"state": "Failed"}, [2, 3, 4, 6, 8]), ({"stepName": "Ship"}, [1, 5, 8]),
                          ({"stepName": "None"}, []), ({"errorType": "None"}, []), ({"state": "x"}, [*range(1, 9)]),
                          ({"errorType": "Validation", "stepName": "Ship"}, []),
                          ({"stepName": "Ship", "state": "Failed"}, [8])]:
        found = [each["RowNumber"] for each in json.loads(export(format="json", **query))]
        expect(f"a report by {query}", found == wanted, found)
    csv_again = server.call("exportBulk", bulk, query={"mode": "x", "format": "ndjson"})
    expect("what it does not know is the default", csv_again.body.decode() == export(), csv_again)
    says("exportBulk 400, unknown operation", server.call("exportBulk", NOBODY, status=400)["error"], id=NOBODY)


def retries(server, bulk):
    expect("it can be retried", server.call("getRetryEligibility", bulk).value == {"isEligible": True})
    said = server.call("getRetryEligibility", NOBODY)
    expect("nothing cannot", said["isEligible"] is False, said)
    says("reason, unknown operation", said["reason"])
    expect("no history yet", server.call("getRetryHistory", bulk)["items"] == [])
    server.call("retryBulkRows", bulk, status=400)
    for said in [server.call("retryBulkRows", NOBODY, body={"rowNumbers": [1]}, status=400),
                 server.call("retryBulk", NOBODY, status=400)]:
        says("retryBulk 400, retryBulkRows 400", said["error"], reason=types.TEXTS["reason, unknown operation"])
    said = server.call("retryBulkRows", bulk, body={"rowNumbers": [4]})
    expect("one row", (said["operationId"], said["rowsSubmitted"], said["rowsSkipped"]) == (bulk, 1, 0), said)
    server.until(lambda now: now["status"] == "CompletedWithErrors" and now["errorCount"] == 5, "getBulkStatus", bulk)
    said = server.call("retryBulk", bulk)
    expect("all the others, but for the step that is not", said["rowsSubmitted"] == 2 and said["rowsSkipped"] == 1 and
           len(said["skippedReasons"]) == 1, said)
    says("skippedReasons", said["skippedReasons"][0], row=8, step="Ship")
    server.until(lambda now: now["status"] == "Running", "getBulkStatus", bulk)
    server.until(lambda page: page["totalCount"] == 1, "getBulkRows", bulk, query={"state": "WaitingForCompletion"})
    refused(server, bulk, "reason, wrong status", status="Running")
    server.call("signalStep", bulk, f"{bulk}:confirm-A-6:6")
    server.until(lambda now: now["status"] == "CompletedWithErrors", "getBulkStatus", bulk)
    expect("it has been", server.call("getBulk", bulk)["retryCount"] == 2)
    history = server.call("getRetryHistory", bulk)
    entries = {each["rowNumber"]: (each["stepIndex"], each["attempt"], each["errorType"]) for each in history["items"]}
    expect("what they had failed by", entries == {4: (0, 0, "StepFailure"), 6: (1, 0, "SignalFailure"),
                                                  7: (1, 0, "Timeout")}, history)
    expect("with their rows", all(json.loads(each["rowData"])["sku"] == f'A-{each["rowNumber"]}'
                                  for each in history["items"]), history)
    expect("each has an id", len({each["id"] for each in history["items"]}) == 3, history)
    found = server.call("getRetryHistory", bulk, query={"rowNumber": 7, "pageSize": 500})
    expect("of one row", found["totalCount"] == 1 and found["pageSize"] == 200, found)
    server.call("getRetryHistory", bulk, query={"rowNumber": "x"}, status=400)
    expect("no operation has none", server.call("getRetryHistory", NOBODY)["totalCount"] == 0)


def refused(server, bulk, why, **values):
    """Whether an operation cannot be retried, and both routes say why."""
    said = server.call("getRetryEligibility", bulk)
    expect("it cannot be retried", said["isEligible"] is False, said)
    says(why, said["reason"], **values)
    said = server.call("retryBulk", bulk, status=400)
    says("retryBulk 400, retryBulkRows 400", said["error"], reason=types.TEXTS[why].format(**values))


def silent_failure(server, create):
    """A failure without a reason has an empty one."""
    bulk = create("orders", "sku,quantity,fate\nA-1,1,wait\n")
    server.until(lambda page: page["totalCount"] == 1, "getBulkRows", bulk, query={"state": "WaitingForCompletion"})
    said = server.call("failStep", bulk, "confirm-A-1", body=b'{"errorMessage": null}',
                       headers={"Content-Type": "application/json"})
    expect("without a reason", (said["failed"], said["error"]) == (True, ""), said)
    server.until(lambda now: now["status"] == "CompletedWithErrors", "getBulkStatus", bulk)
    error = server.call("getBulkErrors", bulk)["items"][0]
    expect("nor has the row one", (error["errorType"], error["errorMessage"]) == ("SignalFailure", ""), error)
    step = server.call("getBulkRows", bulk)["items"][0]["steps"][-1]
    expect("nor its step", (step["state"], step["errorMessage"]) == ("Failed", ""), step)
    return bulk


def other_ends(server):
    """Operations that complete, fail and are cancelled; a failure that is no step's."""
    def create(name, rows, metadata=METADATA, who="Zoe"):
        return server.form("createBulk", {"operationName": name, "createdBy": who, "metadata": metadata,
                                          "file": ("x.csv", rows)})["operationId"]
    done = create("pings", "sku,quantity,fate\nA-1,1,fine\nA-2,1,lost\n", "")
    server.until(lambda now: now["status"] == "CompletedWithErrors", "getBulkStatus", done)
    error = server.call("getBulkErrors", done)["items"][0]
    expect("one function fails by processing", error["errorType"] == "Processing" and "rowData" not in error, error)
    refused(server, done, "reason, not retryable")
    fine = create("pings", "sku,quantity,fate\nA-1,1,fine\n", "")
    server.until(lambda now: now["status"] == "Completed", "getBulkStatus", fine)
    refused(server, fine, "reason, wrong status", status="Completed")
    broken = create("orders", "colour\nred\n")
    server.until(lambda now: now["status"] == "Failed", "getBulkStatus", broken)
    expect("it says why", server.call("getBulk", broken)["errorMessage"])
    refused(server, broken, "reason, wrong status", status="Failed")
    wrong = create("orders", "sku,quantity,fate\nA-1,0,fine\n")
    server.until(lambda now: now["status"] == "CompletedWithErrors", "getBulkStatus", wrong)
    refused(server, wrong, "reason, no such rows")
    silent = silent_failure(server, create)
    waiting = create("orders", "sku,quantity,fate\nA-1,1,wait\n")
    server.until(lambda page: page["totalCount"] == 1, "getBulkRows", waiting, query={"state": "WaitingForCompletion"})
    server.call("cancelBulk", waiting)
    server.until(lambda now: now["status"] == "Cancelled", "getBulkStatus", waiting)
    server.call("cancelBulk", waiting)
    server.call("cancelBulk", NOBODY)
    long_name = create("pings", "sku,quantity,fate\nA-1,1,fine\n", "", "Zoë" + "ë" * 197)  # more than 200 bytes
    server.until(lambda now: now["status"] == "Completed", "getBulkStatus", long_name)
    return done, fine, broken, wrong, silent, waiting, long_name


def lists(server, ids, others):
    def found(**query):
        return [each["id"] for each in server.call("getBulks", query=query)["items"]]
    done, fine, _, _, _, waiting, newest_one = others
    everything = found()
    expect("all of them, the newest first", everything == [*reversed(others), *reversed(ids)], everything)
    oldest = server.call("getBulk", ids[0])["createdAt"]
    newest = server.call("getBulk", newest_one)["createdAt"]
    for query, wanted in [({"status": "Completed"}, [newest_one, fine]), ({"status": "cancelled"}, [waiting]),
                          ({"operationName": "PING"}, [newest_one, fine, done]), ({"createdBy": "zo"}, everything[:7]),
                          ({"source": "shop"}, everything), ({"source": "elsewhere"}, []),
                          ({"sortBy": "CreatedAt", "sortDescending": "False", "pageSize": 2}, ids[:2]),
                          ({"sortBy": "TotalRows", "pageSize": 1, "status": "Completed"}, [newest_one]),
                          ({"fromDate": newest}, [newest_one]), ({"toDate": oldest}, [ids[0]]),
                          ({"fromDate": newest.removesuffix("Z") + "0"}, [newest_one]),  # as "O" writes it, no offset
                          ({"fromDate": newest, "toDate": oldest}, []), ({"fromDate": "2001-01-01"}, everything),
                          ({"page": 2, "pageSize": 3}, everything[3:6]), ({"page": 2**31 - 1}, []),
                          ({"page": -1, "pageSize": -1}, everything[:1])]:
        expect(f"operations by {query}", found(**query) == wanted, found(**query), wanted)
    page = server.call("getBulks", query={"page": 2, "pageSize": 3})
    expect("the envelope", (page["totalCount"], page["page"], page["pageSize"], page["hasNextPage"]) ==
           (len(everything), 2, 3, True), page)
    expect("at most 200", server.call("getBulks", query={"pageSize": 1000})["pageSize"] == 200)
    for query in [{"status": "Nonsense"}, {"fromDate": "yesterday"}, {"toDate": "x"}, {"page": "x"}, {"pageSize": "x"},
                  {"sortDescending": "2"}]:
        server.call("getBulks", query=query, status=400)


STATUS = "|".join(types.ENUMS["BulkOperationStatus"])
EVENT_TEXTS = {"Created": "Operation created", "StatusChanged": f"({STATUS}) to ({STATUS})",
               # .NET's format g of a span: no zeros in front of the hours, none behind the fraction.
               "Completed": r"\d+/\d+ rows succeeded in (\d+:)?\d+:\d\d:\d\d(\.\d{0,6}[1-9])?", "RowFailed": r"Row \d+: .*"}


def events(server, bulk):
    every = server.call("getEvents", query={"since": 0, "limit": 500}).value
    expect("events are of types that it has", {each["type"] for each in every} == types.EVENTS,
           {each["type"] for each in every})
    numbers = [each["sequence"] for each in every]
    expect("in order", numbers == sorted(set(numbers)), numbers)
    mine = server.call("getBulkEvents", bulk, query={"limit": 1000}).value
    expect("of one operation", mine == [each for each in every if each["operationId"] == bulk][-500:], mine)
    expect("from its beginning", mine[0]["type"] == "Created" and mine[0]["severity"] == "Info", mine[0])
    said = {each["message"] for each in mine}
    expect("states by its names", {"Pending to Validating", "Validating to Running"} <= said, said)
    for each in every:
        pattern = EVENT_TEXTS.get(each["type"])
        compared.add("event " + each["type"])
        expect("an event says what BulkSharp says", not pattern or re.fullmatch(pattern, each["message"]), each)
    failed = [each for each in every if each["type"] == "Failed"]
    for each in failed:
        says("event Failed", each["message"], errorMessage=server.call("getBulk", each["operationId"])["errorMessage"])
    ends = [each for each in mine if each["type"] == "Completed"]
    expect("with errors is a warning", ends and {each["severity"] for each in ends} == {"Warning"}, ends)
    expect("without a cursor the newest, the oldest of them first",
           server.call("getEvents", query={"limit": 3}).value == every[-3:])
    expect("behind a cursor the next",
           server.call("getEvents", query={"since": numbers[4], "limit": 2}).value == every[5:7])
    expect("behind the last none", server.call("getEvents", query={"since": numbers[-1]}).value == [])
    expect("at least one", len(server.call("getEvents", query={"limit": 0}).value) == 1)
    expect("no operation has none", server.call("getBulkEvents", NOBODY).value == [])
    for query in [{"since": "x"}, {"since": "2026-06-01"}, {"limit": "x"}]:
        server.call("getEvents", query=query, status=400)
        server.call("getBulkEvents", bulk, query=query, status=400)


def ids_that_are_none(server, bulk):
    for operation in ["getBulk", "getBulkStatus", "getBulkFile"]:
        server.call(operation, NOBODY, status=404)
    for _, verb, path, *_ in types.ROUTES:
        if "{id}" in path:
            said = server.ask(verb, path.replace("{id}", "7").replace("{key}", "k"), b"" if verb == "POST" else None)
            expect(f"{verb} {path} is at GUIDs only", said.status == 404, said)
    for text in [bulk.upper(), bulk.replace("-", ""), "{" + bulk + "}", "(" + bulk + ")"]:
        expect("a GUID in another form", server.call("getBulk", text)["id"] == bulk)


def origins(server):
    """CORS as its policy sends it: the origin itself, and credentials; never `*`."""
    for method, headers in [("GET", {}), ("OPTIONS", {"Access-Control-Request-Method": "POST",
                                                      "Access-Control-Request-Headers": "content-type,x-anything"})]:
        said = server.ask(method, "/api/bulks", headers={"Origin": ORIGIN, **headers}).headers
        expect("a listed page may ask", said["Access-Control-Allow-Origin"] == ORIGIN, dict(said))
        expect("with its credentials", said["Access-Control-Allow-Credentials"] == "true", dict(said))
        expect("and read names of files", "Content-Disposition" in said["Access-Control-Expose-Headers"], dict(said))
        if method == "OPTIONS":
            expect("with any header", said["Access-Control-Allow-Headers"] == "content-type,x-anything", dict(said))
        for stranger in ["https://evil.example", "null", "*"]:
            said = server.ask(method, "/api/bulks", headers={"Origin": stranger, **headers}).headers
            expect(f"{stranger} may not", not any("access-control" in name.lower() for name in said), dict(said))


def document(server):
    """What a client would be generated from has the same types."""
    said = server.ask("GET", "/openapi/v1.json").value
    schemas = said["components"]["schemas"]
    for operation, verb, path, query, body, answer, refusals in types.ROUTES:
        route = said["paths"][path][verb.lower()]
        expect(f"{operation} has its name", route["operationId"] == operation, route["operationId"])
        given = {each["name"]: each["schema"] for each in route["parameters"] if each["in"] == "query"}
        wanted = {name: types.schema_of(kind) for name, kind, _ in types.fields(query)} if query else {}
        expect(f"{operation} has its parameters", given == wanted, given, wanted)
        if body.startswith("form: "):
            form = route["requestBody"]["content"]["multipart/form-data"]["schema"]
            expect(f"{operation} has its form", set(body.removeprefix("form: ").split(", ")) <= set(form["properties"]), form)
        elif body:
            schema = route["requestBody"]["content"]["application/json"]["schema"]
            expect(f"{operation} has its body", schema == types.schema_of(body), schema)
        for status, shape in {200: answer, **refusals}.items():
            content = route["responses"][str(status)].get("content", {})
            if shape == "nothing":
                expect(f"{operation} {status} has no body", not content, content)
            elif shape != "file":
                schema = content["application/json"]["schema"]
                expect(f"{operation} {status} has its type", schema == types.schema_of(shape), schema)
    for kind, members in types.TYPES.items():
        schema = schemas[types.schema_of(kind)["$ref"].rsplit("/", 1)[1]]
        wanted = {name: types.schema_of(of) for name, of, _ in types.fields(members)}
        expect(f"{kind} has its fields", schema["properties"] == wanted, schema["properties"], wanted)
        needed = [name for name, _, can_be_null in types.fields(members) if not can_be_null]
        expect(f"{kind} says which are always there", schema["required"] == needed, schema["required"])
    for name, values in types.ENUMS.items():
        expect(f"{name} has its values", schemas[name] == {"type": "string", "enum": values}, schemas[name])
    ids = {each["operationId"] for path in said["paths"].values() for each in path.values()}
    expect("and no other route", ids == {each[0] for each in types.ROUTES} | {"getOpenApi"}, ids)


def played(scene, *of):
    """What comes of a scene; one that cannot go on is a problem among others."""
    try:
        return scene(*of)
    except (KeyError, IndexError, TypeError, ValueError) as trouble:
        expect(f"{scene.__name__} is played to its end", False, repr(trouble), traceback.format_exc().splitlines()[-4:])
        return None


def whole_client():
    with Server("--origin", ORIGIN) as server:
        played(descriptors, server)
        played(validation, server)
        played(refused_forms, server)
        ids = played(creation, server)
        if ids:
            played(created, server, ids)
            for scene in [signals, results, exports, retries]:
                played(scene, server, ids[0])
            others = played(other_ends, server)
            played(lists, server, ids, others)
            played(events, server, ids[0])
            played(ids_that_are_none, server, ids[0])
        played(origins, server)
        played(document, server)
    # A field that was never there, or a refusal that never came, was not compared.
    wanted = {f"{kind}.{name}" for kind, members in types.TYPES.items() for name, _, _ in types.fields(members)}
    expect("every field was seen, but for the one of gateways",
           wanted - seen == {"OperationDescriptorDto.sourceService"}, wanted - seen)
    for name in ["BulkErrorType", "RowRecordState"]:
        missing = {f"{name} {value}" for value in types.ENUMS[name]} - seen
        expect(f"every {name} was seen, but for those of a moment",
               missing <= {"BulkErrorType None", "RowRecordState Pending", "RowRecordState Running"}, missing)
    missing = {(each[0], status) for each in types.ROUTES for status in {200, *each[6]}} - asked
    expect("every answer of every route was seen", not missing, missing)
    expect("every text was compared", not set(types.TEXTS) - compared, set(types.TEXTS) - compared)


def two_halves():
    """One process takes in and answers, another works: what is asked of the one reaches the other."""
    with Server("--no-workers", "--poll-interval", "200ms") as server:
        worker = start("worker", "--poll-interval", "200ms")
        bulk = server.form("createBulk", {"operationName": "orders", "metadata": METADATA, "createdBy": "split",
                                          "file": ("d.csv", "sku,quantity,fate\nA-1,1,wait\nA-2,1,wait\n")})["operationId"]
        server.until(lambda page: page["totalCount"] == 2, "getBulkRows", bulk, query={"state": "WaitingForCompletion"})
        began = time.monotonic()
        said = server.call("failStep", bulk, "confirm-A-1", body={"errorMessage": "no contract"})
        expect("a failure crosses", said["failed"] and said["crossProcess"] and said["error"] == "no contract", said)
        said = server.call("signalStep", bulk, "confirm-A-2")
        expect("a signal crosses", said["completed"] and said["crossProcess"] and not said["failed"], said)
        last = server.until(lambda now: now["status"] == "CompletedWithErrors", "getBulkStatus", bulk)
        expect("within a second or two", time.monotonic() - began < 5, time.monotonic() - began)
        expect("and fails the row", last["errorCount"] == 1, last)
        worker.send_signal(signal.SIGINT)
        worker.communicate(timeout=60)


def known_creator():
    """Whoever has authenticated cannot be somebody else in a form, and needs no name there."""
    with Server("--token", "anna:operate:0123456789abcdef") as server:
        headers = {"Authorization": "Bearer 0123456789abcdef"}
        parts = {"operationName": "pings", "file": ("x.csv", "sku,quantity,fate\nA-1,1,fine\n")}
        for more in [{"createdBy": "mallory"}, {}]:
            bulk = server.form("createBulk", {**parts, **more}, headers=headers)["operationId"]
            said = server.call("getBulk", bulk, headers=headers)
            expect("the principal is the creator", said["createdBy"] == "anna", said)
        expect("others are not let in", server.ask("GET", "/api/bulks").status == 401)


def tables():
    """docs/bulksharp.md has what was compared."""
    text = (root / "docs/bulksharp.md").read_text()
    for table in types.tables().split("\n\n"):
        expect("docs/bulksharp.md has the tables of bulksharp_types.py", table.strip() in text, table[:200])


def removal():
    """Nothing is left of what was removed but a line in the log: who, and what."""
    process = subprocess.Popen([program, "serve", "--port", "0", "--token", "anna:operate:0123456789abcdef"],
                               text=True, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    url = process.stderr.readline().split("serves ")[1].split(";")[0]
    headers = {"Authorization": "Bearer 0123456789abcdef"}
    page = urllib.request.urlopen(urllib.request.Request(url + "/api/v1/operations?limit=1", headers=headers), timeout=60)
    target = json.loads(page.read())["items"][0]["links"]["self"]
    urllib.request.urlopen(urllib.request.Request(url + target, headers=headers, method="DELETE"), timeout=60)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    expect("a removal is logged", "who=anna" in err and "what=removeOperation" in err and target in err, err)


def refusals():
    pathlib.Path("empty").write_text("# nobody\n\n")
    for words, wanted in [(("--address", "0.0.0.0"), "127.0.0.1"), (("--token", "anna"), "NAME:RIGHT:SECRET"),
                          (("--token", "anna:operate:short"), "at random"),
                          (("--token", "anna:write:0123456789abcdef"), "must be read, files, operate or operate+files"), (("--tokens", "nowhere"), "is it there"),
                          (("--tokens", "empty"), "there is no token"), (("--origin", "*"), "is no origin")]:
        process = start("serve", "--port", "0", *words)
        out, err = process.communicate(timeout=60)
        expect(f"serve {words} is refused", process.returncode != 0 and wanted in err, process.returncode, err)
        expect("a secret is not repeated", "short" not in err, err)


with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    for each in [whole_client, two_halves, known_creator, removal, refusals, tables]:
        played(each)
sys.exit("\n".join(problems) or 0)
