"""The database of a program under trouble: locked, read-only, full, restored, deleted, replaced.

  storage.py PROGRAM [PART ...]    the program of examples/10_provisioning.cpp

Root may mount, and then a read-only and a full file system are real ones; another user may not, and
these parts are passed by, which is said.
"""

import http.client
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import urllib.parse

program = str(pathlib.Path(sys.argv[1]).resolve())
only = sys.argv[2:]  # these tests alone
environment = {name: value for name, value in os.environ.items() if not name.startswith("BULK_")}
HEADER = "IMEI,customer,region,plan,roaming\n"
READING = [["status", "last"], ["list"], ["rows", "last"], ["errors", "last"], ["export", "last"],
           ["files"], ["operations"]]
problems = []


def start(*words, **more):
    return subprocess.Popen([program, *words], text=True, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def run(*words, **more):
    process = start(*words, **more)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def expect(what, holds, *said):
    if not holds:
        problems.append(f"{what}: {said}")


def write_rows(path, count, customer="c"):
    with open(path, "w") as file:
        file.write(HEADER)
        file.writelines(f"{number:015},{customer},north,1,false\n" for number in range(count))


def make_operation(folder, count=20, customer="c"):
    """A database with one operation that has ended, in a folder of its own."""
    os.makedirs(folder, exist_ok=True)
    write_rows(f"{folder}/devices.csv", count, customer)
    code, out, err = run("run", "devices.csv", "--set", "requested_by=ops", cwd=folder)
    expect("the operation runs", code == 0, code, out, err)


def read_everything(where, folder, **more):
    for words in READING:
        code, out, err = run(*words, "--busy-timeout", "1s", cwd=folder, **more)
        expect(f"{where}: {words[0]}", code == 0 and out + err, code, out, err)
    server = start("serve", "--no-workers", "--port", "0", "--json", cwd=folder, **more)
    line = server.stdout.readline()
    if not line:
        return expect(f"{where}: serve", False, server.communicate(timeout=60))
    address = urllib.parse.urlsplit(json.loads(line)["url"])
    for path in ["/api/v1/operations", "/readyz"]:
        client = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        client.request("GET", path)
        status = client.getresponse().status
        expect(f"{where}: serve answers {path}", status == 200, status)
        client.close()
    server.send_signal(signal.SIGTERM)
    out, err = server.communicate(timeout=60)
    expect(f"{where}: serve ends", server.returncode == 0, server.returncode, err)


def locked():
    """Readers do not wait for one who writes."""
    make_operation("locked")
    other = sqlite3.connect("locked/bulk.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    read_everything("locked", "locked")
    code, out, err = run("cancel", "last", "--busy-timeout", "100ms", cwd="locked")
    expect("one who writes waits", code != 0, code, out, err)
    other.execute("ROLLBACK")
    other.close()


def without_permission():
    """A file and a directory that a user may read and not write."""
    if os.geteuid() != 0:
        return print("not root: permissions of another user are not tried")
    make_operation("kept")
    for path, folders, files in os.walk("kept"):
        os.chmod(path, 0o555)
        for name in files:
            os.chmod(os.path.join(path, name), 0o444)
    read_everything("no permission", "kept", user=65534, group=65534)
    code, out, err = run("cancel", "last", cwd="kept", user=65534, group=65534)
    expect("no permission: writing is refused", code == 1, code, out, err)
    code, out, err = run("run", "devices.csv", "--set", "requested_by=them", cwd="kept", user=65534,
                         group=65534)
    expect("no permission: the cause is named", code == 1 and "ermission denied" in err, code, err)


def mounted(options, work):
    """`work(folder)` on a small file system of its own."""
    folder = os.path.abspath("mounted")
    os.makedirs(folder, exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder],
                      stderr=subprocess.DEVNULL).returncode != 0:
        return print(f"no right to mount: {work.__name__} is not tried")
    try:
        work(folder)
    finally:
        subprocess.run(["umount", folder], check=True)


def read_only(folder):
    """A file system that is mounted read-only, with and without a write-ahead log that was left."""
    make_operation(folder)
    remount = ["mount", "-o", "remount,ro", folder]
    subprocess.run(remount, check=True)
    read_everything("read-only", folder)
    code, out, err = run("run", "devices.csv", "--again", "--set", "requested_by=ops", cwd=folder)
    expect("read-only: the cause is named", code == 1 and "ead-only file system" in err, code, err)
    subprocess.run(["mount", "-o", "remount,rw", folder], check=True)
    # What a process leaves that is killed: the log has what the file has not.
    killed = start("run", "devices.csv", "--again", "--set", "requested_by=ops", "--flush-rows", "1",
                   "--json", cwd=folder)
    killed.stdout.readline()
    killed.kill()
    killed.communicate(timeout=60)
    if os.path.exists(f"{folder}/bulk.db-wal"):
        subprocess.run(remount, check=True)
        read_everything("read-only with a log", folder)


def fill(folder):
    with open(f"{folder}/filler", "wb", buffering=0) as filler:
        try:
            while filler.write(bytes(4096)):
                pass
        except OSError:
            pass


def full_of_small(folder):
    """The same where no upload alone frees enough."""
    many = 30
    for number in range(many):
        write_rows(f"{number}.csv", 3 + number)
        code, out, err = run("run", os.path.abspath(f"{number}.csv"), "--set", "requested_by=ops", cwd=folder)
        expect("full of small: an operation runs", code == 0, code, out, err)
    fill(folder)
    code, out, err = run("prune", "--older-than", "0s", cwd=folder)
    expect("full of small: prune makes room", code == 0 and f"{many} operations removed" in out, code, out, err)
    code, out, err = run("list", "--json", cwd=folder)
    expect("full of small: nothing is left of them", code == 0 and "completed" not in out, code, out, err)


def full(folder):
    """No byte is left: everything can be read, and prune makes room."""
    make_operation(folder, 1000, "a long name " * 40)
    fill(folder)
    read_everything("full", folder)
    write_rows("more.csv", 5)
    code, out, err = run("run", os.path.abspath("more.csv"), "--set", "requested_by=ops", cwd=folder)
    expect("full: the cause is named", code == 1 and "No space left" in err, code, out, err)
    code, out, err = run("prune", "--older-than", "0s", cwd=folder)
    expect("full: prune makes room", code == 0 and "1 operation removed" in out, code, out, err)
    code, out, err = run("run", os.path.abspath("more.csv"), "--set", "requested_by=ops", cwd=folder)
    expect("full: and there is room again", code == 0, code, out, err)


def faults_over_http():
    """A client is told that the storage failed, with an id; the operator's log has the reason."""
    make_operation("faults")
    server = start("serve", "--no-workers", "--port", "0", "--busy-timeout", "100ms", cwd="faults")
    address = urllib.parse.urlsplit(server.stderr.readline().split("serves ")[1].split(";")[0])
    faults = {}

    def ask(method, path, status):
        client = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        client.request(method, path)
        answer = client.getresponse()
        said = answer.read().decode()
        expect(f"faults: {method} {path}", answer.status == status, answer.status, said)
        for secret in [os.getcwd(), "bulk.db", "SQL", "locked", "malformed", "disk image"]:
            expect(f"faults: nothing of the storage in {path}", secret not in said, said)
        if status >= 500:
            name = answer.headers.get("X-Request-Id") or "no request id"
            expect("faults: a request id", name in json.loads(said).get("detail", ""), said)
            faults[name] = path
        client.close()
        return said

    operation = json.loads(ask("GET", "/api/v1/operations", 200))["items"][0]["id"]
    rows = f"/api/v1/operations/{operation}/rows"
    ask("GET", f"{rows}?errors_only=true&signal_key=x", 200)
    ask("GET", f"{rows}?errors_only=true&state=completed", 200)
    other = sqlite3.connect("faults/bulk.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    ask("DELETE", f"/api/v1/operations/{operation}", 503)
    other.execute("ROLLBACK")
    other.execute("ALTER TABLE bulk_records RENAME TO other_records")  # a statement that is wrong
    ask("GET", f"{rows}?errors_only=true", 503)
    other.execute("ALTER TABLE other_records RENAME TO bulk_records")
    ask("GET", f"{rows}?errors_only=true", 200)
    other.close()
    shutil.move("faults/bulk.db", "faults/moved.db")
    ask("GET", rows, 503)
    ask("GET", f"/api/v1/operations/{operation}", 503)
    out, err = server.communicate(timeout=60)
    expect("faults: the server stops", server.returncode == 1, server.returncode, err)
    for name, path in faults.items():
        lines = [line for line in err.splitlines() if name in line]
        expect(f"faults: the log has the reason of {path}", lines and "bulk.db" in lines[0], err)


def identifiers(folder):
    return sorted(json.loads(line)["id"] for line in run("list", "--json", cwd=folder)[1].splitlines())


def backup_and_restore():
    """A copy made while a worker runs is whole; put back, nothing of the old log is left beside it."""
    make_operation("restored")
    before = identifiers("restored")
    worker = start("worker", cwd="restored")
    worker.stderr.readline()
    code, out, err = run("backup", "copy.db", cwd="restored")
    expect("a backup while a worker runs", code == 0 and "copy.db" in out, code, out, err)
    expect("and only the copy is left", not list(pathlib.Path("restored").glob("copy.db?*")))
    code, out, err = run("backup", "copy.db", cwd="restored")
    expect("no copy is overwritten", code == 2 and "exists" in err, code, err)
    code, out, err = run("restore", "copy.db", cwd="restored")
    expect("not while somebody has it open", code == 1 and f"process {worker.pid}" in err, code, err)
    worker.send_signal(signal.SIGTERM)
    worker.communicate(timeout=60)
    write_rows("restored/later.csv", 30)
    expect("later", run("run", "later.csv", "--set", "requested_by=ops", cwd="restored")[0] == 0)
    expect("there is one more", len(identifiers("restored")) == len(before) + 1)
    # The log of a process that was killed: beside a copy it would make a malformed database.
    leave_log("restored")
    expect("a log is left", os.path.getsize("restored/bulk.db-wal") > 0)
    code, out, err = run("restore", "copy.db", cwd="restored")
    expect("restored", code == 0 and "restored bulk.db" in out, code, out, err)
    expect("it is what it was", identifiers("restored") == before, identifiers("restored"), before)
    with sqlite3.connect("restored/bulk.db") as database:
        expect("and whole", database.execute("PRAGMA integrity_check").fetchone() == ("ok",))
    aside = list(pathlib.Path("restored").glob("bulk.db.before-restore-*"))
    expect("the one of before is kept", aside, os.listdir("restored"))
    with sqlite3.connect(str(aside[0])) as database:
        count = database.execute("SELECT count(*) FROM bulk_operations").fetchone()[0]
        expect("with what it had", count >= len(before) + 1, count)
    pathlib.Path("restored/bulk.db").write_bytes(b"x" * 8192)  # what a restore is for
    code, out, err = run("restore", "copy.db", cwd="restored")
    expect("over a damaged one, too", code == 0, code, out, err)
    expect("and it is what it was", identifiers("restored") == before)
    for wrong, words in [("missing.db", "missing.db"), ("later.csv", "not a database")]:
        code, out, err = run("restore", wrong, cwd="restored")
        expect(f"{wrong} is refused", code != 0 and words in err, code, err)
    expect("which changes nothing", identifiers("restored") == before)


def doctor():
    """Finds one damaged page of records and one damaged upload by name; everything else is still read."""
    make_operation("damaged")
    code, out, err = run("doctor", cwd="damaged")
    expect("a summary", code == 0 and "schema version" in out and "check" not in out, code, out, err)
    code, out, err = run("doctor", "--check", cwd="damaged")
    expect("no damage", code == 0 and "no damage found" in out, code, out, err)
    with sqlite3.connect("damaged/bulk.db") as database:
        database.execute("UPDATE bulk_pages SET windows = windows || x'01'")
    identifier = identifiers("damaged")[0]
    code, out, err = run("doctor", "--check", cwd="damaged")
    wanted = f"operation {identifier}, rows 1 to 4096: damaged page of row records"
    expect("a damaged page is named", code == 1 and wanted in out, code, out, err)
    code, out, err = run("rows", cwd="damaged")
    expect("whoever needs it is told", code == 1 and identifier in err and "rows 1 to 4096" in err, code, err)
    expect("others are not", run("errors", cwd="damaged")[0] == 0 and identifiers("damaged") == [identifier])
    content = next(pathlib.Path("damaged/bulk.db-files").glob("*/content"))
    content.write_bytes(content.read_bytes().replace(b"1", b"2", 1))
    code, out, err = run("doctor", "--check", "--json", cwd="damaged")
    said = json.loads(out)
    expect("as JSON", code == 1 and said["type"] == "doctor" and said["is_checked"], code, out, err)
    expect("every damage", [(each["operation"], each.get("first_row")) for each in said["damage"]] ==
           [(identifier, 1), (identifier, None)] and "upload" in said["damage"][1]["what"], out)
    code, out, err = run("doctor", cwd=".")
    expect("no database", code == 2 and "no database" in err and not os.path.exists("bulk.db"), code, err)


def leave_log(folder):
    """As `kill -9` leaves it: a log with changes that the file has not."""
    script = ("import sqlite3, os; d = sqlite3.connect('bulk.db', isolation_level=None);"
              "d.execute('PRAGMA wal_autocheckpoint = 0');"
              "d.execute(\"UPDATE bulk_operations SET created_by = 'log'\"); os.kill(os.getpid(), 9)")
    subprocess.run([sys.executable, "-c", script], cwd=folder)


def lost(how, take):
    """A database that goes under a process that works: it stops, says so, and exits with 1."""
    folder = f"lost-{how}-{take.__name__}"
    os.makedirs(folder)
    write_rows(f"{folder}/devices.csv", 20_000)
    words = ["--set", "requested_by=ops"]
    if how == "run":
        process = start("run", "devices.csv", *words, "--json", cwd=folder)
        process.stdout.readline()
    elif how == "worker":
        expect("submitted", run("submit", "devices.csv", *words, cwd=folder)[0] == 0)
        process = start("worker", "--poll-interval", "50ms", cwd=folder)
        process.stdout.readline()
    else:
        process = start("serve", "--port", "0", "--json", cwd=folder)
        process.stdout.readline()
    take(f"{folder}/bulk.db")
    try:
        out, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
    expect(f"{folder}: exit 1", process.returncode == 1, process.returncode, out[-500:], err)
    expect(f"{folder}: and says why", "deleted or replaced" in err, err)


def deleted(path):
    os.unlink(path)


def replaced(path):
    shutil.copy(path, f"{path}.new")
    os.rename(f"{path}.new", path)


with tempfile.TemporaryDirectory() as directory:
    os.chmod(directory, 0o755)
    os.chdir(directory)
    parts = {"locked": locked, "without_permission": without_permission,
             "read_only": lambda: mounted("size=4m", read_only), "full": lambda: mounted("size=4m", full),
             "full_of_small": lambda: mounted("size=4m", full_of_small),
             "faults_over_http": faults_over_http, "backup_and_restore": backup_and_restore, "doctor": doctor,
             "lost": lambda: [lost(how, take) for how in ("run", "worker", "serve") for take in (deleted, replaced)]}
    for name, test in parts.items():
        if not only or name in only:
            test()
    os.chdir("/")
sys.exit("\n".join(problems) or 0)
