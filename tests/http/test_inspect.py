"""POST /v1/inspect, with sound files and with hostile ones."""

import struct
import unittest

from daemon import Daemon, corpus
from fixture import SampleCase


def sl_anim(joints=1, rot_keys=0, pos_keys=0, duration=1.0, name=b"mTorso\0", version=(1, 0), tail=b"", priority=2):
    """The bytes of a clip of Second Life, each part as odd as wanted."""
    head = struct.pack("<HHif", *version, priority, duration) + b"\0"
    head += struct.pack("<ffiffII", 0, duration, 0, 0.3, 0.3, 1, joints)
    track = name + struct.pack("<ii", 2, rot_keys)
    return head + track + struct.pack("<i", pos_keys) + struct.pack("<i", 0) + tail


class Inspect(SampleCase):
    def inspect(self, data, name="file.anim", **query):
        return self.client.post("/v1/inspect", data, name=name, **query)

    def test_what_a_broken_file_was_is_in_its_extension(self):
        """A name that is nobody else's tells what the bytes were meant to be; one that many use does not."""
        junk = b"neither this nor that" * 40
        for name, fmt, code, offset in (
                ("a.glb", "gltf", "bad_magic", 0), ("a.GLB", "gltf", "bad_magic", 0), ("a.gltf", "gltf", "bad_json", 7),
                ("a.skel", "tso-skel", "bad_version", 0), ("a.zip", "zip", "bad_magic", 0)):
            for path in ("/v1/inspect", "/v1/archives"):
                reply = self.client.post(path, junk, name=name)
                self.assertProblem(reply, 422, code=code, offset=offset, format=fmt)
                self.assertIn(f"byte {offset}", reply.json["detail"])
        self.assertProblem(self.client.post("/v1/inspect", b"glTF\2\0", name="a.glb"), 422, code="truncated", offset=4)
        self.assertProblem(self.client.post("/v1/inspect", b'{"asset":', name="a.gltf"), 422, code="bad_json", offset=9)
        for name in ("a.json", "a.xml", "a.dat", "a.bin", "a", "a.tar", "a.gz"):
            self.assertProblem(self.client.post("/v1/inspect", junk, name=name), 415, code="unknown_format")
        self.assertProblem(self.client.post("/v1/inspect", junk, name="a.glb", format="bvh"), 422, format="bvh")

    def test_a_body_is_decoded_once(self):
        """Whatever is looked at of it: rows, summaries, warnings, lints and the verdict, or the file that it becomes."""
        second_life = (Daemon.samples / "second-life" / "wave.anim").read_bytes()
        far = (Daemon.samples / "sims-online.far").read_bytes()
        bvh = self.client.post("/v1/convert", second_life, to="bvh", name="wave.anim").body
        for path, name, body, query, count in (
                ("/v1/inspect", "wave.anim", second_life, {}, 1), ("/v1/inspect", "wave.bvh", bvh, {}, 1),
                ("/v1/convert", "wave.anim", second_life, {"to": "glb", "mesh": "bones"}, 1),
                ("/v1/convert", "wave.anim", second_life, {"to": "sims1-cmx"}, 1),
                ("/v1/convert", "a.far", far, {"to": "json", "clip": "a2o-walk"}, None)):
            with self.subTest(path=path, name=name, **query):
                before = self.client.metric("posed_decoded_files_total")
                self.assertEqual(self.client.post(path, body, name=name, **query).status, 200)
                decodes = self.client.metric("posed_decoded_files_total") - before
                entries = self.client.post("/v1/inspect", far, name="a.far").json["entry_count"]
                self.assertLessEqual(decodes, count or entries)
                self.assertGreater(decodes, 0)

    def test_a_layout_that_no_format_has_is_refused(self):
        body = (Daemon.samples / "second-life" / "wave.anim").read_bytes()
        for path, query in (("/v1/inspect", {}), ("/v1/archives", {}), ("/v1/convert", {"to": "glb"})):
            with self.subTest(path):
                for game in ("mp9", "", "MP1"):
                    reply = self.client.post(path, body, name="wave.anim", game=game, **query)
                    self.assertProblem(reply, 400, parameter="game")
                    self.assertIn("mp1, mp2, mp2demo", reply.json["detail"])
        for game in ("mp1", "mp2", "mp2demo"):
            self.assertEqual(self.inspect(body, "wave.anim", game=game).json["format"], "sl-anim")

    def test_a_clip(self):
        data = (Daemon.samples / "second-life" / "wave.anim").read_bytes()
        found = self.inspect(data, "wave.anim").json
        self.assertEqual((found["format"], found["kind"], found["name"]), ("sl-anim", "clip", "wave.anim"))
        clip = found["clips"][0]
        served = self.client.get(f"/v1/clips/{clip['id']}").json
        for member in ("id", "name", "duration", "joint_count", "key_count", "extras"):
            self.assertEqual(clip[member], served[member])

    def test_content_type_does_not_matter(self):
        data = (Daemon.samples / "second-life" / "wave.anim").read_bytes()
        for kind in ("application/octet-stream", "application/x-www-form-urlencoded", "text/plain"):
            reply = self.client.post("/v1/inspect", data, headers={"Content-Type": kind}, name="wave.anim")
            self.assertEqual(reply.status, 200, kind)

    def test_an_archive(self):
        data = (Daemon.samples / "sims-online.far").read_bytes()
        found = self.inspect(data, "x.far").json
        self.assertEqual((found["format"], found["entry_count"], found["rejected"]), ("far3", 7, []))
        self.assertEqual(len(found["clips"]), 3)
        self.assertTrue(all("joints" in c for c in found["clips"]))
        self.assertEqual(len(found["skeletons"]), 1)

    def test_nothing_is_kept(self):
        before = self.client.get("/v1/clips").json["total"]
        self.assertEqual(self.inspect(sl_anim()).status, 200)
        self.assertEqual(self.client.get("/v1/clips").json["total"], before)

    def test_unknown(self):
        for data in (b"\0", b"hello", b"\xff" * 4096, b"<html></html>", b"GIF89a" + bytes(100)):
            reply = self.inspect(data, "file.bin")
            self.assertEqual(reply.status, 415, data[:20])

    def test_nothing_sent(self):
        self.assertEqual(self.inspect(b"").status, 400)

    def test_forced_format(self):
        reply = self.inspect(b"not at all", "x.bin", format="sl-anim")
        self.assertProblem(reply, 422, format="sl-anim")
        self.assertProblem(self.inspect(b"x", format="no-such"), 400, parameter="format")

    def test_broken_clips_say_where_and_why(self):
        whole = (Daemon.samples / "second-life" / "wave.anim").read_bytes()
        for what, data, field in (
            ("cut in the header", whole[:20], None),
            ("cut in the keys", whole[:500], "keys"),
            ("negative key count", sl_anim(rot_keys=-1), "rot_keys"),
            ("key count beyond the file", sl_anim(rot_keys=0x7FFFFFFF), "rot_keys"),
            ("key count that wraps", sl_anim(rot_keys=0x20000001), "rot_keys"),
            ("no joints", sl_anim(joints=0), "joints"),
            ("too many joints", sl_anim(joints=217), "joints"),
            ("4 billion joints", sl_anim(joints=0xFFFFFFFF), "joints"),
            ("NaN", sl_anim(duration=float("nan")), "duration"),
            ("infinity", sl_anim(duration=float("inf")), "duration"),
            ("negative", sl_anim(duration=-1.0), "duration"),
            ("too long", sl_anim(duration=61.0), "duration"),
            ("priority", sl_anim(priority=-2), "priority"),
            ("forbidden joint", sl_anim(name=b"mScreen\0"), "name"),
        ):
            with self.subTest(what):
                reply = self.inspect(data, format="sl-anim")
                self.assertProblem(reply, 422, format="sl-anim")
                problem = reply.json
                self.assertIsInstance(problem["offset"], int)
                self.assertLessEqual(problem["offset"], len(data))
                self.assertTrue(problem["code"])
                if field:
                    self.assertIn(field, problem["detail"])

    def test_a_name_settles_what_a_broken_file_was(self):
        for name, data, code in (("x.skel", struct.pack(">I", 2) + b"\2sk\0\1" + bytes(range(1, 60)), "bad_version"),
                                 ("x.skel", b"\0\0", "truncated"), ("x.mesh", b"\0\0", "truncated"),
                                 ("x.bnd", struct.pack(">I", 7), "bad_version")):
            with self.subTest(name, data=data):
                self.assertProblem(self.inspect(data, name), 422, code=code, offset=0)

    def test_what_is_off_about_a_skeleton(self):
        bone = ["0", "| 0 0 0 |", "| 0 0 0 1 |", "0", "1", "1", "0", "0"]
        text = "\r\n".join(["version 300", "1", "sk", "2", "ROOT", "NULL", *bone, "HEAD", "NECK", *bone, "0", "0", ""])
        found = self.inspect(text.encode(), "sk.cmx").json
        codes = [w["code"] for w in found["warnings"]]
        self.assertEqual((codes.count("unknown_parent"), codes.count("several_roots")), (1, 1), codes)
        skel = struct.pack(">I", 1) + b"\2sk" + struct.pack(">H", 2)
        for name, parent in ((b"\4ROOT", b"\4NULL"), (b"\4HEAD", b"\4NECK")):
            skel += struct.pack(">I", 1) + name + parent + b"\0" + struct.pack("<7f", 0, 0, 0, 0, 0, 0, 1)
            skel += struct.pack(">III", 0, 1, 1) + bytes(8)
        codes = [w["code"] for w in self.inspect(skel, "sk.skel").json["warnings"]]
        self.assertEqual((codes.count("unknown_parent"), codes.count("several_roots")), (1, 1), codes)

    def test_what_is_off_about_packed_entries(self):
        for stop, code in ((b"", "no_stop_code"), (b"\xfc..", "trailing_bytes"), (b"\xfc", None)):
            body = b"\xe0abcd" + stop
            stored = len(body) + 18
            body = struct.pack("<BIIIBB", 1, 4, stored - 9, stored - 9, 0x10, 0xFB) + b"\0\0\4" + body
            row = struct.pack("<II", 4, stored | 0x80000000) + struct.pack("<IBBHII", 16, 1, 0, 5, 7, 1) + b"a.txt"
            far = b"FAR!byAZ" + struct.pack("<II", 3, 16 + len(body)) + body + struct.pack("<I", 1) + row
            found = self.inspect(far, "x.far").json["warnings"]
            self.assertEqual([(w["code"], w["entry"]) for w in found], [(code, "a.txt")] if code else [])

    def test_broken_archives(self):
        far = (Daemon.samples / "sims-online.far").read_bytes()
        table = struct.unpack_from("<I", far, 12)[0]
        for what, data in (
            ("cut", far[:30]),
            ("table offset", far[:12] + b"\xff\xff\xff\x7f" + far[16:]),
            ("count", far[:table] + b"\xff\xff\xff\xff" + far[table + 4 :]),
        ):
            with self.subTest(what):
                reply = self.inspect(data, "x.far")
                self.assertEqual(reply.status, 422)
                self.assertIn("offset", reply.json)

    def test_broken_entries_are_listed(self):
        far = bytearray((Daemon.samples / "sims-online.far").read_bytes())
        clean = self.inspect(bytes(far), "x.far").json
        table = struct.unpack_from("<I", far, 12)[0]
        offset = struct.unpack_from("<I", far, table + 4 + 8)[0]
        far[offset : offset + 40] = bytes(40)
        found = self.inspect(bytes(far), "x.far").json
        kinds = ("clips", "skeletons", "meshes", "characters")
        self.assertEqual(sum(len(found[k]) for k in kinds), sum(len(clean[k]) for k in kinds) - 1)
        self.assertEqual(len(found["rejected"]), 1)
        self.assertTrue(found["rejected"][0]["error"]["detail"])
        self.assertEqual(found["entry_count"], clean["entry_count"])

    def test_names_do_no_harm(self):
        for name in ("../../etc/passwd", "<script>alert(1)</script>.anim", "a\r\nSet-Cookie: x=1.anim", "x" * 3000,
                     "\u202etxt.anim"):
            reply = self.inspect(sl_anim(), name)
            self.assertIn(reply.status, (200, 400, 414), name[:40])
            self.assertIsNone(reply["Set-Cookie"])
        odd = sl_anim(name=b'"><\x01\xff\n\0')
        self.assertEqual(self.inspect(odd).status, 200)

    def test_too_large(self):
        with Daemon("--max-upload", "64K", Daemon.samples) as other:
            reply = other.client.post("/v1/inspect", bytes(100_000), name="x.anim")
            self.assertProblem(reply, 413, limit="max-upload")
            self.assertNotEqual(other.client.post("/v1/inspect", bytes(60_000), name="x.anim").status, 413)


