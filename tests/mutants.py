"""The mutants of tests/mutants/*.toml; scripts/mutate runs them.

As a program it fails when a mutant cannot be used: its text is not exactly once in its file, its test does
not exist, or it changes nothing. Usage: mutants.py SOURCE_ROOT
"""
import dataclasses
import pathlib
import re
import sys
import tomllib

CONDITION = re.compile(r"((?:else )?if|while) \((.*)\)( \{)?", re.S)


@dataclasses.dataclass(frozen=True)
class Mutant:
    name: str
    rule: str  # what the library promises, and the mutant breaks
    file: str  # under include/bulk
    replace: str  # exactly once in the file
    by: str
    tests: tuple[str, ...]  # as Meson names them; the first should fail, the others are tried if it does not
    form: str = ""  # statement, condition, expression or text; guessed unless given

    def switched(self, number: int) -> str:
        """A text that is the original or the mutant, as a switch says."""
        on = f"is_mutant({number})"
        if self.form == "statement":
            return f"if ({on}) {{ {self.by} }} else {{ {self.replace} }}"
        if self.form == "condition":
            (head, old, tail), (_, new, _) = (CONDITION.fullmatch(text.strip()).groups()
                                              for text in (self.replace, self.by))
            return f"{head} ({on} ? bool({new}) : bool({old})){tail or ''}"
        return f"({on} ? ({self.by}) : ({self.replace}))"


def guess(replace: str) -> str:
    text = replace.strip()
    if CONDITION.fullmatch(text):
        return "condition"
    declares = text.startswith(("const auto ", "const bool ", "auto "))
    return "statement" if text.endswith(";") and not declares else "text"


def load(root: pathlib.Path) -> list[Mutant]:
    found = []
    for path in sorted((root / "tests/mutants").glob("*.toml")):
        with path.open("rb") as text:
            for name, said in tomllib.load(text).items():
                said["tests"] = tuple(said["tests"])
                said.setdefault("form", guess(said["replace"]))
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
        if each.form not in ("statement", "condition", "expression", "text"):
            problems.append(f"{each.name}: there is no form {each.form}")
        for test in each.tests:
            exists = any((root / f"tests/{test}{kind}").exists() for kind in (".cpp", ".py"))
            if not exists or f"'{test}'" not in built:
                problems.append(f"{each.name}: there is no test {test}")
        if not each.tests:
            problems.append(f"{each.name}: it names no test")
    if len(all_mutants) < 60:
        problems.append(f"only {len(all_mutants)} mutants")
    return problems


if __name__ == "__main__":
    sys.exit("\n".join(main(pathlib.Path(sys.argv[1]))) or 0)
