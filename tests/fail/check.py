"""Programs that must not compile, and must say why in our words.

  check.py compile SOURCE RESULT DEPFILE BUILD [PRECOMPILED ...]
                          compiles SOURCE twice and keeps what the compiler said in RESULT; BUILD is
                          the build directory
  check.py judge RESULT   decides about it

As it is, SOURCE must compile; with -DBULK_EXPECT_FAIL it must not, and the first error must hold
the text after `// expect: ` on SOURCE's first line. Compiling is a build step, so that it is done
again only when a header changed.
"""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from precompiled import borrow
from user_flags import user_flags


def compile_twice(source, result, depfile, build, *precompiled):
    command = [*user_flags(build), *borrow(source, precompiled), "-fdiagnostics-color=never", "-fsyntax-only", source]
    good = subprocess.run([*command, "-MD", "-MF", depfile, "-MT", result], capture_output=True, text=True)
    if not pathlib.Path(depfile).exists():  # a header is missing: no result, so that it is tried again
        sys.exit(good.stderr)
    bad = subprocess.run([*command, "-DBULK_EXPECT_FAIL"], capture_output=True, text=True)
    expected = pathlib.Path(source).read_text().splitlines()[0].removeprefix("// expect: ")
    pathlib.Path(result).write_text(json.dumps({
        "expected": expected,
        "good": [good.returncode, good.stderr],
        "bad": [bad.returncode, bad.stderr],
    }))


def judge(result):
    said = json.loads(pathlib.Path(result).read_text())
    (good, good_text), (bad, bad_text) = said["good"], said["bad"]
    if good:
        sys.exit("without the mistake it should compile:\n" + good_text)
    if not bad:
        sys.exit("with the mistake it should not compile, but does")
    first = next((line for line in bad_text.splitlines() if " error: " in line), "")
    print(first)
    if said["expected"] not in first:
        sys.exit(f"the first error should say '{said['expected']}':\n{bad_text}")


{"compile": compile_twice, "judge": judge}[sys.argv[1]](*sys.argv[2:])
