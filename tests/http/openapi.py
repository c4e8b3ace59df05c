"""Somebody else's linter has nothing to say of both OpenAPI documents of a program that serves, and the
program does what they say: 5 000 requests by openapi_walk.mjs to version 1, 2 000 to BulkSharp's routes.

  openapi.py PROGRAM ROOT [REQUESTS]    skipped (77) where `scripts/setup --browser` has not been run
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

program, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
packages = root / ".deps/browser/node_modules"
if not shutil.which("node") or not (packages / "@redocly/openapi-core").is_dir():
    sys.exit(77)

CHECK = """
import { createRequire } from "node:module";
const { createConfig, lint } = createRequire(process.argv[2] + "/")("@redocly/openapi-core");
const config = await createConfig({ extends: ["recommended"] });
for (const ref of process.argv.slice(3))
  for (const { severity, ruleId, message, location } of await lint({ ref, config })) {
    console.log(ref, severity, ruleId, message, location?.[0]?.pointer);
    process.exitCode = 1;
  }
"""


# Uploads that the program takes: rows that succeed, fail, cannot be read and wait for a signal. A device is refused
# once, so many files have one of their own.
HEADER = "IMEI,customer,plan"
ROW = "35{:013},{},1"
SEEDS = {
    "type": "device-provisioning",
    "metadata": json.dumps({"requested_by": "ops"}),
    "files": ["\n".join([HEADER, *rows, ""]) for rows in (
        *[[ROW.format(i, "Ada") for i in range(5)]] * 30,
        *[[ROW.format(i, "refuse"), ROW.format(2, "Ada"), "x,Ada,1", "7,8"] for i in range(100, 160)],
        *[[ROW.format(i, "approve") for i in range(3)]] * 30)],
    "keys": [f"carrier-35{i:013}" for i in range(4)],
    "feeds": ["catalogue", "stock"],
    "rare": ["resumeRun"],  # only a consolidation that failed can be resumed, and none of these fails
}
requests = sys.argv[3] if len(sys.argv) > 3 else "5000"
environment = {name: value for name, value in os.environ.items() if not name.startswith("BULK_")}
with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    server = subprocess.Popen([program, "serve", "--port", "0", "--json"], text=True, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    try:
        url = json.loads(server.stdout.readline())["url"]
        for path, name in [("/api/v1/openapi.json", "new.json"), ("/openapi/v1.json", "older.json")]:
            with urllib.request.urlopen(url + path, timeout=60) as answer:
                pathlib.Path(name).write_bytes(answer.read())
        pathlib.Path("seeds.json").write_text(json.dumps(SEEDS))
        walks = [subprocess.run(["node", pathlib.Path(__file__).with_name("openapi_walk.mjs"), packages, name, url, count,
                                 "seeds.json"]).returncode
                 for name, count in [("new.json", requests), ("older.json", str(int(requests) * 2 // 5))]]
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=60)
    pathlib.Path("check.mjs").write_text(CHECK)
    checked = subprocess.run(["node", "check.mjs", str(packages), "new.json", "older.json"])
sys.exit(checked.returncode or max(walks))
