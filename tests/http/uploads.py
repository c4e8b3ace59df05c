"""Uploads that go wrong, at a program on SQLite and a directory: whatever happens, nothing half is left.

  uploads.py PROGRAM    the program of examples/10_provisioning.cpp
"""

import concurrent.futures
import http.client
import json
import os
import pathlib
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

program = str(pathlib.Path(sys.argv[1]).resolve())
environment = {name: value for name, value in os.environ.items() if not name.startswith("BULK_")}
MOST = 4 * 1024 * 1024  # bytes of any file: beyond it writing fails, as on a disk that is full
TARGET = ("/api/v1/operations?type=device-provisioning&file_name=d.csv&metadata=" +
          urllib.parse.quote('{"requested_by":"ops"}'))
HEADER = "IMEI,customer,region,plan,roaming\n"
problems = []


def expect(what, holds, *said):
    if not holds:
        problems.append(f"{what}: {said}")


def rows(count):
    return (HEADER + "".join(f"{number:015},c,north,1,false\n" for number in range(count))).encode()


class Server:
    def __init__(self):
        self.process = subprocess.Popen(
            [program, "serve", "--no-workers", "--port", "0", "--json"], text=True, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, restore_signals=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, MOST)))
        self.address = urllib.parse.urlsplit(json.loads(self.process.stdout.readline())["url"])

    def ask(self, method, path, body=None, headers=None):
        client = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=60)
        client.request(method, path, body, headers or {})
        answer = client.getresponse()
        said = json.loads(answer.read())
        client.close()
        return answer.status, said

    def upload(self, content, **headers):
        return self.ask("POST", TARGET, content, {"Content-Type": "text/csv", **headers})

    def kept(self):
        """How many operations there are, and how many files; all of what is under way has ended."""
        files = pathlib.Path("bulk.db-files")
        deadline = time.monotonic() + 60
        while True:
            found = [each.name for each in files.iterdir()] if files.is_dir() else []
            if time.monotonic() > deadline or not any(name.startswith(".") for name in found):
                return int(self.ask("GET", "/api/v1/operations?limit=1")[1]["total"]), len(found)
            time.sleep(0.05)


def full_disk(server):
    status, said = server.upload(rows(200_000))
    expect("a full disk is said", status == 503 and said["type"] == "urn:bulk:problem:unavailable", status, said)
    expect("with an id for the operator", "request id" in said["detail"], said)
    expect("and nothing of the disk", "File too large" not in said["detail"] and "bulk.db" not in str(said), said)
    expect("nothing is left of it", server.kept() == (0, 0), server.kept())


def gone_browser(server):
    for framing, body in [("Content-Length: 1000000", HEADER), ("Transfer-Encoding: chunked", "5\r\nIMEI,\r\n")]:
        with socket.create_connection((server.address.hostname, server.address.port)) as browser:
            browser.sendall((f"POST {TARGET} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
                             f"{framing}\r\n\r\n{body}").encode())
    expect("nothing is left of an upload that is given up", server.kept() == (0, 0), server.kept())


def one_key(server):
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        all_said = list(pool.map(lambda _: server.upload(rows(100), **{"Idempotency-Key": "june"}), range(20)))
    statuses = sorted(status for status, _ in all_said)
    expect("one of twenty makes it", statuses == [200] * 19 + [202], statuses)
    expect("and all are told of it", len({said["id"] for _, said in all_said}) == 1, all_said)
    expect("one file is kept", server.kept() == (1, 1), server.kept())
    status, said = server.upload(rows(99), **{"Idempotency-Key": "june"})
    expect("the key is not for another file", status == 422 and said["field"] == "Idempotency-Key", status, said)
    expect("of which nothing is kept", server.kept() == (1, 1), server.kept())


with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    server = Server()
    try:
        full_disk(server)
        gone_browser(server)
        one_key(server)
    finally:
        server.process.send_signal(signal.SIGINT)
        expect("serve ends", server.process.wait(timeout=60) == 0, server.process.returncode)
sys.exit("\n".join(problems) or 0)
