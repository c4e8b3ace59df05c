"""What a run leaves in the checkout.

  tree.py list ROOT            prints, as JSON, each file that git neither tracks nor ignores, and a hash of each that it tracks
  tree.py compare ROOT BEFORE  fails when there are new files of the first kind, or changed ones of the second, since the list BEFORE
  tree.py root ROOT            fails when a file is tracked at the root that does not belong there, or when the tree in
                               CONTRIBUTING.md lacks a folder or names one that does not exist

Without git, as in an unpacked archive, nothing can be compared: that is exit code 77, which Meson counts as
skipped.
"""

import hashlib
import json
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
# Documents, licences and the configuration of tools; anything else at the root was left by a trial.
BELONGS = re.compile(r"\.[a-z-]+|[A-Z]+(\.md)?|meson\.build|meson_options\.txt")


def files(root, *options):
    if not (pathlib.Path(root) / ".git").exists():
        sys.exit(SKIPPED)
    try:
        run = subprocess.run(["git", "-C", root, "ls-files", "-z", *options], capture_output=True, text=True)
    except FileNotFoundError:
        sys.exit(SKIPPED)
    if run.returncode != 0:
        sys.exit(SKIPPED)
    return [name for name in run.stdout.split("\0") if name]


def unknown(root):
    return files(root, "--others", "--exclude-standard")


def digest(path):
    """What a tracked file holds; None if it was deleted."""
    if path.is_symlink():
        return str(path.readlink())
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def state(root):
    return {"unknown": unknown(root), "tracked": {name: digest(pathlib.Path(root) / name) for name in files(root)}}


def show(root):
    json.dump(state(root), sys.stdout)


def compare(root, before):
    new = state(root)  # first: without git BEFORE is empty
    old = json.loads(pathlib.Path(before).read_text())
    for name in new["unknown"]:
        if name in old["unknown"]:
            print(f"note: {name} was there before the tests ran; git neither tracks nor ignores it")
    left = [f"{name}: written into the checkout; a test writes to a temporary directory"
            for name in new["unknown"] if name not in old["unknown"] and name not in old["tracked"]]
    changed = [f"{name}: {'deleted' if new['tracked'].get(name) is None else 'changed'} while the tests ran"
               for name, held in old["tracked"].items() if new["tracked"].get(name) != held]
    sys.exit("\n".join(left + changed) or 0)


# Whose folders the tree lists one by one.
LISTED = re.compile(r"[^/]+/|include/bulk/[^/]+/|(tests|docs)/[^/]+/")


def folders(names):
    """The folders in which files are."""
    return {each.as_posix() + "/" for name in names for each in pathlib.PurePath(name).parents if each.name}


def tree_problems(names, page):
    """Folders that only the page has, or only the checkout. Other repositories have no such page."""
    if page.name not in names:
        return []
    tree = page.read_text().partition("\n## The tree\n")[2].split("\n## ")[0]
    named = {folder for row in tree.splitlines() for folder in re.findall(r"`([\w./-]+/)`", "|".join(row.split("|")[:2]))}
    known = folders(names)
    return [*(f"{page.name}: the tree names {folder}, which does not exist" for folder in sorted(named - known)),
            *(f"{page.name}: the tree lacks {folder}" for folder in sorted(known - named)
              if LISTED.fullmatch(folder) and folder != "include/")]


def root_files(root):
    names = files(root)
    problems = [f"{name}: does not belong at the root; git rm it, or add its kind to tests/tree.py"
                for name in names if "/" not in name and not BELONGS.fullmatch(name)]
    sys.exit("\n".join(problems + tree_problems(names, pathlib.Path(root) / "CONTRIBUTING.md")) or 0)


if __name__ == "__main__":
    {"list": show, "compare": compare, "root": root_files}[sys.argv[1]](*sys.argv[2:])
