"""Archives that are made to hurt, and uploads that reach for what is not theirs."""

import bz2
import gzip
import io
import json
import lzma
import os
import random
import stat
import struct
import tarfile
import time
import unittest
import zlib
import zipfile

import sims3_files as made
from daemon import Daemon
from test_inspect import sl_anim
from uploads import IDLE, WALK, WAVE, UploadCase, form, sample, stored_files, zipped

MEGABYTE = 1 << 20


def zeros_zip(size, count=1, name="zeros.bin"):
    """Deflated zeros: about 1000 to 1."""
    return zipped([(f"{i}{name}", bytes(size)) for i in range(count)])


def overlapping(count, data):
    """A ZIP whose entries are all the same bytes of the file."""
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    packed = packer.compress(data) + packer.flush()
    facts = struct.pack("<HHHHHIII", 20, 0, 8, 0, 0x21, zlib.crc32(data), len(packed), len(data))
    body = b"PK\3\4" + facts + struct.pack("<HH", 1, 0) + b"x" + packed
    rows, name = b"", b"x"
    for _ in range(count):
        rows += b"PK\1\2" + struct.pack("<H", 20) + facts + struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, 0, 0) + name
    end = struct.pack("<HHHHIIH", 0, 0, min(count, 65535), min(count, 65535), len(rows), len(body), 0)
    return body + rows + b"PK\5\6" + end


def in_itself():
    """A ZIP with an entry that is stored and is everything behind its own header, the directory too."""
    head_size, row_size, end_size = 31, 47, 22
    size = row_size + end_size
    facts = struct.pack("<HHHHHIII", 20, 0, 0, 0, 0x21, 0, size, size)
    row = b"PK\1\2" + struct.pack("<H", 20) + facts + struct.pack("<HHHHHII", 1, 0, 0, 0, 0, 0, 0) + b"z"
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, row_size, head_size, 0)
    return b"PK\3\4" + facts + struct.pack("<HH", 1, 0) + b"z" + row + end


