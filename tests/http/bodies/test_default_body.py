"""mesh=auto, the default: GLBs, pictures and conversions show the same body, found in the clip's archive or in a PATH."""

import io
import json
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

from daemon import Daemon
from fixture import SampleCase
from test_bodies import read_glb
from test_composing import dress, skeleton
from test_pictures import read_png
from test_scope import SKELETON, SKIN, SUIT, png, red_of, zipped


def long_skeleton():
    """The skeleton of the samples' size: a hat hangs on one of many bones."""
    lines = skeleton("adult", 1.5).split("\r\n")
    begin, count = lines.index("ROOT"), 24
    tail = [row for i in range(count) for row in (f"TAIL{i}", "PELVIS", *lines[begin + 2:begin + 10])]
    lines[begin - 1] = str(int(lines[begin - 1]) + count)
    end = begin + 5 * 10
    return "\r\n".join(lines[:end] + tail + lines[end:])


def meshes(reply):
    return sorted(m["name"] for m in read_glb(reply.body)[0].get("meshes", []))


def nod(client, name):
    """A clip of The Sims Online that moves the bones of test_composing's skeleton only."""
    walk = (Daemon.samples / "sims-online" / "a2o-walk.anim").read_bytes()
    clip = client.post("/v1/convert", walk, to="json", name="a2o-walk.anim").json
    clip["joints"] = [joint for joint in clip["joints"] if joint["name"] in ("PELVIS", "HEAD")]
    clip["name"] = name
    return client.post("/v1/convert", json.dumps(clip).encode(), to="tso-anim", name="x.json").body


class Chosen(unittest.TestCase):
    assertProblem = SampleCase.assertProblem

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name)
        cls.wardrobe = cls.root / "wardrobe"
        cls.wardrobe.mkdir()
        (cls.wardrobe / "adult-skeleton.cmx").write_text(skeleton("adult", 1.5), newline="")
        dress(cls.wardrobe, "a001hat", ("HEAD", "BOX"))
        dress(cls.wardrobe, "b001mafit_01", ("PELVIS", "BODY"))
        dress(cls.wardrobe, "c001ma_jo", ("HEAD", "HEAD"))
        dress(cls.wardrobe, "hulo", ("L_HAND", "HAND"))
        cls.daemon = Daemon(cls.wardrobe)
        cls.daemon.__enter__()
        cls.client = cls.daemon.client

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None, None, None)
        cls.folder.cleanup()

    def character(self, name):
        return next(c["id"] for c in self.client.items("/v1/characters") if c["name"] == name)

    BODY = ["xskin-b001mafit_01-PELVIS-BODY", "xskin-c001ma_jo-HEAD-HEAD", "xskin-hulo-L_HAND-HAND"]

    def test_a_clip_of_an_upload_is_played_by_a_character_of_a_path(self):
        archive = self.client.post("/v1/archives", nod(self.client, "a2o-nod"), name="a2o-nod.anim").json
        clip = archive["clips"][0]["id"]
        reply = self.client.get(f"/v1/clips/{clip}.glb")
        self.assertEqual(meshes(reply), self.BODY)
        self.assertEqual(reply["Cache-Control"], "no-cache")
        self.assertEqual(self.client.get(f"/v1/clips/{clip}.glb", archive=archive["id"])["Cache-Control"], "no-cache")
        again = self.client.get(f"/v1/clips/{clip}.glb", headers={"If-None-Match": reply["ETag"]})
        self.assertEqual(again.status, 304)
        # Another upload changes nothing of it.
        self.client.post("/v1/archives", nod(self.client, "a2o-other"), name="other.anim")
        self.assertEqual(self.client.get(f"/v1/clips/{clip}.glb")["ETag"], reply["ETag"])

        self.assertEqual(meshes(self.client.get(f"/v1/clips/{clip}.glb", **{"with": "none"})), self.BODY[:1])
        hat = self.character("c001ma_jo")
        self.assertEqual(meshes(self.client.get(f"/v1/clips/{clip}.glb", character=hat)), self.BODY)
        self.assertEqual(meshes(self.client.get(f"/v1/clips/{clip}.glb", character=hat, **{"with": "none"})), self.BODY[1:2])
        hand = next(m["id"] for m in self.client.items("/v1/meshes") if m["name"] == self.BODY[2])
        self.assertEqual(meshes(self.client.get(f"/v1/clips/{clip}.glb", character=hat, **{"with": hand})), self.BODY[1:])
        self.assertEqual(meshes(self.client.get(f"/v1/clips/{clip}.glb", mesh="bones")), ["bones"])
        for query in ({"mesh": "bones"}, {"mesh": "mannequin"}):
            self.assertProblem(self.client.get(f"/v1/clips/{clip}.glb", character=hat, **query), 400, parameter="character")
        self.assertProblem(self.client.get(f"/v1/clips/{clip}.glb", **{"with": hand}), 400, parameter="with")
        self.assertProblem(self.client.get(f"/v1/clips/{clip}.bvh", character=hat), 400, parameter="character")
        self.assertProblem(self.client.get(f"/v1/clips/{clip}.glb", character="0" * 32), 400, parameter="character")

    def test_the_picture_agrees(self):
        clip = self.client.post("/v1/archives", nod(self.client, "a2o-nod"), name="a2o-nod.anim").json["clips"][0]["id"]
        path = f"/v1/clips/{clip}/preview.png"
        chosen = self.client.get(path).body
        self.assertEqual(chosen, self.client.get(path, character=self.character("b001mafit_01")).body)
        self.assertNotEqual(chosen, self.client.get(path, mesh="bones").body)
        self.assertNotEqual(chosen, self.client.get(path, **{"with": "none"}).body)

    def test_a_posted_clip(self):
        self.assertEqual(meshes(self.client.post("/v1/convert", nod(self.client, "a2o-x"), to="glb", name="x.anim")), self.BODY)
        self.assertEqual(meshes(self.client.post("/v1/convert", nod(self.client, "a2o-x"), to="glb", name="x.anim", mesh="bones")), ["bones"])

    def test_its_own_archive_comes_first(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "adult-skeleton.cmx").write_text(skeleton("adult", 1.5), newline="")
            (folder / "a2o-nod.anim").write_bytes(nod(self.client, "a2o-nod"))
            dress(folder, "b002mafat_01", ("PELVIS", "BODY"), ("HEAD", "HEAD"), ("L_HAND", "HANDL"), ("R_HAND", "HANDR"))
            pack = io.BytesIO()
            with zipfile.ZipFile(pack, "w") as archive:
                for file in sorted(folder.iterdir()):
                    archive.writestr(file.name, file.read_bytes())
            made = self.client.post("/v1/archives", pack.getvalue(), name="own.zip").json
        clip = made["clips"][0]["id"]
        # The places that are free on it are taken by what PATHs have; so it is not for ever.
        reply = self.client.get(f"/v1/clips/{clip}.glb", archive=made["id"])
        self.assertIn("xskin-b002mafat_01-PELVIS-BODY", meshes(reply))
        self.assertNotIn(self.BODY[0], meshes(reply))
        character = made["characters"][0]["id"]
        dressed = {"archive": made["id"], "character": character, "with": "none"}
        self.assertEqual(self.client.get(f"/v1/clips/{clip}.glb", **dressed)["Cache-Control"], "public, max-age=3600")
        self.assertEqual(self.client.get(f"/v1/clips/{clip}/preview.png", **dressed)["Cache-Control"], "public, max-age=3600")
        bundle = zipfile.ZipFile(io.BytesIO(self.client.get(f"/v1/archives/{made['id']}.zip", to="glb").body))
        glb = next(bundle.read(name) for name in bundle.namelist() if name.endswith(".glb"))
        self.assertIn(b"xskin-b002mafat_01-PELVIS-BODY", glb)


