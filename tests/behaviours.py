"""Checks docs/behaviours.md: every behaviour is listed once, and proven by a test that asserts something.

  behaviours.py ROOT    the checkout

A row is `| A7 | sentence | status | tests |`; what bulk has beyond the list is `| A+1 | sentence | tests |`, below it.
Tests are `file`: name, separated by <br>; a file alone stands for a program that is one test.

The check fails when
  - an id of LISTED is missing, listed twice, or in the section of another letter;
  - a status is none of STATUSES, `different` links no decision or guide, or any link leads nowhere;
  - a row names no test although its status promises one, or names one although the behaviour is not there yet;
  - a test does not exist, is not part of the test suite, or asserts nothing that can fail.
"""

import ast
import functools
import pathlib
import re
import sys

# How many behaviours the list has, by section.
LISTED = {"A": 22, "B": 16, "C": 27, "D": 14, "E": 18, "F": 9, "G": 9, "H": 24, "I": 22, "J": 25, "K": 26, "L": 22,
          "M": 31, "N": 25, "O": 7, "P": 18, "Q": 7, "R": 15, "S": 14, "PR": 64, "DW": 18, "W": 70}
PROVEN = ("as promised", "better", "in part")
STATUSES = (*PROVEN, "different: [page](link)", "not there yet")
NO_TEST = "–"

