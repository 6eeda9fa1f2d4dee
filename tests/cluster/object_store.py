"""OpenStack Swift with its S3 interface, all of it on loopback and in one folder, as the user who runs this: a proxy, an
account and a container server, three object servers with a copy of every object each."""

import http.client
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from s3_stub import signed

HERE = Path(__file__).resolve().parent
PACKAGES = ["swift-proxy", "swift-account", "swift-container", "swift-object", "memcached"]
KEY_ID, SECRET, BUCKET = "posed:posed", "posedsecret", "posed"
OBJECT_SERVERS = 3
START_SECONDS = 300  # a busy machine has its time

SERVER = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
user = {user}
swift_dir = {folder}
devices = {folder}/{name}
mount_check = false
disable_fallocate = true
workers = 0
log_level = WARNING

[pipeline:main]
pipeline = {kind}-server

[app:{kind}-server]
use = egg:swift#{kind}
"""

PROXY = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
user = {user}
swift_dir = {folder}
workers = 0
log_level = WARNING

[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats s3api tempauth copy slo versioned_writes proxy-server

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
node_timeout = 3
conn_timeout = 0.3

[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:{memcached}
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_posed_posed = posedsecret .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:versioned_writes]
use = egg:swift#versioned_writes
"""


def missing_packages():
    return [name for name in PACKAGES if not Path(f"/usr/share/doc/{name}").exists()]


def free_port():
    """A port that the kernel picks. Servers that cannot be handed a socket have to be told one."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Servers:
    """Use as a context: start() begins them, and stop() ends them, also if only some have begun."""

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()


class Swift(Servers):
    def __init__(self, folder):
        self.folder = Path(folder)
        self.processes = {}
        self.ports = {}
        self.endpoint = None

    def start(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "swift.conf").write_text(
            "[swift-hash]\nswift_hash_path_prefix = posed\nswift_hash_path_suffix = posed\n"
            "[storage-policy:0]\nname = default\ndefault = yes\n"
        )
        names = ["account", "container"] + [f"object{i}" for i in range(OBJECT_SERVERS)]
        for name in ["proxy", "memcached", *names]:
            self.ports[name] = free_port()
        user = os.environ.get("USER") or subprocess.check_output(["id", "-un"], text=True).strip()
        for name in names:
            kind = name.rstrip("0123456789")
            self.write(name, SERVER.format(port=self.ports[name], user=user, folder=self.folder, kind=kind, name=name))
        self.write("proxy", PROXY.format(port=self.ports["proxy"], user=user, folder=self.folder,
                                         memcached=self.ports["memcached"]))
        for kind in ("account", "container"):
            self.make_ring(kind, [(kind, 1)])
        self.make_ring("object", [(f"object{i}", i + 1) for i in range(OBJECT_SERVERS)])
        for name in ["memcached", *names, "proxy"]:
            self.start_one(name)
        self.endpoint = f"http://127.0.0.1:{self.ports['proxy']}"
        self.wait()

    def write(self, name, text):
        (self.folder / f"{name}.conf").write_text(text)

    def make_ring(self, kind, servers):
        builder = self.folder / f"{kind}.builder"
        run = lambda *words: subprocess.run(["swift-ring-builder", builder, *words], check=True, stdout=subprocess.DEVNULL)
        run("create", "4", str(OBJECT_SERVERS if kind == "object" else 1), "1")
        for name, zone in servers:
            (self.folder / name / "d1").mkdir(parents=True, exist_ok=True)
            run("add", f"r1z{zone}-127.0.0.1:{self.ports[name]}/d1", "1")
        run("rebalance")

    def start_one(self, name):
        log = open(self.folder / f"{name}.log", "ab")
        if name == "memcached":
            command = ["memcached", "-l", "127.0.0.1", "-p", str(self.ports[name]), "-m", "16"]
            if os.getuid() == 0:
                command += ["-u", "root"]
        else:
            kind = name.rstrip("0123456789")
            command = ["/usr/bin/python3", HERE / "swift_server.py", self.folder, kind, self.folder / f"{name}.conf"]
        self.processes[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def wait(self):
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                for name in ["proxy", "account", "container"] + [f"object{i}" for i in range(OBJECT_SERVERS)]:
                    path = "/healthcheck" if name == "proxy" else "/recon/version"
                    urllib.request.urlopen(f"http://127.0.0.1:{self.ports[name]}{path}", timeout=2).close()
                return
            except urllib.error.HTTPError:
                return  # it answers
            except OSError:
                for name, process in self.processes.items():
                    if process.poll() is not None:
                        raise RuntimeError(f"{name} has ended:\n{(self.folder / f'{name}.log').read_text()[-2000:]}") from None
                if time.monotonic() > deadline:
                    raise RuntimeError("Swift does not answer") from None
                time.sleep(0.1)

    def make_bucket(self):
        """Swift answers before all of it is awake."""
        deadline = time.monotonic() + START_SECONDS
        while (status := self.ask("PUT", f"/{BUCKET}")[0]) not in (200, 409):
            if time.monotonic() > deadline:
                raise RuntimeError(f"the bucket cannot be made: {status}")
            time.sleep(0.5)

    def ask(self, method, path, body=b""):
        """(status, bytes) of a signed request that goes by no proxy."""
        host = self.endpoint.partition("//")[2]
        connection = http.client.HTTPConnection(host, timeout=30)
        try:
            connection.request(method, path, body or None, signed(KEY_ID, SECRET, method, host, path, body=body))
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()

    def kill(self, name):
        self.processes[name].kill()
        self.processes[name].wait()

    def stop(self):
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = {}

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)
