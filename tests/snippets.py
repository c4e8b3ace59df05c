"""The C++ in the documents, as programs.

  snippets.py extract DOCUMENT   prints its ```cpp blocks, in order, as one translation unit
  snippets.py compile UNIT RESULT DEPFILE BUILD [PRECOMPILED ...]
                                 fails when UNIT does not compile; BUILD is the build directory
  snippets.py check ROOT LISTED ...   fails when a document with such a block is not LISTED
"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
from precompiled import borrow
from user_flags import user_flags


def blocks(document):
    """(line number, text) of each ```cpp block."""
    start, lines = None, []
    for number, line in enumerate(document.read_text().splitlines(), 1):
        if start is None and re.match(r"\s*(```|~~~)\s*(cpp|c\+\+)\b", line):
            start, lines = number + 1, []
        elif start is not None and re.match(r"\s*(```|~~~)\s*$", line):
            yield start, "\n".join(lines)
            start = None
        elif start is not None:
            lines.append(line)
    if start is not None:
        sys.exit(f"{document}:{start - 1}: the block is never closed")


def extract(document):
    for line, text in blocks(pathlib.Path(document)):
        print(f'#line {line} "{pathlib.Path(document).name}"\n{text}')


def compile_unit(unit, result, depfile, build, *precompiled):
    """Nothing runs a document, so that no code is generated for it, and nothing uses what it declares."""
    flags = [*user_flags(build, "09_program"), *borrow(unit, precompiled)]  # an example that may include <bulk/main.hpp>
    flags.append("-Wno-unused-const-variable")
    done = subprocess.run([*flags, "-fsyntax-only", unit, "-MD", "-MF", depfile, "-MT", result])
    if done.returncode:
        sys.exit(done.returncode)
    pathlib.Path(result).touch()


def check(root, *listed):
    root = pathlib.Path(root)
    documents = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    known = {pathlib.Path(name).resolve() for name in listed}
    missing = [str(d) for d in documents if any(blocks(d)) and d.resolve() not in known]
    sys.exit("\n".join(f"{name}: list it in tests/meson.build" for name in missing) or 0)


{"extract": extract, "compile": compile_unit, "check": check}[sys.argv[1]](*sys.argv[2:])
