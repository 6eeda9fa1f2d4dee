"""POST and DELETE of /v1/archives, and forms for /v1/inspect."""

import hashlib
import re
import socket
import struct
import tempfile
import unittest
from pathlib import Path

from daemon import Daemon
from test_inspect import sl_anim
from uploads import IDLE, WALK, WAVE, UploadCase, form, sample, stored_files, zipped


class Uploads(UploadCase):
    def tearDown(self):
        self.remove_all()

    def test_a_loose_file(self):
        reply = self.upload(sample(WAVE), "wave.anim")
        self.assertEqual(reply.status, 201, reply)
        archive = reply.json
        self.assertEqual(reply["Location"], f"/v1/archives/{archive['id']}")
        self.assertEqual((archive["format"], archive["name"], archive["source"]), ("file", "wave.anim", "upload"))
        self.assertEqual((archive["bytes"], archive["entry_count"]), (len(sample(WAVE)), 1))
        clip = archive["clips"][0]
        self.assertEqual(self.client.get(f"/v1/clips/{clip['id']}").json["archive"], archive["id"])
        self.assertEqual(self.client.get(f"/v1/clips/{clip['id']}/pose", t="0.5").status, 200)
        self.assertEqual(self.client.get("/v1/named/wave.anim/wave/pose").status, 200)
        self.assertEqual(self.client.get(f"/v1/archives/{archive['id']}/entries/0").body, sample(WAVE))

    def test_the_same_bytes_are_kept_once(self):
        first = self.upload(sample(WAVE), "wave.anim")
        before = stored_files(self.data)
        again = self.upload(sample(WAVE), "other.anim")
        self.assertEqual((first.status, again.status), (201, 200))
        self.assertEqual(again["Location"], first["Location"])
        self.assertEqual(again.json, first.json)
        self.assertEqual(stored_files(self.data), before)
        self.assertEqual(self.client.metric("posed_store_bytes"), len(sample(WAVE)))

    def test_ids_are_of_bytes_not_of_file_names(self):
        """A BVH holds a clip and a skeleton, and has no name for either."""
        self.upload(sample(WAVE), "wave.anim")
        wave = self.client.items("/v1/clips", name="wave")[0]["id"]
        bvh = self.client.get(f"/v1/clips/{wave}.bvh").body
        digest = hashlib.sha256(b"".join(struct.pack("<Q", len(part)) + part for part in (b"bvh", bvh)))
        for name in ("one.bvh", "two.bvh"):
            archive = self.upload(zipped([(name, bvh)]), name + ".zip").json
            self.assertEqual([(c["id"], c["name"]) for c in archive["clips"]], [(digest.hexdigest()[:32], name[:3])])
            self.assertEqual([s["id"] for s in archive["skeletons"]], [digest.hexdigest()[:32]])
        self.assertEqual(len(self.client.items("/v1/clips", format="bvh")), 1)

    def test_a_name_that_means_another_clip(self):
        """Poses of the new one, at once, though only the time differs from what was asked before."""
        for content in (WAVE, WALK, WAVE):
            archive = self.upload(sample(content), "wave.anim").json
            name = archive["clips"][0]["name"]
            for t in ("0.1", "0.2"):
                pose = self.client.get(f"/v1/named/wave.anim/{name}/pose?t={t}")
                self.assertEqual(pose.json["clip"], archive["clips"][0]["id"])
            self.client.request("DELETE", f"/v1/archives/{archive['id']}")
            self.assertEqual(self.client.get(f"/v1/named/wave.anim/{name}/pose?t=0.3").status, 404)

    def test_blobs_are_named_by_their_hash(self):
        self.upload(sample(WAVE), "wave.anim")
        digest = hashlib.sha256(sample(WAVE)).hexdigest()
        self.assertEqual((self.data / "blobs" / digest).read_bytes(), sample(WAVE))

    def test_delete(self):
        archive = self.upload(sample(WAVE), "wave.anim").json
        clip = f"/v1/clips/{archive['clips'][0]['id']}"
        etag = self.client.get("/v1/clips")["ETag"]
        self.remove(archive["id"])
        for path in (clip, clip + "/pose", f"/v1/archives/{archive['id']}"):
            self.assertProblem(self.client.get(path), 404)
        self.assertProblem(self.client.request("DELETE", f"/v1/archives/{archive['id']}"), 404)
        self.assertNotEqual(self.client.get("/v1/clips")["ETag"], etag)
        self.assertEqual(stored_files(self.data), set())
        self.assertEqual(self.client.metric("posed_store_bytes"), 0)
        self.assertEqual(self.upload(sample(WAVE), "wave.anim").status, 201)

    def test_what_two_archives_hold_stays_with_one(self):
        alone = self.upload(sample(WAVE), "wave.anim").json
        both = self.upload(zipped([("a/wave.anim", sample(WAVE)), ("walk.anim", sample(WALK))]), "both.zip").json
        clip = alone["clips"][0]["id"]
        places = [place["archive"] for place in self.client.get(f"/v1/clips/{clip}").json["found_in"]]
        self.assertEqual(places, [alone["id"], both["id"]])
        self.remove(alone["id"])
        self.assertEqual(self.client.get(f"/v1/clips/{clip}").json["archive"], both["id"])

    def test_names(self):
        cases = (
            ("attachment; filename=walk.anim", "walk.anim"),
            ('attachment; filename="my walk.anim"', "my walk.anim"),
            ('attachment; filename="C:\\\\mods\\\\walk.anim"', "walk.anim"),
            ("attachment; filename=x.anim; filename*=UTF-8''w%C3%A4lk.anim", "wälk.anim"),
            ("attachment; filename*=UTF-8'en'%e2%82%ac.anim; filename=x.anim", "€.anim"),
            ('attachment; filename="../../etc/passwd"', "passwd"),
            ('attachment; filename=".."', "upload"),
            ('attachment; filename="broken', "upload"),
            ("attachment", "upload"),
        )
        for header, wanted in cases:
            reply = self.client.post("/v1/archives", sample(WALK), headers={"Content-Disposition": header})
            self.assertEqual((reply.status, reply.json["name"]), (201, wanted), header)
            self.remove(reply.json["id"])
        reply = self.client.post(
            "/v1/archives?name=a.anim", sample(WALK), headers={"Content-Disposition": "attachment; filename=b.anim"}
        )
        self.assertEqual(reply.json["name"], "a.anim")

    def test_broken_files_are_not_kept(self):
        self.assertProblem(self.upload(sample(WAVE)[:200], "x.anim"), 422, format="sl-anim")
        self.assertProblem(self.upload(b"hello", "x.txt"), 415, code="unknown_format")
        self.assertProblem(self.upload(b"", "x.anim"), 400, code="empty_body")
        self.assertProblem(self.upload(sample("sims-online.far")[:100], "x.far"), 422, format="far3")
        self.assertProblem(self.upload(sample(WAVE), "x.anim", format="no-such"), 400, parameter="format")
        self.assertProblem(self.upload(sample(WAVE), "x.anim", colour="red"), 400, parameter="colour")
        self.assertEqual(self.client.get("/v1/archives").json["total"], 0)
        self.assertEqual(stored_files(self.data), set())

    def test_an_archive_with_broken_entries(self):
        reply = self.upload(
            zipped([("good.anim", sample(WAVE)), ("bad.anim", sample(WAVE)[:300]), ("read.me", b"hello")]), "mod.zip"
        )
        self.assertEqual(reply.status, 201)
        archive = reply.json
        self.assertEqual((archive["entry_count"], len(archive["clips"])), (3, 1))
        self.assertEqual([r["entry"] for r in archive["rejected"]], ["bad.anim"])
        self.assertEqual(archive["rejected"][0]["error"]["status"], 422)
        self.assertIn("byte", archive["rejected"][0]["error"]["detail"])

    def test_parts_are_found_by_the_ids_of_an_archive(self):
        """The names of a FAR of The Sims Online need not say the ids that appearances and bindings refer to."""
        for named in (True, False):
            table = data = b""
            for name, kind, file in (("body.0b0d000100000009.mesh", 9, 0x0B0D0001),
                                     ("body.0b0d00020000000b.bnd", 11, 0x0B0D0002),
                                     ("body.0b0d00030000000c.apr", 12, 0x0B0D0003)):
                stored = sample("sims-online/" + name)
                plain = b"body." + name[-4:].lstrip(".").encode() if named else b""
                table += struct.pack("<IIIBBHII", len(stored), len(stored), 16 + len(data), 0, 0, len(plain), kind, file)
                table += plain
                data += stored
            far = b"FAR!byAZ" + struct.pack("<II", 3, 16 + len(data)) + data + struct.pack("<I", 3) + table
            archive = self.upload(far, "named.far" if named else "nameless.far").json
            self.assertEqual((archive["format"], len(archive["characters"])), ("far3", 2))
            for character in archive["characters"]:
                found = self.client.get(f"/v1/characters/{character['id']}").json
                self.assertEqual(([m["id"] for m in found["meshes"]], found["missing"]),
                                 ([archive["meshes"][0]["id"]], []), found["type"])
            self.remove(archive["id"])

    def test_an_outfit_wears_the_lightest_tone_that_is_there(self):
        names = {9: "body.0b0d000100000009.mesh", 11: "body.0b0d00020000000b.bnd", 12: "body.0b0d00030000000c.apr"}
        kept = [(name, sample("sims-online/" + name)) for name in names.values()]
        appearance = kept[2][1]
        other = ("dark.0b0d00050000000c.apr", struct.pack(">5I", 1, 7, 7, 1, 0x0B0D0002) + struct.pack(">I", 11))

        def outfit(light, medium, dark):
            keys = b"".join(struct.pack(">2I", file, 12 if file else 0) for file in (light, medium, dark))
            return struct.pack(">2I", 1, 0) + keys + struct.pack(">2I", 0, 18)

        self.assertEqual(len(appearance), len(other[1]))
        for keys, tones, missing in (((0x0B0D0003, 0, 0x0B0D0005), ["light", "dark"], []),
                                     ((0x0B0D0009, 0x0B0D0005, 0x0B0D0003), ["medium", "dark"], ["0b0d00090000000c"]),
                                     ((0, 0x0B0D0008, 0), [], ["0b0d00080000000c"])):
            with self.subTest(keys=keys):
                archive = self.upload_form([*kept, other, ("dress.0b0d00040000000d.oft", outfit(*keys))]).json
                worn = self.client.items("/v1/characters", format="tso-oft")[0]["id"]
                found = self.client.get(f"/v1/characters/{worn}").json
                variants = found.get("variants", [])
                self.assertEqual([one["name"] for one in variants], tones)
                self.assertEqual(found["missing"], missing)
                self.assertEqual([mesh["id"] for mesh in found["meshes"]], [archive["meshes"][0]["id"]] if tones else [])
                if tones:
                    appearances = self.client.items("/v1/characters", format="tso-apr")
                    self.assertEqual({one["character"] for one in variants}, {one["id"] for one in appearances})
                    first = self.client.get(f"/v1/characters/{variants[0]['character']}").json
                    self.assertEqual(first["meshes"], found["meshes"])
                    glb = self.client.get(f"/v1/characters/{worn}.glb")
                    self.assertEqual((glb.status, glb.body[:4]), (200, b"glTF"))
                self.remove(archive["id"])

    def test_outfits_that_name_each_other_end(self):
        """An appearance whose bindings are appearances: what it names is followed for two steps, and no further."""
        loop = struct.pack(">4I", 1, 0, 0, 2) + struct.pack(">4I", 0x10, 12, 0x10, 12)
        outfit = struct.pack(">10I", 1, 0, 0x10, 12, 0x10, 12, 0x10, 12, 0, 18)
        archive = self.upload_form([("a.000000100000000c.apr", loop), ("b.000000110000000d.oft", outfit)]).json
        for character in archive["characters"]:
            found = self.client.get(f"/v1/characters/{character['id']}").json
            self.assertEqual(found["meshes"], [])

    def test_a_suit_without_its_meshes_has_a_skeleton(self):
        text = "\n".join(["version 300", "0", "1", "censor", "1", "0", "2", "HEAD", "box-a", "4", "0", "PELVIS",
                          "box-b", "1", "0", "0", ""])
        archive = self.upload_form([("censor.cmx", text.encode()),
                                    ("adult.skel", sample("sims-online/adult.skel"))]).json
        suit = self.client.get(f"/v1/characters/{archive['characters'][0]['id']}").json
        self.assertEqual((suit["skeleton"], suit["missing"]), (archive["skeletons"][0]["id"], ["box-a", "box-b"]))

    def test_native_rest_is_as_stored(self):
        text = "\n".join(["version 300", "1", "sk", "1", "ROOT", "NULL", "0", "| 1 2 3 |", "| 0 0 -0.5 0.25 |",
                          "1", "1", "0", "0", "0", "0", "0", ""])
        archive = self.upload(text.encode(), "sk.cmx").json
        path = f"/v1/skeletons/{archive['skeletons'][0]['id']}"
        self.assertEqual(self.client.get(path, axes="native").json["joints"][0]["rotation"], [0, 0, -0.5, 0.25])
        turn = self.client.get(path).json["joints"][0]["rotation"]
        self.assertAlmostEqual(sum(v * v for v in turn), 1, places=6)

    def test_known_formats(self):
        far = self.upload(sample("sims-online.far"), "x.far").json
        self.assertEqual((far["format"], len(far["clips"]), len(far["skeletons"])), ("far3", 3, 1))

    def test_nested_one_level_deep(self):
        inner = zipped([("deep/wave.anim", sample(WAVE)), ("far.far", sample("sims-online.far"))])
        archive = self.upload(
            zipped([("x.zip", inner), ("y.far", sample("sims-online.far")), ("walk.anim", sample(WALK))]), "n.zip"
        ).json
        entries = self.client.items(f"/v1/archives/{archive['id']}/entries")
        names = [entry["name"] for entry in entries]
        self.assertEqual(names[:5], ["x.zip", "y.far", "walk.anim", "x.zip/deep/wave.anim", "x.zip/far.far"])
        self.assertEqual(len(names), 5 + 7)
        self.assertEqual(entries[0]["format"], "zip")
        self.assertEqual(len(archive["clips"]), 1 + 1 + 3)
        self.assertEqual([r["entry"] for r in archive["rejected"]], ["x.zip/far.far"])
        self.assertEqual(archive["rejected"][0]["error"]["code"], "nested_too_deep")
        raw = self.client.get(f"/v1/archives/{archive['id']}/entries/3")
        self.assertEqual(raw.body, sample(WAVE))
        for clip in archive["clips"]:
            self.assertEqual(self.client.get(f"/v1/clips/{clip['id']}/pose").status, 200)

    def test_game_and_format_hints(self):
        reply = self.upload(sample(WAVE), "x.bin", format="sl-anim")
        self.assertEqual(reply.status, 201)
        self.assertProblem(self.upload(sample(WALK), "x.bin", format="tso-skel"), 422, format="tso-skel")

    def test_limit_of_the_body(self):
        with Daemon("--max-upload", "1000", "--data", self.folder / "small") as daemon:
            reply = daemon.client.post("/v1/archives?name=x.anim", sample(WAVE))
            self.assertProblem(reply, 413, limit="max-upload")
            self.assertEqual(daemon.client.get("/v1/archives").json["total"], 0)
            chunks = (sample(WAVE)[i : i + 700] for i in range(0, 13363, 700))
            reply = daemon.client.post("/v1/archives?name=x.anim", chunks)
            self.assertProblem(reply, 413, limit="max-upload")

    def test_chunked(self):
        data = zipped([(f"{i}.anim", sample(WAVE) + bytes(i)) for i in range(300)], method=0)
        self.assertGreater(len(data), 3 << 20)
        pieces = (data[i : i + 50000] for i in range(0, len(data), 50000))
        reply = self.client.post("/v1/archives?name=big.zip", pieces)
        self.assertEqual((reply.status, reply.json["entry_count"]), (201, 300))

    def test_client_that_leaves(self):
        with socket.create_connection((self.client.host, self.client.port)) as stream:
            stream.sendall(
                b"POST /v1/archives?name=x.anim HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nabc"
            )
        self.assertEqual(self.upload(sample(WAVE), "x.anim").status, 201)

    def test_methods(self):
        self.assertIn("POST", self.client.request("PUT", "/v1/archives")["Allow"])
        reply = self.client.request("OPTIONS", "/v1/archives", check=False)
        self.assertIn("POST", reply["Access-Control-Allow-Methods"])