class Hostile(UploadCase):
    arguments = ("--threads", "1", "--max-time", "60s")  # the bounds are tested, not the machine
    GROWTH = 48 * MEGABYTE  # of the daemon after each test; 8 the allocator may keep for each thread

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client.post("/v1/archives?name=wave.anim", sample(WAVE))
        cls.before = cls.daemon.resident_bytes()
        cls.files = stored_files(cls.data)

    def tearDown(self):
        for archive in self.client.items("/v1/archives"):
            if archive["name"] != "wave.anim":
                self.remove(archive["id"])
        self.assertEqual(stored_files(self.data), self.files)
        self.assertEqual(self.client.get("/v1/named/wave.anim/wave/pose").status, 200)
        if not os.environ.get("POSED_SANITIZE"):  # which keep what was freed
            self.assertLess(self.daemon.resident_bytes() - self.before, self.GROWTH)

    def assertRefused(self, data, limit, name="x.zip"):
        reply = self.upload(data, name)
        self.assertProblem(reply, 413, limit=limit)
        return reply

    # ------------------------------------------------------------------------------------------------- bombs

    def test_ratio(self):
        self.assertRefused(zeros_zip(100 * MEGABYTE), "max-ratio")
        self.assertRefused(zeros_zip(20 * MEGABYTE, 40), "max-ratio")

    def test_ratio_beside_sound_entries(self):
        archive = self.upload(zipped([("wave.anim", sample(WAVE)), ("z.bin", bytes(50 * MEGABYTE))]), "x.zip").json
        self.assertEqual(len(archive["clips"]), 1)
        self.assertEqual([r["error"]["limit"] for r in archive["rejected"]], ["max-ratio"])

    def test_streams(self):
        """What unpacks as one stream: its ratio and size are watched while it unpacks."""
        for mode in ("w:gz", "w:bz2", "w:xz"):
            out = io.BytesIO()
            with tarfile.open(fileobj=out, mode=mode) as archive:
                info = tarfile.TarInfo("zeros.bin")
                info.size = 100 * MEGABYTE
                archive.addfile(info, io.BytesIO(bytes(info.size)))
            self.assertRefused(out.getvalue(), "max-ratio", "x.tar")

    def test_streams_of_no_archive(self):
        """Zeros could be the end of a TAR, and are none by themselves."""
        for pack in (gzip.compress, bz2.compress, lzma.compress):
            for data in (b"", bytes(700), bytes(10240), bytes(100_000), b"no archive at all" * 100):
                with self.subTest(pack.__module__, size=len(data)):
                    reply = self.client.post("/v1/archives", pack(data), name="x.tar.gz")
                    self.assertProblem(reply, 415, code="unknown_format")

    def test_nested(self):
        inner = zeros_zip(30 * MEGABYTE)
        self.assertRefused(zipped([(f"{i}.zip", inner) for i in range(16)]), "max-ratio")
        self.assertRefused(zipped([(f"{i}.zip", zeros_zip(MEGABYTE, 30)) for i in range(16)]), "max-ratio")

    def test_nested_within_each_ratio(self):
        """Every entry unpacks to less than 200 times its bytes, and all together to more."""
        data = random.Random(3).randbytes(4000) + bytes(600_000)
        inner = zipped([(f"{i}.bin", data) for i in range(20)])
        bomb = zipped([(f"{i}.zip", inner) for i in range(16)])
        self.assertGreater(20 * 16 * len(data), 200 * len(bomb))
        self.assertRefused(bomb, "max-ratio")

    def test_nested_many_times(self):
        data = zipped([("wave.anim", sample(WAVE))])
        for _ in range(100):
            data = zipped([("in.zip", data)], method=0)
        archive = self.upload(data, "deep.zip").json
        self.assertEqual((archive["entry_count"], archive["clips"]), (2, []))
        self.assertEqual([r["error"]["code"] for r in archive["rejected"]], ["nested_too_deep"])

    def test_overlapping(self):
        """The bytes belong to the first entry; the others are rejected unread."""
        data = bytes(i * i % 251 for i in range(4096)) * 240
        bomb = overlapping(2000, data)
        self.assertLess(len(bomb), 200_000)
        archive = self.upload(bomb, "overlapping.zip").json
        self.assertEqual((archive["entry_count"], len(archive["rejected"])), (2000, 1999))
        self.assertEqual({r["error"]["status"] for r in archive["rejected"]}, {422})

    def test_max_unpacked(self):
        noise = zipped([(f"{i}.bin", bytes(i % 250 for i in range(300_000))) for i in range(4)], method=0)
        with Daemon("--max-unpacked", "1M", "--data", self.folder / "little") as daemon:
            for body, name in ((noise, "x.zip"), (zipped([("n.zip", noise)], method=0), "y.zip")):
                reply = daemon.client.post(f"/v1/archives?name={name}", body)
                self.assertEqual((reply.status, reply.json["limit"]), (413, "max-unpacked"), reply)
            headers, body = form([("wave.anim", sample(WAVE)), ("big.bin", bytes(1_200_000))])
            reply = daemon.client.post("/v1/archives", body, headers=headers)
            self.assertEqual((reply.status, reply.json["limit"]), (413, "max-unpacked"), reply)

    def test_max_time(self):
        with Daemon("--max-time", "1ms", "--data", self.folder / "hasty") as daemon:
            data = zipped([(f"{i}.anim", sample(WAVE) + bytes(i)) for i in range(2000)], method=0)
            for target in ("/v1/archives?name=x.zip", "/v1/inspect?name=x.zip"):
                reply = daemon.client.post(target, data)
                while reply.status == 503: # on a busy machine it waited for longer before it began
                    self.assertIn("Retry-After", reply.headers)
                    reply = daemon.client.post(target, data)
                self.assertEqual((reply.status, reply.json["limit"]), (413, "max-time"), reply)

    def test_max_time_within_a_file(self):
        """A thousand nodes show one mesh, whose morph targets or primitives cost no bytes: hours of work in 120 kB."""
        def gltf(node_count, primitives, vertices):
            return json.dumps({
                "asset": {"version": "2.0"}, "nodes": [{"mesh": 0}] * node_count, "meshes": [{"primitives": primitives}],
                "accessors": [{"componentType": 5126, "count": vertices, "type": "VEC3", "bufferView": 0}],
                "bufferViews": [{"buffer": 0, "byteLength": 12 * vertices}],
                "buffers": [{"byteLength": 12 * vertices, "uri": "data:;base64," + "A" * (16 * vertices)}]}).encode()
        morphs = gltf(1024, [{"attributes": {"POSITION": 0}, "targets": [{}] * 16384}], 4095)
        points = gltf(20_000, [{"attributes": {}, "mode": 0}] * 500, 3)
        with Daemon("--max-time", "200ms", "--data", self.folder / "long") as daemon:
            for data in (morphs, points):
                for target in ("/v1/archives?name=x.gltf", "/v1/inspect?name=x.gltf", "/v1/convert?name=x.gltf&to=glb"):
                    reply = daemon.client.post(target, data)
                    while reply.status == 503:
                        reply = daemon.client.post(target, data)
                    self.assertEqual((reply.status, reply.json.get("limit")), (413, "max-time"), (target, reply))

    # ------------------------------------------------------------------------------------------ many entries

    def test_a_hundred_thousand_entries(self):
        names = [(f"{i}", b"") for i in range(100_000)]
        archive = self.upload(zipped(names, method=0), "many.zip").json
        self.assertEqual(archive["entry_count"], 100_000)
        self.assertRefused(zipped([*names, ("one", b"")], method=0), "max-entries", "more.zip")

    def test_entries_of_nested_archives_count(self):
        inner = zipped([(f"{i}", b"") for i in range(30_000)], method=0)
        self.assertRefused(zipped([(f"{i}.zip", inner) for i in range(4)]), "max-entries")

    def test_parts(self):
        with Daemon("--max-entries", "10", "--data", self.folder / "few") as daemon:
            headers, body = form([(f"{i}.anim", sample(WAVE)) for i in range(11)])
            reply = daemon.client.post("/v1/archives", body, headers=headers)
            self.assertEqual((reply.status, reply.json["limit"]), (413, "max-entries"))

    # ----------------------------------------------------------------------------------------------- names

    def test_names_that_leave(self):
        unsafe = ("../up.anim", "/etc/abs.anim", "a/../../b.anim", "..", "C:/win.anim", "C:\\win2.anim", "..\\up2.anim",
                  "a\\..\\..\\c.anim", "\\abs2.anim")  # fmt: skip
        archive = self.upload(zipped([*((name, sample(WALK)) for name in unsafe), ("good.anim", sample(IDLE))])).json
        self.assertEqual(len(archive["rejected"]), len(unsafe), archive["rejected"])
        self.assertEqual({r["error"]["code"] for r in archive["rejected"]}, {"unsafe_name"})
        self.assertEqual([clip["name"] for clip in archive["clips"]], ["good"])
        self.assertFalse((self.folder / "up.anim").exists())

    def test_names_with_controls(self):
        names = ("a\nb.anim", "tab\t.anim", "\x1b[31mred.anim", "\x7f.anim", "ü\u202e.anim", "<script>.anim")
        archive = self.upload(zipped([(name, sample(WALK)) for name in names])).json
        self.assertEqual(archive["rejected"], [])
        found = [entry["name"] for entry in self.client.items(f"/v1/archives/{archive['id']}/entries")]
        self.assertEqual(found, list(names))
        for index in range(len(names)):
            reply = self.client.get(f"/v1/archives/{archive['id']}/entries/{index}")
            self.assertRegex(reply["Content-Disposition"], r'^attachment; filename="[!-~]+"$')
        self.assertNotIn("\x1b", self.daemon.errors())

    def test_pictures_of_joints_without_characters(self):
        """Noncharacters are UTF-8 as any, and what draws refuses them."""
        for name in ("\ufffe", "a\uffff", "\ufdd0b", "\ufdef", "\U0001fffe", "a\U0010ffffb", "\ufffd\ufdcf\ufdf0"):
            with self.subTest(ascii(name)):
                clip = {"format": "gltf", "name": name, "duration": 1,
                        "joints": [{"name": name, "rotation": {"times": [0, 1], "values": [[0, 0, 0, 1], [0, 1, 0, 0]]}}]}
                archive = self.upload(json.dumps(clip).encode(), "a.json").json
                path = f"/v1/clips/{archive['clips'][0]['id']}"
                for picture in ("preview.svg?skeleton=none", "preview.png?frames=2", "preview.webp?width=64&height=64"):
                    self.assertEqual(self.client.get(f"{path}/{picture}").status, 200)
                self.assertEqual(self.client.get(f"{path}/plot.svg", joint=name).status, 200)
                self.remove(archive["id"])

    def test_links_and_devices(self):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as archive:
            for name, kind, target in (
                ("link.anim", tarfile.SYMTYPE, "/etc/passwd"),
                ("hard.anim", tarfile.LNKTYPE, "good.anim"),
                ("device.anim", tarfile.CHRTYPE, ""),
                ("pipe.anim", tarfile.FIFOTYPE, ""),
            ):
                info = tarfile.TarInfo(name)
                info.type, info.linkname = kind, target
                archive.addfile(info)
            info = tarfile.TarInfo("good.anim")
            info.size = len(sample(WALK))
            archive.addfile(info, io.BytesIO(sample(WALK)))
        linked = zipfile.ZipInfo("link.anim")
        linked.external_attr = (stat.S_IFLNK | 0o777) << 16
        linked.create_system = 3
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(linked, "/etc/passwd")
            archive.writestr("good.anim", sample(WALK))
        for data, name, count in ((out.getvalue(), "x.tar", 4), (packed.getvalue(), "x.zip", 1)):
            archive = self.upload(data, name).json
            self.assertEqual([clip["name"] for clip in archive["clips"]], ["good"])
            self.assertEqual(len(archive["rejected"]), count, archive["rejected"])
            for rejected in archive["rejected"]:
                reply = self.client.get(f"/v1/archives/{archive['id']}/entries/{rejected['index']}")
                self.assertGreaterEqual(reply.status, 400, reply)
                self.assertNotIn(b"root:", reply.body)

    def test_duplicate_names(self):
        archive = self.upload(zipped([("x.anim", sample(WALK)), ("x.anim", sample(IDLE)), ("X.ANIM", sample(WALK))])).json
        self.assertEqual(len(archive["clips"]), 3)
        self.assertEqual(len({clip["id"] for clip in archive["clips"]}), 2)
        found = self.client.items(f"/v1/archives/{archive['id']}/entries", name="x.anim")
        self.assertEqual([entry["index"] for entry in found], [0, 1])
        bodies = [self.client.get(f"/v1/archives/{archive['id']}/entries/{i}").body for i in (0, 1)]
        self.assertEqual(bodies, [sample(WALK), sample(IDLE)])

    def test_an_archive_inside_itself(self):
        reply = self.upload(in_itself(), "self.zip")
        self.assertIn(reply.status, (201, 422), reply)
        if reply.status == 201:
            self.assertLessEqual(reply.json["entry_count"], 2)

    def test_forms(self):
        """Boundaries that hardly are, a great many of them."""
        body = b"--b\r\n\r\n" + b"\r\n--bx" * 1_000_000 + b"\r\n--b--"
        reply = self.client.post("/v1/archives", body, headers={"Content-Type": "multipart/form-data; boundary=b"})
        self.assertEqual(reply.status, 415)


