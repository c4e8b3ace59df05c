"""Fails when dashboard/states.js does not know a state of rows or operations, and when
include/bulk/http/dashboard/assets.hpp is not what scripts/dashboard makes of dashboard/ and uPlot. The latter is
skipped (77) where uPlot is not installed."""

import gzip
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1])
committed = root / "include/bulk/http/dashboard/assets.hpp"


def contents(header):
    """path -> bytes, as a compiler reads them."""
    found = {}
    for path, literals in re.findall(r'\.path = "([^"]+)".*?\.gzip = \{(.*?), \d+\},\n\.is', header, re.DOTALL):
        text = "".join(re.findall(r'^"(.*)"$', literals, re.MULTILINE))
        data = re.sub(rb"\\([0-7]{1,3}|.)", unescaped, text.encode("latin-1"))
        found[path] = gzip.decompress(data)
    return found


def unescaped(match):
    return bytes([int(match[1], 8)]) if match[1][:1].isdigit() else match[1]


def described(enumeration):
    header = (root / f"include/bulk/core/{enumeration}.hpp").read_text()
    return set(re.findall(r"\w+", re.search(rf"BOOST_DESCRIBE_ENUM\({enumeration},([^)]*)\)", header)[1]))


states = (root / "dashboard/states.js").read_text()
looks = set(re.findall(r"^  (\w+): \[", states, re.MULTILINE))
for constant, enumeration in (("ROW_STATES", "row_state"), ("OPERATION_STATES", "operation_state")):
    shown = set(re.findall(r'"(\w+)"', re.search(rf"{constant} = \[(.*?)\]", states, re.DOTALL)[1]))
    if shown != described(enumeration) or shown - looks:
        sys.exit(f"dashboard/states.js: {constant} and LOOKS must have all states of {enumeration}: "
                 f"{', '.join(sorted(shown ^ described(enumeration) | shown - looks))}")

with tempfile.TemporaryDirectory() as folder:
    made = pathlib.Path(folder) / "assets.hpp"
    done = subprocess.run([sys.executable, str(root / "scripts/dashboard"), "--header", str(made)])
    if done.returncode:
        sys.exit(done.returncode)
    text, wanted = committed.read_text(), made.read_text()

page = contents(text)["/"].decode()
for asset in contents(text):
    if asset != "/" and f'"{asset[1:]}"' not in page:
        sys.exit(f"{asset} is in the header, and the page does not ask for it")
if re.search(r"<script>|<style|style=|\son\w+=|javascript:", page):
    sys.exit("the page has something inline, which its Content-Security-Policy forbids")
if len(text) > 200_000:
    sys.exit(f"the header has {len(text)} bytes; everybody who includes it reads them")
if text == wanted:
    sys.exit(0)
# Another zlib may pack otherwise. What is inside must be the same.
strip = re.compile(r'(\.gzip = )\{.*?, \d+\}', re.DOTALL)
if strip.sub(r"\1", text) == strip.sub(r"\1", wanted) and contents(text) == contents(wanted):
    print("the same files, packed by another zlib")
    sys.exit(0)
sys.exit("assets.hpp is not what dashboard/ and uPlot give: run scripts/dashboard")
