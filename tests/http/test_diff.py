"""GET /v1/clips/{id}/diff: how far two clips are apart, against poses that are asked for one by one."""

import math
import unittest
from xml.etree import ElementTree

from daemon import Daemon
from uploads import UploadCase, WALK, WAVE, sample


def turn(a, b):
    dot = abs(sum(x * y for x, y in zip(a, b)))
    return math.degrees(2 * math.acos(min(1, dot)))


def bvh(name, frames):
    """One joint below a root that turns about z by so many degrees in each frame, at 10 frames a second."""
    lines = [f"0 0 0 0 0 0 {angle} 0 0" for angle in frames]
    return ("HIERARCHY\nROOT %s\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
            "JOINT arm\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 2 0 0\n}\n}\n}\n"
            "MOTION\nFrames: %d\nFrame Time: 0.1\n%s\n" % (name, len(frames), "\n".join(lines))).encode()


class Diff(UploadCase):
    def upload_clip(self, name, data):
        return self.upload(data, name).json["clips"][0]["id"]

    def test_known_angles(self):
        still = self.upload_clip("still.bvh", bvh("root", [0, 0, 0, 0, 0]))
        moves = self.upload_clip("moves.bvh", bvh("root", [0, 10, 20, 30, 40]))
        found = self.client.get(f"/v1/clips/{still}/diff", **{"with": moves, "fps": 10}).json
        self.assertEqual([round(t, 5) for t in found["times"]], [0, 0.1, 0.2, 0.3, 0.4])
        root, arm = found["joints"]
        self.assertEqual((root["name"], root["rotation_deg"]), ("root", {"mean": 0, "max": 0}))
        self.assertAlmostEqual(arm["rotation_deg"]["mean"], 20, 4)
        self.assertAlmostEqual(arm["rotation_deg"]["max"], 40, 4)
        self.assertEqual(arm["distance_m"], {"mean": 0, "max": 0})  # it turns about itself
        for found, wanted in zip(found["rotation_deg"], (0, 5, 10, 15, 20)):
            self.assertAlmostEqual(found, wanted, 4)

    def test_the_shorter_one_rests(self):
        short = self.upload_clip("short.bvh", bvh("root", [0, 30]))
        long = self.upload_clip("long.bvh", bvh("root", [0, 30, 30, 30]))
        for a, b in ((short, long), (long, short)):
            found = self.client.get(f"/v1/clips/{a}/diff", **{"with": b, "fps": 10}).json
            self.assertEqual(len(found["times"]), 4)
            self.assertLess(found["joints"][1]["rotation_deg"]["max"], 1e-3)

    def test_the_same_as_by_hand(self):
        walk, wave = (self.upload_clip(name, sample(path)) for name, path in (("walk.anim", WALK), ("wave.anim", WAVE)))
        found = self.client.get(f"/v1/clips/{walk}/diff", **{"with": wave, "fps": 7}).json
        poses = [[self.client.get(f"/v1/clips/{clip}/pose", t=k / 7, skeleton=found["skeleton"]).json["joints"]
                  for k in range(len(found["times"]))] for clip in (walk, wave)]
        for i, joint in enumerate(found["joints"]):
            turns = [turn(a[i]["rotation"], b[i]["rotation"]) for a, b in zip(*poses)]
            self.assertAlmostEqual(joint["rotation_deg"]["max"], max(turns), 1, joint["name"])
            self.assertAlmostEqual(joint["rotation_deg"]["mean"], sum(turns) / len(turns), 1, joint["name"])
        models = [self.client.get(f"/v1/clips/{clip}/pose", t=0, space="model", skeleton=found["skeleton"]).json["joints"]
                  for clip in (walk, wave)]
        for joint, a, b in zip(found["joints"], *models):
            self.assertLessEqual(math.dist(a["matrix"][12:15], b["matrix"][12:15]), joint["distance_m"]["max"] + 1e-5)

    def test_picture(self):
        walk = self.upload_clip("walk.anim", sample(WALK))
        wave = self.upload_clip("wave.anim", sample(WAVE))
        for options in ({"as": "svg"}, {"headers": {"Accept": "image/svg+xml"}}):
            reply = self.client.get(f"/v1/clips/{walk}/diff", **{"with": wave}, **options)
            self.assertEqual(reply["Content-Type"], "image/svg+xml")
            root = ElementTree.fromstring(reply.body)
            self.assertTrue(root.tag.endswith("svg"))
            self.assertGreater(len(root.findall("{*}rect")), 100)

    def test_names_are_text(self):
        nasty = '"><script>x</script>&<'
        ids = [self.upload_clip(f"n{k}.bvh", bvh(nasty.replace(" ", ""), [0, 10 * k])) for k in (1, 2)]
        reply = self.client.get(f"/v1/clips/{ids[0]}/diff", **{"with": ids[1], "as": "svg"})
        ElementTree.fromstring(reply.body)
        self.assertNotIn(b"<script", reply.body)

    def test_refused(self):
        walk = self.upload_clip("walk.anim", sample(WALK))
        for options in ({}, {"with": "0" * 32}, {"with": "x"}, {"with": walk, "fps": 0}, {"with": walk, "fps": "nan"},
                        {"with": walk, "as": "png"}, {"with": walk, "t": 1}):
            self.assertProblem(self.client.get(f"/v1/clips/{walk}/diff", **options), 400)
        stranger = self.upload_clip("arm.bvh", bvh("elsewhere", [0, 1]))
        reply = self.client.get(f"/v1/clips/{walk}/diff", **{"with": stranger})
        self.assertProblem(reply, 422, code="no_joints")
        reply = self.client.get(f"/v1/clips/{walk}/diff", **{"with": walk, "skeleton": "none"})
        self.assertProblem(reply, 422, code="no_skeleton")

    def test_caching(self):
        walk = self.upload_clip("walk.anim", sample(WALK))
        reply = self.client.get(f"/v1/clips/{walk}/diff", **{"with": walk})
        fixed = self.client.get(reply["Content-Location"])
        self.assertEqual(fixed.body, reply.body)
        self.assertIn("public", fixed["Cache-Control"])
        again = self.client.get(reply["Content-Location"], headers={"If-None-Match": fixed["ETag"]})
        self.assertEqual(again.status, 304)
        self.assertNotEqual(self.client.get(f"/v1/clips/{walk}/diff", **{"with": walk, "fps": 5})["ETag"], reply["ETag"])


class Frames(unittest.TestCase):
    def test_limit(self):
        with Daemon("--max-frames", "100", Daemon.samples) as daemon:
            clip = daemon.client.items("/v1/clips", q="idle")[0]["id"]
            reply = daemon.client.get(f"/v1/clips/{clip}/diff", **{"with": clip, "fps": 100})
            self.assertEqual((reply.status, reply.json["limit"]), (400, "max-frames"))


if __name__ == "__main__":
    unittest.main()
