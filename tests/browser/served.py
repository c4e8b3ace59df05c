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
only = {"BULK_ONLY": os.environ["BULK_ONLY"]} if "BULK_ONLY" in os.environ else {}
with tempfile.TemporaryDirectory() as place:
    servers = []

    def serve(name, *more):
        """A server of its own storage; where it is."""
        folder = pathlib.Path(place) / name
        folder.mkdir()
        server = subprocess.Popen([program, "serve", "--port", "0", "--json", "--concurrency", "4", *more], text=True,
                                  env=bare, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        servers.append(server)
        return json.loads(server.stdout.readline())["url"] + "/"

    try:
        run = subprocess.run([node, str(root / "tests/browser/main.mjs")],
                             env={**bare, "BULK_BASE_URL": serve("open"),
                                  "BULK_GUARDED_URL": serve("guarded", "--token", "anna:operate+files:secret-of-the-operator",
                                                            "--token", "grafana:read:secret-of-the-reader"),
                                  "BULK_BROWSER": str(packages), "BULK_CHROMIUM": chromium,
                                  "BULK_SCREENSHOTS": str(screenshots), **only})
    finally:
        for server in servers:
            server.send_signal(signal.SIGINT)
        for server in servers:
            server.wait(timeout=60)
sys.exit(run.returncode)