class Forms(UploadCase):
    def tearDown(self):
        self.remove_all()

    def inspect_form(self, files):
        headers, body = form(files)
        return self.client.post("/v1/inspect", body, headers=headers)

    def test_one_file_is_that_file(self):
        archive = self.upload_form([("mod.far", sample("sims-online.far"))]).json
        self.assertEqual((archive["format"], archive["name"]), ("far3", "mod.far"))
        self.assertEqual(self.upload(sample("sims-online.far"), "x.far").status, 200)

    def test_files_form_one_archive(self):
        files = [("walk.anim", sample(WALK)), ("dir/idle.anim", sample(IDLE)), ("wave.anim", sample(WAVE))]
        reply = self.upload_form(files)
        archive = reply.json
        self.assertEqual((reply.status, archive["format"], archive["entry_count"]), (201, "folder", 3))
        self.assertEqual(archive["bytes"], sum(len(data) for _, data in files))
        self.assertEqual(len(archive["clips"]), 3)
        digest = hashlib.sha256()
        for name, data in sorted(files):
            for part in (name.encode(), data):
                digest.update(struct.pack("<Q", len(part)) + part)
        self.assertEqual(archive["id"], digest.hexdigest()[:32])
        self.assertEqual(self.upload_form(files[::-1]).status, 200)

    def test_companions(self):
        """A clip and its skeleton in one form: the skeleton is its own, and not another upload's."""
        names = ("sims-online/a2o-walk.anim", "sims-online/adult.skel")
        archive = self.upload_form([(name.rpartition("/")[2], sample(name)) for name in names]).json
        clip = self.client.get(f"/v1/clips/{archive['clips'][0]['id']}").json
        self.assertEqual(clip["skeleton"], archive["skeletons"][0]["id"])

    def test_file_names(self):
        for sent, wanted in (
            ("C:\\fakepath\\walk.anim", "walk.anim"),
            ("../../up.anim", "up.anim"),
            ("/abs.anim", "abs.anim"),
            ("sub\\dir\\x.anim", "sub/dir/x.anim"),
            ("./here.anim", "here.anim"),
            ("a//b/./c.anim", "a/b/c.anim"),
            ("no-folder.anim/", "no-folder.anim"),
            ("./C:\\x\\y.anim", "y.anim"),
            ('quo\\"te.anim', 'quo"te.anim'),
            ("a%22b.anim", 'a"b.anim'),
            ("wälk.anim", "wälk.anim"),
            ("w\xe4lk.anim".encode("latin-1"), "wälk.anim"),
        ):
            archive = self.upload_form([(sent, sample(WALK)), ("zz.anim", sample(IDLE))]).json
            names = {entry["name"] for entry in self.client.items(f"/v1/archives/{archive['id']}/entries")}
            self.assertEqual(names, {wanted, "zz.anim"}, sent)
            self.remove(archive["id"])

    def test_extended_names(self):
        head = "--b\r\nContent-Disposition: form-data; name=f; filename*=UTF-8''%e2%82%ac.anim\r\n\r\n"
        body = head.encode() + sample(WALK) + b"\r\n--b--\r\n"
        reply = self.client.post("/v1/archives", body, headers={"Content-Type": "multipart/form-data; boundary=b"})
        self.assertEqual(reply.json["name"], "€.anim")

    def test_fields_where_no_file_was_chosen(self):
        archive = self.upload_form([("a", "", b""), ("b", "walk.anim", sample(WALK)), ("c", None, b"")]).json
        self.assertEqual((archive["format"], archive["name"]), ("file", "walk.anim"))
        self.assertProblem(self.upload_form([("a", "", b"")]), 400, code="empty_body")

    def test_field_instead_of_a_file_name(self):
        archive = self.upload_form([("wave.anim", None, sample(WAVE))]).json
        self.assertEqual(archive["name"], "wave.anim")

    def test_some_broken_and_all_broken(self):
        archive = self.upload_form([("good.anim", sample(WAVE)), ("bad.anim", sample(WALK)[:99])]).json
        self.assertEqual([r["entry"] for r in archive["rejected"]], ["bad.anim"])
        reply = self.upload_form([("a.anim", sample(WAVE)[:80]), ("b.anim", sample(WALK)[:99])])
        self.assertProblem(reply, 422, entry="a.anim", format="sl-anim")
        self.assertProblem(self.upload_form([("a.txt", b"hello"), ("b.txt", b"world")]), 415)

    def test_broken_forms_that_are_large(self):
        """They are parsed while they arrive: the same refusals, the same bytes."""
        pad = b'--b\r\nContent-Disposition: form-data; name="f"; filename="pad.bin"\r\n\r\n' + b"\r\n--" * (1 << 19)
        for rest, offset in (
            (b"\r\n--b", 5),
            (b"\r\n--b\r\nno header\r\n\r\n\r\n--b--\r\n", 7),
            (b"\r\n--b\r\nx: " + b"y" * 5000 + b"\r\n\r\n\r\n--b--", 7),
            (b"\r\n--b\r\n" + b"A: b\r\n" * 40 + b"\r\n\r\n--b--", 7 + 6 * 32),
            (b"\r\n--b\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--b--", 7),
        ):
            for then in (b"", b"x" * (2 << 20)):
                if offset == 5 and then:
                    continue
                reply = self.client.post(
                    "/v1/archives", pad + rest + then, headers={"Content-Type": "multipart/form-data; boundary=b"}
                )
                self.assertProblem(reply, 400, code="bad_multipart", offset=len(pad) + offset)
        for path in ("/v1/archives", "/v1/inspect", "/v1/convert?to=glb"):
            reply = self.client.post(
                path, b"--b" + b"-" * (2 << 20), headers={"Content-Type": "multipart/form-data; boundary=b"}
            )
            self.assertProblem(reply, 400, code="empty_body")
        reply = self.client.post(
            "/v1/archives",
            b"--b" + b"\r\n\r\nx\r\n--b" * 100_001 + b"--",
            headers={"Content-Type": "multipart/form-data; boundary=b"},
        )
        self.assertProblem(reply, 413, limit="max-entries")
        reply = self.client.post(
            "/v1/poses", pad + b"\r\n--b--", headers={"Content-Type": "multipart/form-data; boundary=b"}
        )
        self.assertProblem(reply, 400)
        self.assertEqual(stored_files(self.data), set())

    def test_broken_forms(self):
        def post(body, kind="multipart/form-data; boundary=b"):
            return self.client.post("/v1/archives", body, headers={"Content-Type": kind})

        part = b'--b\r\nContent-Disposition: form-data; name="f"; filename="x.anim"\r\n\r\n'
        for body in (
            part + sample(WAVE),
            part + sample(WAVE) + b"\r\n--b",
            part[:-2],
            b"--b\r\nno header\r\n\r\n\r\n--b--\r\n",
            b"--b\r\nContent-Disposition: form-data; name=\r\nx: " + b"y" * 5000 + b"\r\n\r\n\r\n--b--",
            b"--b\r\n" + b"A: b\r\n" * 40 + b"\r\n\r\n--b--",
            b'--b\r\nContent-Disposition: form-data; name="f\r\n\r\nx\r\n--b--',
            b"--b\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--b--",
            b"nothing of it",
        ):
            self.assertProblem(post(body), 400, code="bad_multipart")
        self.assertIn("offset", post(part + sample(WAVE)).json)
        self.assertProblem(post(part, "multipart/form-data"), 400, code="bad_multipart")
        self.assertProblem(post(part, "multipart/form-data; boundary=" + "b" * 71), 400, code="bad_multipart")
        self.assertProblem(post(b"--b--\r\n"), 400, code="empty_body")
        self.assertEqual(stored_files(self.data), set())
        whole = b"preamble\r\n" + part + sample(WAVE) + b'\r\n--b \t\r\nX: y\r\n\r\n\r\n--bc\r\n--b--epilogue'
        self.assertEqual(post(whole, 'Multipart/Form-Data; charset=x; boundary="b"').status, 201)

    def test_inspect_a_form(self):
        found = self.inspect_form([("walk.anim", sample(WALK)), ("x.zip", zipped([("wave.anim", sample(WAVE))]))]).json
        self.assertEqual((found["format"], found["kind"], found["entry_count"]), ("folder", "archive", 3))
        self.assertEqual(len(found["clips"]), 2)
        self.assertEqual(self.client.get("/v1/archives").json["total"], 0)
        self.assertEqual(stored_files(self.data), set())

    def test_inspect_one_file_of_a_form(self):
        found = self.inspect_form([("walk.anim", sample(WALK))]).json
        self.assertEqual((found["format"], found["verdict"][0]["accepted"]), ("sl-anim", True))
        self.assertProblem(self.inspect_form([("x.anim", sl_anim(joints=0))]), 422, format="sl-anim")