class BvhVerdict(SampleCase):
    """Would the viewer of Second Life take the BVH as an upload?"""

    def verdict(self, root, frames="0 0 0\n90 0 0\n"):
        text = (f"HIERARCHY\nROOT {root}\n{{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n}}\n"
                f"MOTION\nFrames: 2\nFrame Time: 0.1\n{frames}")
        return self.client.post("/v1/inspect", text.encode(), name="a.bvh").json["verdict"]

    def test_taken(self):
        self.assertEqual(self.verdict("hip"), [{"target": "sl-viewer", "accepted": True, "reasons": []}])

    def test_refused_with_the_line(self):
        [found] = self.verdict("Hips")
        self.assertFalse(found["accepted"])
        self.assertEqual([(reason["code"], reason["line"]) for reason in found["reasons"]],
                         [("bad_root", 2), ("unknown_joint", 2)])
        self.assertEqual(self.verdict("hip", "0 0 0\n0 0 0\n")[0]["reasons"][0]["code"], "no_joints")
        self.assertEqual(self.verdict("hip", "0 0 0\n90\n0 0\n")[0]["reasons"][0]["line"], 11)


@unittest.skipUnless(corpus(), "no corpus")
class Verdict(SampleCase):
    """Would the viewer of Second Life take it?"""

    def verdict(self, *path):
        report = self.client.post("/v1/inspect", corpus().joinpath(*path).read_bytes(), name=path[-1]).json
        self.assertEqual(report["verdict"][0]["target"], "sl-viewer")
        return report["verdict"][0]

    def test_sound_files_are_taken(self):
        self.assertEqual(self.verdict("sl", "ruth2", "FlatFeetDefault-p6.anim"),
                         {"target": "sl-viewer", "accepted": True, "reasons": []})

    def test_a_joint_that_nobody_knows_is_refused_with_its_place(self):
        found = self.verdict("sl", "viewer", "46bb4359-de38-4ed8-6a22-f1f52fe8f506.animatn")
        self.assertFalse(found["accepted"])
        self.assertEqual(found["reasons"][0]["code"], "unknown_joint")
        self.assertGreater(found["reasons"][0]["offset"], 0)


