"""The dashboard in a browser, against the mock or, with BULK_BASE_URL, against a server. Skipped (77)
where `scripts/setup --browser` has not been run."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

root, screenshots = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
chromium, node = shutil.which("chromium"), shutil.which("node")
packages = root / ".deps/browser"
if not (chromium and node and (packages / "stamp").is_file()):
    print("no browser: run scripts/setup --browser")
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.executable, str(root / "scripts/dashboard"), "--directory", folder], check=True)
    environment = {
        "BULK_SCREENSHOTS": str(screenshots),
        **os.environ,
        "BULK_DASHBOARD": folder,
        "BULK_BROWSER": str(packages),
        "BULK_CHROMIUM": chromium,
    }
    sys.exit(subprocess.run([node, str(root / "tests/browser/main.mjs")], env=environment).returncode)
