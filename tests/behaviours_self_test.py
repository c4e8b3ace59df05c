"""Feeds behaviours.py documents and tests with one mistake each: every mistake must be reported, and nothing else."""

import pathlib
import sys
import tempfile

from behaviours import check

LISTED = {"A": 2}
DOCUMENT = """# Behaviours
## A. Operations
| | behaviour | status | proven by |
|---|---|---|---|
| A1 | One. | as promised | `good.cpp`: it adds |
| A2 | Two. | different: [decision 1](decisions/0001-one.md#why) | – |

### More
| | behaviour | proven by |
|---|---|---|
| A+1 | Three. | `good.cpp`: it adds<br>`fail/bad.cpp` |
"""
GOOD = '''#include "helper.hpp"
suite<"sums"> sums = [] {
    "it adds"_test = [] { expect(sum(1, 1) == 2_i) << "} ;"; };
    "a name of "
    "two parts"_test = [] { expect(that % 1'000 == limit); };
    "with a helper"_test = [] { must_be(1); };
    "with a helper of another file"_test = [] { everything_holds(2); };
    "with a named lambda"_test = [] {
        const auto agree = [&](int value) -> bool { expect(value == 1_i); return true; };
        agree(1);
    };
    "by a function"_test = whole_test;
    "for each"_test = [](int each) { expect(each > 0_i); } | std::vector{1, 2};
    "a throw"_test = [] { throws<std::exception>([] { throw 1; }); };
    "a build"_test = [] { static_assert(sizeof(int) == 4); };
    "raw strings"_test = [] { const auto text = R"x(; } ")x"; expect(text[0] == ';'); };
    "characters"_test = [] { expect(read('"') == '}' && read('\\'') == '{'); };
    "nothing"_test = [] {};
    "a comment"_test = [] {
        // expect(false);
        /* expect(false); */
    };
    "a string"_test = [] { print("expect(1 == 2)"); };
    "a raw string"_test = [] { print(R"(expect(1 == 2))"); };
    "not to be reached"_test = [] { if (one != 1) expect(fatal(false)) << "no"; };
    "always true"_test = [] { expect(true); };
    "always true, in other words"_test = [] { expect(fatal(bool{!false})) << one; };
    "of constants"_test = [] { expect(that % 1'000 == 1000_i); };
    "a build of constants"_test = [] { static_assert(1 + 1 == 2, "it adds"); };
    "a helper of constants"_test = [] { says_so(1); };
    "a member that checks itself"_test = [] { audit at; at.look(1); (&at)->look(2); };
    "a helper without"_test = [] { prints(1); };
    "a helper that calls itself"_test = [] { again(1); };
    "ends before the next"_test = [] { run(1); };
    "the next"_test = [] { expect(one == 1_i); };
    "of one name"_test = [] { expect(one == 1_i); };
    "of one name"_test = [] {};
};
'''
HELPER = '''#include "deeper.hpp"
inline void must_be(int value) { expect(value == 1_i); }
inline void whole_test() { expect(one == 1_i); }
inline void says_so(int value) { expect(true) << value; }
inline void prints(int value) { std::puts("expect("); if (value) return; }
inline void again(int value) { again(value - 1); }
'''
DEEPER = "struct audit { void look(int value) const noexcept { expect(value > 0_i); } };\n" \
         "template <typename T> auto everything_holds(T value) -> void { must_look(value); }\n" \
         "inline void must_look(int value) { expect(value > 0_i); }\n"
FILES = {
    "docs/behaviours.md": DOCUMENT,
    "docs/decisions/0001-one.md": "# One\n\n## Why\n",
    "tests/meson.build": "foreach name : ['good', 'program', 'silent', 'checks.py', 'silent.py']\n",
    "tests/fail/meson.build": "foreach name : ['bad', 'wordless', 'faultless']\n",
    "tests/good.cpp": GOOD,
    "tests/helper.hpp": HELPER,
    "tests/deeper.hpp": DEEPER,
    "tests/loose.cpp": '"it adds"_test = [] { expect(1 == 1_i); };\n',
    "tests/program.cpp": "int main() { const int failed = run(); return failed == 0 ? 0 : 1; }\n",
    "tests/silent.cpp": "int main() { run(); return 0; }  // return failed == 0 ? 0 : 1;\n",
    "tests/fail/bad.cpp": "// expect: no\n#ifdef BULK_EXPECT_FAIL\n#endif\n",
    "tests/fail/wordless.cpp": "// expect: \n#ifdef BULK_EXPECT_FAIL\n#endif\n",
    "tests/fail/faultless.cpp": "// expect: no\n// BULK_EXPECT_FAIL\n",
    "tests/checks.py": "import sys\nproblems = []\n\n\ndef expect(holds):\n    if not holds:\n        problems.append('no')\n\n\n"
                       "def adds():\n    expect(1 + 1 == 2)\n\n\ndef only_says():\n    print('assert 1 == 2')  # assert 1 == 2\n\n\n"
                       "sys.exit('\\n'.join(problems) or 0)\n",
    "tests/silent.py": "import sys\nprint('assert 1')\nsys.exit(0)\n",
    "tests/browser/main.mjs": 'const story = ["adds", "silent", "byHelper"];\n',
    "tests/browser/scenarios.mjs": "export async function adds({ checks }) {\n  checks.ok(1 + 1 === 2, `it's }`);\n}\n"
                                   "export async function silent({ checks }) {\n  // checks.ok(false)\n}\n"
                                   "const ended = async (page) => page.locator('h1').waitFor();\n"
                                   "export async function byHelper({ page }) {\n  await ended(page);\n}\n"
                                   "export async function unlisted({ checks }) {\n  checks.ok(false);\n}\n",
}
problems = []