LINK = re.compile(r"\[[^\]]*\]\(([^)]+)\)")
TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<raw>\b(?:u8|[uUL])?R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)")
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<char>'(?:[^'\\\n]|\\.)+')
  | (?P<word>\.?[0-9](?:[\w.]|'\w)*|[A-Za-z_]\w*)
""", re.VERBOSE | re.DOTALL)
# What fails a test of Boost.UT, or a build.
ASSERTION = re.compile(r"\b(expect(?:_\w+)?|throws|nothrow|aborts|static_assert)\s*(?:<[^;()]*>\s*)?\(")
NUMBER = re.compile(r"(?<![\w.])\.?[0-9](?:[\w.]|'\w)*")
# Words that do not make the result of an expression depend on anything.
CONSTANT = {"true", "true_b", "false", "false_b", "fatal", "that", "bool", "not", "and", "or"}
# What fails a program that is one test: an exit code that depends on something.
EXIT_CODE = re.compile(r"\breturn\s+(?!0\b|static_cast)[^;]*(?:\?|==|!=)[^;]*;")
NOT_A_FUNCTION = {"if", "for", "while", "switch", "catch", "return", "sizeof", "decltype", "alignas", "requires", "noexcept"}


def behind_bracket(code, begin):
    """Behind the bracket that closes what is open at `begin`."""
    depth = 1
    for at in range(begin, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth == 0:
            return at + 1
    return len(code)


def can_fail(condition):
    """Whether what is expected can be false: it depends on something, or is `false` where a test must not get to."""
    words = set(re.findall(r"[A-Za-z_]\w*", NUMBER.sub(" ", condition)))
    return bool(words - CONSTANT) or re.sub(r"fatal|[\s()]", "", condition) in ("false", "false_b")


def has_assertion(code):
    """Whether code without comments and texts has an assertion that can fail."""
    return any(found[1] not in ("expect", "static_assert")
               or can_fail(code[found.end():behind_bracket(code, found.end()) - 1]) for found in ASSERTION.finditer(code))


class Source:
    """A C++ file: its code without comments and texts, and its strings with where they stand."""

    def __init__(self, text):
        code, self.strings = list(text), []
        for found in TOKEN.finditer(text):
            if found["word"]:
                continue
            if found["string"]:
                self.strings.append((found.start(), found.end(), found["string"][1:-1].replace('\\"', '"')))
            for at in range(found.start(), found.end()):
                if code[at] != "\n":
                    code[at] = " "
        self.code = "".join(code)

    def end_of(self, begin, stop):
        """Behind the first of `stop` that is in no bracket since `begin`."""
        depth = 0
        for at in range(begin, len(self.code)):
            if depth == 0 and self.code[at] in stop:
                return at + 1
            depth += (self.code[at] in "([{") - (self.code[at] in ")]}")
        return len(self.code)

    @functools.cached_property
    def tests(self):
        """The bodies of `"name"_test = …;`, by name."""
        found = {}
        for number, (begin, end, value) in enumerate(self.strings):
            if not self.code.startswith("_test", end):
                continue
            while number > 0 and not self.code[self.strings[number - 1][1]:begin].strip():  # "a long "  "name"_test
                number -= 1
                begin, value = self.strings[number][0], self.strings[number][2] + value
            found.setdefault(value, []).append(self.code[end + len("_test"):self.end_of(end, ";")])
        return found

    @functools.cached_property
    def functions(self):
        """The bodies of functions, of member functions and of lambdas with a name, by name."""
        found = {}
        for opened in re.finditer(r"(\w+)\s*(?:=\s*\[[^\]]*\]\s*)?([({])", self.code):
            name, behind = opened[1], opened.start(2)
            if name in NOT_A_FUNCTION or (opened[2] == "{" and "=" not in opened[0]):
                continue
            if opened[2] == "(":
                behind = self.end_of(behind + 1, ")")
            rest = re.compile(r"(?:\s|const\b|noexcept\b|override\b|mutable\b|&|->[^;{}()]*)*\{").match(self.code, behind)
            begin = behind if opened[2] == "{" else rest and rest.end() - 1
            if begin is not None:
                found.setdefault(name, []).append(self.code[begin:self.end_of(begin + 1, "}")])
        return found


class Suite:
    """The tests of a checkout."""

    def __init__(self, root):
        self.folder = root / "tests"
        self.registered = "".join(each.read_text() for each in self.folder.rglob("meson.build"))

    @functools.cache
    def source(self, path):
        return Source(path.read_text())

    @functools.cache
    def reached(self, path):
        """The file, and what it includes of the tests."""
        files, left = {path: None}, [path]
        while left:
            each = left.pop()
            for name in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', each.read_text(), re.MULTILINE):
                for candidate in (each.parent / name, self.folder / name):
                    if candidate.is_file() and candidate.resolve() not in files:
                        files[candidate.resolve()] = None
                        left.append(candidate.resolve())
                        break
        return tuple(files)

    @functools.cached_property
    def programs(self):
        return [path.resolve() for path in self.folder.rglob("*.cpp") if self.is_registered(path)]

    def is_registered(self, path):
        name = path.relative_to(self.folder).as_posix()
        if name.startswith("fail/"):
            return f"'{path.stem}'" in self.registered
        return any(f"'{each}'" in self.registered for each in (name, name.removesuffix(path.suffix)))

    def is_run(self, path):
        if path.suffix == ".hpp":
            return any(path.resolve() in self.reached(program) for program in self.programs)
        return self.is_registered(path)

    def asserts(self, body, path):
        """Whether a body asserts, by itself or in a function that it calls, of this file or of those that it includes.

        Members do not count: what a test is played on checks its own work (`at.run(…)`), and that proves nothing about the behaviour."""
        defined = {}
        for each in self.reached(path.resolve()):
            for name, bodies in self.source(each).functions.items():
                defined.setdefault(name, []).extend(bodies)
        seen, left = set(), [body]
        while left:
            each = left.pop()
            if has_assertion(each):
                return True
            called = set(re.findall(r"(?<![\w.>])(\w+)\s*(?:<[^;{}()]*>\s*)?\(", each)) | set(re.findall(r"=\s*(\w+)\s*;", each))
            for name in called - seen:
                seen.add(name)
                left.extend(defined.get(name, ()))
        return False

    def problem_with(self, file, test):
        """What is wrong with a test that is named, or None."""
        path = self.folder / file
        if not path.is_file():
            return f"there is no tests/{file}"
        if path.suffix == ".mjs":
            return self.problem_in_browser(path, test)
        if not self.is_run(path):
            return f"{file} is no part of the test suite: no meson.build names it"
        if path.suffix == ".py":
            return problem_in_python(file, path.read_text(), test)
        if file.startswith("fail/"):
            return problem_in_fail(file, path.read_text(), test)
        if test is None:
            code = self.source(path).code
            return None if has_assertion(code) or EXIT_CODE.search(code) else f"{file} asserts nothing"
        bodies = self.source(path).tests.get(test)
        if not bodies:
            return f"{file} has no test '{test}'"
        if not all(self.asserts(body, path) for body in bodies):
            return f"{file}: '{test}' asserts nothing"
        return None

    def problem_in_browser(self, path, test):
        """A scenario is an exported function, listed in main.mjs, that makes checks."""
        file, source = path.relative_to(self.folder).as_posix(), Source(re.sub(r"`[^`]*`", '""', path.read_text()))
        main = path.parent / "main.mjs"
        if test is None:
            return f"{file}: name a scenario"
        if test not in source.functions or not re.search(rf"\bexport\s+(?:async\s+)?function\s+{re.escape(test)}\b", source.code):
            return f"{file} has no scenario '{test}'"
        if not main.is_file() or f'"{test}"' not in main.read_text():
            return f"{file}: '{test}' is not among the scenarios of main.mjs"
        arrows = {name: source.code[end:source.end_of(end, ";")] for name, end in
                  ((found[1], found.end()) for found in re.finditer(r"\bconst (\w+) = (?:async )?(?=\()", source.code))}
        seen, left = {test}, [source.functions[test][0]]
        while left:
            each = left.pop()
            if re.search(r"\b(?:checks\.\w+|inspect|waitFor)\s*\(", each):
                return None
            for name in set(re.findall(r"(\w+)\s*\(", each)) - seen:
                seen.add(name)
                left += source.functions.get(name, [])
                left += [arrows[name]] if name in arrows else []
        return f"{file}: '{test}' asserts nothing"


def problem_in_fail(file, text, test):
    """A program that must not compile says on its first line what the compiler must say."""
    if test is not None:
        return f"{file} is one test: name the file alone"
    if not re.match(r"// expect: \S", text):
        return f"{file} does not begin with the text that is expected of the compiler"
    return None if re.search(r"^#\s*if.*BULK_EXPECT_FAIL", text, re.MULTILINE) else f"{file} has no mistake to refuse"


def problem_in_python(file, text, test):
    tree = ast.parse(text)
    functions = {each.name: each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}
    if test is not None and test not in functions:
        return f"{file} has no function '{test}'"

    def asserts(node, seen):
        for each in ast.walk(node):
            if isinstance(each, (ast.Assert, ast.Raise)):
                return True
            if not isinstance(each, ast.Call):
                continue
            called = ast.unparse(each.func)
            if called == "problems.append" or (called == "sys.exit" and not isinstance(each.args[0] if each.args else ast.Constant(0), ast.Constant)):
                return True
            if called in functions and called not in seen and asserts(functions[called], seen | {called}):
                return True
        return False

    name = f"{file}: '{test}'" if test else file
    return None if asserts(functions[test] if test else tree, {test}) else f"{name} asserts nothing"


def tests_of(cell):
    """The tests of a cell as (file, name or None); None if it cannot be read."""
    found = []
    for each in cell.split("<br>"):
        named = re.fullmatch(r"`([^`]+)`(?:: (.+))?", each.strip())
        if not named:
            return None
        found.append((named[1], named[2]))
    return found


def anchors(page):
    """The anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


class Document:
    def __init__(self, root, listed):
        self.page, self.listed, self.suite = root / "docs/behaviours.md", listed, Suite(root)
        self.problems, self.seen, self.section, self.line = [], set(), "", 0

    def wrong(self, text):
        self.problems.append(f"docs/behaviours.md:{self.line}: {text}")

    def check(self):
        for self.line, text in enumerate(self.page.read_text().splitlines(), 1):
            if heading := re.match(r"## ([A-Z]+)\. ", text):
                self.section = heading[1]
            for link in LINK.findall(text):
                self.check_link(link)
            if row := re.match(r"\| (([A-Z]+)(\+?)\d+) \|", text):
                self.check_row(row[1], row[2], bool(row[3]), [cell.strip() for cell in text.strip().strip("|").split("|")][1:])
            elif re.match(r"\|\s*[A-Z]+\+?\d", text):
                self.wrong(f"cannot be read: {text}")
        self.line = 0
        for prefix, count in self.listed.items():
            missing = [f"{prefix}{number}" for number in range(1, count + 1) if f"{prefix}{number}" not in self.seen]
            if missing:
                self.wrong(f"not listed: {', '.join(missing)}")
        return self.problems

    def check_link(self, link):
        path, _, anchor = link.partition("#")
        page = (self.page.parent / path).resolve() if path else self.page
        if not page.exists():
            self.wrong(f"links {link}, which does not exist")
        elif anchor and anchor not in anchors(page):
            self.wrong(f"links {link}, but {path} has no such heading")

    def check_row(self, name, prefix, is_more, cells):
        if name in self.seen:
            self.wrong(f"{name} is listed twice")
        self.seen.add(name)
        if prefix != self.section:
            self.wrong(f"{name} is in section {self.section}")
        if not is_more and int(name[len(prefix):]) not in range(1, self.listed.get(prefix, 0) + 1):
            self.wrong(f"{name} is not in the list: what is more is {prefix}+1, {prefix}+2, …")
        if len(cells) != (2 if is_more else 3) or not cells[0]:
            self.wrong(f"{name} cannot be read: {'a sentence and tests' if is_more else 'a sentence, a status and tests'} are wanted")
            return
        status = "as promised" if is_more else cells[1]
        if status not in (*PROVEN, "not there yet") and not re.fullmatch(r"different: \[[^\]]+\]\([^)]+\)", status):
            self.wrong(f"{name} has the status '{status}', which is none of {', '.join(STATUSES)}")
        if cells[-1] == NO_TEST:
            if status in PROVEN:
                self.wrong(f"{name} names no test")
            return
        tests = tests_of(cells[-1])
        if tests is None:
            self.wrong(f"{name}: cannot be read: {cells[-1]}")
            return
        if status == "not there yet":
            self.wrong(f"{name} is not there yet, but names a test")
        for file, test in tests:
            if problem := self.suite.problem_with(file, test):
                self.wrong(f"{name}: {problem}")


def check(root, listed=LISTED):
    return Document(pathlib.Path(root), listed).check()


if __name__ == "__main__":
    sys.exit("\n".join(check(sys.argv[1])) or 0)
