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
import threading
import time

program = str(pathlib.Path(sys.argv[1]).resolve())
only = sys.argv[2:]  # these tests alone
environment = {name: value for name, value in os.environ.items() if not name.startswith("BULK_")}
problems = []


def start(*words):
    return subprocess.Popen([program, *words], text=True, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(*words):
    process = start(*words)
    try:
        out, err = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        expect("it ends", False, words, err)
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
    expect("and it says how to go on", "go on with: " + pathlib.Path(program).name + " worker" in err, err)


def interrupted_workers():
    for number in (signal.SIGINT, signal.SIGTERM):
        interrupted_worker(number)


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


def piped(words, text, seconds=60):
    """What a program says that reads this text from its standard input, as a pipe."""
    process = subprocess.run([program, *words], input=text, text=True, env=environment, capture_output=True,
                             timeout=seconds)
    return process.returncode, process.stdout, process.stderr


def streams():
    """A pipe is read once: all of it runs, and it is the same operation as a file of the same content."""
    text = "account,amount\n" + "".join(f"P-{number},1\n" for number in range(30_000))
    by = ("--set", "requested_by=pipe", "--json")

    def last(answer):
        code, out, err = answer
        expect("a stream runs to its end", code == 0, code, out[-300:], err)
        return json.loads(out.splitlines()[-1]) if out else {"rows": {}}

    first = last(piped(["run", "-", *by], text))
    expect("all rows of a stream", first["rows"].get("succeeded") == 30_000, first)
    expect("the name of a stream", first.get("file") == "stdin", first)
    for path in ("-", "/dev/stdin"):
        again = last(piped(["run", path, *by], text))
        expect("the same stream is the same operation", again.get("id") == first.get("id"), path, again)
    pathlib.Path("piped.csv").write_text(text)
    expect("and so is a file", last(run("run", "piped.csv", *by)).get("id") == first.get("id"))
    once_more = last(piped(["run", "-", *by, "--again"], text))
    expect("--again", once_more.get("id") != first.get("id") and once_more["rows"]["succeeded"] == 30_000, once_more)
    expect("the newest counts", last(piped(["run", "-", *by], text)).get("id") == once_more.get("id"))
    tabs = last(piped(["run", "-", "--name", "x.tsv", *by], "account\tamount\nT-1\t1\n"))
    expect("a stream can be given a name", tabs.get("file") == "x.tsv" and tabs["rows"]["succeeded"] == 1, tabs)
    code, out, err = piped(["validate", "-", "--set", "requested_by=pipe"], text)
    expect("a stream can be validated", code == 0 and "30,000 rows" in out, code, out, err)
    expect("only what was run is kept", len(json_lines(run("files", "--limit", "1000", "--json")[1])) ==
           len(json_lines(run("list", "--limit", "1000", "--json")[1])))


def json_lines(text):
    return [json.loads(line) for line in text.splitlines()]


def endless_streams():
    """The limit counts while a stream is read, and Ctrl-C ends the wait for one."""
    for words in (("run",), ("submit",), ("validate",)):
        code, out, err = run(*words, "/dev/zero", "--set", "requested_by=zero", "--max-file-size", "1MB")
        # A dry run looks at the content first.
        expect("a stream without end is refused", code in (1, 2) and
               ("larger than 1000000 bytes" in err or "the file is binary" in out), words, code, out, err)
    os.mkfifo("nobody-writes")
    for words in (("run", "nobody-writes"), ("validate", "nobody-writes")):
        waiting = start(*words, "--set", "requested_by=fifo")
        wait_until(lambda: any("nobody-writes" in link for link in open_files(waiting.pid)))
        waiting.send_signal(signal.SIGINT)
        out, err = waiting.communicate(timeout=30)
        expect("Ctrl-C ends the wait for a writer", waiting.returncode == 130 and "interrupted" in err,
               words, waiting.returncode, err)
    reading = start("run", "nobody-writes", "--set", "requested_by=fifo", "--json")
    with open("nobody-writes", "w") as fifo:
        fifo.write("account,amount\nF-1,1\n")
    out, err = reading.communicate(timeout=60)
    expect("a FIFO is read when somebody writes", reading.returncode == 0, out, err)


def open_files(process):
    links = []
    for link in pathlib.Path(f"/proc/{process}/fd").glob("*"):
        try:
            links.append(os.readlink(link))
        except OSError:
            pass
    return links


def wait_until(holds):
    deadline = time.monotonic() + 30
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    expect("in time", holds())


def outputs():
    """Exports to one file at a time do not mix, and outputs that are no regular files are written, too."""
    text = "account,amount\n" + "".join(f"O-{number},1\n" for number in range(20_000))
    pathlib.Path("many.csv").write_text(text)
    id = json.loads(run("run", "many.csv", "--set", "requested_by=out", "--json")[1].splitlines()[-1])["id"]
    data = ("export", id, "--kind", "data")
    for _ in range(3):
        both = [start(*data, "--output", "same.csv"),
                start(*data, "--output", "same.csv", "--format", "ndjson")]
        for each in both:
            out, err = each.communicate(timeout=120)
            expect("an export beside another", each.returncode == 0, each.returncode, err)
        got = pathlib.Path("same.csv").read_text()
        lines = "".join(f'{{"account":"O-{number}","amount":1}}\n' for number in range(20_000))
        expect("one of them, whole", got in (text, lines), len(got), got[:60], got[-60:])
    expect("nothing else is left", not list(pathlib.Path().glob(".bulk-*")) + list(pathlib.Path().glob("*.part")),
           os.listdir())
    # Never a path in /dev itself: a program that renames would replace it, for everybody on the machine.
    os.symlink("/proc/self/fd/1", "standard")
    for path in ("standard", "/proc/self/fd/1"):
        code, out, err = run(*data, "--output", path)
        expect("the standard output as a pipe", code == 0 and out == text, path, code, out[:60], err)
        with open("redirected.csv", "w") as file:
            file.write("before\n")
            file.flush()
            process = subprocess.run([program, *data, "--output", path], stdout=file, env=environment,
                                     stderr=subprocess.PIPE)
        expect("the standard output as a file", pathlib.Path("redirected.csv").read_text() == "before\n" + text,
               path, process)
    expect("a link stays one", pathlib.Path("standard").is_symlink())
    os.mkfifo("reader")
    got = []
    reader = threading.Thread(target=lambda: got.append(pathlib.Path("reader").read_text()))
    writing = start(*data, "--output", "reader")
    reader.start()
    out, err = writing.communicate(timeout=60)
    reader.join(60)
    expect("a FIFO", writing.returncode == 0 and got == [text], writing.returncode, err)
    expect("stays one", pathlib.Path("reader").is_fifo())
    lonely = start(*data, "--output", "reader")
    wait_until(lambda: any(link.endswith(".db") for link in open_files(lonely.pid)))  # it has begun
    lonely.send_signal(signal.SIGINT)
    out, err = lonely.communicate(timeout=60)
    expect("Ctrl-C ends the wait for a reader", lonely.returncode == 130, lonely.returncode, err)


def other_names():
    """A name that is not UTF-8 does not spoil what machines read."""
    name = b"caf\xe9.csv"
    with open(name, "wb") as file:
        file.write(b"account,amount\nU-1,1\n")
    process = subprocess.run([program, "run", name, "--set", "requested_by=name", "--json"], env=environment,
                             capture_output=True)
    for text in (process.stdout, run_bytes("list", "--json"), run_bytes("files", "--json", "--limit", "1000")):
        try:
            lines = [json.loads(line) for line in text.decode().splitlines()]
        except ValueError as why:
            expect("JSON in UTF-8", False, why, text[-200:])


def run_bytes(*words):
    return subprocess.run([program, *words], env=environment, capture_output=True).stdout


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    for test in (interrupted_workers, two_processes, interrupted_run, closed_output, streams, endless_streams,
                 outputs, other_names):
        if not only or test.__name__ in only:
            test()
    os.chdir("/")
sys.exit("\n".join(problems) or 0)
