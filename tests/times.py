"""Where the time of a build and of its tests went.

  times.py BUILD   prints two tables, longest first: what the jobs of the last build of each target took, and what
                   the tests of the last run took; both in seconds, summed over jobs that ran at the same time
"""

import collections
import json
import pathlib
import re
import sys


def group_of(output):
    """What a target belongs to, by the path of its output."""
    folder, _, name = output.rpartition("/")
    if output.endswith((".pch", ".gch")):
        return "precompiled headers"
    if not pathlib.Path(name).suffix:
        return "linking"
    if output.startswith("tests/fail/"):
        return "must not compile"
    if output.startswith("tests/headers/"):
        return "headers"
    if name.endswith(".checked"):
        return "documents"
    if test := re.match(r"tests/([a-z]+)[a-z0-9_]*\.p/", output):
        return f"tests of {test[1]}"
    if folder.endswith(".a.p") or name.endswith(".a"):
        return "libraries"
    return folder.split("/")[0] if folder else "other"


def build_seconds(build):
    """Of each group; a target that was built again counts once, a job with several outputs too."""
    newest = {}
    for line in (build / ".ninja_log").read_text().splitlines()[1:]:
        start, end, _, output, command = line.split("\t")
        newest[output] = (int(start), int(end), command)
    jobs = {}
    for output, job in newest.items():
        jobs.setdefault(job, output)
    seconds = collections.Counter()
    for (start, end, _), output in jobs.items():
        if (build / output).exists():  # not of a target that has been removed since
            seconds[group_of(output)] += (end - start) / 1000
    return seconds


def test_seconds(build):
    """Of each suite in the last run."""
    seconds = collections.Counter()
    log = build / "meson-logs/testlog.json"
    for line in log.read_text().splitlines() if log.exists() else []:
        test = json.loads(line)
        suite, _, _ = test["name"].rpartition(" / ")
        seconds[suite.partition(":")[2] or "no suite"] += test["duration"]
    return seconds


def table(title, seconds):
    whole = sum(seconds.values())
    print(f"{title:<24}{'seconds':>9}{'share':>8}")
    for group, took in [*seconds.most_common(), ("all", whole)]:
        print(f"  {group:<22}{took:>9.1f}{took / (whole or 1):>8.0%}")


if __name__ == "__main__":
    directory = pathlib.Path(sys.argv[1])
    table("build", build_seconds(directory))
    print()
    table("tests", test_seconds(directory))
