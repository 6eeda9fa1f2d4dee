"""Input that means harm: what once broke the daemon, or could."""

import json
import os
import shutil
import struct
import sys
import tempfile
import time
import unittest
from pathlib import Path

import sims3_files as made
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

    def test_clips_that_are_over_at_once(self):
        """What is written for them reads back in."""
        clip = next(c for c in self.client.items("/v1/clips") if c["format"] == "sl-anim")["id"]
        whole = self.client.get(f"/v1/clips/{clip}.json?axes=native").json
        for duration in (0, 1e-45, 1e-38, 1e-7, 1e-5):
            short = dict(whole, duration=duration, loop_in=0, loop_out=duration, events=[])
            for target in ("bvh", "sl-anim", "tso-anim", "glb"):
                made = self.client.post("/v1/convert", json.dumps(short), to=target, name="a.json")
                self.assertEqual(made.status, 200, made)
                read = self.client.post("/v1/inspect", made.body, format="gltf" if target == "glb" else target)
                self.assertEqual(read.status, 200, f"{duration} {target}: {read}")

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


class HostilePackages(unittest.TestCase):
    """The Sims 3: files that promise much. Each is refused (or read) in bounded work, which shows as bounded memory; the
    time is printed, never judged."""

    MOST = 64 << 20

    def ask(self, name, data, limits=()):
        """The answer of a fresh daemon, and that no more than MOST was taken for it."""
        with Daemon(*limits) as daemon:
            daemon.client.post("/v1/inspect", made.clip("a_first_x"), name="a.clip")
            before, begin = daemon.resident_bytes("VmHWM"), time.monotonic()
            reply = daemon.client.post("/v1/inspect", data, name=name)
            seconds, grown = time.monotonic() - begin, daemon.resident_bytes("VmHWM") - before
        print(f"{self.id().split('.')[-1]}: {len(data)} bytes, {reply.status} after {seconds * 1000:.1f} ms, "
              f"{grown >> 10} KiB more", file=sys.stderr)
        self.assertLess(grown, self.MOST)
        return reply

    def refused(self, name, data, status=422, **members):
        reply = self.ask(name, data)
        self.assertEqual(reply.status, status, reply.text)
        for member, value in members.items():
            self.assertEqual(reply.json.get(member), value, reply.text)
        return reply.json

    def rejected(self, data, code, offset=None):
        """A container whose one entry is broken."""
        reply = self.ask("a.package", data)
        self.assertEqual(reply.status, 200, reply.text)
        error = reply.json["rejected"][0]["error"]
        self.assertEqual(error["code"], code, error)
        if offset is not None:
            self.assertEqual(error["offset"], offset, error)
        self.assertEqual(reply.json["clips"], [])

    def test_channels_over_each_other(self):
        keys = b"".join(struct.pack("<HHI", tick, 0, 0) for tick in range(65535))
        first = made.channel(0, made.TRANSLATION, 0x12, keys, 65535)
        rest = [made.channel(key, made.TRANSLATION, 0x12, b"", 65535) for key in range(1, 100)]
        start = 48 + 20 * 100 + len(b"a\0made\0")
        # 61 channels are fewer than 4 million keys; the one after them is too much.
        self.refused("a.clip", made.clip("a", [first, *rest], key_offsets=[start] * 100), 413, limit="keys",
                     offset=56 + 48 + 20 * 61 + 16)

    def test_chains_over_each_other(self):
        count = 1024
        chain = b"~~~~" + struct.pack("<I", count) + struct.pack("<I", 4 * count) * count + bytes(1028)
        table = struct.pack("<I", count) + struct.pack("<I", 4 * count) * count + chain
        self.refused("a.clip", made.clip("a", ik=table), code="count_too_large")

    def test_chains_that_lead_to_themselves(self):
        table = struct.pack("<I", 1000) + bytes(1200 * 4)
        reply = self.ask("a.clip", made.clip("a", ik=table))
        self.assertEqual(len(reply.json["clips"][0]["extras"]["ik_chains"]), 1000)

    def test_entries_of_no_bytes(self):
        index = struct.pack("<I", 0xFF) + struct.pack("<8I", made.CLIP, 0, 0, 0, 96, 4 | 1 << 31, 4, 1 << 16)
        self.refused("a.package", made.package_of(b"DBPF", index, 0xFFFFFFFF), code="count_too_large", offset=36)

    def test_index_that_wraps(self):
        data = bytearray(made.package((made.CLIP, 0, 1, made.clip("a_x"))))
        for place, size in ((2**64 - 8, 16), (2**64 - 1, 36), (2**32 + 96, 36)):
            data[44:48], data[64:72] = struct.pack("<I", size), struct.pack("<Q", place)
            self.refused("a.package", bytes(data), code="index_range")

    def test_sizes_that_bytes_cannot_give(self):
        stream = bytes((0x90, 0xFB, 0x0F, 0xFF, 0xFF, 0xFF, 0xE0)) + b"abcd\xfc"
        self.rejected(made.package((made.CLIP, 0, 1, stream, made.REFPACK, 0x0FFFFFFF)), "size_mismatch")
        self.rejected(made.package((made.CLIP, 0, 1, stream, made.REFPACK, 0xFFFFFFFF)), "size_mismatch")

    def test_a_bomb(self):
        """A stream that is in order and gives 257 bytes for each: 200 MiB out of 800 KiB."""
        copies = 200 * 1024
        size = 4 + copies * 1028
        stream = b"\x90\xfb" + struct.pack(">I", size) + b"\xe0abcd" + b"\xcc\0\0\xff" * copies + b"\xfc"
        self.rejected(made.package((made.CLIP, 0, 1, stream, made.REFPACK, size)), "over_limit")
        # Many entries over the same bytes, each of them within the ratio.
        small = 4 + 400 * 1028
        stream = b"\x90\xfb" + struct.pack(">I", small) + b"\xe0abcd" + b"\xcc\0\0\xff" * 400 + b"\xfc"
        rows = b"".join(struct.pack("<IIIIIIIHH", made.CLIP, 0, 0, i, 96, len(stream) | 1 << 31, small, made.REFPACK, 1)
                        for i in range(5000))
        self.refused("a.package", made.package_of(stream, struct.pack("<I", 0) + rows, 5000), 413,
                     limit="max-unpacked")

    def test_references_before_the_start(self):
        stream = b"\x10\xfb\0\0\x0d\xe0abcd\xc0\xff\xff\x04\xfc"
        self.rejected(made.package((made.CLIP, 0, 1, stream, made.REFPACK, 13)), "bad_reference", 96 + 10)

    def test_numbers_that_are_none(self):
        keys = struct.pack("<HHI", 0, 0, 0)
        for offset, scale in ((0, float("nan")), (0, float("inf")), (float("nan"), 1)):
            clip = made.clip("a", [made.channel(1, made.TRANSLATION, 0x12, keys, 1, offset, scale)])
            self.refused("a.clip", clip, code="not_finite")
        self.refused("a.clip", made.clip("a", palette=[float("nan")]), code="not_finite")

    def test_offsets_that_wrap(self):
        for at in (0x0C, 0x10, 0x14, 0x18, 0x24):
            for value in (0xFFFFFFFF, 0xFFFFFFF0, 0x80000000):
                data = bytearray(made.clip("a"))
                data[at:at + 4] = struct.pack("<I", value)
                problem = self.refused("a.clip", bytes(data))
                self.assertIn(problem["code"], ("bad_offset", "truncated"))
        keys = struct.pack("<HHI", 0, 0, 0)
        for place in (0xFFFFFFF8, 0xFFFFFFFF, 0x80000000):
            clip = made.clip("a", [made.channel(1, made.TRANSLATION, 0x12, keys, 1)], key_offsets=[place])
            self.refused("a.clip", clip, code="keys_outside")

    def test_maps_of_names_that_promise_much(self):
        reply = self.ask("a.package", made.package((made.NAME_MAP, 0, 0, struct.pack("<II", 1, 0xFFFFFFFF)),
                                                   (made.NAME_MAP, 0, 1, struct.pack("<IIQI", 1, 1, 1, 0xFFFFFFFF))))
        self.assertEqual([warning["code"] for warning in reply.json["warnings"]], ["bad_name_map"] * 2)


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
