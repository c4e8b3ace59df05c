"""What a run leaves in the checkout.

  tree.py list ROOT            prints each file that git neither tracks nor ignores
  tree.py compare ROOT BEFORE  fails when there are such files that the list BEFORE does not have
  tree.py root ROOT            fails when a file is tracked at the root that does not belong there

Without git, as in an unpacked archive, nothing can be compared: that is exit code 77, which Meson counts as
skipped.
"""

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


def show(root):
    print("\n".join(unknown(root)))


def compare(root, before):
    known = set(pathlib.Path(before).read_text().splitlines())
    sys.exit("\n".join(f"{name}: written into the checkout; a test writes to a temporary directory"
                       for name in unknown(root) if name not in known) or 0)


def root_files(root):
    sys.exit("\n".join(f"{name}: does not belong at the root; git rm it, or add its kind to tests/tree.py"
                       for name in files(root) if "/" not in name and not BELONGS.fullmatch(name)) or 0)


if __name__ == "__main__":
    {"list": show, "compare": compare, "root": root_files}[sys.argv[1]](*sys.argv[2:])
