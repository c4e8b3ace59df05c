"""Runs a program and fails when it does not succeed or prints anything but the expected file."""

import difflib
import pathlib
import subprocess
import sys

expected_file, *command = sys.argv[1:]
expected = pathlib.Path(expected_file).read_text().splitlines(keepends=True)
run = subprocess.run(command, capture_output=True, text=True)
printed = run.stdout.splitlines(keepends=True)
sys.stdout.writelines(difflib.unified_diff(expected, printed, expected_file, "printed"))
sys.stderr.write(run.stderr)
sys.exit(run.returncode or (printed != expected))
