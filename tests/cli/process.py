"""A program as a process of its own: signals, several at once on one file, closed pipes.

  process.py PROGRAM    the program of examples/09_program.cpp
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

program = str(pathlib.Path(sys.argv[1]).resolve())
environment = {name: value for name, value in os.environ.items() if not name.startswith("BULK_")}
problems = []


def start(*words):
    return subprocess.Popen([program, *words], text=True, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(*words):
    process = start(*words)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def expect(what, holds, *said):
    if not holds:
        problems.append(f"{what}: {said}")


def interrupted_worker(number):
    """A worker ends when it is asked to, by either signal."""
    worker = start("worker")
    expect("a worker says that it is there", "waits for work" in worker.stderr.readline())
    worker.send_signal(number)
    out, err = worker.communicate(timeout=60)
    expect(f"{number.name} ends a worker", worker.returncode == 0, worker.returncode, err)
    expect("and it says how to go on", "go on with: 09_program worker" in err, err)


def interrupted_run():
    """Ctrl-C in the middle of a run: the program ends soon, and nothing is lost."""
    with open("large.csv", "w") as file:
        file.write("account,amount\n")
        file.writelines(f"B-{number},1\n" for number in range(200_000))
    running = start("run", "large.csv", "--set", "requested_by=ops", "--json")
    line = json.loads(running.stdout.readline())
    expect("there is progress", line["type"] == "progress", line)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=120)
    expect("an interrupted run says so", running.returncode == 130, running.returncode, out, err)
    code, out, err = run("status", "--json")
    status = json.loads(out)
    expect("it is not over", status["state"] in ("validating", "running"), status)
    expect("it can be cancelled", run("cancel", "last")[0] == 0)
    expect("by whoever comes next", run("worker", "--drain")[0] == 0)
    expect("and is", json.loads(run("status", "--json")[1])["state"] == "cancelled")


def two_processes():
    """One takes files in, another runs them, a third watches."""
    pathlib.Path("small.csv").write_text("account,amount\nA,1\nB,2\n")
    worker = start("worker", "--poll-interval", "50ms")
    worker.stderr.readline()
    expect("submitted", run("submit", "small.csv", "--set", "requested_by=ops")[0] == 0)
    code, out, err = run("status", "last", "--follow")
    expect("the worker has run it", code == 0 and "small.csv: completed in" in out, out, err)
    worker.send_signal(signal.SIGTERM)
    expect("and ends", worker.wait(timeout=60) == 0)


def closed_output():
    """Nobody reads what is said."""
    with open("/dev/full", "w") as full:
        process = subprocess.run([program, "operations"], stdout=full, stderr=subprocess.PIPE,
                                 text=True, env=environment)
    expect("what cannot be written is a failure", process.returncode == 1, process.stderr)
    expect("and said so", "cannot write to the output" in process.stderr, process.stderr)


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    for number in (signal.SIGINT, signal.SIGTERM):
        interrupted_worker(number)
    two_processes()
    interrupted_run()
    closed_output()
    os.chdir("/")
sys.exit("\n".join(problems) or 0)
