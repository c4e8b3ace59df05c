"""How the build compiles a program of a user."""

import json
import pathlib
import shlex
import sys


def user_flags(build):
    """The compiler's command for the first example in the build directory, without its files."""
    for entry in json.loads(pathlib.Path(build, "compile_commands.json").read_text()):
        if entry["file"].endswith("01_declare.cpp"):
            words = shlex.split(entry["command"])
            break
    else:
        sys.exit(f"no example in {build}/compile_commands.json")
    kept = []
    while words:
        word = words.pop(0)
        if word in ("-o", "-MF", "-MQ"):
            words.pop(0)
        elif word not in ("ccache", "-c", "-MD") and not word.endswith("01_declare.cpp"):
            kept.append(word)
    return kept
