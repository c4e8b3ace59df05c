"""Fails when a header knows a layer it must not, breaks a hard rule, is not in the header test, or cannot be included
first, and when docs/architecture.md does not list each header exactly once, or names one that does not exist.

Usage: layers.py SOURCE_ROOT/include/bulk HEADER ...
"""

import pathlib
import re
import sys

ALLOWED = {
    "core": set(),
    "rows": {"core"},
    "engine": {"core"},
    "storage": {"core"},
    "operation": {"core", "rows"},
    "run": {"core", "rows", "engine", "storage", "operation"},
    "service": {"core", "rows", "engine", "storage", "operation", "run"},
    "feed": {"core", "rows", "engine", "storage", "operation", "run", "service"},
    "http": {"core", "rows", "engine", "storage", "operation", "service", "feed"},
    "cli": {"core", "rows", "storage", "operation", "service", "feed", "http"},
    "gateway": {"core", "http"},
}
INCLUDE = r"#\s*include\s*[<\"]"
BACKEND = re.compile(INCLUDE + r"bulk/storage/\w+/")

# Each third-party library has one place that includes it.
HOMES = {
    r"boost/describe": "core/reflect.hpp",
    r"boost/mp11": "core/reflect.hpp",
    r"boost/hana": "operation/",
    r"glaze/": "rows/json/",
    r"concurrentqueue": "engine/queue.hpp",
    r"boost/(beast|asio)": "http/server/",
    r"sqlite3": "storage/sqlite/",
    r"libpq": "storage/postgres/",
    r"zlib\.h": "rows/gzip.hpp",
    r"zstd\.h": "rows/zstd.hpp",
    r"xxhash": "storage/stored_file.hpp",
    r"lazycsv": "rows/csv/lazycsv.hpp",
    r"CLI/": "cli/command.hpp",
}

RULES = {
    r"^\s*#\s*define\b": ("defines a macro", {"operation/declare.hpp", "feed/declare.hpp", "core/linkage.hpp", "version.hpp"}),
    r"\bfriend\b": ("has a friend", set()),
    r"\benable_if": ("uses enable_if", set()),
    r"^using namespace": ("has a using directive", set()),
    r"\bstd::(cout|cerr|clog|abort|exit|terminate)\b|\bprintf\(": ("prints or ends the program", {"main_implementation.hpp"}),
    r"\bthrow\b": ("throws", set()),
}


def problems(root, listed):
    for header in sorted(root.rglob("*.hpp")):
        path = header.relative_to(root).as_posix()
        text = header.read_text()
        code = re.sub(r"(?<![:\"])//.*", "", text)
        if not text.startswith("// SPDX-License-Identifier: MIT\n#pragma once\n"):
            yield f"{path}: begins with the licence line and #pragma once"
        if path not in listed:
            yield f"{path}: is not in tests/headers/meson.build"
        for pattern, home in HOMES.items():
            if re.search(INCLUDE + pattern, code) and not path.startswith(home):
                yield f"{path}: only {home} may include {pattern}"
        for pattern, (what, exempt) in RULES.items():
            if path not in exempt and re.search(pattern, code, re.MULTILINE):
                yield f"{path}: {what}"
        if "/" not in path:
            continue  # umbrella headers include everything, by design
        if re.search(INCLUDE + r"bulk/(?!version)\w+\.hpp", code):
            yield f"{path}: must not include an umbrella header"
        for name in re.findall(r"\bdetail::(\w+)", code):
            if not re.search(rf"namespace detail \{{.*\b{name}\b", code, re.DOTALL):
                yield f"{path}: detail::{name} belongs to another header"
        layer = path.split("/")[0]
        used = set(re.findall(INCLUDE + r"bulk/(\w+)/", code)) - {layer}
        for other in sorted(used - ALLOWED[layer]):
            yield f"{path}: {layer} must not include {other}"
        if layer != "storage" and BACKEND.search(code):
            yield f"{path}: {layer} must not name a backend"


def circles(root):
    """Headers that, included first, are met again by one that needs them before they have declared anything. Without
    BULK_COMPILED a header includes its implementation at its end, and that may lead back to where reading began."""
    includes = {}
    for header in root.rglob("*.hpp"):
        text = header.read_text()
        end = text.rfind("\n}")  # what is included behind it needs nothing else of this header
        includes[header.relative_to(root).as_posix()] = [
            (found[1], found.start() > end > 0) for found in re.finditer(r"^#include <bulk/([\w/]+\.hpp)>", text, re.MULTILINE)]

    def read(path, seen, reading):
        seen.add(path)
        for other, is_at_end in includes[path]:
            reading[path] = is_at_end
            if other not in seen:
                yield from read(other, seen, reading)
            elif not is_at_end and reading.get(other) is False:
                yield f"{path} includes it again before it has declared anything"
        reading.pop(path, None)

    for header in sorted(includes):
        for problem in list(read(header, set(), {}))[:1]:
            yield f"{header}: cannot be included first: {problem}"


MAP = "docs/architecture.md"
REPEATED = "run/operation_run.hpp"  # has the phases of an operation, and so may stand in a walk at each of them


def sections(text):
    """The heading of each section and its lines."""
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, rest = part.partition("\n")
        yield heading, rest.splitlines()


def listed_in_tables(lines):
    """The headers in the file tables. A table is of the folder in its heading (`core/`; `./` is include/bulk itself); in a
    row all names but those with a folder of their own are in the folder of the first one."""
    folder = ""
    for line in lines:
        cells = line.split("|")
        if len(cells) < 3:
            continue
        names = re.findall(r"`([^`]+)`", cells[1])
        if len(names) == 1 and names[0].endswith("/"):
            folder = names[0].removeprefix("./")
            continue
        prefix = ""
        for number, name in enumerate(names):
            own, slash, _ = name.rpartition("/")
            if number == 0:
                prefix = own + slash
            yield folder + (name if slash else prefix + name) + ".hpp"


def map_problems(root, text):
    headers = {header.relative_to(root).as_posix() for header in root.rglob("*.hpp")}
    tables, walks = [], 0
    for heading, lines in sections(text):
        if heading == "Files":
            tables += listed_in_tables(lines)
        if not heading.startswith("Walk: "):
            continue
        walks += 1
        files = re.findall(r"`([\w/]+\.hpp)`", "\n".join(lines))
        if not files:
            yield f"{MAP}: '{heading}' names no file"
        for file in sorted(set(files)):
            if file not in headers:
                yield f"{MAP}: '{heading}' names {file}, which does not exist"
            if files.count(file) > 1 and file != REPEATED:
                yield f"{MAP}: '{heading}' names {file} more than once"
    if walks != 3:
        yield f"{MAP}: has {walks} sections 'Walk: ...'; it describes three"
    for file in sorted(set(tables) - headers):
        yield f"{MAP}: the tables list {file}, which does not exist"
    for file in sorted(headers):
        if tables.count(file) != 1:
            yield f"{MAP}: the tables list {file} {tables.count(file)} times; list it once"


root = pathlib.Path(sys.argv[1])
found = [*problems(root, set(sys.argv[2:])), *circles(root), *map_problems(root, (root.parents[1] / MAP).read_text())]
sys.exit("\n".join(found) or 0)
