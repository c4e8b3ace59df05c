"""The scenarios of the dashboard against a program that serves it, instead of the mock.

  served.py PROGRAM ROOT SCREENSHOTS    skipped (77) where `scripts/setup --browser` has not been run
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

program, root, screenshots = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
packages = root / ".deps/browser"
chromium, node = shutil.which("chromium"), shutil.which("node")
if not (chromium and node and (packages / "stamp").is_file()):
    sys.exit(77)

bare = {name: value for name, value in os.environ.items() if not name.startswith("BULK_")}
with tempfile.TemporaryDirectory() as place:
    server = subprocess.Popen([program, "serve", "--port", "0", "--json", "--concurrency", "4"], text=True, env=bare,
                              cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    try:
        url = json.loads(server.stdout.readline())["url"]
        run = subprocess.run([node, str(root / "tests/browser/main.mjs")],
                             env={**bare, "BULK_BASE_URL": url + "/", "BULK_BROWSER": str(packages),
                                  "BULK_CHROMIUM": chromium, "BULK_SCREENSHOTS": str(screenshots)})
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=60)
sys.exit(run.returncode)
