"""posed convert --retarget, posed preview --retarget, posed info --humanoid: any person's clip on any person's skeleton."""

import hashlib
import json
import tempfile
import unittest
from pathlib import Path

from daemon import Daemon, run


class Retarget(unittest.TestCase):
    def setUp(self):
        top = tempfile.TemporaryDirectory()
        self.addCleanup(top.cleanup)
        self.folder = Path(top.name)
        self.walk = Daemon.samples / "second-life" / "walk.anim"
        self.adult = Daemon.samples / "sims-online" / "adult.skel"

    def posed(self, *arguments, status=0):
        found, out, errors = run(*arguments)
        self.assertEqual(found, status, (arguments, errors))
        return out, errors

    def tracks(self, path):
        out = self.folder / "tracks.json"
        self.posed("convert", path, out)
        return {joint["name"] for joint in json.loads(out.read_text())["joints"]}

    def test_there_and_back(self):
        sim, back = self.folder / "sim.anim", self.folder / "back.anim"
        self.posed("convert", self.walk, sim, "--to", "tso-anim", "--retarget", "--onto", self.adult)
        self.assertIn("L_LEG1", self.tracks(sim))
        _, errors = self.posed("convert", sim, back, "--to", "sl-anim", "--retarget", "--skeleton", self.adult)
        self.assertIn("stand_in_skeleton", errors)
        self.assertIn("mKneeLeft", self.tracks(back))
        out, _ = self.posed("info", back)
        self.assertIn("sl-viewer: would take it", out)

    def test_a_name_says_whose_it_is(self):
        """The Sims 3 knows by the name on whom a clip is played, so what is made for an adult stands on the adult."""
        clip, again = self.folder / "walk.clip", self.folder / "again.clip"
        self.posed("convert", self.walk, clip, "--to", "sims3-clip", "--retarget")
        out, _ = self.posed("info", clip, "--json")
        name = json.loads(out)["clips"][0]["name"]
        self.assertTrue(name.startswith("a_"), name)
        toes = self.toes(clip)
        self.assertLess(abs(min(toes)), 0.05)
        self.posed("convert", clip, again, "--to", "sims3-clip", "--retarget")
        out, _ = self.posed("info", again, "--json")
        self.assertEqual(json.loads(out)["clips"][0]["name"], name)

    def toes(self, clip):
        out, _ = self.posed("sample", clip, "--t", "0", "--space", "model")
        joints = {joint["name"]: joint for joint in json.loads(out)["joints"]}
        return [joints[f"b__{side}_Toe__"]["matrix"][13] for side in "LR"]

    def test_options_are_those_of_the_api(self):
        """Each changes the file; the same options make the same file that the daemon answers."""
        made = {}
        bones = self.folder / "bones.json"
        bones.write_text('{"mWristLeft": null}')
        onto = self.folder / "onto.json"
        onto.write_text('{"L_TOE0": null}')
        for name, options in (
            ("plain", ()),
            ("ik", ("--ik", "none")),
            ("tolerance", ("--tolerance", "0")),
            ("travel", ("--travel", "remove")),
            ("heading", ("--heading", "first")),
            ("map", ("--map", bones)),
            ("map-onto", ("--map-onto", onto)),
        ):
            out = self.folder / f"{name}.glb"
            self.posed("convert", self.walk, out, "--retarget", "--onto", self.adult, *options)
            made[name] = hashlib.sha256(out.read_bytes()).hexdigest()
        for name in ("ik", "tolerance", "map", "map-onto"):
            self.assertNotEqual(made[name], made["plain"], name)
        with Daemon(self.walk, self.adult) as daemon:
            clip = daemon.client.get("/v1/clips").json["items"][0]["id"]
            target = daemon.client.get("/v1/skeletons").json["items"][0]["id"]
            asked = daemon.client.get(f"/v1/clips/{clip}.glb?retarget=1&onto={target}")
        self.assertEqual(hashlib.sha256(asked.body).hexdigest(), made["plain"])

    def test_preview(self):
        plain, carried = self.folder / "plain.svg", self.folder / "carried.svg"
        self.posed("preview", self.walk, plain)
        _, errors = self.posed("preview", self.walk, carried, "--retarget", "--onto", self.adult)
        self.assertNotEqual(plain.read_bytes(), carried.read_bytes())
        self.assertIn("stand_in_skeleton", errors)

    def test_who_is_a_person(self):
        out, _ = self.posed("info", self.adult, "--humanoid")
        self.assertIn("a person, names of sims", out)
        self.assertRegex(out, r"leftUpperArm +L_ARM1\n")
        out, _ = self.posed("info", self.adult, "--humanoid", "--json")
        self.assertEqual(json.loads(out)["mapped"]["hips"], {"joint": "PELVIS", "how": "table"})
        thing = self.folder / "thing.bvh"
        thing.write_text("HIERARCHY\nROOT box\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
                         "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n")
        _, errors = self.posed("info", thing, "--humanoid", status=1)
        self.assertIn("no joint was found for the bone hips", errors)
        _, errors = self.posed("info", self.walk, "--humanoid", status=1)
        self.assertIn("holds no skeleton", errors)

    def test_misuse(self):
        out = self.folder / "x.bvh"
        for options, status, said in (
            (("--onto", self.adult), 2, "--onto goes with --retarget"),
            (("--ik", "none"), 2, "--ik goes with --retarget"),
            (("--retarget", "--onto", self.adult, "--ik", "hands"), 1, "--ik: "),
            (("--retarget", "--onto", self.adult, "--tolerance", "6"), 1, "--tolerance: "),
            (("--retarget",), 1, "--onto: required: name the target skeleton"),
            (("--retarget", "--onto", self.walk), 1, "holds no skeleton"),
            (("--retarget", "--onto", self.adult, "--skeleton", "none"), 1, "--skeleton: "),
        ):
            with self.subTest(said):
                _, errors = self.posed("convert", self.walk, out, *options, status=status)
                self.assertIn(said, errors)
                self.assertFalse(out.exists())
        self.posed("preview", self.walk, self.folder / "x.svg", "--retarget", status=2)
        self.posed("info", self.adult, "0", "--humanoid", status=2)


if __name__ == "__main__":
    unittest.main()
