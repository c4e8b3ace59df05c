"""Headers precompiled with the flags of a user's program, for the programs that are only checked.

  precompiled.py HEADER OUTPUT DEPFILE BUILD   precompiles HEADER; BUILD is the build directory

A program borrows only what it includes first itself, in the same order: an include that it misses stays missing.
"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from user_flags import user_flags

headers = pathlib.Path(__file__).resolve().parent.parent / "precompiled"


def first_includes(source):
    """The headers that a file includes before anything else."""
    found = []
    for line in pathlib.Path(source).read_text().splitlines():
        if include := re.match(r"#include (<.+>)$", line):
            found.append(include[1])
        elif line and not re.match(r"//|#line |#pragma once$", line):
            break
    return found


def borrow(source, precompiled):
    """The flags that give SOURCE the largest of the precompiled headers that it begins with."""
    includes, flags, most = first_includes(source), [], 0
    for file in precompiled:
        held = first_includes(headers / (pathlib.Path(file).stem + ".hpp"))
        if held == includes[:len(held)] and len(held) > most:
            flags, most = ["-include-pch", file], len(held)
    return flags


def precompile(header, output, depfile, build):
    sys.exit(subprocess.run([*user_flags(build), "-fpch-instantiate-templates", "-x", "c++-header", header,
                             "-o", output, "-MD", "-MF", depfile, "-MT", output]).returncode)


if __name__ == "__main__":
    precompile(*sys.argv[1:])
