"""What a request costs beside the same done by hand: one commit and one PUT, one GET, a local file. Milliseconds, medians."""

import http.client
import select
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from daemon import Daemon
from load import make_clip
from object_store import BUCKET, KEY_ID, SECRET
from s3_stub import signed

TIMES = 40


def timed(call):
    began = time.monotonic()
    call()
    return (time.monotonic() - began) * 1000


class Store:
    """The object store by one connection that is kept, by the way that posed takes."""

    def __init__(self, endpoint):
        self.host = endpoint.partition("//")[2]
        self.connection = http.client.HTTPConnection(self.host, timeout=60)

    def ask(self, method, key, body=b""):
        path = f"/{BUCKET}/{key}"
        self.connection.request(method, path, body or None, signed(KEY_ID, SECRET, method, self.host, path, body=body))
        reply = self.connection.getresponse()
        data = reply.read()
        assert reply.status in (200, 201, 204), f"{method} {key}: {reply.status}"
        return data


class Sql:
    """psql, kept: an insertion is one commit."""

    def __init__(self, pair):
        pair.query(pair.primary, "CREATE TABLE IF NOT EXISTS costs_of_a_commit (number int PRIMARY KEY)")
        self.process = subprocess.Popen(
            pair.command("psql", "-XAtq", "-U", "posed", "-d", "posed"), env=pair.environment(pair.primary), text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def insert(self, number):
        self.process.stdin.write(f"INSERT INTO costs_of_a_commit VALUES ({number});\nSELECT 'done';\n")
        self.process.stdin.flush()
        assert select.select([self.process.stdout], [], [], 60)[0] and self.process.stdout.readline() == "done\n"

    def close(self):
        self.process.stdin.write("DROP TABLE costs_of_a_commit;\n")
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


class Costs:
    def __init__(self, site, sample):
        self.site, self.sample = site, sample

    def upload(self):
        client, store, sql = self.site.replicas[0].client, Store(self.site.proxy.endpoint), Sql(self.site.database)
        uploads, puts, commits = [], [], []
        for number in range(TIMES):
            data = make_clip(self.sample, -100 - number)
            upload = lambda: client.request("POST", "/v1/archives?name=cost.anim", body=data, headers=self.site.writes)
            uploads.append(timed(upload))
            puts.append(timed(lambda: store.ask("PUT", f"by-hand/{number}", data)))
            commits.append(timed(lambda: sql.insert(number)))
        sql.close()
        self.upload_ms, self.put_ms, self.commit_ms = map(statistics.median, (uploads, puts, commits))

    def pose(self, load):
        """Of a replica that has nothing: fetched, verified, decoded."""
        client, store = self.site.replicas[0].client, Store(self.site.proxy.endpoint)
        client.close()  # that connection was of before the start
        clips = [load.clips[name] for name in load.there if name not in load.leaving][:TIMES]
        poses, gets = [], []
        for number, clip in enumerate(clips):
            poses.append(timed(lambda: client.request("GET", f"/v1/clips/{clip}/pose?t=0.5", check=False)))
            gets.append(timed(lambda: store.ask("GET", f"by-hand/{number % TIMES}")))
        self.pose_ms, self.get_ms, self.local_ms = statistics.median(poses), statistics.median(gets), self.local()

    def local(self):
        with tempfile.TemporaryDirectory(prefix="posed-local-") as folder:
            for number in range(TIMES):
                (Path(folder) / f"clip{number}.anim").write_bytes(make_clip(self.sample, number))
            with Daemon(folder) as daemon:
                clips = [item["id"] for item in daemon.client.items("/v1/clips", limit=200)]
                return statistics.median(timed(lambda: daemon.client.get(f"/v1/clips/{clip}/pose?t=0.5")) for clip in clips)
