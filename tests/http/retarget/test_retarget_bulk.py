"""Whole libraries carried over: every clip of the corpus that moves a person becomes a file of another game's that decodes,
that its engine takes, and that poses like the retargeted clip. The figures are those of retarget.md, section 7."""

import io
import json
import struct
import unittest
import zipfile

from daemon import Daemon, corpus

# Of a CINF: name, parent, and where it is: x to the right, y ahead, z up.
SUIT = [("Skeleton_Root", None, (0, 0, 0)), ("Pelvis", 0, (0, 0, 1.05)), ("Spine_1", 1, (0, 0, 1.2)), ("Spine_2", 2, (0, 0, 1.4)),
        ("Neck", 3, (0, 0, 1.6)), ("Head", 4, (0, 0.02, 1.7))]
for side, x in (("L", -1), ("R", 1)):
    hip = len(SUIT)
    SUIT += [(f"{side}_hip", 1, (0.1 * x, 0, 1.0)), (f"{side}_knee", hip, (0.1 * x, 0.02, 0.55)),
             (f"{side}_ankle", hip + 1, (0.1 * x, 0, 0.1)), (f"{side}_toe", hip + 2, (0.1 * x, 0.15, 0))]
    SUIT += [(f"{side}_collar", 3, (0.05 * x, 0, 1.5)), (f"{side}_shoulder", hip + 4, (0.2 * x, 0, 1.5)),
             (f"{side}_elbow", hip + 5, (0.5 * x, 0, 1.5)), (f"{side}_wrist", hip + 6, (0.75 * x, 0, 1.5))]


def cinf(bones):
    """The first game's: identifiers from 3, and 2 for nobody."""
    first, nobody = 3, 2
    data = struct.pack(">I", len(bones))
    for k, (_, parent, place) in enumerate(bones):
        above = nobody if parent is None else first + parent
        links = [above] + [first + i for i, bone in enumerate(bones) if bone[1] == k]
        data += struct.pack(f">II3fI{len(links)}I", first + k, above, *place, len(links), *links)
    data += struct.pack(f">I{len(bones)}I", len(bones), *(first + k for k in range(len(bones))))
    data += struct.pack(">I", len(bones))
    for k, (name, _, _) in enumerate(bones):
        data += name.encode() + b"\0" + struct.pack(">I", first + k)
    return data + b"\xff" * (-len(data) % 32)