class Hats(unittest.TestCase):
    def test_a_hat_is_nobody(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "adult-skeleton.cmx").write_text(long_skeleton(), newline="")
            dress(folder, "hat", ("HEAD", "HAT"))
            with Daemon(folder) as daemon:
                clip = daemon.client.post("/v1/archives", nod(daemon.client, "a2o-nod"), name="nod.anim").json["clips"][0]["id"]
                self.assertEqual(meshes(daemon.client.get(f"/v1/clips/{clip}.glb")), ["bones"])
                hat = daemon.client.items("/v1/characters")[0]["id"]
                self.assertNotEqual(meshes(daemon.client.get(f"/v1/clips/{clip}.glb", character=hat)), ["bones"])


class Recolours(unittest.TestCase):
    def pictures(self, client, clip, archive):
        for angle in ("front", "side", "three-quarter", "top"):  # it is flat
            yield read_png(client.get(f"/v1/clips/{clip}/preview.png", archive=archive, angle=angle).body)

    def test_each_upload_shows_its_own_texture(self):
        """The same skeleton, suit, mesh and clip in two uploads, with other textures."""
        with Daemon() as daemon:
            client, shades = daemon.client, {}
            for red in (10, 200):
                both_sides = SKIN.replace("\n1\n0 1 2\n", "\n2\n0 1 2\n0 2 1\n").encode()
                files = [("adult-skeleton.cmx", SKELETON.encode()), ("suit.cmx", SUIT.encode()), ("body.skn", both_sides),
                         ("skin.png", png(red)), ("a2o-nod.anim", nod(client, "a2o-nod"))]
                made = client.post("/v1/archives", zipped(files), name=f"{red}.zip").json
                clip, own = made["clips"][0]["id"], made["id"]
                glb = client.get(f"/v1/clips/{clip}.glb", archive=own)
                self.assertEqual(red_of(glb.body), red)
                shades[red] = max(max((row[x * 4] for row in rows for x in range(width) if row[x * 4 + 3] == 255), default=0)
                                  for width, _, rows in self.pictures(client, clip, own))
            self.assertEqual(red_of(client.get(f"/v1/clips/{clip}.glb").body), 10)  # the first of found_in counts
            self.assertGreater(shades[200], shades[10] + 50)


