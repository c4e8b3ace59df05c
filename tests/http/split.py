"""One process answers, another works, on one SQLite file: what is asked of the first reaches the second within a second.

  split.py PROGRAM    the program of tests/browser/program.cpp

Machines are noisy: every way across is gone several times, and the middle one counts.
"""

import http.client
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

program = str(pathlib.Path(sys.argv[1]).resolve())
environment = {name: value for name, value in os.environ.items() if not name.startswith("BULK_")}
problems = []
ROUNDS = 5
took = {}


def start(*words):
    return subprocess.Popen([program, *words], text=True, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def ask(method, path, body=None, kind="application/json"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, body, {"Content-Type": kind} if body is not None else {})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status >= 400:
        raise SystemExit(f"{method} {path}: {answer.status} {text}")
    return json.loads(text)


def create(*customers):
    rows = "IMEI,customer,plan\n" + "".join(f"35{number:013},{customer},1\n" for number, customer in enumerate(customers))
    made = ask("POST", "/api/v1/operations?type=device-provisioning&file_name=d.csv&metadata="
               "%7B%22requested_by%22%3A%22split%22%7D", rows.encode(), "text/csv")
    return f"/api/v1/operations/{made['id']}"


def until(what, holds, most=60):
    """The seconds until it holds, as anybody who asks sees it."""
    begin = time.monotonic()
    while not holds():
        if time.monotonic() - begin > most:
            raise SystemExit(f"{what}: never")
        time.sleep(0.01)
    return time.monotonic() - begin


def state(operation):
    return ask("GET", operation + "/status")["state"]


def kinds(pid):
    """What a process works on, and whether it is silent there."""
    return {each["kind"]: each["is_silent"] for each in ask("GET", "/api/v1/workers")["items"] if each["pid"] == pid}


def crosses(what, holds):
    took.setdefault(what, []).append(until(what, holds))


class listener(threading.Thread):
    """Who saw what when, over the stream of the process that does not work."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen = {}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", "/api/v1/events/stream")
        self.stream = connection.getresponse()
        self.stream.readline()

    def run(self):
        kind = ""
        for line in self.stream:
            if line.startswith(b"event: "):
                kind = line[7:].strip().decode()
            if line.startswith(b"data: "):
                told = json.loads(line[6:])
                self.seen.setdefault((told.get("operation"), kind), time.monotonic())


with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    server = start("serve", "--no-workers", "--port", "0", "--json")
    port = int(json.loads(server.stdout.readline())["url"].rsplit(":", 1)[1])
    alone = create("anna")
    worker = killed = None
    try:
        if ask("GET", "/api/v1/workers")["items"] != []:
            problems.append("a process that only answers is seen as a worker")
        # Records are written in batches; what is measured is when the worker knows, not when it tells.
        worker = start("worker", "--flush-interval", "50ms")
        crosses("start of a worker", lambda: kinds(worker.pid) == {"operations": False, "feeds": False})
        until("a worker takes what was there", lambda: state(alone) == "completed")
        if ask("GET", alone)["started_at"] < min(each["started_at"] for each in ask("GET", "/api/v1/workers")["items"]):
            problems.append("a process that only answers has begun to work")
        events = listener()
        events.start()
        for number in range(ROUNDS):
            operation = create("approve", *["slow"] * 200)
            crosses("create", lambda: state(operation) != "pending")
            until("a row waits", lambda: ask("GET", operation + "/rows?state=waiting_for_completion")["items"])
            ask("POST", operation + "/signals", json.dumps({"key": "carrier-35" + "0" * 13}))
            crosses("signal", lambda: ask("GET", operation + "/rows/1")["state"] == "completed")
            ask("POST", operation + "/cancel", "{}")
            crosses("cancel", lambda: state(operation) == "cancelled")
            crosses("event", lambda: (operation.rsplit("/", 1)[1], "cancelled") in events.seen)

            refused = create(*["refuse"] if number == 0 else ["refuse"] * (number + 1))
            until("it fails", lambda: state(refused) in ("completed_with_errors", "failed", "completed"))
            if ask("GET", refused + "/status")["rows"]["failed"] == "0":
                problems.append("no row has failed")
            ask("POST", refused + "/retry", "{}")
            crosses("retry", lambda: state(refused) == "completed")

        killed = start("worker", "--lease-time", "2s")
        until("two workers are seen", lambda: "operations" in kinds(killed.pid))
        killed.kill()
        killed.wait()
        until("one that was killed is silent", lambda: kinds(killed.pid)["operations"])
        if kinds(worker.pid)["operations"]:
            problems.append("a worker that lives is silent")
        worker.send_signal(signal.SIGINT)
        worker.wait(timeout=60)
        if kinds(worker.pid) != {}:
            problems.append(f"a worker that has ended is still seen: {kinds(worker.pid)}")
    finally:
        for process in (server, worker, killed):
            if process:
                process.send_signal(signal.SIGINT)
                process.wait(timeout=60)

for what, all in took.items():
    middle = statistics.median(all)
    print(f"{what}: {middle:.2f} s, at most {max(all):.2f} s")
    if middle > 1:
        problems.append(f"{what} took {middle:.2f} s to cross")
sys.exit("\n".join(problems) or 0)
