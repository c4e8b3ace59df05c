"""Fails when clang-format would change a source."""

import pathlib
import subprocess
import sys

root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
sources = [
    str(path)
    for folder in ("include", "tests", "examples", "bench", "fuzz")
    for path in (root / folder).rglob("*")
    if path.suffix in (".hpp", ".cpp")
]
sys.exit(subprocess.run([program, "--dry-run", "-Werror", *sources]).returncode)
