"""Runs the commands of a session and fails when they say anything but what the file says.

A session is a text as a terminal shows it: lines that begin with "$ " are given to a shell, in an empty
directory, with PROGRAM in its path; what follows is what they print, and "exit CODE" unless that is 0.
Ids, moments and times taken differ from run to run: they are shown as ID, MOMENT and TIME.

  compare_session.py SESSION PROGRAM            compares
  compare_session.py SESSION PROGRAM --update   writes down what was said
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def normalized(text):
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "ID", text)
    text = re.sub(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+Z)?", "MOMENT", text)
    return re.sub(r"\bin (\d+ ms|\d+\.\d+ s)", "in TIME", text)


def said(command, directory, path):
    environment = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}"}
    for name in [each for each in environment if each.startswith("BULK_")]:
        del environment[name]
    run = subprocess.run(command, shell=True, cwd=directory, env=environment, text=True, timeout=60,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    return normalized(run.stdout) + (f"exit {run.returncode}\n" if run.returncode else "")


session, program, *update = sys.argv[1:]
expected = pathlib.Path(session).read_text().splitlines(keepends=True)
printed = []
with tempfile.TemporaryDirectory() as directory:
    for line in expected:
        if line.startswith("$ "):
            printed.append(line)
            path = pathlib.Path(program).resolve().parent
            printed += said(line[2:], directory, path).splitlines(keepends=True)
if update:
    pathlib.Path(session).write_text("".join(printed))
    sys.exit(0)
sys.stdout.writelines(difflib.unified_diff(expected, printed, session, "said"))
sys.exit(printed != expected)