class Access(UploadCase):
    """Writes without a token: section 2 of the contract."""

    def post(self, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post("/v1/archives?name=x.anim", sample(WAVE), headers=headers)

    def test_hosts(self):
        port = self.client.port
        for host in ("localhost", "127.0.0.1", "[::1]", f"localhost:{port}", "LOCALHOST:1", "[::1]:80"):
            self.assertIn(self.post(Host=host).status, (200, 201), host)
        for host in ("example.org", f"example.org:{port}", "localhost.example.org", "127.0.0.1.nip.io", "[::2]",
                     "localhost:80:80", "localhost:x", "127.0.0.2", "::1", "0.0.0.0", "localhost."):  # fmt: skip
            self.assertProblem(self.post(Host=host), 403, code="write_refused")

    def test_proxies(self):
        for name in ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "x-forwarded-anything", "Via"):
            self.assertProblem(self.post(**{name: "1.2.3.4"}), 403)

    def test_origins(self):
        host = f"127.0.0.1:{self.client.port}"
        self.assertIn(self.post(Origin=f"http://{host}").status, (200, 201))
        for origin in ("http://example.org", "null", "http://127.0.0.1", f"https://{host}", f"http://{host}.org",
                       f"http://localhost:{self.client.port}"):  # fmt: skip
            self.assertProblem(self.post(Origin=origin), 403)

    def test_delete_too(self):
        archive = self.post().json["id"]
        reply = self.client.request("DELETE", f"/v1/archives/{archive}", headers={"Origin": "http://example.org"})
        self.assertProblem(reply, 403)
        self.remove(archive)

    def test_reading_is_free(self):
        headers = {"Host": "example.org", "Origin": "http://example.org", "Via": "1.1 x"}
        self.assertEqual(self.client.get("/v1/clips", headers=headers).status, 200)
        reply = self.client.post("/v1/inspect?name=x.anim", sample(WAVE), headers=headers)
        self.assertEqual(reply.status, 200)

    def test_before_the_body(self):
        """The refusal does not wait for a body that is announced."""
        answer = self.client.raw(
            b"POST /v1/archives HTTP/1.1\r\nHost: example.org\r\nContent-Length: 60000000\r\n"
            b"Expect: 100-continue\r\n\r\n", timeout=5,
        )  # fmt: skip
        self.assertTrue(answer.startswith(b"HTTP/1.1 403"), answer)

    def test_other_addresses(self):
        """A peer that is not the loopback: this machine by another of its addresses."""
        address = own_address()
        if not address:
            self.skipTest("this machine has no address but the loopback's")
        with Daemon("--data", self.folder / "open", listen="0.0.0.0:0") as daemon:
            daemon.client.host = address
            reply = daemon.client.post("/v1/archives?name=x.anim", sample(WAVE), headers={"Host": "localhost"})
            self.assertProblem(reply, 403)
            daemon.client.host = "127.0.0.1"
            daemon.client.close()
            reply = daemon.client.post("/v1/archives?name=x.anim", sample(WAVE))
            self.assertEqual(reply.status, 201)


