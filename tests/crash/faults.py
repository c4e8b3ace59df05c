"""The faults that an operator meets, one after the other, by seed, until the time is up. Prints the worst of what it
has measured as `figure faults.NAME VALUE`, and for a fault that fails the command that repeats it.

  faults.py BUILD SECONDS [SEED] [--rows N] [--kills N] [--flips N] [--searches N] [--only NAME,...]

BUILD is a build directory with the programs below. Faults that other tests know are left to them: this calls them
with names of their parts, or with a seed. `--rows` is the size of large operations: 20 000, or 5 000 000 for figures.
"""

import argparse
import concurrent.futures
import contextlib
import gzip
import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

given = argparse.ArgumentParser()
given.add_argument("build", type=pathlib.Path)
given.add_argument("seconds", type=float)
given.add_argument("seed", type=int, nargs="?", default=1)
given.add_argument("--rows", type=int, default=20_000)
given.add_argument("--kills", type=int, default=5)
given.add_argument("--flips", type=int, default=20)
given.add_argument("--searches", type=int, default=256)
given.add_argument("--only", type=lambda text: text.split(","), default=[])
given = given.parse_args()
tests = pathlib.Path(__file__).resolve().parent.parent
build = given.build.resolve()
program = str(build / "examples/09_program")
environment = {name: value for name, value in os.environ.items() if not name.startswith("BULK_")}
BY = ("--set", "requested_by=ops")
figures = {}


class Failed(Exception):
    pass


def expect(what, holds, *said):
    if not holds:
        raise Failed(f"{what}: {said}")


def worst(name, value):
    figures[name] = max(value, figures.get(name, value))


def total(name, value):
    figures[name] = figures.get(name, 0) + value


def call(*words, seconds=600):
    """Another test. Its output."""
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True, timeout=seconds,
                          stdin=subprocess.DEVNULL)
    expect(" ".join(map(str, words[-4:])), done.returncode == 0, done.returncode, (done.stdout + done.stderr)[-2000:])
    return done.stdout


