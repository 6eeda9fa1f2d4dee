"""Any person's clip on any person's skeleton, on the corpus: worked numbers, every target, refusals."""

import json
import unittest
import urllib.parse

from daemon import Daemon, corpus

# retarget.md's pose 1: a2o-walking-loop of The Sims on Second Life's avatar at 0.25 s, without foot IK, native axes.
WALK = {
    "mPelvis": (0.00687, 0.07325, 0.01175, 0.99722),
    "mTorso": (-0.01911, -0.01185, -0.06505, 0.99763),
    "mHead": (0.02373, -0.1353, 0.08022, 0.98727),
    "mShoulderLeft": (-0.70198, -0.0759, -0.24443, 0.66462),
    "mWristLeft": (0.01119, -0.01555, 0.1229, 0.99223),
    "mHipLeft": (0.00207, -0.04078, -0.0031, 0.99916),
    "mKneeLeft": (-0.0002, 0.25456, 0, 0.96706),
    "mAnkleLeft": (-0.0468, -0.11241, 0.06776, 0.99024),
}


@unittest.skipUnless(corpus(), "no corpus")
class Retarget(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(corpus() / "sl", corpus() / "sims")
        cls.daemon.__enter__()
        cls.client = cls.daemon.client
        get = cls.client.get
        skeletons = get("/v1/skeletons?limit=1000").json["items"]
        cls.sl = next(s["id"] for s in skeletons if s["format"] == "sl-skeleton" and s["name"] == "avatar_skeleton")
        cls.adult = next(s["id"] for s in skeletons if s["name"] == "adult" and s["format"] == "sims1-cmx")
        cls.walk = get("/v1/clips?name=a2o-walking-loop").json["items"][0]["id"]

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None, None, None)

    def path(self, rest, **more):
        query = {"retarget": 1, "skeleton": self.adult, "onto": self.sl, **more}
        join = "&" if "?" in rest else "?"
        return f"/v1/clips/{self.walk}{rest}{join}" + urllib.parse.urlencode(query)

    def test_pose(self):
        reply = self.client.get(self.path("/pose?t=0.25", ik="none", axes="native"))
        self.assertEqual(reply.status, 200)
        self.assertIn("public", reply["Cache-Control"])
        pose = reply.json
        self.assertEqual(pose["skeleton"], self.sl)
        joints = {j["name"]: j for j in pose["joints"]}
        self.assertEqual(sum(j["driven"] for j in pose["joints"]), 21)
        for name, wanted in WALK.items():
            got = joints[name]["rotation"]
            sign = 1 if sum(a * b for a, b in zip(got, wanted)) > 0 else -1
            for a, b in zip(got, wanted):
                self.assertAlmostEqual(a, sign * b, delta=2e-4, msg=name)
        way = [a - b for a, b in zip(joints["mPelvis"]["translation"], (0, 0, 1.067))]
        for a, b in zip(way, (0.04875, -0.00747, -0.04252)):
            self.assertAlmostEqual(a, b, delta=2e-4)

    def test_files(self):
        for extension in ("anim?to=sl-anim", "anim?to=tso-anim", "cmx", "bcf", "clip", "bvh", "glb", "gltf", "json"):
            with self.subTest(extension):
                reply = self.client.get(self.path("." + extension))
                self.assertEqual(reply.status, 200, reply.body[:300])
        anim = self.client.get(self.path(".anim?to=sl-anim")).body
        self.assertLess(len(anim), 6500)
        inspected = self.client.post("/v1/inspect", anim, name="walk.anim").json
        self.assertEqual(len(inspected["clips"]), 1)
        verdict = [v for v in inspected["verdict"] if v["target"] == "sl-viewer"]
        self.assertTrue(verdict[0]["accepted"], verdict)

    def test_fits(self):
        fit = self.client.get(f"/v1/clips/{self.walk}/retarget?onto={self.sl}&skeleton={self.adult}").json
        self.assertAlmostEqual(fit["scale"], 1.13938, delta=1e-5)
        self.assertEqual(fit["target"]["family"], "sl")
        self.assertAlmostEqual(fit["source"]["hip_height"], 0.91937, delta=1e-4)
        self.assertLess(fit["measures"]["head"], 0.01)
        self.assertLess(fit["measures"]["skate"]["max"], 0.01)
        person = self.client.get(f"/v1/skeletons/{self.sl}/humanoid").json
        self.assertEqual(person["mapped"]["hips"], {"joint": "mPelvis", "how": "table"})

    def test_people(self):
        """Who can be retargeted to: built-in skeletons first, no object, no animal; characters of their skeletons."""
        people = self.client.get("/v1/people").json
        ids = [one["skeleton"] for one in people["items"]]
        self.assertEqual([one["archive"] for one in people["items"]][:2], [None, None])
        self.assertEqual(len(ids), len(set(ids)))
        self.assertIn(self.sl, ids)
        self.assertIn(self.adult, ids)
        for one in people["items"]:
            self.assertEqual(self.client.get(f"/v1/skeletons/{one['skeleton']}/humanoid").status, 200)
        others = [s["id"] for s in self.client.get("/v1/skeletons?limit=1000").json["items"] if s["id"] not in ids]
        for other in others:
            self.assertEqual(self.client.get(f"/v1/skeletons/{other}/humanoid").status, 422)
        for character in people["characters"]:
            self.assertIn(character["skeleton"], ids)

    def test_batch(self):
        items = [
            {"clip": self.walk, "t": 0.25, "retarget": 1, "onto": self.sl, "map": {"HEAD": "head"}},
            {"layers": [{"clip": self.walk, "t": 0.2}, {"clip": self.walk, "t": 0.4}], "retarget": 1, "onto": self.sl},
        ]
        body = json.dumps({"requests": items}).encode()
        results = self.client.post("/v1/poses", body).json["results"]
        for result in results:
            self.assertEqual(result["skeleton"], self.sl)

    def test_picture_is_of_the_target(self):
        """Whatever was drawn before: the picture of the source is kept, too."""
        plain = self.client.get(f"/v1/clips/{self.walk}/preview.svg?t=0.25&skeleton={self.adult}")
        carried = self.client.get(self.path("/preview.svg?t=0.25"))
        self.assertEqual((plain.status, carried.status), (200, 200))
        self.assertNotEqual(plain.body, carried.body)
        still = self.client.get(self.path("/preview.svg?t=0.25", ik="none"))
        self.assertNotEqual(still.body, carried.body)

    def test_what_is_said(self):
        """A clip that moves no legs: in the header, in the body, and with strict=1 as a refusal."""
        nod = self.client.get("/v1/clips?name=15dd911d-be82-2856-26db-27659b142875").json["items"][0]["id"]
        query = f"?retarget=1&skeleton={self.sl}&onto={self.adult}"
        for rest in ("/pose", "/poses", "/preview.svg", "/plot.svg", "/retarget", ".anim"):
            with self.subTest(rest):
                path = f"/v1/clips/{nod}{rest}{query}"
                path += "&joint=HEAD" if "plot" in rest else "&to=tso-anim" if "anim" in rest else ""
                path = path.replace("retarget=1&", "") if rest == "/retarget" else path
                reply = self.client.get(path)
                self.assertEqual(reply.status, 200, reply.body[:200])
                self.assertIn("retarget_no_feet", reply["Posed-Warning"])
                if rest.startswith("/pose"):
                    self.assertIn("retarget_no_feet", [w["code"] for w in reply.json["warnings"]])
                if rest == "/retarget":
                    continue
                refused = self.client.get(path + "&strict=1")
                self.assertEqual((refused.status, refused.json["code"]), (422, "strict"))
                self.assertIn("retarget_no_feet", refused.json["detail"])
                if rest != ".anim":  # which loses more than that
                    self.assertEqual(self.client.get(path + "&strict=1&ik=none").status, 200)
        alone = self.client.get(f"/v1/clips/{nod}/pose?strict=1")
        self.assertEqual((alone.status, alone.json["parameter"]), (400, "strict"))
        body = json.dumps({"requests": [{"clip": nod, "retarget": 1, "strict": 1, "onto": self.adult}]}).encode()
        result = self.client.post("/v1/poses", body).json
        self.assertIn("retarget_no_feet", json.dumps(result))

    def test_wrong_map_of_a_picture(self):
        reply = self.client.get(self.path("/preview.svg", map='{"HAD":"head"}'))
        self.assertEqual((reply.status, reply.json["parameter"]), (400, "map"))

    def test_refusals(self):
        for more, parameter in (
            ({"retarget": 0}, "onto"),
            ({"onto": "auto"}, "onto"),
            ({"onto": "x"}, "onto"),
            ({"skeleton": "none"}, "skeleton"),
            ({"ik": "hands"}, "ik"),
            ({"map": '{"HAD":"head"}'}, "map"),
            ({"map": "{"}, "map"),
            ({"map_onto": '{"mHead":"hat"}'}, "map_onto"),
            ({"tolerance": 6}, "tolerance"),
        ):
            with self.subTest(more):
                reply = self.client.get(self.path("/pose", **more))
                self.assertEqual(reply.status, 400)
                self.assertEqual(reply.json["parameter"], parameter)
        teddy = self.client.get(self.path("/pose", map_onto='{"mHead":null,"mSkull":null}'))
        self.assertEqual(teddy.status, 422)
        self.assertEqual(teddy.json["code"], "not_humanoid")


if __name__ == "__main__":
    unittest.main()