class Tokens(unittest.TestCase):
    def test_writes_need_one(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "tokens")
            file.write_text("# who may write\nsecret-of-ann\n")
            with Daemon("--data", Path(folder, "data"), "--token-file", file) as daemon:
                self.check(daemon.client)

    def check(self, client):
        def post(**headers):
            return client.post("/v1/archives?name=x.anim", sample(WAVE), headers=headers)

        for headers, status in (
            ({}, 401),
            ({"Authorization": "Basic c2VjcmV0"}, 401),
            ({"Authorization": "Bearer"}, 401),
            ({"Authorization": "Bearer wrong"}, 403),
            ({"Authorization": "Bearer secret-of-an"}, 403),
        ):
            reply = post(**headers)
            self.assertEqual(reply.status, status, headers)
            self.assertEqual(reply["WWW-Authenticate"], "Bearer" if status == 401 else None)
        self.assertEqual(client.get("/v1/archives").json["total"], 0)
        token = {"Authorization": "Bearer secret-of-ann", "Host": "example.org", "Via": "1.1 proxy"}
        reply = post(**token)
        self.assertEqual(reply.status, 201)
        self.assertEqual(client.request("DELETE", reply["Location"]).status, 401)
        self.assertEqual(client.request("DELETE", reply["Location"], headers=token).status, 204)


