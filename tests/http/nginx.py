"""The configuration of docs/guide/api.md works: uploads, downloads and events go through nginx as they should.

  nginx.py PROGRAM ROOT    skipped (77) where nginx is not installed
"""

import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

program, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
if not nginx:
    sys.exit(77)
problems = []
environment = {name: value for name, value in os.environ.items() if not name.startswith("BULK_")}
TOKEN = "a secret of sixteen"


def expect(what, holds, *said):
    if not holds:
        problems.append(f"{what}: {said}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def documented(port, behind):
    """The block of the guide, on a port without TLS and in front of the program's own."""
    text = (root / "docs/guide/api.md").read_text()
    block = re.search(r"```\n(server \{.*?\n\})\n```", text, re.DOTALL).group(1)
    block = block.replace("listen 443 ssl", f"listen 127.0.0.1:{port}").replace("127.0.0.1:8080", f"127.0.0.1:{behind}")
    return ("daemon off; pid nginx.pid; error_log error.log;\nevents {}\nhttp { access_log off;\n"
            + "".join(f"{kind}_temp_path {kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
            + block + "\n}\n")


def ask(port, method, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, {"Host": "bulk.example.org", "Authorization": f"Bearer {TOKEN}", **named})
    return connection.getresponse()


with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    server = subprocess.Popen([program, "serve", "--port", "0", "--json", "--host", "bulk.example.org",
                               "--token", f"anna:operate+files:{TOKEN}"], text=True, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    behind = int(json.loads(server.stdout.readline())["url"].rsplit(":", 1)[1])
    port = free_port()
    pathlib.Path("nginx.conf").write_text(documented(port, behind))
    proxy = subprocess.Popen([nginx, "-p", place, "-c", "nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.1)
        stream = ask(port, "GET", "/api/v1/events/stream")
        expect("a stream begins", stream.status == 200 and stream.readline().startswith(b"retry"), stream.status)
        rows = "IMEI,customer,region,plan,roaming\n" + "".join(
            f"35{number:013},anna,north,1,false\n" for number in range(20_000))
        made = ask(port, "POST", "/api/v1/operations?type=device-provisioning&file_name=d.csv&metadata="
                   "%7B%22requested_by%22%3A%22proxy%22%7D", rows.encode(), Content_Type="text/csv")
        operation = json.loads(made.read())
        expect("an upload goes through", made.status == 202 and operation["created_by"] == "anna", operation)
        while (line := stream.readline()) and not line.startswith(b"event: created"):
            pass
        expect("its event comes while the stream goes on", line.startswith(b"event: created"), line)
        file = ask(port, "GET", f"/api/v1/operations/{operation['id']}/file", Range="bytes=0-3")
        expect("so do ranges", file.status == 206 and file.read() == b"IMEI", file.status)
        page = ask(port, "GET", "/", Accept="text/html")
        expect("the page is there", page.status == 200, page.status)
        stranger = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        stranger.request("GET", "/api/v1", headers={"Host": "evil.example"})
        expect("another name is not ours", stranger.getresponse().status == 421)
        ask(port, "POST", f"/api/v1/operations/{operation['id']}/cancel", b"{}", Content_Type="application/json").read()
    finally:
        proxy.terminate()
        proxy.wait(timeout=60)
        server.send_signal(signal.SIGINT)
        server.wait(timeout=60)
sys.exit("\n".join(problems) or 0)