def start(*words, **more):
    return subprocess.Popen([program, *map(str, words)], text=True, env=environment, stdin=subprocess.DEVNULL,
                            **({"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more))


def run(*words, seconds=1200):
    process = start(*words)
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out, err


def status(*words):
    code, out, err = run("status", *words, "--json")
    expect("status", code == 0, code, err)
    return json.loads(out)


def write_file(name, count):
    """Rows that no other file has."""
    with open(name, "w") as file:
        file.write("account,amount\n")
        file.writelines(f"{name}-{number},1\n" for number in range(count))


@contextlib.contextmanager
def server(*words):
    with open("log", "w") as log:
        process = start("serve", "--port", "0", "--json", *words, stderr=log)
        try:
            yield process, urllib.parse.urlsplit(json.loads(process.stdout.readline())["url"])
            process.send_signal(signal.SIGTERM)
            expect("the server ends", process.wait(timeout=120) == 0, pathlib.Path("log").read_text()[-2000:])
        finally:
            process.kill()


def ask(address, method, path, body=None, headers=None):
    client = http.client.HTTPConnection(address.hostname, address.port, timeout=120)
    client.request(method, path, body, headers or {})
    answer = client.getresponse()
    said = answer.read()
    client.close()
    return answer.status, said


def kills(seed):
    """Processes that are killed, with 1, 4, 8 and 16 rows at once: none is lost, few run again."""
    out = call(build / "tests/crash_kills", given.kills, seed)
    for rows, concurrency in re.findall(r"(\d+) rows ran again at most after \d+ kills, at concurrency (\d+)", out):
        worst(f"rows_run_again_at_{concurrency}", int(rows))
    total("kills", given.kills)


def stopped(seed):
    """A process that is stopped at any moment, in a write perhaps, and that another takes over from."""
    chance = random.Random(seed)
    write_file("rows.csv", 3_000)
    words = ("--lease-time", "1s", "--poll-interval", "100ms", "--busy-timeout", "500ms")
    first = start("run", "rows.csv", *BY, "--json", "--flush-rows", chance.choice((1, 10, 100)), *words)
    expect("it begins", first.stdout.readline())
    time.sleep(chance.random() / 2)
    first.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    other = start("worker", "--drain", *words)
    try:
        out, err = other.communicate(timeout=4)
        worst("takeover_seconds", round(time.monotonic() - began, 1))
    except subprocess.TimeoutExpired:  # it was in a write, and has the lock
        out = err = ""
    first.send_signal(signal.SIGCONT)
    first.communicate(timeout=120)
    if other.returncode is None:
        out, err = other.communicate(timeout=120)
        expect("who waits is told for whom", f"process {first.pid}" in err, err)
        total("takeovers_blocked", 1)
    expect("no signal ends it", first.returncode >= 0 and other.returncode >= 0, first.returncode, other.returncode)
    expect("all is done", run("worker", "--drain")[0] == 0)
    now = status("last")
    expect("every row once", now["state"] == "completed" and now["rows"]["succeeded"] == 3_000, now)


def storage(seed):
    """A database that is locked, read-only, on a full disk, or lost."""
    parts = ("locked", "without_permission", "read_only", "full", "faults_over_http", "backup_and_restore", "lost")
    call(sys.executable, tests / "cli/storage.py", build / "examples/10_provisioning", parts[seed % len(parts)])


def streams(seed):
    """Pipes, FIFOs, and several exports to one output."""
    parts = ("streams", "endless_streams", "outputs", "interrupted_run")
    call(sys.executable, tests / "cli/process.py", program, parts[seed % len(parts)])


def limits(seed):
    """Limits of the system at random values."""
    call(sys.executable, tests / "cli/limits.py", program, "--seed", seed)


def clock(seed):
    """Clocks that are set. In the process: no other may set the clock of one alone."""
    call(build / "tests/service_clock_steps")


def searches(seed):
    """Clients that ask for slow searches and hang up, while others ask whether the server is well."""
    chance = random.Random(seed)
    with large_database() as folder, contextlib.chdir(folder), server("--no-workers") as (process, address):
        operation = json.loads(ask(address, "GET", "/api/v1/operations")[1])["items"][0]["id"]
        ends = threading.Event()

        def search(number):
            text = f"GET /api/v1/operations/{operation}/rows?row_id=zzz{number} HTTP/1.1\r\nHost: localhost\r\n\r\n"
            with socket.create_connection((address.hostname, address.port), 60) as client:
                client.sendall(text.encode())
                ends.wait(chance.random() / 5)  # and hangs up without an answer

        paths = ("/healthz", "/readyz", "/metrics", f"/api/v1/operations/{operation}/status")
        slowest = {"healthz": 0.0, "readyz": 0.0, "metrics": 0.0, "status": 0.0}

        def look():
            for name, path in zip(slowest, paths):
                began = time.monotonic()
                code, said = ask(address, "GET", path)
                slowest[name] = max(slowest[name], time.monotonic() - began)
                expect(f"{path} answers", code == 200, code, said)

        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            waiting = [pool.submit(search, number) for number in range(given.searches)]
            while not all(each.done() for each in waiting):
                look()
            for each in waiting:
                each.result()
        for _ in range(20):  # what was abandoned may go on
            look()
        for name, seconds in slowest.items():
            worst(f"{name}_ms", round(seconds * 1000, 1))
        expect("health, readiness, metrics and status do not wait behind searches",
               max(slowest.values()) < 2, slowest)


def dry_runs(seed):
    """Sixteen dry runs at once of a small file that unpacks to one line without end."""
    hostile = gzip.compress(b"account,amount\n" + b"x" * (64 << 20))
    with server("--no-workers") as (process, address):
        path = "/api/v1/operation-types/transfers/validate?file_name=x.csv.gz&metadata=" + urllib.parse.quote(
            '{"requested_by":"ops"}')
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            codes = [pool.submit(ask, address, "POST", path, hostile, {"Content-Type": "application/gzip"})
                     for _ in range(16)]
            codes = [each.result()[0] for each in codes]
        expect("each is answered", set(codes) <= {200, 503} and 200 in codes, codes)
        memory = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        peak = int(re.search(r"VmHWM:\s+(\d+)", memory)[1]) // 1024
        worst("dry_runs_peak_mb", peak)
        expect("memory is bounded", peak < 600 or is_sanitized(), peak)


def is_sanitized():
    return bool(re.search("asan|tsan|ubsan", str(build)))


def uploads(seed):
    """Slow uploads do not lock out an honest one."""
    small = b"account,amount\nU-1,1\n"
    path = "/api/v1/operations?type=transfers&file_name=u.csv&metadata=" + urllib.parse.quote('{"requested_by":"ops"}')
    with server("--no-workers") as (process, address):
        slow = []
        for _ in range(64):
            client = socket.create_connection((address.hostname, address.port), 60)
            client.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
                           "Content-Length: 1000000\r\n\r\naccount,".encode())
            slow.append(client)
        began = time.monotonic()
        while True:
            code, said = ask(address, "POST", path, small, {"Content-Type": "text/csv"})
            if code in (200, 201, 202):
                break
            expect("it may try again", code in (429, 503) and time.monotonic() - began < 30, code, said)
            time.sleep(0.2)
        worst("upload_seconds_beside_slow_ones", round(time.monotonic() - began, 1))
        for client in slow:
            client.close()


def fairness(seed):
    """Ten rows behind two large operations, with two workers."""
    count = max(given.rows, 200_000)  # they must not end before it begins
    for name in ("one.csv", "two.csv"):
        write_file(name, count)
        expect("submitted", run("submit", name, *BY, "--max-file-size", "0")[0] == 0)
    write_file("small.csv", 10)
    with open("log", "w") as log:
        worker = start("worker", "--workers", "2", "--poll-interval", "100ms", stderr=log, stdout=log)
        try:
            while status("last")["state"] == "pending":
                time.sleep(0.05)
            began = time.monotonic()
            code, out, err = run("submit", "small.csv", *BY, "--json")
            expect("submitted", code == 0, err)
            expect("behind two that run", len(run("list", "--json")[1].splitlines()) == 3)
            operation = json.loads(out.splitlines()[-1])["id"]
            while status(operation)["state"] == "pending":
                expect("a small operation begins", time.monotonic() - began < 20)
                time.sleep(0.02)
            worst("small_operation_begins_seconds", round(time.monotonic() - began, 2))
        finally:
            worker.kill()
            worker.wait()


def damage(seed):
    """Bits of the database that flip."""
    path = build / "tests/storage_sqlite_damage"
    if not path.exists():
        return
    out = call(path, given.flips, 1 + (seed - 1) * given.flips)
    flips, reads, check, harmless, silent = map(int, re.search(
        r"(\d+) flips .* by reads (\d+), by the check alone (\d+) .* harmless (\d+), silent (\d+)", out).groups())
    for name, value in (("flips", flips), ("flips_noticed", reads + check), ("flips_harmless", harmless),
                        ("flips_silent", silent)):
        total(name, value)


@contextlib.contextmanager
def large_database():
    """One operation of `--rows` rows that has ended, made once."""
    folder = pathlib.Path(home.name, "large")
    if not folder.exists():
        folder.mkdir()
        with contextlib.chdir(folder):
            write_file("large.csv", given.rows)
            code, out, err = run("run", "large.csv", *BY, "--max-file-size", "0", "--flush-rows", "10000")
            expect("a large operation", code == 0, code, out[-500:], err[-500:])
    yield folder


if sys.version_info < (3, 11):
    sys.exit("faults.py needs Python 3.11")
names = (searches, fairness, stopped, dry_runs, uploads, storage, streams, limits, clock, damage, kills)
names = [each for each in names if not given.only or each.__name__ in given.only]
end = time.monotonic() + given.seconds
problems = count = 0
with tempfile.TemporaryDirectory() as path:
    home = type("home", (), {"name": path})
    os.chmod(path, 0o755)
    while problems < 3 and (count == 0 or time.monotonic() < end):
        fault, seed = names[count % len(names)], given.seed + count // len(names)
        began = time.monotonic()
        with tempfile.TemporaryDirectory(dir=path) as folder, contextlib.chdir(folder):
            try:
                fault(seed)
            except Exception as why:  # of any kind: the campaign goes on
                problems += 1
                print(f"{fault.__name__}, seed {seed}: {type(why).__name__}: {why}")
                print(f"again: scripts/soak faults 1 {seed} --only {fault.__name__}")
        figures[f"{fault.__name__}_longest_seconds"] = max(
            round(time.monotonic() - began, 1), figures.get(f"{fault.__name__}_longest_seconds", 0))
        count += 1
for name, value in sorted(figures.items()):
    print(f"figure faults.{name} {value}")
print(f"{count} faults, {problems} failed")
sys.exit(1 if problems else 0)
