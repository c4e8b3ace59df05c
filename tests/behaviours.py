"""Fails when docs/behaviours.md names a test that does not exist."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
document = root / "docs/behaviours.md"
row = re.compile(r"^\| ([A-Z]\d+[a-z]?) \| .+ \| `([^`]+)`(?:: (.+?))? \|$")
problems, seen = [], set()
for number, line in enumerate(document.read_text().splitlines(), 1):
    if not re.match(r"\| [A-Z]\d", line):
        continue
    found = row.match(line)
    if not found:
        problems.append(f"{document}:{number}: cannot be read: {line}")
        continue
    name, file, test = found.groups()
    if name in seen:
        problems.append(f"{document}:{number}: {name} is listed twice")
    seen.add(name)
    path = root / "tests" / file
    if not path.exists():
        problems.append(f"{document}:{number}: there is no {path}")
    elif test and f'"{test}"' not in path.read_text():
        problems.append(f"{document}:{number}: {file} has no test '{test}'")
if len(seen) < 50:
    problems.append(f"{document}: only {len(seen)} behaviours are listed")
sys.exit("\n".join(problems) or 0)
