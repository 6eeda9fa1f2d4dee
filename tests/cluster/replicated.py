"""Three replicas of posed behind nginx, on PostgreSQL with a hot standby and on Swift, with a proxy that can do harm between
them and Swift. What docker/cluster says is what runs: nginx' configuration and the standby's making are its files."""

import contextlib
import os
import subprocess
from pathlib import Path

from daemon import Daemon
from fault_proxy import FaultProxy
from nginx import balancer
from object_store import BUCKET, KEY_ID, SECRET, Swift
from postgres_pair import PostgresPair

REPLICAS = 3
TOKEN = "the-token-of-the-cluster"
DISK_SIZE = "64M"  # lists.db and its log take up to 30 MB after 10 minutes of uploads
# A disk of its own, as a user who is not root: in a name space of its own. It is gone with the process, as a machine's is.
OWN_DISK = ["unshare", "-rm", "sh", "-c", f'mount -t tmpfs -o size={DISK_SIZE} tmpfs "$0" && exec "$@"']


def can_have_disks():
    return subprocess.run([*OWN_DISK, "/mnt", "true"], capture_output=True, check=False).returncode == 0


class Replica(Daemon):
    def start(self):
        """Tried again, as an init system does: a start ends when the database does not answer in time."""
        for last in (False, False, True):
            try:
                return super().start()
            except AssertionError as error:
                if last or "no answer in time" not in str(error):
                    raise


class Site:
    """Use as a context. replicas: the daemons; client: through nginx; writes: the headers of what writes."""

    writes = {"Authorization": f"Bearer {TOKEN}"}

    def __init__(self, folder, *arguments):
        self.folder = Path(folder)
        self.arguments = arguments
        self.stack = contextlib.ExitStack()
        self.has_disks = can_have_disks()
        self.replicas = []

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_):
        self.stack.close()

    def start(self):
        self.swift = self.stack.enter_context(Swift(self.folder / "swift"))
        self.swift.make_bucket()
        self.proxy = self.stack.enter_context(FaultProxy(self.swift.ports["proxy"]))
        self.database = self.stack.enter_context(PostgresPair(self.folder / "pg"))
        (self.folder / "tokens").write_text(TOKEN + "\n")
        for number in range(REPLICAS):
            self.replicas.append(self.stack.enter_context(self.make_replica(number)))
        self.nginx = self.stack.enter_context(balancer([(one.client.host, one.client.port) for one in self.replicas]))
        self.client = self.nginx.client

    def disk(self, number):
        return self.folder / f"disk{number}"

    def make_replica(self, number):
        self.disk(number).mkdir()
        daemon = Replica("--data", self.disk(number), "--catalog", self.database.url, "--blobs", f"s3://{BUCKET}/site", "--s3-endpoint",
                        self.proxy.endpoint, "--blob-cache", "1M", "--picture-cache", "1M", "--trusted-proxy", "127.0.0.1",
                        "--token-file", self.folder / "tokens", *self.arguments)
        daemon.environment = {**os.environ, "AWS_ACCESS_KEY_ID": KEY_ID, "AWS_SECRET_ACCESS_KEY": SECRET}
        if self.has_disks:
            daemon.arguments = [*OWN_DISK, str(self.disk(number)), *daemon.arguments]
        return daemon