class GameVerdicts(SampleCase):
    """A row for the game of the format; the reasons are in tests/lib/formats/test_verdicts.c."""

    def of(self, data, name):
        return self.client.post("/v1/inspect", data, name=name).json.get("verdict")

    def test_sound_samples_are_taken(self):
        targets = set()
        for archive in self.client.items("/v1/archives"):
            for entry in self.client.items(f"/v1/archives/{archive['id']}/entries", limit=1000):
                if entry["kind"] not in ("clip", "mesh") or entry.get("error"):
                    continue
                data = self.client.get(f"/v1/archives/{archive['id']}/entries/{entry['index']}").body
                for row in self.of(data, entry["name"].rsplit("/", 1)[-1]) or []:
                    targets.add(row["target"])
                    codes = {reason["code"] for reason in row["reasons"]}
                    self.assertLessEqual(codes, {"no_cfp"}, entry["name"])  # its keys are another file
        self.assertLessEqual({"sl-viewer", "tso", "sims3", "mp1"}, targets)

    def test_converted_clips_are_taken(self):
        walk = self.clip("a2o-walk", "tso-anim")["id"]
        for to, name, target in (("tso-anim", "a.anim", "tso"), ("sims3-clip", "a.clip", "sims3"),
                                 ("sl-anim", "a.anim", "sl-viewer")):
            extension = name.rsplit(".", 1)[1]
            reply = self.client.get(f"/v1/clips/{walk}.{extension}", to=to, **({"retarget": 1} if to != "tso-anim" else {}))
            [row] = self.of(reply.body, name)
            self.assertEqual((row["target"], row["accepted"], row["reasons"]), (target, True, []))


@unittest.skipUnless(corpus(), "no corpus")
class RealVerdicts(SampleCase):
    def test_real_files_are_taken(self):
        """But for skills whose keys are not in the corpus."""
        count = 0
        for folder, pattern in (("sims/tso", "*.anim"), ("sims/tso", "*.mesh"), ("sims/sims1", "*.skn"),
                                ("sims/sims1", "*.cmx"), ("sims3", "*.clip"), ("sims3", "*.animation"), ("sims3", "*.simgeom")):
            for file in sorted((corpus() / folder).rglob(pattern)):
                report = self.client.post("/v1/inspect", file.read_bytes(), name=file.name).json
                for row in report.get("verdict", []):
                    count += 1
                    self.assertLessEqual({reason["code"] for reason in row["reasons"]}, {"no_cfp"}, file.name)
        self.assertGreater(count, 80)
