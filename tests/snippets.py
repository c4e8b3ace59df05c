"""The C++ in the documents, as programs.

  snippets.py extract DOCUMENT   prints its ```cpp blocks, in order, as one translation unit
  snippets.py check ROOT LISTED ...   fails when a document with such a block is not LISTED
"""

import pathlib
import re
import sys


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


def check(root, *listed):
    root = pathlib.Path(root)
    documents = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    known = {pathlib.Path(name).resolve() for name in listed}
    missing = [str(d) for d in documents if any(blocks(d)) and d.resolve() not in known]
    sys.exit("\n".join(f"{name}: list it in tests/meson.build" for name in missing) or 0)


{"extract": extract, "check": check}[sys.argv[1]](*sys.argv[2:])
