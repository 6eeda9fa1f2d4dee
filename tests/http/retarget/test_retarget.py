"""Any person's clip on any person's skeleton, on the corpus: worked numbers, every target, refusals."""

import json
import unittest
import urllib.parse

from daemon import Daemon, corpus

# retarget.md's poses 2 to 6, section 8: clip, from, onto, options, t; turns and places as the target's files have them
# (a figure of Second Life is placed from its rest), places in the world of glTF.
SL_WALK, NOD = "6ed24bd8-91aa-4b12-ccc7-c97c857ab4e0", "15dd911d-be82-2856-26db-27659b142875"
POSES = {
    1: ("a2o-walking-loop", "adult", "sl", "none", 0.25, {}, {}, {
        "mHead": (0.00968, 1.63829, 0.10194), "mWristLeft": (0.12603, 1.0956, 0.29977),
        "mAnkleLeft": (0.08702, 0.11469, -0.2395), "mAnkleRight": (-0.07159, 0.07088, 0.38613)}),
    2: ("a2o-walking-loop", "adult", "sl", "feet", 0.25, {
        "mPelvis": (0.00687, 0.07325, 0.01175, 0.99722), "mHead": (0.02373, -0.1353, 0.08022, 0.98727),
        "mHipLeft": (0.00134, -0.05968, -0.00202, 0.99821), "mKneeLeft": (-0.0002, 0.25126, 0, 0.96792),
        "mAnkleLeft": (-0.04427, -0.09032, 0.06798, 0.9926), "mHipRight": (-0.00346, -0.2956, 0.00056, 0.95531),
        "mKneeRight": (-0.00003, 0.08562, 0, 0.99633)}, {"mPelvis": (0.04875, -0.00747, -0.04252)}, {
        "mAnkleLeft": (0.08618, 0.10167, -0.20378), "mFootLeft": (0.10076, 0.00575, -0.121),
        "mAnkleRight": (-0.07146, 0.0781, 0.39473)}),
    3: (SL_WALK, "sl", "adult", "none", 0.3, {
        "ROOT": (0.01961, -0.69914, -0.02306, -0.71434), "SPINE": (0.00374, 0.0113, -0.00382, -0.99992),
        "SPINE1": (-0.0074, -0.03035, 0.00295, -0.99951), "SPINE2": (-0.0074, -0.03035, 0.00295, -0.99951),
        "HEAD": (0.00917, -0.10372, 0.00162, -0.99456), "L_ARM1": (-0.00077, 0.07412, -0.50932, -0.85738),
        "L_ARM2": (-0.25316, 0.15891, 0.04487, -0.95323), "L_LEG": (-0.26047, -0.02344, -0.96515, 0.00936),
        "L_LEG1": (0.01068, 0.58913, 0.02602, -0.80755)}, {"ROOT": (0.00357, 3.11192, -0.00872)}, {
        "HEAD": (-0.00477, 1.56465, 0.06397), "L_HAND": (0.22702, 0.91123, 0.08031), "L_FOOT": (0.05717, 0.27459, -0.09863)}),
    4: (SL_WALK, "sl", "child", "feet", 0.3, {
        "L_LEG": (-0.24513, -0.02296, -0.96917, 0.00919), "L_LEG1": (0.01032, 0.57696, 0.02618, -0.81628)},
        {"ROOT": (0.00269, 2.3456, -0.00438)}, {"R_FOOT": (-0.04159, 0.09477, -0.01376)}),
    5: ("avatar_walk", None, "sl", "none", 0.2001, {
        "mPelvis": (0.00361, 0.06365, -0.00362, 0.99796), "mShoulderLeft": (-0.59409, -0.03292, -0.12733, 0.79357),
        "mElbowLeft": (0.06752, 0.29541, -0.18127, 0.93558), "mHipLeft": (0.00653, -0.22067, 0.02385, 0.97504),
        "mKneeLeft": (-0.03056, 0.60076, 0.00961, 0.79879)}, {"mPelvis": (0.06309, 0.00056, 0.00629)}, {
        "mHead": (-0.00638, 1.6865, 0.10943)}),
    6: (NOD, "sl", "adult", "feet", None, {
        "PELVIS": (0.5, 0.5, 0.5, -0.5), "HEAD": (0, -0.08819, -0.00002, -0.9961)}, {}, {}),
}
DRIVEN = {1: 21, 2: 21, 5: 19, 6: 4}
# Pose 7: over all frames, degrees and centimetres: mean and most of limbs, lowest foot, the source's, skate.
MEASURES = (
    ("a2o-walking-loop", "adult", "sl", "none", 2.110, 6.213, -1.058, -0.734, 1.626),
    ("a2o-walking-loop", "adult", "sl", "feet", 1.626, 6.458, -0.737, -0.734, 0.733),
    (SL_WALK, "sl", "adult", "none", None, None, 1.502, 3.104, 0.724),
    (SL_WALK, "sl", "adult", "feet", None, None, 3.103, 3.104, 0.153),
)
# Pose 1 in native axes: a2o-walking-loop of The Sims on Second Life's avatar at 0.25 s, without foot IK.
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

    def skeleton(self, name):
        skeletons = self.client.get("/v1/skeletons?limit=1000").json["items"]
        formats = {"sl": ("avatar_skeleton", "sl-skeleton")}
        wanted = formats.get(name, (name, "sims1-cmx"))
        return next(s["id"] for s in skeletons if (s["name"], s["format"]) == wanted)

    def clip(self, name):
        return next(c for c in self.client.get(f"/v1/clips?name={name}").json["items"])

    def near(self, found, wanted, name):
        sign = -1 if len(wanted) == 4 and sum(a * b for a, b in zip(found, wanted)) < 0 else 1
        for a, b in zip(found, wanted, strict=True):
            self.assertAlmostEqual(a, sign * b, delta=2e-4, msg=name)

    def test_poses_as_worked(self):
        for number, (name, source, onto, ik, t, turns, ways, world) in POSES.items():
            clip = self.clip(name)
            t = clip["duration"] / 2 if t is None else t
            query = {"retarget": 1, "onto": self.skeleton(onto), "ik": ik, "t": t}
            query |= {"skeleton": self.skeleton(source)} if source else {}
            native = self.client.get(f"/v1/clips/{clip['id']}/pose", axes="native", **query).json["joints"]
            joints = {j["name"]: j for j in native}
            if number in DRIVEN:
                self.assertEqual(sum(j["driven"] for j in native), DRIVEN[number], number)
            for joint, wanted in turns.items():
                self.near(joints[joint]["rotation"], wanted, f"pose {number}: {joint}")
            for joint, wanted in ways.items():
                rest = (0, 0, 1.067) if onto == "sl" else (0, 0, 0)
                found = [a - b for a, b in zip(joints[joint]["translation"], rest)]
                self.near(found, wanted, f"pose {number}: {joint}")
            model = self.client.get(f"/v1/clips/{clip['id']}/pose", space="model", **query).json["joints"]
            places = {j["name"]: j["matrix"][12:15] for j in model}
            for joint, wanted in world.items():
                self.near(places[joint], wanted, f"pose {number}: {joint} in the world")

    def test_measures_as_worked(self):
        for name, source, onto, ik, mean, most, lowest, lowest_source, skate in MEASURES:
            clip = self.clip(name)["id"]
            fit = self.client.get(f"/v1/clips/{clip}/retarget", skeleton=self.skeleton(source), onto=self.skeleton(onto), ik=ik).json
            measures = fit["measures"]
            if mean:
                self.assertAlmostEqual(measures["limbs"]["mean"], mean, delta=0.003)
                self.assertAlmostEqual(measures["limbs"]["max"], most, delta=0.001)
            self.assertAlmostEqual(measures["lowest_foot"]["target"] * 100, lowest, delta=0.0021)
            self.assertAlmostEqual(measures["lowest_foot"]["source"] * 100, lowest_source, delta=0.0021)
            self.assertAlmostEqual(measures["skate"]["max"] * 100, skate, delta=0.0006)
            self.assertGreater(measures["skate"]["stances"], 0)

    def test_figures_as_worked(self):
        for name, h, a, arms, lean in (
            ("sl", 1.02, 0.061, (0, 0), (3.23, 3.43)),
            ("adult", 0.91937, 0.07768, (84.30, 84.30), (0.73, 0.74)),
            ("child", 0.69236, 0.06796, (84.25, 84.24), (0.81, 0.82)),
        ):
            found = self.client.get(f"/v1/skeletons/{self.skeleton(name)}/humanoid").json
            self.assertAlmostEqual(found["hip_height"], h, delta=1e-4)
            self.assertAlmostEqual(found["ankle_height"], a, delta=1e-4)
            for side, arm, leg in zip(("left", "right"), arms, lean):
                self.assertAlmostEqual(found["arm_alignment"][side], arm, delta=0.0051)
                self.assertAlmostEqual(found["leg_lean"][side], leg, delta=0.0051)

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
        self.assertAlmostEqual(fit["measures"]["skate"]["mean"], 0.0031, delta=5e-5)  # section 5's example
        self.assertAlmostEqual(fit["measures"]["skate"]["max"], 0.0073, delta=5e-5)
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
            {"clip": self.walk, "t": 0.25, "retarget": True, "strict": False, "onto": self.sl},
        ]
        body = json.dumps({"requests": items}).encode()
        results = self.client.post("/v1/poses", body).json["results"]
        for result in results:
            self.assertEqual(result["skeleton"], self.sl)

    def test_unknown_joint_of_a_map(self):
        reply = self.client.get(self.path("/pose", map='{"HAED": "head"}'), check=False)
        self.assertEqual((reply.status, reply.json["parameter"]), (400, "map"))
        self.assertIn('did you mean "HEAD"?', reply.json["detail"])

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
