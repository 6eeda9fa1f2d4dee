"""2,000 idle connections and 64 busy ones: cached poses at a steady rate beside cold decodes, uploads and deletions. Only
what is documented may be refused, and nothing may grow. POSED_LOAD_SECONDS says for how long; figures are printed, and
none of a time is judged."""

import collections
import http.client
import json
import multiprocessing
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from daemon import Daemon
from test_load import big_clip
from test_options import connect
from uploads import WAVE, sample

SECONDS = float(os.environ.get("POSED_LOAD_SECONDS", "10"))
SANITIZED = bool(os.environ.get("POSED_SANITIZE"))
IDLE = 300 if SANITIZED else 2000
POSES, RATE = 16, 400  # connections of the cached poses, and requests a second on all of them
UPLOADERS, DECODERS = 16, 32
MIB = 1 << 20
FINE = {200, 201, 204}
REFUSED = {429, 503}


def request(connection, method, path, body=None):
    connection.request(method, path, body=body)
    reply = connection.getresponse()
    return reply.status, reply.read()


def upload_and_delete(connection, number, wave, count):
    """A clip of its own goes in, is looked at, and goes out again."""
    data = wave[:4] + struct.pack("<i", random.randrange(6)) + wave[8:] + struct.pack("<Q", number << 40 | count)
    status, body = request(connection, "POST", f"/v1/archives?name=clip{number}.anim", data)
    yield status
    if status in FINE:
        archive = json.loads(body)
        yield request(connection, "GET", f"/v1/clips/{archive['clips'][0]['id']}/pose?t=0.3")[0]
        while (status := request(connection, "DELETE", f"/v1/archives/{archive['id']}")[0]) in REFUSED:
            yield status
        yield status


def decode_cold(connection, clips):
    """A clip that is no longer in the cache, most of the time."""
    clip = random.choice(clips)
    yield request(connection, "GET", f"/v1/clips/{clip}/pose?t={random.random():.3f}&skeleton=none")[0]


def work(address, end, kind, number, clips, wave, counts):
    connection = http.client.HTTPConnection(*address, timeout=60)
    count = 0
    while time.monotonic() < end:
        count += 1
        steps = upload_and_delete(connection, number, wave, count) if kind == "upload" else decode_cold(connection, clips)
        try:
            for status in steps:
                counts[kind, status] += 1
        except (OSError, http.client.HTTPException) as error:
            counts[kind, repr(error)] += 1
            connection.close()
        time.sleep(0.01)
    connection.close()


def process(address, seconds, kind, numbers, clips, wave, results):
    """As many threads as numbers, in a process of their own."""
    counts = collections.Counter()
    end = time.monotonic() + seconds
    threads = [threading.Thread(target=work, args=(address, end, kind, n, clips, wave, counts)) for n in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put(dict(counts))


class Soak(unittest.TestCase):
    def setUp(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = IDLE + 256
        if hard != resource.RLIM_INFINITY and hard < wanted:
            self.skipTest(f"{hard} open files are too few")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        self.load = Path(Daemon.binary).resolve().parents[1] / "tests" / "bench" / "posed-load"
        top = tempfile.TemporaryDirectory()
        self.addCleanup(top.cleanup)
        self.top = Path(top.name)
        (self.top / "cold").mkdir()
        for k in range(40):
            (self.top / "cold" / f"cold{k}.anim").write_bytes(big_clip(k, 20_000))

    def descriptors(self, daemon):
        return len(os.listdir(f"/proc/{daemon.process.pid}/fd"))

    def settle(self, daemon, wanted):
        deadline = time.monotonic() + 30
        while (found := self.descriptors(daemon)) > wanted and time.monotonic() < deadline:
            time.sleep(0.1)
        return found

    def test_many_clients(self):
        arguments = ("--data", self.top / "data", "--cache-size", "16M", "--idle-timeout", "10m", "--threads", "2")
        with Daemon(*arguments, Daemon.samples, self.top / "cold") as daemon:
            clips = daemon.client.items("/v1/clips", q="cold")
            hot = daemon.client.items("/v1/clips", name="walk", format="sl-anim")[0]["id"]
            cold = [clip["id"] for clip in clips]
            daemon.client.close()
            before = self.descriptors(daemon)
            held = [connect(daemon.client) for _ in range(IDLE)]
            counts, figures, memory = self.run_load(daemon, cold, hot)
            self.still_there(held)
            for stream in held:
                stream.close()
            after = self.settle(daemon, before)
            print(f"\n{IDLE} idle, 64 busy, {SECONDS:.0f} s: {dict(sorted(counts.items(), key=str))}; cached poses, open loop: "
                  f"{figures}; RSS {[m // MIB for m in memory]} MiB; descriptors {before} -> {after}", file=sys.stderr)
            for (kind, status), count in counts.items():
                self.assertIn(status, FINE | REFUSED, f"{count} times at {kind}")
            self.assertGreater(counts["upload", 201], 10)
            self.assertGreater(counts["decode", 200], 10)
            self.assertEqual(figures["errors"], 0)
            self.assertGreater(daemon.client.metric("posed_cache_evictions_total", cache="clips"), 10)
            self.assertEqual(daemon.client.metric("posed_store_bytes"), 0)
            daemon.client.close()
            self.assertLessEqual(after, before + 1)
            if not SANITIZED:
                # Half of the time for what grows once: caches, pools, the allocator's arenas.
                self.assertLess(memory[-1], memory[len(memory) // 2] + 24 * MIB, memory)

    def run_load(self, daemon, cold, hot):
        address, results = (daemon.client.host, daemon.client.port), multiprocessing.Queue()
        wave = sample(WAVE)
        groups = [("upload", range(UPLOADERS)), ("decode", range(DECODERS // 2)), ("decode", range(DECODERS // 2))]
        workers = [multiprocessing.Process(target=process, args=(address, SECONDS, kind, numbers, cold, wave, results))
                   for kind, numbers in groups]
        targets = [f"/v1/clips/{hot}/pose?t=0.{k}&skeleton=none" for k in range(10)]
        poses = subprocess.Popen([self.load, str(address[1]), str(SECONDS), str(POSES), str(RATE), *targets],
                                 stdout=subprocess.PIPE, text=True)
        for worker in workers:
            worker.start()
        memory, end = [], time.monotonic() + SECONDS
        while time.monotonic() < end:
            time.sleep(SECONDS / 20)
            memory.append(daemon.resident_bytes())
        counts = collections.Counter()
        for _ in workers:
            counts.update(results.get(timeout=120))
        for worker in workers:
            worker.join()
        output, _ = poses.communicate(timeout=120)
        return counts, json.loads(output), memory

    def still_there(self, held):
        """The idle ones were not dropped, and each is answered."""
        for stream in held[:: max(1, len(held) // 100)]:
            stream.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertIn(b" 200 ", stream.recv(65536).split(b"\r\n")[0])


if __name__ == "__main__":
    unittest.main()