# ------------------------------------------------------------------------------------------------- isolation

SKILL = [
    "// Character File.", "version 300", "0", "0", "1", "a2o-steal", "xskill-a2o-steal", "1000", "0", "0", "0", "2",
    "1", "HEAD", "2", "1000", "0", "1", "0", "0", "0", "0", "",
]  # fmt: skip


def skill():
    """A skill of The Sims whose keys are in xskill-a2o-steal.cfp."""
    return "\r\n".join(SKILL).encode()


def keys(x):
    """The .cfp of two rotations about x."""
    literal = b"\xff" + struct.pack("<f", x) + b"\xfe\0\0"
    return literal + (b"\xff" + bytes(4) + b"\xfe\0\0") * 2 + b"\xff" + struct.pack("<f", (1 - x * x) ** 0.5) + b"\xfe\0\0"


def rig(name, offset):
    """A skeleton of The Sims Online that a2o-walk goes on: adult.skel with bones elsewhere."""
    data = bytearray(sample("sims-online/adult.skel"))
    data[-5] ^= offset
    return bytes(data)


class Isolation(UploadCase):
    """Section 1 of the contract: an upload never reaches into another upload."""

    def tearDown(self):
        self.remove_all()

    def clip(self, archive):
        return archive["clips"][0]["id"]

    def pose(self, clip, **query):
        return self.client.get(f"/v1/clips/{clip}/pose", t="0.5", **query)

    def test_a_rig_of_somebody_else(self):
        walk = sample("sims-online/a2o-walk.anim")
        victim = self.upload(walk, "a2o-walk.anim").json
        before = self.pose(self.clip(victim)).body, self.client.get(f"/v1/clips/{self.clip(victim)}").json["skeleton"]
        hostile = self.upload(rig("adult", 1), "adult.skel")
        self.assertEqual(hostile.status, 201)
        self.upload(zipped([("adult.skel", rig("adult", 3)), ("other.anim", sample(WAVE))]), "rigs.zip")
        after = self.pose(self.clip(victim)).body, self.client.get(f"/v1/clips/{self.clip(victim)}").json["skeleton"]
        self.assertEqual(before, after)
        self.assertNotEqual(before[1], hostile.json["skeletons"][0]["id"])

    def test_a_rig_that_came_first(self):
        hostile = self.upload(rig("adult", 1), "adult.skel").json
        victim = self.upload(sample("sims-online/a2o-walk.anim"), "a2o-walk.anim").json
        self.assertNotEqual(
            self.client.get(f"/v1/clips/{self.clip(victim)}").json["skeleton"], hostile["skeletons"][0]["id"]
        )

    def test_the_same_clip_with_another_rig(self):
        """Each archive's own rig, when the clip is asked for in that archive; by its id, that of the first."""
        walk = sample("sims-online/a2o-walk.anim")
        rigs = rig("adult", 1), sample("sims-online/adult.skel")
        archives = [
            self.upload(zipped([("a2o-walk.anim", walk), ("adult.skel", data)]), f"{i}.zip").json
            for i, data in enumerate(rigs)
        ]
        self.assertEqual(self.clip(archives[0]), self.clip(archives[1]))
        own = [archive["skeletons"][0]["id"] for archive in archives]
        self.assertNotEqual(*own)
        self.assertEqual(self.client.get(f"/v1/clips/{self.clip(archives[1])}").json["skeleton"], own[0])
        for i in (0, 1):
            named = self.client.get(f"/v1/named/{i}.zip/a2o-walk/pose", t="0.5")
            self.assertEqual(named.json["skeleton"], own[i])
            self.assertIn(own[i], named["Content-Location"])
            self.assertEqual(self.client.get(f"/v1/named/{i}.zip/a2o-walk").json["skeleton"], own[i])

    def test_a_companion_of_somebody_else(self):
        for data, name in ((keys(0.5), "xskill-a2o-steal.cfp"), (zipped([("xskill-a2o-steal.cfp", keys(0.5))]), "k.zip")):
            self.upload(data, name, format="sims1-cfp" if name.endswith("cfp") else "zip")
        victim = self.upload(skill(), "steal.cmx")
        self.assertEqual(victim.status, 201, victim)
        lonely = self.client.get(f"/v1/clips/{self.clip(victim.json)}").json
        self.assertEqual(lonely["key_count"], 0)
        self.assertIn("no_cfp", [warning["code"] for warning in lonely["warnings"]])
        inspected = self.client.post("/v1/inspect?name=steal.cmx", skill()).json
        self.assertEqual(inspected["clips"][0]["key_count"], 0)
        # With its own keys it is another clip.
        own = self.upload_form([("steal.cmx", skill()), ("xskill-a2o-steal.cfp", keys(0.25))]).json
        whole = self.client.get(f"/v1/clips/{self.clip(own)}").json
        self.assertEqual((whole["key_count"], whole["id"] != lonely["id"]), (2, True))
        self.assertEqual(self.client.get(f"/v1/clips/{self.clip(victim.json)}").json["key_count"], 0)
        # Twice the same skill with keys of two people: two clips.
        other = self.upload_form([("steal.cmx", skill()), ("xskill-a2o-steal.cfp", keys(0.75))]).json
        self.assertNotEqual(self.clip(own), self.clip(other))

    def test_names_that_somebody_else_gives(self):
        """The keys, labels and morph names of another package say nothing about a clip, though it holds the same one."""
        morph = made.fnv("madeFrown", 64)
        data = made.clip("a_frown_x", [made.channel(morph & 0xFFFFFFFF, made.WEIGHT, 0x05, made.weight_keys(0), 1)])
        victim = self.upload(data, "frown.clip").json
        asked = (f"/v1/clips/{self.clip(victim)}", f"/v1/clips/{self.clip(victim)}/pose")

        def answers():
            whole, pose = (self.client.get(target).json for target in asked)
            return whole["sims3"], whole["joints"], pose["morphs"]

        before = answers()
        hostile = self.upload(made.package(
            (made.CLIP, 0, 1, data), (made.MORPH, 0, morph, b"a morph"),
            (made.NAME_MAP, 0, 0, made.name_map((morph, "madeFrown"), (1, "liar")))), "names.package")
        self.assertEqual(hostile.json["clips"][0]["id"], self.clip(victim))
        self.assertEqual(answers(), before)
        self.assertEqual(list(before[2]), [f"#{morph & 0xFFFFFFFF}"])

    def test_companions_of_the_command_line(self):
        """Those are everybody's; what changes there, changes."""
        folder = self.folder / "library"
        folder.mkdir()
        with Daemon(folder, "--data", self.folder / "shared") as daemon:
            victim = daemon.client.post("/v1/archives?name=steal.cmx", skill()).json
            self.assertEqual(daemon.client.get(f"/v1/clips/{self.clip(victim)}").json["key_count"], 0)
            (folder / "xskill-a2o-steal.cfp").write_bytes(keys(0.5))
            wait_for(lambda: daemon.client.get("/v1/clips").json["items"][0]["key_count"] == 2, self)
            clip = daemon.client.get("/v1/clips").json["items"][0]["id"]
            self.assertEqual(daemon.client.get(f"/v1/clips/{clip}/pose").status, 200)


def wait_for(condition, case):
    deadline = time.monotonic() + 10
    while not condition():
        case.assertLess(time.monotonic(), deadline, "it never came to be")
        time.sleep(0.05)


if __name__ == "__main__":
    unittest.main()
