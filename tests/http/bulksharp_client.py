"""A client of BulkSharp's REST API, pointed at a program of ours; then the same program in two halves.

  bulksharp_client.py PROGRAM    the program of examples/10_provisioning.cpp

It knows nothing but BulkSharp's routes: multipart forms, camelCase, pages by number, states in PascalCase.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid

program = str(pathlib.Path(sys.argv[1]).resolve())
environment = {name: value for name, value in os.environ.items() if not name.startswith("BULK_")}
problems = []


def expect(what, holds, *said):
    if not holds:
        problems.append(f"{what}: {said}")


def start(*words):
    return subprocess.Popen([program, *words, "--json"], text=True, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Server:
    """`serve` on a port of its own."""

    def __init__(self, *words):
        self.process = start("serve", "--port", "0", *words)
        line = self.process.stdout.readline()
        if not line:
            sys.exit("serve did not begin: " + self.process.stderr.read())
        self.url = json.loads(line)["url"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=60)
        expect("serve ends when it is asked to", self.process.returncode == 0, self.process.returncode, out, err)

    def ask(self, method, path, body=None, kind="application/json"):
        request = urllib.request.Request(self.url + path, data=body, method=method,
                                         headers={"Content-Type": kind} if body is not None else {})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as refused:
            status, text = refused.code, refused.read()
        try:
            return status, json.loads(text)
        except ValueError:
            return status, text.decode()

    def form(self, path, fields, name, content):
        mark = uuid.uuid4().hex
        parts = [f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n{content}\r\n']
        parts += [f'--{mark}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
                  for key, value in fields.items()]
        body = "".join(parts) + f"--{mark}--\r\n"
        return self.ask("POST", path, body.encode(), f"multipart/form-data; boundary={mark}")

    def until(self, path, holds):
        """Asks as their clients do, again and again; at most a minute."""
        for _ in range(600):
            status, said = self.ask("GET", path)
            if status == 200 and holds(said):
                return said
            time.sleep(0.1)
        expect(f"{path} came to it", False, said)
        return said


ROWS = ("IMEI,customer,region,plan,roaming\n"
        "350000000000001,anna,north,1,false\n"
        "35,otto,north,1,false\n"
        "350000000000003,ida,north,1,true\n")


def older_client():
    with Server() as server:
        status, types = server.ask("GET", "/api/operations")
        expect("there is an operation", status == 200 and types[0]["name"] == "device-provisioning", types)
        name = types[0]["name"]
        expect("it has columns", types[0]["fileColumns"][0]["name"] == "IMEI", types)
        status, template = server.ask("GET", f"/api/operations/{name}/template")
        expect("and a template", status == 200 and template.startswith("IMEI,customer"), template)
        metadata = json.dumps({"requested_by": "client"})
        status, said = server.form("/api/bulks/validate", {"operationName": name, "metadata": metadata}, "d.csv", ROWS)
        expect("a bad row is found", status == 200 and said["valid"] is False and said["fileErrors"], status, said)
        status, said = server.form("/api/bulks", {"operationName": "x"}, "d.csv", ROWS)
        expect("an unknown operation is refused", status == 400, status, said)
        status, made = server.form("/api/bulks", {"operationName": name, "metadata": metadata,
                                                  "createdBy": "client"}, "d.csv", ROWS)
        expect("a file is taken", status == 200, status, made)
        bulk = "/api/bulks/" + made["operationId"]
        server.until(bulk + "/rows?state=WaitingForCompletion", lambda page: page["totalCount"] == 1)
        status, signalled = server.ask("POST", bulk + "/signal/carrier-350000000000003", b"")
        expect("a row is signalled", status == 200 and signalled["rowNumber"] == 3 and signalled["completed"], signalled)
        last = server.until(bulk + "/status", lambda now: now["status"] in ("Completed", "CompletedWithErrors"))
        expect("it ends", last["status"] == "CompletedWithErrors" and last["errorCount"] == 1, last)
        expect("all of it", last["processedRows"] == 3 and last["progress"] == 100, last)
        status, page = server.ask("GET", "/api/bulks?status=CompletedWithErrors&page=1&pageSize=5")
        expect("it is listed", page["totalCount"] == 1 and not page["hasNextPage"], page)
        status, errors = server.ask("GET", bulk + "/errors")
        expect("with its error", errors["items"][0]["rowNumber"] == 2, errors)
        expect("of its kind", errors["items"][0]["errorType"] == "Validation", errors)
        status, file = server.ask("GET", bulk + "/file")
        expect("the file comes back", file == ROWS, file)
        status, report = server.ask("GET", bulk + "/export?mode=report&format=csv")
        expect("so does a report", status == 200 and "15 digits" in report, report)
        status, said = server.ask("GET", bulk + "/retry/eligibility")
        expect("what is wrong in the file is not retried", said["isEligible"] is False and said["reason"], said)
        status, said = server.ask("POST", bulk + "/retry", b"")
        expect("and it says why", status == 400 and said["error"], status, said)
        status, events = server.ask("GET", bulk + "/events")
        expect("events tell the story", events[0]["eventType"] == "Created", events)
        expect("nothing is at an id that is none", server.ask("GET", "/api/bulks/7")[0] == 404)
        status, document = server.ask("GET", "/openapi/v1.json")
        ids = {each["operationId"] for path in document["paths"].values() for each in path.values()}
        expect("the document names them", {"getBulks", "createBulk", "signalStep", "failStep"} <= ids, ids)


def two_halves():
    """One process takes in and answers, another works: what is asked of the one reaches the other."""
    with Server("--no-workers", "--poll-interval", "200ms") as server:
        worker = start("worker", "--poll-interval", "200ms")
        metadata = json.dumps({"requested_by": "split"})
        status, made = server.form("/api/bulks", {"operationName": "device-provisioning", "metadata": metadata},
                                   "d.csv", ROWS)
        bulk = "/api/bulks/" + made["operationId"]
        server.until(bulk + "/rows?state=WaitingForCompletion", lambda page: page["totalCount"] == 1)
        began = time.monotonic()
        status, said = server.ask("POST", bulk + "/signal/carrier-350000000000003/fail",
                                  json.dumps({"errorMessage": "no contract"}).encode())
        expect("a signal crosses", status == 200, said)
        last = server.until(bulk + "/status", lambda now: now["status"] == "CompletedWithErrors")
        expect("within a second or two", time.monotonic() - began < 5, time.monotonic() - began)
        expect("and fails the row", last["errorCount"] == 2, last)
        worker.send_signal(signal.SIGINT)
        worker.communicate(timeout=60)


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
                          (("--token", "anna:operate:short"), "at random"), (("--tokens", "nowhere"), "is it there"),
                          (("--tokens", "empty"), "there is no token"), (("--origin", "*"), "is no origin")]:
        process = start("serve", "--port", "0", *words)
        out, err = process.communicate(timeout=60)
        expect(f"serve {words} is refused", process.returncode != 0 and wanted in err, process.returncode, err)
        expect("a secret is not repeated", "short" not in err, err)


with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    older_client()
    two_halves()
    removal()
    refusals()
sys.exit("\n".join(problems) or 0)
