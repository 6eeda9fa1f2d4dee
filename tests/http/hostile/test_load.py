"""Many clients at once: one decode for all, a cache within its bounds, a graceful end, the same ids afterwards."""

import http.client
import os
import shutil
import struct
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from client import Client
from daemon import Daemon
from test_inspect import sl_anim

MIB = 1 << 20


def big_clip(seed, keys=60_000):
    """A sound clip of one track with many keys: about 0.5 MB of file and more than that once decoded."""
    body = b"".join(struct.pack("<4H", k, (k * 7 + seed) % 20000 + 22768, 32767, 32767) for k in range(keys))
    whole = sl_anim(rot_keys=keys)
    at = len(whole) - 8  # in front of the count of positions
    return whole[:at] + body + whole[at:]


class Load(unittest.TestCase):
    def test_two_hundred_clients_of_one_cold_clip(self):
        with tempfile.TemporaryDirectory() as top:
            (Path(top) / "big.anim").write_bytes(big_clip(1))
            with Daemon(top) as daemon:
                clip = daemon.client.get("/v1/clips").json["items"][0]["id"]
                before = daemon.client.metric("posed_decodes_total")
                start = threading.Barrier(200)

                def ask(_):
                    client = Client((daemon.client.host, daemon.client.port))
                    connection = client.connection()
                    connection.connect()
                    start.wait()
                    reply = client.get(f"/v1/clips/{clip}/pose?t=0.5&skeleton=none")
                    client.close()
                    return reply.status, reply.body

                with ThreadPoolExecutor(200) as pool:
                    replies = set(pool.map(ask, range(200)))
                self.assertEqual(len(replies), 1)
                self.assertEqual(replies.pop()[0], 200)
                self.assertLessEqual(daemon.client.metric("posed_decodes_total") - before, 1)

    def test_cache_stays_within_its_bound(self):
        limit = 16 * MIB
        with tempfile.TemporaryDirectory() as top:
            for k in range(40):
                (Path(top) / f"clip{k}.anim").write_bytes(big_clip(k))
            with Daemon("--cache-size", "16M", top) as daemon:
                idle = daemon.resident_bytes()
                clips = daemon.client.items("/v1/clips")
                self.assertEqual(len(clips), 40)
                for _ in range(2):
                    for clip in clips:
                        self.assertEqual(daemon.client.get(f"/v1/clips/{clip['id']}/pose?skeleton=none").status, 200)
                        self.assertLessEqual(daemon.client.metric("posed_cache_bytes", cache="clips"), limit)
                self.assertGreater(daemon.client.metric("posed_cache_evictions_total", cache="clips"), 40)
                # The bound that speed goals set: idle + 1.25 x cache + 32 MB. A sanitizer keeps what was freed.
                if not os.environ.get("POSED_SANITIZE"):
                    self.assertLess(daemon.resident_bytes(), idle + 1.25 * limit + 32 * MIB)

    def test_mixed_load_while_the_library_changes(self):
        """Hits, misses, evictions, lists, streams and a catalogue that is swapped, all at once; the race detector's
        build runs this too."""
        with tempfile.TemporaryDirectory() as top:
            folder = Path(top) / "library"
            shutil.copytree(Daemon.samples, folder)
            with Daemon("--cache-size", "64K", "--threads", "2", folder) as daemon:
                clips = [c["id"] for c in daemon.client.items("/v1/clips")]
                done = threading.Event()

                def ask(number):
                    client = Client((daemon.client.host, daemon.client.port))  # no validation: Python would be the load
                    for k in range(40):
                        clip = clips[(number + k) % len(clips)]
                        for path in (f"/v1/clips/{clip}/pose?t=0.{k}", f"/v1/clips/{clip}/keys", f"/v1/clips/{clip}",
                                     f"/v1/clips/{clip}/poses?fps=30&as=ndjson", "/v1/clips?sort=name", "/metrics",
                                     "/v1/archives", f"/v1/clips/{clip}/poses?as=f32&skeleton=none"):
                            reply = client.get(path, headers={"Accept-Encoding": "gzip"} if k % 2 else None)
                            self.assertEqual(reply.status, 200, reply)
                    client.close()

                def change():
                    """A clip of its own comes and goes: wave with another priority."""
                    wave = (Daemon.samples / "second-life" / "wave.anim").read_bytes()
                    for k in range(1000):
                        new = folder / f"new{k % 3}.anim"
                        new.write_bytes(wave[:4] + struct.pack("<i", k % 2) + wave[8:])
                        if done.wait(0.05):
                            return
                        new.unlink()

                with ThreadPoolExecutor(9) as pool:
                    changes = pool.submit(change)
                    asked = [pool.submit(ask, number) for number in range(8)]
                    try:
                        for future in asked:
                            future.result()
                    finally:
                        done.set()
                    changes.result()

    def test_the_end_under_load(self):
        with Daemon(Daemon.samples) as daemon:
            clip = daemon.client.get("/v1/clips").json["items"][0]["id"]
            going, broken = threading.Event(), []

            def ask(_):
                client = Client((daemon.client.host, daemon.client.port))
                answered = 0
                while True:
                    try:
                        reply = client.get(f"/v1/clips/{clip}/poses?fps=60")
                    except (ConnectionError, http.client.RemoteDisconnected, http.client.CannotSendRequest):
                        return answered  # no new connection, or an idle one that was closed
                    except http.client.IncompleteRead as cut:
                        broken.append(cut)
                        return answered
                    if reply.status not in (200, 503):
                        broken.append(reply)
                    answered += 1
                    if answered == 3:
                        going.set()

            with ThreadPoolExecutor(16) as pool:
                asked = [pool.submit(ask, k) for k in range(16)]
                self.assertTrue(going.wait(60))
                self.assertEqual(daemon.stop(), 0)
                self.assertGreater(sum(future.result() for future in asked), 3)
            self.assertEqual(broken, [])

    def test_the_same_ids_after_a_restart(self):
        def ids():
            with Daemon(Daemon.samples) as daemon:
                return {kind: sorted(item["id"] for item in daemon.client.items(f"/v1/{kind}"))
                        for kind in ("archives", "clips", "skeletons")}

        first = ids()
        self.assertTrue(all(first.values()))
        self.assertEqual(ids(), first)

    def test_ids_do_not_depend_on_where_a_file_lies(self):
        with tempfile.TemporaryDirectory() as top:
            shutil.copy(Daemon.samples / "second-life" / "walk.anim", Path(top) / "other name.anim")
            with Daemon(top) as moved, Daemon(Daemon.samples) as daemon:
                here = moved.client.get("/v1/clips").json["items"][0]["id"]
                there = daemon.client.items("/v1/clips", name="walk", format="sl-anim")[0]["id"]
                self.assertEqual(here, there)
