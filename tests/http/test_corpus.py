"""Real files: every one is served, and the sample values of the specs come out."""

import unittest

from daemon import Daemon, corpus
from fixture import SampleCase

WALK = "6ed24bd8-91aa-4b12-ccc7-c97c857ab4e0"


@unittest.skipUnless(corpus(), "no corpus")
class Corpus(unittest.TestCase):
    assertClose = SampleCase.assertClose
    assertSameTurn = SampleCase.assertSameTurn

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(corpus() / "sl", corpus() / "sims" / "tso" / "anim")
        cls.daemon.__enter__()
        cls.client = cls.daemon.client
        cls.clips = cls.client.items("/v1/clips", limit=1000)

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None, None, None)

    def joint(self, clip, name, t, **query):
        found = next(c["id"] for c in self.clips if c["name"].startswith(clip))
        pose = self.client.get(f"/v1/clips/{found}/pose", t=t, **query).json
        return next(j for j in pose["joints"] if j["name"] == name)

    def test_none_is_refused(self):
        for archive in self.client.items("/v1/archives"):
            whole = self.client.get(f"/v1/archives/{archive['id']}").json
            clips = [r for r in whole["rejected"] if r["entry"].endswith((".anim", ".animatn", ".dat"))]
            self.assertEqual(clips, [])
        counts = {fmt: sum(len(c["found_in"]) for c in self.clips if c["format"] == fmt)
                  for fmt in ("sl-anim", "tso-anim")}
        self.assertEqual(counts, {"sl-anim": 167, "tso-anim": 44})

    def test_every_clip_has_a_whole_figure(self):
        for clip in self.clips:
            reply = self.client.get(f"/v1/clips/{clip['id']}/pose", t=0.1, space="model")
            self.assertEqual(reply.status, 200, clip["name"])
            self.assertIsNotNone(reply.json["skeleton"])
            # BVH stands on the hierarchy of its own file.
            self.assertGreaterEqual(len(reply.json["joints"]), 15 if clip["format"] == "bvh" else 29, clip["name"])

    def test_sample_values_of_second_life(self):
        for t, name, rotation in ((0.3, "mPelvis", (0.002808, 0.067315, -0.01105, 0.997667)),
                                  (0.3, "mHipLeft", (0.008145, -0.273722, 0.023962, 0.961476)),
                                  (1.0, "mHipLeft", (0.00029, 0.17113, -0.011612, 0.98518))):
            found = self.joint(WALK, name, t, axes="native", skeleton="none", wrap="loop")
            self.assertSameTurn(found["rotation"], rotation, 1e-5, name)
        found = self.joint(WALK, "mPelvis", 0.3, axes="native", skeleton="none")
        self.assertClose(found["translation"], (0, -0.000534, 0.040056), 1e-5)
        other = "42ecd00b-9947-a97c-400a-bbc9174c7aeb"
        self.assertClose(self.joint(other, "mPelvis", 0.5, axes="native", skeleton="none")["translation"],
                         (0.006561, 0, 0.139845), 1e-5)
        self.assertSameTurn(self.joint(other, "mElbowRight", 0.5, axes="native", skeleton="none")["rotation"],
                            (0.417275, -0.330862, 0.474425, 0.700952), 1e-5)

    def test_the_real_skeleton_is_found(self):
        real = next(s for s in self.client.items("/v1/skeletons") if s["format"] == "sl-skeleton")
        self.assertEqual(real["joint_count"], 133 + 26)
        for t, name, place in ((0.3, "mPelvis", (0, -0.00053, 1.10706)), (0.3, "mHead", (0.05105, -0.00421, 1.71972)),
                               (0.3, "mFootLeft", (-0.09265, 0.07091, 0.1717)),
                               (0.3, "L_HAND", (0.07594, 0.22361, 1.0711))):
            native = self.joint(WALK, name, t, axes="native", space="model")["matrix"][12:15]
            self.assertClose(native, place, 2e-5, name)
            x, y, z = place
            self.assertClose(self.joint(WALK, name, t, space="model")["matrix"][12:15], (y, z, x), 2e-5, name)
        clip = next(c for c in self.clips if c["name"].startswith(WALK))
        self.assertEqual(self.client.get(f"/v1/clips/{clip['id']}").json["skeleton"], real["id"])

    def test_tracks_of_joints_that_no_skeleton_has(self):
        odd = next(c["id"] for c in self.clips if c["name"] == "a2o-diefalldan" or c["name"].startswith("a2o-diefall"))
        self.assertIn("Armature_0", self.client.get(f"/v1/clips/{odd}/pose").json["unmatched"])


class WithoutCorpus(SampleCase):
    """A lone clip moves on a skeleton that the daemon ships."""

    def test_stand_ins(self):
        for name, fmt in (("walk", "sl-anim"),):
            path = f"/v1/clips/{self.clip(name, fmt)['id']}"
            # The warnings of the metadata are those of the file; what it is put on is said beside them.
            metadata = self.client.get(path)
            self.assertEqual((metadata["Posed-Warning"], metadata.json["warnings"]), ("stand_in_skeleton", []))
            pose = self.client.get(path + "/pose").json
            self.assertEqual(pose["skeleton"], metadata.json["skeleton"])
            self.assertIn("stand_in_skeleton", [w["code"] for w in pose["warnings"]])
            self.assertEqual(pose.get("unmatched", []), [])
