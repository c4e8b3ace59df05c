"""How the build compiles a program of a user."""

import json
import pathlib
import shlex
import sys


def user_flags(build, example="01_declare"):
    """The compiler's command for an example in the build directory, without its files."""
    source = example + ".cpp"
    for entry in json.loads(pathlib.Path(build, "compile_commands.json").read_text()):
        if entry["file"].endswith(source):
            words = shlex.split(entry["command"])
            break
    else:
        sys.exit(f"no {source} in {build}/compile_commands.json")
    kept = []
    while words:
        word = words.pop(0)
        if word in ("-o", "-MF", "-MQ"):
            words.pop(0)
        elif word not in ("ccache", "-c", "-MD") and not word.endswith(source):
            kept.append(word)
    return kept
