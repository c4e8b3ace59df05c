"""The scripts of the project, as far as that can be seen without installing or building anything.

  scripts.py ROOT

That they work on a new machine, in any order, is shown by scripts/clean-root.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1]).resolve()
problems = []


def expect(what, holds, *said):
    if not holds:
        problems.append(f"{what}: {said}")


def run(*words, cwd, **environment):
    done = subprocess.run(list(map(str, words)), cwd=cwd, capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, env=os.environ | environment)
    return done.returncode, done.stdout + done.stderr


def every_script(elsewhere):
    """Each parses and explains itself from any directory, and those that take options refuse others."""
    scripts = [path for path in sorted((root / "scripts").iterdir()) if path.read_text().startswith("#!")]
    expect("there are scripts", len(scripts) > 5, scripts)
    for path in scripts:
        expect(f"{path.name} can be run", path.stat().st_mode & 0o100)
        if "bash" not in path.read_text().splitlines()[0]:
            continue
        code, said = run("bash", "-n", path, cwd=elsewhere)
        expect(f"{path.name} parses", code == 0, said)
        if "--help" in path.read_text():
            code, said = run(path, "--help", cwd=elsewhere)
            expect(f"{path.name} --help", code == 0 and f"scripts/{path.name}" in said and "set -euo" not in said, code, said)
    for name in ("setup", "test", "demo", "clean-root"):
        code, said = run(root / "scripts" / name, "--no-such-option", cwd=elsewhere)
        expect(f"{name} refuses an unknown option", code != 0 and "--no-such-option" in said, code, said)


def configuration(place):
    """scripts/build configures once; again when an optional dependency comes or goes; from scratch when the checkout moves."""
    tools, copy, calls = place / "tools", place / "copy", place / "calls"
    for folder in (tools, copy / "scripts"):
        folder.mkdir(parents=True)
    shutil.copy(root / "scripts/build", copy / "scripts/build")
    for name, does in {"meson": f'echo "meson $*" >>{calls}; mkdir -p build/test', "ninja": f'echo "ninja $*" >>{calls}',
                       "pkg-config": f'cat {place}/version'}.items():
        (tools / name).write_text(f"#!/bin/sh\n{does}\n")
        (tools / name).chmod(0o755)

    def build(cwd):
        calls.write_text("")
        code, said = run("scripts/build", "test", "a-target", cwd=cwd, PATH=f"{tools}:{os.environ['PATH']}")
        expect("scripts/build succeeds", code == 0, code, said)
        return calls.read_text().splitlines()

    ninja = "ninja -C build/test a-target"
    first = build(copy)
    expect("it configures, then builds", len(first) == 2 and first[0].startswith("meson setup build/test -D") and first[1] == ninja, first)
    again = build(copy)
    expect("it does not configure again", again == [ninja], again)
    again_with = [first[0].replace("setup", "setup --reconfigure"), ninja]
    (copy / "build/test/kept").touch()
    (place / "version").write_text("2021.12.0\n")
    now = build(copy)
    expect("it configures again when TBB was installed", now == again_with and (copy / "build/test/kept").exists(), now)
    expect("but once", build(copy) == [ninja])
    (place / "version").write_text("2022.0.0\n")
    now = build(copy)
    expect("or has another version", now == again_with, now)
    (place / "version").unlink()
    now = build(copy)
    expect("or was removed", now == again_with, now)
    now = build(copy.rename(place / "moved"))
    expect("it configures from scratch elsewhere", now == first and not (place / "moved/build/test/kept").exists(), now)


def tree(place):
    """tests/tree.py notices what a test leaves behind."""
    tool, repo, before = root / "tests/tree.py", place / "repo", place / "before"
    ask = lambda *words: run(sys.executable, tool, *words, cwd=place)
    repo.mkdir()
    before.write_text("")
    expect("without git it is skipped", ask("root", repo)[0] == 77 and ask("compare", repo, before)[0] == 77)
    git = lambda *words: run("git", "-C", repo, "-c", "user.name=a", "-c", "user.email=a@b", *words, cwd=place)
    git("init", "-q")
    (repo / ".gitignore").write_text("/build/\n")
    (repo / "README.md").write_text("text\n")
    (repo / "mine.txt").write_text("not added yet\n")
    git("add", ".gitignore", "README.md")
    git("commit", "-qm", "first")
    note = "note: mine.txt was there before the tests ran; git neither tracks nor ignores it\n"
    (repo / "README.md").write_text("edited before the tests ran\n")
    before.write_text(ask("list", repo)[1])
    expect("what was there before is noted, and no failure", ask("compare", repo, before) == (0, note), before.read_text())
    (repo / "build").mkdir()
    (repo / "build/output").write_text("ignored\n")
    expect("ignored files are fine", ask("compare", repo, before) == (0, note))
    (repo / "README.md").write_text("edited by a test\n")
    changed = "README.md: changed while the tests ran\n"
    expect("a tracked file that a test changes is named, edited before or not", ask("compare", repo, before) == (1, note + changed),
           ask("compare", repo, before))
    git("checkout", "README.md")
    expect("so is one whose edit it reverts", ask("compare", repo, before) == (1, note + changed), ask("compare", repo, before))
    (repo / "README.md").unlink()
    expect("and one that it deletes", ask("compare", repo, before) == (1, note + changed.replace("changed", "deleted")),
           ask("compare", repo, before))
    (repo / "README.md").write_text("edited before the tests ran\n")
    expect("what is as it was is fine", ask("compare", repo, before) == (0, note), ask("compare", repo, before))
    (repo / "tests").mkdir()
    (repo / "tests/left behind.csv").write_text("account,amount\n")
    code, said = ask("compare", repo, before)
    expect("a new file is named", code == 1 and "tests/left behind.csv: written into the checkout" in said, code, said)
    before.write_text(ask("list", repo)[1])
    code, said = ask("compare", repo, before)
    expect("the next run names it, too", code == 0 and note.replace("mine.txt", "tests/left behind.csv") in said, code, said)
    expect("the root is clean", ask("root", repo) == (0, ""))
    git("add", "mine.txt")
    code, said = ask("root", repo)
    expect("a stray file at the root is named", code == 1 and said.startswith("mine.txt: does not belong"), code, said)
    git("rm", "--cached", "mine.txt")
    (repo / "src").mkdir()
    (repo / "src/unit.cpp").write_text("")
    (repo / "CONTRIBUTING.md").write_text("# Contributing\n\n## The tree\n\n| `src/` | units |\n\n## Commits\n")
    git("add", "src", "CONTRIBUTING.md")
    expect("folders that the tree lists are fine", ask("root", repo) == (0, ""), ask("root", repo))
    git("mv", "src", "units")
    code, said = ask("root", repo)
    expect("others are named, in the tree and in the checkout",
           code == 1 and "the tree names src/, which" in said and "the tree lacks units/" in said, code, said)


def times(place):
    """tests/times.py adds up what ninja and Meson have logged."""
    build = place / "timed"
    (build / "meson-logs").mkdir(parents=True)
    jobs = {"tests/service_retries.p/service_retries.cpp.o": [(0, 500), (0, 9000)], "tests/service_retries": [(9000, 9500)],
            "tests/fail/step_name.result": [(0, 1000)], "tests/headers/main_hpp.alone": [(0, 2500)],
            "tests/steps.checked": [(0, 3000)], "tests/declare.pch": [(0, 4000)], "tests/removed.checked": [(0, 99000)]}
    lines = [f"{start}\t{end}\t0\t{output}\tabc{output}" for output, runs in jobs.items() for start, end in runs]
    (build / ".ninja_log").write_text("\n".join(["# ninja log v5", *lines]) + "\n")
    for output in jobs:
        if "removed" not in output:
            (build / output).parent.mkdir(parents=True, exist_ok=True)
            (build / output).touch()
    tests = [{"name": "bulk:service / service/retries", "duration": 1.5}, {"name": "bulk:fail / step_name", "duration": 0.5},
             {"name": "bulk:service / service/waits", "duration": 2}, {"name": "bulk / layers", "duration": 1}]
    (build / "meson-logs/testlog.json").write_text("\n".join(map(json.dumps, tests)))
    code, said = run(sys.executable, root / "tests/times.py", build, cwd=place)
    tables = [" ".join(line.split()) for line in said.splitlines()]
    expect("times are added up, longest first", code == 0 and tables == [
        "build seconds share", "tests of service 9.0 45%", "precompiled headers 4.0 20%", "documents 3.0 15%",
        "headers 2.5 12%", "must not compile 1.0 5%", "linking 0.5 2%", "all 20.0 100%", "",
        "tests seconds share", "service 3.5 70%", "no suite 1.0 20%", "fail 0.5 10%", "all 5.0 100%"], code, said)


with tempfile.TemporaryDirectory() as directory:
    place = pathlib.Path(directory)
    every_script(place)
    configuration(place)
    times(place)
    if shutil.which("git"):  # building and testing need none
        tree(place)
sys.exit("\n".join(problems) or 0)
