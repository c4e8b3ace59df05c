"""Fails when the library reads an option nowhere, or when the guide lists other options than the headers.

An option that is declared, validated and documented but never read does nothing.
Usage: options.py SOURCE_ROOT
"""
import pathlib
import re
import sys

STRUCT = re.compile(r"^struct (\w+_options) \{\n(.*?)^\};", re.M | re.S)
VALIDATE = re.compile(r"result<> validate\(const \w+_options&.*?\n\}", re.S)
SETS_ONLY = {"cli/settings.hpp"}  # a flag that sets an option does not use it
GUIDE = "docs/guide/options.md"
LISTED_WHOLE = ("service_options", "sqlite_options", "directory_options")


def members(body: str) -> list[str]:
    """The names of the members. A default value in braces may contain anything."""
    body = re.sub(r"//.*", "", body)
    names, depth, declaration = [], 0, ""
    for sign in body:
        depth += (sign in "{(") - (sign in "})")
        if sign == ";" and depth == 0:
            name = re.match(r"[^={]*?(\w+)\s*(?:[={].*)?$", " ".join(declaration.split()))
            if name and not re.match(r"\s*(static|using)\b", declaration):
                names.append(name[1])
            declaration = ""
        else:
            declaration += sign
    return names


def main(root: pathlib.Path) -> list[str]:
    include = root / "include/bulk"
    texts = {str(path.relative_to(include)): path.read_text() for path in include.rglob("*.hpp")}
    declared = [(name, header, members(body))
                for header, text in sorted(texts.items()) for name, body in STRUCT.findall(text)]
    problems = []
    for name, header, options in declared:
        own = VALIDATE.sub("", STRUCT.sub("", texts[header]))
        others = "".join(t for h, t in texts.items() if h != header and h not in SETS_ONLY)
        for option in options:
            if not re.search(rf"(?:\.|->){option}\b(?!\s*=[^=])", own + others):
                problems.append(f"include/bulk/{header}: nothing reads {name}::{option}; "
                                "implement the option or remove it")
    by_name = {name: options for name, _, options in declared}
    guide = (root / GUIDE).read_text()
    for line in guide.splitlines():
        for name, first in re.findall(r"`(\w+_options)::(\w+)`", line):
            for option in [first, *re.findall(r"`(\w+)`", line.split("|")[1])]:
                if option not in by_name.get(name, []):
                    problems.append(f"{GUIDE}: there is no {name}::{option}")
    for name in LISTED_WHOLE:
        _, heading, after = guide.partition(f"## `{name}`")
        section = after.split("\n## ")[0] if heading else guide
        for option in by_name[name]:
            if not re.search(rf"`(?:{name}::)?{option}`", section):
                problems.append(f"{GUIDE}: {name}::{option} is missing")
    return problems


if __name__ == "__main__":
    sys.exit("\n".join(main(pathlib.Path(sys.argv[1]))) or 0)
