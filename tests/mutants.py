"""The mutants of tests/mutants/*.toml; see scripts/mutate.

As a program it fails when one cannot be used: its text is not exactly once in its file, its test does
not exist, or its name is taken. Usage: mutants.py SOURCE_ROOT
"""
import dataclasses
import pathlib
import re
import sys
import tomllib


@dataclasses.dataclass(frozen=True)
class Mutant:
    name: str
    rule: str  # what the library promises, and the mutant breaks
    file: str  # under include/bulk
    replace: str
    by: str
    tests: list[str]  # as meson names them; the cheapest first


def load(root: pathlib.Path) -> list[Mutant]:
    found = []
    for path in sorted((root / "tests/mutants").glob("*.toml")):
        with path.open("rb") as text:
            for name, said in tomllib.load(text).items():
                found.append(Mutant(name=f"{path.stem}/{name}", **said))
    return found


def main(root: pathlib.Path) -> list[str]:
    problems = []
    built = (root / "tests/meson.build").read_text()
    all_mutants = load(root)
    for each in all_mutants:
        header = root / "include/bulk" / each.file
        times = header.read_text().count(each.replace) if header.exists() else 0
        if times != 1:
            problems.append(f"{each.name}: its text is {times} times in {each.file}, must be once")
        if each.replace == each.by:
            problems.append(f"{each.name}: it changes nothing")
        for test in each.tests:
            if not (root / f"tests/{test}.cpp").exists() or not re.search(rf"'{test}'", built):
                problems.append(f"{each.name}: there is no test {test}")
        if not each.tests:
            problems.append(f"{each.name}: it names no test")
    if len(all_mutants) < 60:
        problems.append(f"only {len(all_mutants)} mutants")
    return problems


if __name__ == "__main__":
    sys.exit("\n".join(main(pathlib.Path(sys.argv[1]))) or 0)
