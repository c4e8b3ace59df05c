"""A program under limits of the system and in odd surroundings: it ends by its own exit code, and says why in a
sentence. No limit ends it by a signal, and none makes it wait forever.

  limits.py PROGRAM [PART ...]       the program of examples/09_program.cpp
  limits.py PROGRAM --seed NUMBER    one part, with a limit that is chosen by the number: `scripts/soak faults`
"""

import contextlib
import itertools
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

program = str(pathlib.Path(sys.argv[1]).resolve())
seed = int(sys.argv[3]) if sys.argv[2:3] == ["--seed"] else None
only = [] if seed is not None else sys.argv[2:]
plain = {name: value for name, value in os.environ.items() if not name.startswith("BULK_")}
user = 54321 if os.getuid() == 0 else None  # root has no limit of processes
is_sanitized = bool({"ASAN_OPTIONS", "TSAN_OPTIONS"} & set(os.environ)) and "/build/test/" not in program
problems = []


def expect(what, holds, *said):
    if not holds:
        problems.append(f"{what}: {said}")


def limited(kind, value):
    """Called in the child, before the program begins."""
    def apply():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(kind, (value, resource.getrlimit(kind)[1] if kind == resource.RLIMIT_CPU else value))
        if user is not None:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
    return apply


def run(what, *words, before=None, seconds=30, environment=None, speaks=True, may_wait=False, **streams):
    """Its exit code, output and errors; a signal or no end at all is a problem. One that may wait for better
    times says what for, and ends when it is asked to."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    process = subprocess.Popen([program, *words], env=plain if environment is None else environment,
                               preexec_fn=before, **streams)
    waiting = threading.Event()
    said = []

    def listen():
        for line in process.stderr:
            said.append(line)
            if any(words in line for words in (b"storage failed", b"reason=lost", b"run interrupted")):
                waiting.set()

    listener = threading.Thread(target=listen) if may_wait else None
    if listener:  # as soon as it says what it waits for, it has said enough
        process_stdout, process.stdout = process.stdout, None
        reader = threading.Thread(target=lambda: outputs.append(process_stdout.read()))
        outputs = []
        listener.start()
        reader.start()
        deadline = time.monotonic() + seconds
        while process.poll() is None and not waiting.is_set() and time.monotonic() < deadline:
            time.sleep(0.01)
        if process.poll() is None:
            expect(f"{what}: it says what it waits for", waiting.is_set(), words, said)
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                expect(f"{what}: it ends when it is asked to", False, words, said)
        listener.join()
        reader.join()
        process.wait()
        out, err = outputs[0], b"".join(said)
    else:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate(timeout=60)
            expect(f"{what}: it ends", False, words, err)
    out, err = (out or b"").decode(errors="replace"), (err or b"").decode(errors="replace")
    expect(what, process.returncode >= 0, words, f"ended by signal {-process.returncode}", err)
    if process.returncode not in (0, 3, 130) and speaks:
        expect(f"{what}: a failure is explained", err.strip(), words, process.returncode)
    expect(f"{what}: an exception is no explanation", "terminate called" not in err, words, err)
    return process.returncode, out, err


@contextlib.contextmanager
def fresh():
    """A directory of its own, as the user who is limited."""
    with tempfile.TemporaryDirectory() as directory:
        if user is not None:
            os.chown(directory, user, user)
        os.chdir(directory)
        with open("small.csv", "w") as file:
            file.write("account,amount\n" + "".join(f"A-{i},1\n" for i in range(5_000)))
        yield pathlib.Path(directory)
        os.chdir("/")


def values(few, least, most):
    """Those that are tried each time; or one by the seed, between the two."""
    return few if seed is None else (random.Random(seed).randint(least, most),)


take = ("run", "small.csv", "--set", "requested_by=ops", "--concurrency", "8")
at_once = ("--shutdown-timeout", "1s")  # nobody goes on with it


def serve_and_stop(what, before):
    """Either it says why it cannot serve, or it serves until it is stopped."""
    process = subprocess.Popen([program, "serve", "--port", "0", *at_once], env=plain, preexec_fn=before, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    try:
        said += process.communicate(timeout=60)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        problems.append(f"{what}: serve did not end: {process.communicate()[1]!r} {said}")
    expect(what, process.returncode >= 0 and said.strip(), "serve", process.returncode, said)
    expect(what, "terminate called" not in said, said)


def threads():
    """As few threads as there may be: from a certain number on all is well, and below it is refused."""
    mine = 0
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
            if int(lines["Uid"].split()[0]) == (os.getuid() if user is None else user):
                mine += int(lines["Threads"])
    codes = []
    for more in (1, 2, 3, 40) if seed is None else (1, 2, 3, *values((), 4, 40)):
        with fresh():
            limit = limited(resource.RLIMIT_NPROC, mine + more)
            code, out, err = run(f"{more} threads", *take, before=limit)
            codes.append(code)
            if code == 1:
                expect("a thread that cannot be had is named", "cannot start a thread" in err, err)
            run(f"{more} threads", "worker", "--drain", before=limit)
            run(f"{more} threads", "status", before=limit)
            serve_and_stop(f"{more} threads", limit)
    expect("one thread is too few", codes[0] == 1, codes)
    expect("few threads do the work of many", codes[2:] == [0] * len(codes[2:]), codes)


def file_size():
    """A file that may not grow: an error of whoever writes, and what was there stays as it was."""
    for most in values((0, 65536, 200_000), 0, 1_000_000):
        with fresh():
            code, out, err = run(f"files of {most} bytes", *take, before=limited(resource.RLIMIT_FSIZE, most),
                                 seconds=5, may_wait=True)
            expect("it does not pretend", code in (1, 2, 130) or most > 100_000, most, code, out, err)
            again, out, err = run("without a limit", *take)
            expect("and goes on where it was when it may", again == 0, most, again, out, err)
            run("an export", "export", "--output", "out.csv", before=limited(resource.RLIMIT_FSIZE, min(most, 4096)))
            expect("nothing is left of it", not list(pathlib.Path().glob("*out.csv*")) and
                   not list(pathlib.Path().glob(".bulk-*")), os.listdir())


def open_files():
    for most in values((4, 6, 10, 14, 64), 4, 64):
        with fresh():
            limit = limited(resource.RLIMIT_NOFILE, most)
            run(f"{most} open files", *take, *at_once, before=limit, seconds=2, may_wait=True)
            serve_and_stop(f"{most} open files", limit)


def memory():
    """Address space, from too little to enough."""
    if is_sanitized:
        return  # sanitizers reserve terabytes
    codes = []
    for most in (40, *values((64, 96, 128), 41, 399), 1000):  # the last is enough, with many threads, too
        with fresh():
            with open("wide.csv", "w") as file:
                file.write("account,amount\n" + "".join("x" * 1_000_000 + f"{i},1\n" for i in range(30)))
            limit = limited(resource.RLIMIT_AS, most << 20)
            wide = ("run", "wide.csv", "--set", "requested_by=ops", "--concurrency", "4")
            codes.append(run(f"{most} MiB", *wide, *at_once, before=limit, seconds=5, may_wait=True)[0])
            run(f"{most} MiB", "status", before=limit)
            again, out, err = run("with enough memory", *wide)
            expect("nothing is lost", again == 0 and "30  100%" in out, most, again, out, err)
    expect("too little and enough", codes[0] in (1, 130) and codes[-1] == 0, codes)


def processor_time():
    """The limit of processor time is an interruption: what is done is kept."""
    with fresh():
        with open("large.csv", "w") as file:
            file.write("account,amount\n" + "".join(f"A-{i},1\n" for i in range(4_000_000)))  # takes longer
        code, out, err = run("a second of processor time", "run", "large.csv", "--set", "requested_by=ops",
                             before=limited(resource.RLIMIT_CPU, 1), seconds=280)
        expect("it is interrupted", code == 130 and "go on with" in err, code, err)


def closed_streams():
    """Messages never go into a file that happens to have the number of a closed stream."""
    for count in (1, 2, 3):
        for closed in itertools.combinations((0, 1, 2), count):
            with fresh():
                def close(closed=closed):
                    for number in closed:
                        os.close(number)
                code, out, err = run(f"without streams {closed}", *take, "--verbose", before=close,
                                     speaks=2 not in closed)
                expect("it is done", code in ((0,) if 1 not in closed else (1,)), closed, code, err)
                stored = [path for path in pathlib.Path().rglob("content")]
                expect("the upload is what was uploaded", [path.read_bytes() for path in stored] ==
                       [pathlib.Path("small.csv").read_bytes()], closed, stored)
                code, out, err = run("afterwards", "export", "--kind", "data")
                expect("all is readable", out == pathlib.Path("small.csv").read_text(), closed, out[:99], err)
    with fresh():
        code, out, err = run("no input", "run", "-", "--set", "requested_by=ops", before=lambda: os.close(0))
        expect("a closed input is an error", code == 1 and "cannot read the standard input" in err, code, err)


def closed_pipe():
    """Nobody reads: an error like every other output that cannot be written."""
    with fresh():
        run("with a reader", *take)
        for words in (("list",), ("export", "--kind", "data"), ("rows", "--limit", "1000"), ("operations",),
                      ("--help",), ("export", "--output", "/proc/self/fd/1")):
            reader, writer = os.pipe()
            os.close(reader)
            code, out, err = run("nobody reads", *words, stdout=writer)
            os.close(writer)
            expect("nobody reads", code == 1 and "cannot write" in err, words, code, err)
        reader, writer = os.pipe()
        os.close(reader)
        run("nobody reads complaints", "no-such-verb", stderr=writer, speaks=False)
        os.close(writer)


def surroundings():
    odd = {
        "nothing": {},
        "no locale": {"LANG": "xx_YY.nonsense", "LC_ALL": "\N{SNOWMAN}"},
        "no time zone": {"TZ": ":/no/such/zone"},
        "no home": {"HOME": "/no/such/home"},
        "no temporary directory": {"TMPDIR": "/no/such/directory", "SQLITE_TMPDIR": "/no/such/directory"},
        "no terminal": {"TERM": "\x01", "COLUMNS": "-1"},
    }
    for what, variables in odd.items():
        with fresh():
            code, out, err = run(what, *take, environment=variables)
            expect(what, code == 0, code, err)
            expect(what, run(what, "export", environment=variables)[0] == 0)
    with fresh():
        os.mkdir("gone")
        code, out, err = run("a directory that is gone", "list",
                             before=lambda: (os.chdir("gone"), os.rmdir("../gone")))
        expect("a directory that is gone", code in (1, 2), code, err)


parts = (threads, file_size, open_files, memory, processor_time, closed_streams, closed_pipe, surroundings)
if seed is not None:
    only = [parts[seed % len(parts)].__name__]
for test in parts:
    if not only or test.__name__ in only:
        began = time.monotonic()
        test()
        print(f"{test.__name__}: {time.monotonic() - began:.1f} s")
sys.exit("\n".join(problems) or 0)