def own_address():
    """An address of this machine that is not the loopback's; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        address = probe.getsockname()[0]
    return None if address.startswith("127.") else address


class InMemory(unittest.TestCase):
    def test_uploads_without_a_store(self):
        with Daemon() as daemon:
            daemon.wait_for_log(re.escape("uploads live in memory"))
            reply = daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE))
            self.assertEqual(reply.status, 201)
            clip = reply.json["clips"][0]["id"]
            self.assertEqual(daemon.client.get(f"/v1/clips/{clip}/pose").status, 200)
            self.assertEqual(daemon.client.request("DELETE", reply["Location"]).status, 204)
            self.assertEqual(daemon.client.get(f"/v1/clips/{clip}/pose").status, 404)

    def test_bound(self):
        with Daemon("--max-store", len(sample(WAVE)) + 100) as daemon:
            self.assertEqual(daemon.client.post("/v1/archives?name=a.anim", sample(WAVE)).status, 201)
            reply = daemon.client.post("/v1/archives?name=b.anim", sample(WALK))
            self.assertEqual((reply.status, reply.json["limit"]), (507, "max-store"))

    def test_archives_of_the_command_line(self):
        with Daemon(Daemon.samples) as daemon:
            archives = daemon.client.items("/v1/archives")
            reply = daemon.client.request("DELETE", f"/v1/archives/{archives[0]['id']}")
            self.assertEqual((reply.status, reply.json["code"]), (403, "not_an_upload"))
            known = daemon.client.post("/v1/archives?name=x.far", sample("sims-online.far"))
            self.assertEqual((known.status, known.json["source"]), (200, "path"))
            self.assertEqual(daemon.client.get("/v1/archives").json["total"], len(archives))