def report_of(changes):
    with tempfile.TemporaryDirectory() as place:
        for name, text in (FILES | changes).items():
            path = pathlib.Path(place) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check(place, LISTED)


def expect_report(what, old, new, *said):
    """With `new` for `old` in the document exactly `said` is reported, a piece of text for each problem."""
    if old not in DOCUMENT:
        problems.append(f"{what}: the document has no {old}")
    report = report_of({"docs/behaviours.md": DOCUMENT.replace(old, new)})
    if len(report) != len(said) or not all(text in line for text, line in zip(said, report)):
        problems.append(f"{what}: reported {report} instead of {list(said)}")


def accepts(test):
    expect_report(test, "`good.cpp`: it adds |", f"{test} |")


def refuses(test, said):
    expect_report(test, "`good.cpp`: it adds |", f"{test} |", said)


accepts("`good.cpp`: it adds")
for name in ("a name of two parts", "with a helper", "with a helper of another file", "with a named lambda", "by a function",
             "for each", "a throw", "a build", "raw strings", "characters", "not to be reached"):
    accepts(f"`good.cpp`: {name}")
for name in ("nothing", "a comment", "a string", "a raw string", "always true", "always true, in other words", "of constants",
             "a build of constants", "a helper of constants", "a member that checks itself", "a helper without", "a helper that calls itself",
             "ends before the next", "of one name"):
    refuses(f"`good.cpp`: {name}", f"good.cpp: '{name}' asserts nothing")
refuses("`good.cpp`: it subtracts", "good.cpp has no test 'it subtracts'")
refuses("`absent.cpp`: it adds", "there is no tests/absent.cpp")
refuses("`loose.cpp`: it adds", "no part of the test suite")
accepts("`program.cpp`")
refuses("`silent.cpp`", "silent.cpp asserts nothing")
refuses("`fail/wordless.cpp`", "does not begin with the text")
refuses("`fail/faultless.cpp`", "has no mistake to refuse")
refuses("`fail/bad.cpp`: it adds", "name the file alone")
accepts("`checks.py`")
accepts("`checks.py`: adds")
refuses("`checks.py`: only_says", "'only_says' asserts nothing")
refuses("`checks.py`: subtracts", "has no function 'subtracts'")
refuses("`silent.py`", "silent.py asserts nothing")
accepts("`browser/scenarios.mjs`: adds")
accepts("`browser/scenarios.mjs`: byHelper")
refuses("`browser/scenarios.mjs`: silent", "'silent' asserts nothing")
refuses("`browser/scenarios.mjs`: unlisted", "not among the scenarios")
refuses("`browser/scenarios.mjs`: absent", "has no scenario 'absent'")
refuses("`good.cpp`: it adds<br>`good.cpp`: nothing", "'nothing' asserts nothing")
refuses("good.cpp: it adds", "cannot be read")

expect_report("a row twice", "| A2 |", "| A1 | One. | better | `good.cpp`: it adds |\n| A2 |", "A1 is listed twice")
expect_report("more, twice", "| A+1 |", "| A+1 | Four. | `good.cpp`: it adds |\n| A+1 |", "A+1 is listed twice")
expect_report("a row too few", "| A2 |", "| |", "not listed: A2")
expect_report("a row too many", "| A2 |", "| A3 | Five. | better | `good.cpp`: it adds |\n| A2 |", "A3 is not in the list")
expect_report("another section", "## A. Operations", "## B. Steps", "A1 is in section B", "A2 is in section B", "A+1 is in section B")
expect_report("no status", "| as promised |", "|", "A1 cannot be read")
expect_report("another status", "| as promised |", "| perhaps |", "A1 has the status 'perhaps'")
expect_report("no test", "| as promised | `good.cpp`: it adds |", "| in part | – |", "A1 names no test")
expect_report("not there yet", "| as promised | `good.cpp`: it adds |", "| not there yet | – |")
expect_report("not there, with a test", "| as promised |", "| not there yet |", "A1 is not there yet, but names a test")
expect_report("different without a link", "different: [decision 1](decisions/0001-one.md#why)", "different", "A2 has the status 'different'")
expect_report("a link to nothing", "0001-one.md#why", "0002-two.md", "links decisions/0002-two.md, which does not exist")
expect_report("a heading that is not there", "#why", "#who", "has no such heading")
expect_report("an id that cannot be read", "| A2 |", "|A2|", "cannot be read", "not listed: A2")
sys.exit("\n".join(problems) or 0)