@unittest.skipUnless(corpus(), "no corpus")
class Bulk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(corpus() / "sl", corpus() / "sims", corpus() / "sims3" / "clips", Daemon.samples)
        cls.daemon.__enter__()
        cls.client = cls.daemon.client
        people = cls.client.get("/v1/people").json["items"]
        one = lambda name: next(p["skeleton"] for p in people if p["name"] == name and p["archive"])
        cls.sl, cls.adult = one("avatar_skeleton"), one("adult")
        cls.rig = one("sampleRig")
        cls.loaded = cls.client.items("/v1/clips?limit=1000")  # before tests upload what they made

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None, None, None)

    def clips(self, form, keep=lambda clip: True):
        return [clip for clip in self.loaded if clip["format"] == form and keep(clip)]

    def fit(self, clip, source, target, **more):
        reply = self.client.get(f"/v1/clips/{clip['id']}/retarget", skeleton=source, onto=target, **more)
        self.assertEqual(reply.status, 200, (clip["name"], reply.body[:200]))
        return reply.json

    def converted(self, clip, source, target, to):
        extension = {"sl-anim": "anim", "tso-anim": "anim", "prime-anim": "anim", "sims1-cmx": "cmx", "sims3-clip": "clip"}[to]
        reply = self.client.get(f"/v1/clips/{clip['id']}.{extension}", retarget=1, skeleton=source, onto=target, to=to, tolerance=0)
        self.assertEqual(reply.status, 200, (clip["name"], reply.body[:200]))
        return reply.body

    def model(self, clip, t, **more):
        reply = self.client.get(f"/v1/clips/{clip}/pose", t=t, space="model", **{"as": "f32"}, **more)
        self.assertEqual(reply.status, 200, reply.body[:200])
        return struct.unpack(f"<{len(reply.body) // 4}f", reply.body)

    def keep(self, files, name):
        """Uploads them as one archive; id of each clip by its entry."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for entry, data in files.items():
                archive.writestr(entry, data)
        made = self.client.post("/v1/archives", out.getvalue(), name=name)
        self.assertEqual(made.status, 201, made.body[:300])
        self.assertEqual(made.json["rejected"], [])
        found = self.client.items(f"/v1/clips?archive={made.json['id']}&limit=1000")
        return {clip["entry"]: clip for clip in found}

    def same_pose(self, clip, source, target, file, tolerance):
        """At a key in the middle and at the start: where every joint is, and how it is turned, in metres."""
        frames = file["frame_count"] or 2
        worst = 0
        for t in (0, file["duration"] * (frames // 2) / frames if file["frame_count"] else 0):
            wanted = self.model(clip["id"], t, retarget=1, skeleton=source, onto=target)
            found = self.model(file["id"], t, skeleton=target)
            self.assertEqual(len(wanted), len(found))
            worst = max(worst, max(abs(a - b) for a, b in zip(wanted, found)))
        self.assertLess(worst, tolerance, clip["name"])
        return worst

    def into_sl(self, clips):
        worst = {"legs": 0, "arms": 0, "skate": [], "deeper": 0, "files": 0}
        for clip in clips:
            told = self.fit(clip, self.adult, self.sl)
            fit = told["measures"]
            if not told["driven"]:  # a clip of objects or of no motion
                continue
            data = self.converted(clip, self.adult, self.sl, "sl-anim")
            inspected = self.client.post("/v1/inspect", data, name="x.anim").json
            self.assertEqual(len(inspected["clips"]), 1, clip["name"])
            verdict = next(v for v in inspected["verdict"] if v["target"] == "sl-viewer")
            self.assertTrue(verdict["accepted"], (clip["name"], verdict))
            self.assertLess(max(fit["head"], fit["hips"]), 0.01, clip["name"])
            worst["legs"] = max(worst["legs"], fit["limbs"]["max"])
            if fit["skate"]["stances"]:
                worst["skate"].append(fit["skate"]["max"] * 100)
            low = fit["lowest_foot"]
            worst["deeper"] = max(worst["deeper"], (min(0, low["source"]) - low["target"]) * 100)
            worst["files"] += 1
        return worst

    def tell(self, what, worst):
        skate = sorted(worst["skate"])
        high = skate[int(len(skate) * 0.95)]
        print(f"{what}: {worst['files']} files, limbs at most {worst['legs']:.1f} degrees, skate p50 {skate[len(skate) // 2]:.2f} "
              f"p95 {high:.2f} cm, deeper {worst['deeper']:.2f} cm")
        return high

    def test_sims_onto_avatar(self):
        moves = lambda clip: clip["joint_count"] > 5 and not clip["name"].startswith("d2o")
        skills = self.clips("sims1-cmx", moves)
        worst = self.into_sl(skills)
        self.assertGreaterEqual(worst["files"], 24)
        self.assertLess(self.tell("Sims 1 on the avatar", worst), 0.855)
        self.assertLess(worst["legs"], 8.5)
        self.assertLess(worst["deeper"], 0.2)

    def test_sims_online_onto_avatar(self):
        person = lambda clip: clip["joint_count"] > 5 and clip["name"].startswith(("a2o", "a2a", "a2"))
        clips = self.clips("tso-anim", person)
        worst = self.into_sl(clips)
        self.assertGreaterEqual(worst["files"], 39)
        self.assertLess(self.tell("The Sims Online on the avatar", worst), 1.25)
        self.assertLess(worst["legs"], 12)
        self.assertLess(worst["deeper"], 0.4)

    def test_avatar_onto_sims(self):
        clips = self.clips("sl-anim", lambda clip: clip["joint_count"] and clip["duration"] < 60)
        self.assertGreaterEqual(len(clips), 153)
        online, skills = {}, {}
        for k, clip in enumerate(clips):
            online[f"c{k}.anim"] = self.converted(clip, self.sl, self.adult, "tso-anim")
            with zipfile.ZipFile(io.BytesIO(self.converted(clip, self.sl, self.adult, "sims1-cmx"))) as pair:
                self.assertEqual(len(pair.namelist()), 2)
                skills.update({name: pair.read(name) for name in pair.namelist()})
        files = self.keep(online, "online.zip")
        self.assertEqual(len(files), len(clips))
        worst = max(self.same_pose(clip, self.sl, self.adult, files[f"c{k}.anim"], 2e-5) for k, clip in enumerate(clips))
        made = {clip["name"]: clip for clip in self.keep(skills, "skills.zip").values()}
        self.assertEqual(len(made), len(clips))
        for clip in clips:
            self.same_pose(clip, self.sl, self.adult, made[clip["name"]], 1e-2)  # its rotations have 8 bits for a step
        print(f"Second Life on The Sims: {len(clips)} files, places at most {worst * 1e6:.1f} um off")

    def test_captures_onto_avatar(self):
        clips = self.clips("bvh", lambda clip: clip["joint_count"] > 5 and clip["name"] not in ("TeddyDangle", "SL_Avatar_Tpose"))
        self.assertGreaterEqual(len(clips), 26)
        limbs = []
        for clip in clips:
            fit = self.client.get(f"/v1/clips/{clip['id']}/retarget", onto=self.sl)
            self.assertEqual(fit.status, 200, clip["name"])
            self.assertLess(fit.json["measures"]["head"], 0.01, clip["name"])
            limbs.append(fit.json["measures"]["limbs"]["mean"])
            data = self.client.get(f"/v1/clips/{clip['id']}.anim", retarget=1, onto=self.sl, to="sl-anim").body
            verdict = self.client.post("/v1/inspect", data, name="x.anim").json["verdict"]
            self.assertTrue(next(v for v in verdict if v["target"] == "sl-viewer")["accepted"], clip["name"])
        print(f"BVH on the avatar: {len(clips)} files, limbs {sum(limbs) / len(limbs):.2f} degrees on average")

    def test_sims3(self):
        """On a rig of posed's own making, as that of the game is not in the corpus; without one they are refused."""
        clips = self.clips("sims3-clip", lambda clip: clip["name"].endswith(("coughing_x", "dazed_x")))[:2]
        self.assertEqual(len(clips), 2)
        for clip in clips:
            fit = self.fit(clip, self.rig, self.sl)
            self.assertLess(fit["measures"]["head"], 0.01)
            data = self.converted(clip, self.rig, self.sl, "sl-anim")
            self.assertGreater(len(data), 1000)
            alone = self.client.get(f"/v1/clips/{clip['id']}.anim", retarget=1, skeleton="none", onto=self.sl, to="sl-anim")
            self.assertEqual((alone.status, alone.json["parameter"]), (400, "skeleton"))
        walk = self.clips("sl-anim")[0]
        self.assertGreater(len(self.converted(walk, self.sl, self.rig, "sims3-clip")), 100)

    def test_no_people_of_prime(self):
        walk = self.clips("sl-anim")[0]
        people = [p["skeleton"] for p in self.client.get("/v1/people").json["items"]]
        others = [s for s in self.client.items("/v1/skeletons?limit=1000") if s["format"].startswith("prime") and s["id"] not in people]
        self.assertTrue(others)
        for other in others:
            reply = self.client.get(f"/v1/clips/{walk['id']}.anim", retarget=1, skeleton=self.sl, onto=other["id"], to="prime-anim")
            self.assertEqual((reply.status, reply.json["code"]), (422, "not_humanoid"), reply.body[:200])
            self.assertTrue(reply.json["detail"].startswith("target: "), reply.json)

    def test_person_of_prime(self):
        """A CINF of a person, its bones found by words: the file that it gets decodes, and poses as asked for."""
        made = self.client.post("/v1/archives?name=suit.cinf", cinf(SUIT), headers={"Content-Type": "application/octet-stream"})
        self.assertEqual(made.status, 201, made.body[:300])
        suit = self.client.items(f"/v1/skeletons?archive={made.json['id']}")[0]
        person = self.client.get(f"/v1/skeletons/{suit['id']}/humanoid").json
        self.assertEqual(person["missing"], [])
        self.assertAlmostEqual(person["hip_height"], 1.0, delta=1e-6)
        walk = next(clip for clip in self.clips("sims1-cmx") if clip["name"] == "a2o-walking-loop")
        data = self.converted(walk, self.adult, suit["id"], "prime-anim")
        made = self.client.post("/v1/archives?name=suit.anim", data, headers={"Content-Type": "application/octet-stream"})
        self.assertEqual(made.status, 201, made.body[:300])
        file = self.client.items(f"/v1/clips?archive={made.json['id']}")[0]
        self.assertEqual(file["format"], "prime-anim")
        wanted = self.model(walk["id"], 0.5, retarget=1, skeleton=self.adult, onto=suit["id"])
        found = self.model(file["id"], 0.5, skeleton=suit["id"])
        self.assertLess(max(abs(a - b) for a, b in zip(wanted, found)), 1e-3)
        fit = self.fit(walk, self.adult, suit["id"])["measures"]
        self.assertLess(max(fit["head"], fit["hips"]), 0.01)
        self.assertGreater(fit["skate"]["stances"], 0)

    def test_hostile_maps(self):
        """A megabyte, ten thousand lines, all joints of a nest: refused before anything is made."""
        walk = self.clips("sl-anim")[0]["id"]
        item = lambda bones: {"clip": walk, "retarget": 1, "skeleton": self.sl, "onto": self.adult, "map": bones}
        for bones in ({f"joint {i}": "head" for i in range(10000)}, {"x" * 1000000: "head"}, {"mHead": "x" * 1000000}, {"mHead": ["head"]}):
            body = json.dumps({"requests": [item(bones)]}).encode()
            reply = self.client.post("/v1/poses", body)
            if reply.status == 200:
                self.assertIn("map", reply.json["results"][0]["error"]["parameter"])
            else:
                self.assertIn(reply.status, (400, 413))


if __name__ == "__main__":
    unittest.main()