class LoneClips(SampleCase):
    def test_a_clip_of_the_sims_3_without_a_rig_has_a_mannequin(self):
        archive = next(a for a in self.client.items("/v1/archives") if a["format"] == "dbpf")
        with tempfile.TemporaryDirectory() as folder:
            for entry in self.client.items(f"/v1/archives/{archive['id']}/entries"):
                if entry["format"] == "sims3-clip":
                    data = self.client.get(f"/v1/archives/{archive['id']}/entries/{entry['index']}").body
                    (Path(folder) / (entry["name"].partition("_")[2] + ".clip")).write_bytes(data)
            with Daemon(folder) as daemon:
                heights = {}
                for name in ("a_walk_loop_x", "c_wave_x"):
                    clip, = daemon.client.items("/v1/clips", name=name)
                    pose = daemon.client.get(f"/v1/clips/{clip['id']}/pose", space="model")
                    self.assertIn("stand_in_skeleton", pose.headers.get("Posed-Warning", ""))
                    heights[name] = next(j["matrix"][13] for j in pose.json["joints"] if j["name"] == "b__Head__")
                    reply = daemon.client.get(f"/v1/clips/{clip['id']}/preview.png")
                    body = daemon.client.get(f"/v1/clips/{clip['id']}/preview.png", mesh="mannequin")
                    self.assertEqual((reply.status, reply.body), (200, body.body))
                self.assertLess(heights["c_wave_x"], 0.8 * heights["a_walk_loop_x"])


class Others(SampleCase):
    def test_each_family_has_its_body(self):
        for name, kind, mesh in (("a2o-walk", "tso-anim", "mesh"), ("walk", "sl-anim", "mannequin")):
            self.assertEqual(meshes(self.client.get(f"/v1/clips/{self.clip(name, kind)['id']}.glb")), [mesh])
        for item in self.client.items("/v1/clips", format="prime-anim"):
            self.assertNotEqual(meshes(self.client.get(f"/v1/clips/{item['id']}.glb")), ["bones"], item["name"])

    def test_a_file_with_its_own_mesh_keeps_it(self):
        walk = self.clip("a2o-walk", "tso-anim")["id"]
        dressed = self.client.get(f"/v1/clips/{walk}.glb").body
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "walk.glb").write_bytes(dressed)
            with Daemon(folder) as daemon:
                clip = daemon.client.items("/v1/clips")[0]["id"]
                self.assertEqual(meshes(daemon.client.get(f"/v1/clips/{clip}.glb")), ["mesh"])
                again = daemon.client.post("/v1/convert", dressed, to="glb", name="walk.glb")
                self.assertEqual(meshes(again), ["mesh"])

    def test_a_retargeted_clip_is_played_by_whom_it_is_carried_to(self):
        walk = self.clip("walk", "sl-anim")["id"]
        adult = next(s["id"] for s in self.client.items("/v1/skeletons", format="tso-skel"))
        reply = self.client.get(f"/v1/clips/{walk}.glb", retarget=1, onto=adult)
        self.assertEqual(meshes(reply), ["mesh"])
        bones = self.client.get(f"/v1/clips/{walk}.glb", retarget=1, onto=adult, mesh="bones")
        self.assertEqual(meshes(bones), ["bones"])
        for query in ({}, {"mesh": "auto"}):
            picture = self.client.get(f"/v1/clips/{walk}/preview.png", retarget=1, onto=adult, **query)
            self.assertEqual(picture.status, 200)

    def test_a_mixture_has_a_body(self):
        item = {"mix": "sl", "layers": [{"clip": self.clip("walk", "sl-anim")["id"], "stop": 1}]}
        reply = self.client.post("/v1/convert", json.dumps(item).encode(), to="glb",
                                 headers={"Content-Type": "application/json"})
        self.assertEqual(meshes(reply), ["mannequin"])

    def test_on_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            for words, name in (((), "mesh"), (("--mesh", "bones"), "bones"), (("--mesh", "mannequin"), "mannequin")):
                out = Path(folder, "out.glb")
                subprocess.run([Daemon.binary, "convert", Daemon.samples / "sims-online.far", out, "--clip", "a2o-walk",
                                *words], check=True, capture_output=True)
                self.assertEqual([m["name"] for m in read_glb(out.read_bytes())[0]["meshes"]], [name])


if __name__ == "__main__":
    unittest.main()
