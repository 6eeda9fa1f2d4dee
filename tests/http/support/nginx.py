"""A real nginx, as whoever runs this, with a configuration of its own in a folder of its own."""

import re
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from client import Client
from contract import ROOT
from daemon import Daemon

TEMPLATE = ROOT / "docker" / "cluster" / "templates" / "posed.conf.template"
START_SECONDS = 30
START_TRIES = 5  # another program may have taken the port

AROUND = """
daemon off;
master_process off;
pid {top}/pid;
error_log {top}/error.log warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {top}/body;
    proxy_temp_path {top}/proxy;
    fastcgi_temp_path {top}/fastcgi;
    uwsgi_temp_path {top}/uwsgi;
    scgi_temp_path {top}/scgi;
{inside}
}}
"""


def free_port():
    with socket.socket() as stream:
        stream.bind(("127.0.0.1", 0))
        return stream.getsockname()[1]


def fill_in(template, values):
    """As nginx's image does: what is known of ${NAME}; the rest is nginx's own."""
    return re.sub(r"\$\{(\w+)\}", lambda found: values.get(found.group(1), found.group(0)), template)


class Nginx:
    """inside(port, folder): the text of http{} that listens on that port of loopback."""

    def __init__(self, inside):
        self.folder = tempfile.TemporaryDirectory(prefix="posed-nginx-")
        self.inside = inside
        for attempt in range(START_TRIES):
            if self.start(free_port()):
                return
        raise AssertionError(f"nginx does not listen:\n{self.errors()}")

    def start(self, port):
        top = self.folder.name
        path = Path(top) / "nginx.conf"
        path.write_text(AROUND.format(top=top, inside=self.inside(port, top)))
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        self.process = subprocess.Popen([program, "-c", str(path), "-e", f"{top}/error.log"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.client = Client(("127.0.0.1", port), Daemon.contract)
        deadline = time.monotonic() + START_SECONDS
        while self.process.poll() is None and time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=10).close()
                return self.process.poll() is None
            except OSError:
                time.sleep(0.05)
        self.process.kill()
        self.process.wait()
        return False

    def errors(self):
        path = Path(self.folder.name) / "error.log"
        return path.read_text(errors="replace")[-4000:] if path.exists() else ""

    def stop(self):
        self.client.close()
        self.process.terminate()
        self.process.wait(20)
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def balancer(addresses):
    """nginx before three replicas (host, port), as docker/cluster has it."""
    def inside(port, folder):
        values = {f"POSED_REPLICA_{i + 1}": f"{host}:{number}" for i, (host, number) in enumerate(addresses)}
        values |= {"POSED_LISTEN": f"127.0.0.1:{port}", "POSED_CACHE": f"{folder}/cache", "POSED_CACHE_SIZE": "64m"}
        return fill_in(TEMPLATE.read_text(), values)
    return Nginx(inside)
