"""The scripts of the project, as far as that can be seen without installing or building anything.

  scripts.py ROOT

That they work on a new machine, in any order, is shown by scripts/clean-root.
"""

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


def run(*words, cwd):
    done = subprocess.run(list(map(str, words)), cwd=cwd, capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL)
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


def tree(place):
    """tests/tree.py notices what a test leaves behind."""
    tool, repo, before = root / "tests/tree.py", place / "repo", place / "before"
    ask = lambda *words: run(sys.executable, tool, *words, cwd=place)
    repo.mkdir()
    expect("without git it is skipped", ask("root", repo)[0] == 77)
    git = lambda *words: run("git", "-C", repo, "-c", "user.name=a", "-c", "user.email=a@b", *words, cwd=place)
    git("init", "-q")
    (repo / ".gitignore").write_text("/build/\n")
    (repo / "README.md").write_text("text\n")
    (repo / "mine.txt").write_text("not added yet\n")
    git("add", ".gitignore", "README.md")
    git("commit", "-qm", "first")
    before.write_text(ask("list", repo)[1])
    expect("what was there before is known", ask("compare", repo, before) == (0, ""), before.read_text())
    (repo / "build").mkdir()
    (repo / "build/output").write_text("ignored\n")
    (repo / "README.md").write_text("edited while the tests run\n")
    expect("ignored and edited files are fine", ask("compare", repo, before) == (0, ""))
    (repo / "tests").mkdir()
    (repo / "tests/left behind.csv").write_text("account,amount\n")
    code, said = ask("compare", repo, before)
    expect("a new file is named", code == 1 and "tests/left behind.csv: written into the checkout" in said, code, said)
    expect("the root is clean", ask("root", repo) == (0, ""))
    git("add", "mine.txt")
    code, said = ask("root", repo)
    expect("a stray file at the root is named", code == 1 and said.startswith("mine.txt: does not belong"), code, said)


with tempfile.TemporaryDirectory() as directory:
    place = pathlib.Path(directory)
    every_script(place)
    if shutil.which("git"):  # building and testing need none
        tree(place)
sys.exit("\n".join(problems) or 0)
