"""Input that means harm: what once broke the daemon, or could."""

import os
import shutil
import struct
import tempfile
import time
import unittest
from pathlib import Path

from daemon import Daemon

PATIENCE_SECONDS = 20


def suits(count):
    """A .cmx file of suits that all have one name."""
    return b"// suits\nversion 300\n0\n%d\n" % count + b"a\n0\n0\n0\n" * count + b"0\n"


def far(entries, data):
    """A FAR archive, version 1a: entries are (name, size, offset), whether true or not."""
    rows = b"".join(struct.pack("<4I", size, size, at, len(name)) + name for name, size, at in entries)
    return b"FAR!byAZ" + struct.pack("<II", 1, 16 + len(data)) + data + struct.pack("<I", len(entries)) + rows


class HostileRequests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(Daemon.samples)
        cls.daemon.__enter__()
        cls.addClassCleanup(cls.daemon.__exit__, None, None, None)
        cls.client = cls.daemon.client
        cls.clip = next(c for c in cls.client.items("/v1/clips") if c["format"] == "tso-anim")["id"]

    def test_a_detail_is_one_line_whatever_it_quotes(self):
        for query in ("sort=%0d%0aX:%20y", "limit=a%09b%7f", "format=%0a", "a%0ab=1"):
            reply = self.client.request("GET", f"/v1/clips?{query}")
            self.assertEqual(reply.status, 400)
            self.assertTrue(reply.json["detail"].isprintable(), reply)

    def test_an_error_is_not_kept_as_the_answer_would_be(self):
        reply = self.client.request("GET", f"/v1/clips/{self.clip}/pose?joints=nobody")
        self.assertEqual(reply.status, 400)
        self.assertIsNone(reply["ETag"])
        self.assertIsNone(reply["Content-Location"])
        self.assertEqual(reply.headers.get_all("Cache-Control"), ["no-store"])

    def test_times_beyond_every_float(self):
        for t in ("1e308", "1e39", "-1e308"):
            for wrap in ("clamp", "loop"):
                pose = self.client.get(f"/v1/clips/{self.clip}/pose?t={t}&wrap={wrap}").json
                self.assertIsInstance(pose["t"], (int, float))
                poses = self.client.get(f"/v1/clips/{self.clip}/poses?t={t}&wrap={wrap}").json
                self.assertIsInstance(poses["times"][0], (int, float))
        zero = self.client.get(f"/v1/clips/{self.clip}/pose?t=0")
        self.assertEqual(self.client.get(f"/v1/clips/{self.clip}/pose?t=-0")["ETag"], zero["ETag"])

    def test_ids_of_joints_are_read_as_they_are_written(self):
        for word in ("%23", "%2301", "%23-1", "%2399999999999", "%234294967296"):
            self.assertEqual(self.client.request("GET", f"/v1/clips/{self.clip}/pose?joints={word}").status, 400)

    def test_many_assets_of_one_name(self):
        """Each needs an id: the file may not be hashed, nor its names be compared, for each anew."""
        reply = self.client.request("POST", "/v1/inspect?name=suits.cmx", body=suits(20000))
        self.assertEqual(reply.status, 200)
        self.assertEqual(len({c["id"] for c in reply.json["characters"]}), 20000)

    def test_entries_over_each_other_are_bounded(self):
        rows = [(b"%d.anim" % i, 1 << 20, 16) for i in range(2000)]
        reply = self.client.request("POST", "/v1/inspect?name=a.far", body=far(rows, b"\1\0\0\0" + bytes(1 << 20)))
        self.assertEqual(reply.status, 413)
        self.assertEqual(reply.json["limit"], "max-unpacked")


class HostileFolders(unittest.TestCase):
    def setUp(self):
        top = tempfile.TemporaryDirectory()
        self.addCleanup(top.cleanup)
        self.top = Path(top.name)

    def wait_for(self, client, wanted):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (found := sorted(c["name"] for c in client.items("/v1/clips"))) != wanted:
            self.assertLess(time.monotonic(), deadline, f"{found}, not {wanted}")
            time.sleep(0.05)

    def test_a_path_that_goes_takes_only_itself_along(self):
        first, second = self.top / "first", self.top / "second"
        shutil.copytree(Daemon.samples / "second-life", first)
        shutil.copytree(Daemon.samples / "second-life", second)
        loose = self.top / "loose.anim"
        shutil.copy(Daemon.samples / "sims-online" / "a2o-walk.anim", loose)
        with Daemon(first, loose) as daemon:
            self.wait_for(daemon.client, ["a2o-walk", "idle", "walk", "wave"])
            loose.unlink()
            self.wait_for(daemon.client, ["idle", "walk", "wave"])
            os.rename(first, self.top / "gone")
            self.wait_for(daemon.client, [])
            os.rename(self.top / "gone", first)
            self.wait_for(daemon.client, ["idle", "walk", "wave"])
            self.assertLess(len(daemon.errors().splitlines()), 100000)

    def test_files_that_are_no_files(self):
        folder = self.top / "library"
        shutil.copytree(Daemon.samples / "second-life", folder)
        os.mkfifo(folder / "pipe.anim")
        os.symlink("/etc/passwd", folder / "passwd.anim")
        os.symlink(folder, folder / "loop")
        with open(folder / "sparse.anim", "wb") as sparse:
            sparse.truncate(1 << 35)
        with open(folder / "film.mp4", "wb") as film:
            film.truncate(1 << 26)
        with Daemon(folder) as daemon:
            self.wait_for(daemon.client, ["idle", "walk", "wave"])
            archive = daemon.client.items("/v1/archives")[0]["id"]
            entries = {e["name"]: e for e in daemon.client.items(f"/v1/archives/{archive}/entries")}
            self.assertNotIn("pipe.anim", entries)
            self.assertNotIn("passwd.anim", entries)
            self.assertEqual(entries["sparse.anim"]["error"]["limit"], "max-unpacked")
            self.assertNotIn("error", entries["film.mp4"])
            self.assertLess(daemon.resident_bytes(), 400 << 20)


if __name__ == "__main__":
    unittest.main()
