""""mix":"sl" of POST /v1/poses: the worked examples and the edge cases of sl-mix.md."""

import json
import math
import struct
import unittest

from daemon import Daemon, corpus
from fixture import SampleCase

WALK, STAND, HELLO, PEACE = "6ed24bd8", "15468e00", "9b29cd61", "b312b10e"


def quantised(value, low, high):
    return round((value - low) / (high - low) * 65535)


def anim(tracks, duration=1.0, base=0, loop=None, ease=(0, 0), hand=0, emote=b""):
    """An .anim 1.0. tracks: (name, priority, [(t, (x, y, z))] of rotations, the same of positions)."""
    loop_in, loop_out = loop or (0, duration)
    out = struct.pack("<HHif", 1, 0, base, duration) + emote + b"\0"
    out += struct.pack("<ffiffII", loop_in, loop_out, loop is not None, *ease, hand, len(tracks))
    for name, priority, rotations, positions in tracks:
        out += name.encode() + b"\0" + struct.pack("<i", priority)
        for keys, bound in ((rotations, 1), (positions, 5)):
            out += struct.pack("<i", len(keys))
            for t, xyz in keys:
                time = quantised(t, 0, duration) if duration else 0
                out += struct.pack("<4H", time, *(quantised(v, -bound, bound) for v in xyz))
    return out + struct.pack("<i", 0)


class Mixing(unittest.TestCase):
    """Requests and their checks; self.client comes from the cases."""
    assertClose = SampleCase.assertClose
    assertSameTurn = SampleCase.assertSameTurn
    assertProblem = SampleCase.assertProblem

    def post(self, **item):
        return self.client.post("/v1/poses", json.dumps({"requests": [{"mix": "sl", **item}]}))

    def mix(self, layers, **item):
        reply = self.post(layers=layers, **item)
        self.assertEqual(reply.status, 200, reply)
        result = reply.json["results"][0]
        self.assertNotIn("error", result)
        return result

    def refusal(self, **item):
        reply = self.post(**item)
        self.assertEqual(reply.status, 200, reply)
        return reply.json["results"][0]["error"]

    @staticmethod
    def row(result, joint, part, index=0):
        at = next(i for i, j in enumerate(result["joints"]) if j["name"] == joint)
        return result["poses"][index][part][at]


@unittest.skipUnless(corpus(), "no corpus")
class Worked(Mixing):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(corpus() / "sl")
        cls.daemon.__enter__()
        cls.client = cls.daemon.client
        clips = cls.client.items("/v1/clips", limit=1000, format="sl-anim")
        cls.ids = {short: next(c["id"] for c in clips if c["name"].startswith(short))
                   for short in (WALK, STAND, HELLO, PEACE)}
        skeletons = cls.client.items("/v1/skeletons", limit=1000)
        cls.skeleton = next(s["id"] for s in skeletons if s["name"] == "avatar_skeleton" or "avatar_skeleton" in s["entry"])
        joints = cls.client.get(f"/v1/skeletons/{cls.skeleton}", axes="native").json["joints"]
        cls.rest = next(j for j in joints if j["name"] == "mPelvis")["translation"]

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None, None, None)

    def layer(self, clip, **more):
        return {"clip": self.ids[clip], **more}

    def native(self, layers, **item):
        return self.mix(layers, axes="native", skeleton=self.skeleton, **item)

    def assertPelvis(self, result, wanted, index=0):
        found = self.row(result, "mPelvis", "translation", index)
        self.assertClose([a - b for a, b in zip(found, self.rest)], wanted, 1e-5)

    TABLE = (
        (0.1, (0.5,), (0, -0.000267, -0.007515), (0.001785, 0.050294, 0.018769, 0.998556),
         (-0.004691, 0.222806, -0.012301, 0.974774), (0.565697, 0.060433, -0.201095, 0.79743)),
        (1.1, (1, 0.259259), (0, -0.00061, -0.007325), (0.003296, 0.055604, 0.016846, 0.998305),
         (-0.003053, 0.135087, 0.00114, 0.990828), (0.429343, -0.115116, -0.124947, 0.887018)),
        (2.6, (1, 0.583036, 0.104), (0, -0.000381, 0.031051), (-0.003616, 0.06154, 0.003585, 0.998092),
         (-0.007004, -0.181234, 0.038895, 0.982646), (0.22454, -0.317221, 0.100261, 0.915915)),
        (3.2, (0.5, 1), (0.003946, -0.001066, 0.027822), (0.002623, 0.033684, -0.009971, 0.999379),
         (0.011453, -0.185903, -0.003719, 0.982494), (0.59012, 0.110707, 0.018604, 0.799473)),
        (4, (1,), (0.010876, 0.000606, 0.010045), (0.010437, 0.003736, 0.008563, 0.999902),
         (0.00734, -0.017724, -0.085523, 0.996152), (0.595556, 0.051959, 0.001087, 0.801631)),
    )

    def scene(self):
        return [self.layer(WALK, start=0, stop=3), self.layer(STAND, start=2.5), self.layer(HELLO, start=1)]

    def test_walk_hello_and_stand(self):
        result = self.native(self.scene(), t=[row[0] for row in self.TABLE])
        self.assertIsNone(result["clip"])
        self.assertEqual(result["skeleton"], self.skeleton)
        for i, (t, weights, pelvis, turn, hip, shoulder) in enumerate(self.TABLE):
            with self.subTest(t):
                self.assertClose([layer["weight"] for layer in result["poses"][i]["layers"]], weights, 1e-5)
                self.assertPelvis(result, pelvis, i)
                for joint, wanted in (("mPelvis", turn), ("mHipLeft", hip), ("mShoulderRight", shoulder)):
                    self.assertSameTurn(self.row(result, joint, "rotation", i), wanted, 1e-5, f"{joint} at {t}")

    def test_nothing_is_driven_at_the_start(self):
        result = self.native(self.scene(), t=0)
        self.assertPelvis(result, (0, 0, 0))
        self.assertSameTurn(self.row(result, "mHipLeft", "rotation"), (0, 0, 0, 1), 1e-6)
        self.assertEqual(result["poses"][0]["layers"], [{"layer": 0, "weight": 0, "playhead": 0}])

    def test_faces(self):
        result = self.native(self.scene(), t=[1.1, 2, 2.6, 3.2])
        smile = result["morphs"].index("Express_Toothsmile")
        mouth = result["morphs"].index("Express_Closed_Mouth")
        found = [pose["morphs"] for pose in result["poses"]]
        self.assertClose([morphs[smile] for morphs in found], (0.259259, 1, 0.944606, 0.393586), 1e-5)
        self.assertClose([1 - morphs[mouth] for morphs in found], (0.259259, 1, 0.944606, 0.393586), 1e-5)

    def test_what_nothing_drives_holds(self):
        layers = [self.layer(WALK, stop=1)]
        result = self.native(layers, t=[1.2, 1.4, 9, 1000, 1e6], explain=True)
        self.assertClose([p["weight"] for p in result["poses"][0]["layers"]], (0.5,), 1e-5)
        self.assertSameTurn(self.row(result, "mHipLeft", "rotation", 0), (0.006516, -0.220533, 0.023819, 0.975067), 1e-5)
        hip = next(i for i, j in enumerate(result["joints"]) if j["name"] == "mHipLeft")
        for i in range(1, 5):
            self.assertSameTurn(self.row(result, "mHipLeft", "rotation", i), (0, -0.284993, 0.020462, 0.958311), 1e-5)
            self.assertPelvis(result, (0, -0.002365, 0.018082), i)
        for i in range(2, 5):
            self.assertEqual(result["poses"][i]["explain"][hip], {"joint": "mHipLeft", "stack": [], "held": ["rotation"]})
        rest = self.native(layers, t=9, undriven="rest")
        self.assertSameTurn(self.row(rest, "mHipLeft", "rotation"), (0, 0, 0, 1), 1e-6)
        self.assertPelvis(rest, (0, 0, 0))

    def test_the_base_brings_the_pelvis_home(self):
        result = self.native([self.layer(WALK, stop=1)], base="avatar", t=[0.1, 1.2, 9], explain=True)
        self.assertPelvis(result, (0, -0.000134, -0.003758), 0)
        self.assertPelvis(result, (0, -0.000191, 0.015526), 1)
        self.assertPelvis(result, (0, 0, 0), 2)
        self.assertSameTurn(self.row(result, "mPelvis", "rotation", 2), (0, 0.061723, -0.027146, 0.997724), 1e-5)
        stack = result["poses"][0]["explain"][0]["stack"]
        self.assertEqual([entry["layer"] for entry in stack], [0, None])
        self.assertClose([entry["translation"] for entry in stack], (0.5, 0.5), 1e-6)

    def test_a_clip_started_again_plays_beside_itself(self):
        result = self.native([self.layer(PEACE), self.layer(PEACE, start=1.75)], t=[1.8, 1.9])
        self.assertClose([p["weight"] for p in result["poses"][0]["layers"]], (0.740741, 0.15625), 1e-5)
        self.assertSameTurn(self.row(result, "mShoulderRight", "rotation"), (0.547664, -0.061507, 0.205264, 0.808794), 1e-5)
        self.assertSameTurn(self.row(result, "mElbowRight", "rotation"), (-0.001806, 0.294878, 0.226145, 0.928387), 1e-5)
        self.assertClose([p["weight"] for p in result["poses"][1]["layers"]], (0.259259, 0.84375), 1e-5)
        self.assertSameTurn(self.row(result, "mElbowRight", "rotation", 1), (-0.004437, 0.222026, 0.311986, 0.923769), 1e-5)

    def test_additive(self):
        result = self.native([self.layer(WALK), self.layer(PEACE, start=0.5, additive=True)], t=[0.6, 1.5])
        self.assertSameTurn(self.row(result, "mShoulderRight", "rotation"), (0.760792, -0.059347, 0.236155, 0.601584), 1e-5)
        self.assertSameTurn(self.row(result, "mShoulderRight", "rotation", 1), (0.694975, -0.466596, 0.441015, 0.323733), 1e-5)

    def test_gltf_axes_are_the_same_pose(self):
        """x, y, z of glTF are y, z, x of Second Life."""
        scene = {"t": [0.1, 1.1, 2.6, 3.2, 7], "skeleton": self.skeleton}
        layers = self.scene() + [self.layer(PEACE, start=0.5, additive=True)]
        native, gltf = self.mix(layers, axes="native", **scene), self.mix(layers, **scene)
        for a, b in zip(native["poses"], gltf["poses"]):
            for p, q in zip(a["rotation"], b["rotation"]):
                self.assertSameTurn(q, (p[1], p[2], p[0], p[3]), 2e-6)
            for p, q in zip(a["translation"], b["translation"]):
                self.assertClose(q, (p[1], p[2], p[0]), 2e-6)

    def test_shares_sum_to_one(self):
        result = self.native(self.scene(), t=[0.1, 1.1, 2.6, 3.2, 4], explain=True)
        for pose in result["poses"]:
            for joint in pose["explain"]:
                shares = [entry["rotation"] for entry in joint["stack"] if "rotation" in entry]
                if shares and sum(entry["weight"] for entry in joint["stack"]) > 0:
                    self.assertAlmostEqual(sum(shares), 1, delta=1e-6)
        shoulder = next(e for e in result["poses"][2]["explain"] if e["joint"] == "mShoulderRight")
        self.assertEqual([(e["layer"], e["priority"]) for e in shoulder["stack"]], [(2, 2), (1, 0), (0, 0)])

    def test_other_games_are_refused(self):
        with Daemon(corpus() / "sl", corpus() / "sims" / "tso" / "anim") as daemon:
            other = daemon.client.items("/v1/clips", limit=1, format="tso-anim")[0]["id"]
            body = {"requests": [{"mix": "sl", "layers": [self.layer(WALK), {"clip": other}]}]}
            error = daemon.client.post("/v1/poses", json.dumps(body)).json["results"][0]["error"]
            self.assertEqual((error["status"], error["pointer"]), (400, "/requests/0/layers/1/clip"))


def spin(angle=0.3):
    return [(0, (math.sin(angle / 2), 0, 0))]


class Made(Mixing):
    """Clips made here."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(Daemon.samples)
        cls.daemon.__enter__()
        cls.client = cls.daemon.client

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None, None, None)

    def clip(self, data, name="made.anim"):
        reply = self.client.post("/v1/archives", data, name=name)
        self.assertIn(reply.status, (200, 201), reply.text)
        return reply.json["clips"][0]["id"]

    def test_the_deciding_hand(self):
        fist = self.clip(anim([("mHead", 3, spin(), [])], 5, hand=3, loop=(0, 5)))
        point = self.clip(anim([("mNeck", -1, spin(0.2), [])], 5, base=4, hand=2, loop=(0, 5)))
        result = self.mix([{"clip": fist}, {"clip": point}], t=[0.1, 1])
        found = [dict(zip(result["morphs"], pose["morphs"])) for pose in result["poses"]]
        self.assertAlmostEqual(found[0]["Hands_Fist"], 0.5, delta=1e-6)
        self.assertAlmostEqual(found[0]["Hands_Relaxed"], 0.5, delta=1e-6)
        self.assertEqual(found[1]["Hands_Fist"], 1)
        self.assertEqual(self.mix([{"clip": self.clip(anim([("mHead", 3, spin(), [])], 5, hand=14))}], t=1)["morphs"],
                         ["Hands_Relaxed"])

    def test_six_of_nine(self):
        clips = [self.clip(anim([("mHead", i % 3, spin(0.1 * i), [])], 10, loop=(0, 10))) for i in range(9)]
        result = self.mix([{"clip": clip, "start": i / 10} for i, clip in enumerate(clips)], t=2, explain=True,
                          joints=["mHead"])
        stack = result["poses"][0]["explain"][0]["stack"]
        self.assertEqual([entry["layer"] for entry in stack], [8, 5, 2, 7, 4, 1])
        self.assertEqual(len(result["poses"][0]["layers"]), 9)
        self.assertEqual([joint["name"] for joint in result["joints"]], ["mHead"])

    def test_an_outro_is_played(self):
        clip = self.clip(anim([("mHead", 2, spin(), [])], 3, loop=(1, 2), ease=(0, 0.5)))
        result = self.mix([{"clip": clip, "stop": 4.25}], t=[4.25, 5, 5.5, 5.75, 6.001])
        heads = [pose["layers"] for pose in result["poses"]]
        self.assertClose([h[0]["playhead"] for h in heads[:4]], (1.25, 2, 2.5, 2.75), 1e-3)
        self.assertClose([h[0]["weight"] for h in heads[:4]], (1, 1, 1, 0.5), 1e-3)
        self.assertEqual(heads[4], [])

    def test_frames_go_to_the_end(self):
        clip = self.clip(anim([("mHead", 2, spin(), [])], 3, loop=(1, 2), ease=(0, 0.5)))
        self.assertEqual(self.mix([{"clip": clip, "stop": 4.25}], fps=2)["times"], [i / 2 for i in range(13)])
        endless = self.mix([{"clip": clip}], fps=1, **{"from": 0})
        self.assertEqual(endless["times"], [0, 1, 2, 3])
        late = self.mix([{"clip": clip, "stop": 100}], fps=1)
        self.assertEqual(late["times"][-1], 10, "at most --max-time")
        self.assertEqual(self.mix([{"clip": clip, "stop": 100}], fps=1, to=20)["times"][-1], 20)

    def test_as_floats_and_lines(self):
        clip = self.clip(anim([("mHead", 2, spin(), [])], 1, ease=(0.2, 0.2)))
        item = {"layers": [{"clip": clip}], "fps": 10, "joints": ["mHead", "mNeck"]}
        whole = self.mix(**item)
        floats = self.post(**item, **{"as": "f32"})
        self.assertEqual([floats.headers[f"Posed-{n}"] for n in ("Frames", "Joints", "Fps")], ["11", "2", "10"])
        found = struct.unpack(f"<{11 * 2 * 10}f", floats.body)
        for i, pose in enumerate(whole["poses"]):
            for j in range(2):
                at = (i * 2 + j) * 10
                self.assertClose(found[at:at + 3], pose["translation"][j], 1e-6)
                self.assertClose(found[at + 3:at + 7], pose["rotation"][j], 1e-6)
        lines = self.post(**item, **{"as": "ndjson"})
        self.assertEqual([json.loads(line) for line in lines.body.decode().splitlines()], whole["poses"])
        self.assertProblem(self.post(**{**item, "layers": []}, **{"as": "f32"}), 400, pointer="/requests/0/layers")
        self.assertProblem(self.post(**item, explain=True, **{"as": "f32"}), 400, pointer="/requests/0/explain")
        two = {"requests": [{"mix": "sl", **item, "as": "f32"}, {"mix": "sl", **item}]}
        found = self.client.post("/v1/poses", json.dumps(two)).json["results"]
        self.assertEqual(found[0]["error"]["pointer"], "/requests/0/as")
        self.assertEqual(found[1], whole)

    def test_skeleton_none_is_told_as_it_is(self):
        clip = self.clip(anim([("mHead", 2, spin(), [])]))
        error = self.refusal(layers=[{"clip": clip}], skeleton="none", t=0)
        self.assertIn('instead of "none"', error["detail"])
        self.assertNotIn("its first clip", error["detail"])

    def test_refused(self):
        clip = self.clip(anim([("mHead", 2, spin(), [])]))
        good = {"clip": clip}
        for pointer, item in (
                ("/layers", {"layers": [good] * 17}), ("/layers", {"layers": []}), ("/layers", {"layers": good}),
                ("/layers", {}), ("/layers/0", {"layers": [7]}), ("/layers/0/clip", {"layers": [{}]}),
                ("/layers/0/start", {"layers": [good | {"start": -1}]}),
                ("/layers/0/start", {"layers": [good | {"start": 1.1e6}]}),
                ("/layers/0/start", {"layers": [good | {"start": "0"}]}),
                ("/layers/0/start", {"layers": [good | {"start": True}]}),
                ("/layers/0/start", {"layers": [good | {"start": None}]}),
                ("/layers/1/offset", {"layers": [good, good | {"offset": 1e7}]}),
                ("/layers/1/stop", {"layers": [good, good | {"stop": False}]}),
                ("/layers/1/stop", {"layers": [good, good | {"start": 2, "stop": 1}]}),
                ("/layers/0/weight", {"layers": [good | {"weight": 1}]}), ("/layers/0/t", {"layers": [good | {"t": 1}]}),
                ("/layers/0/reference", {"layers": [good | {"reference": "first"}]}),
                ("/layers/0/a~1b", {"layers": [good | {"a/b": 1}]}),
                ("/layers/0/additive", {"layers": [good | {"additive": 1}]}),
                ("/layers/0/immediate", {"layers": [good | {"immediate": "no"}]}),
                ("/layers/0/priority", {"layers": [good | {"priority": 7}]}),
                ("/layers/0/priority", {"layers": [good | {"priority": 1.5}]}),
                ("/layers/0/joints", {"layers": [good | {"joints": []}]}),
                ("/layers/0/joints", {"layers": [good | {"joints": ["nobody"]}]}),
                ("/base", {"layers": [good], "base": "ground"}), ("/undriven", {"layers": [good], "undriven": True}),
                ("/explain", {"layers": [good], "explain": 1}), ("/wrap", {"layers": [good], "wrap": "loop"}),
                ("/mix", {"layers": [good], "mix": "tso"}), ("/t", {"layers": [good], "t": -1}),
                ("/t", {"layers": [good], "t": 1e7}), ("/t", {"layers": [good], "t": True}),
                ("/t/1", {"layers": [good], "t": [0, "1"]}), ("/fps", {"layers": [good], "fps": 0}),
                ("/fps", {"layers": [good], "t": 0, "fps": 30}), ("/fps", {"layers": [good], "fps": 1e5, "to": 1e6}),
                ("/from", {"layers": [good], "from": 3, "to": 2}), ("/axes", {"layers": [good], "axes": "up"}),
                ("/skeleton", {"layers": [good], "skeleton": "none"}), ("/joints", {"layers": [good], "joints": ["mHat"]})):
            with self.subTest(item):
                error = self.refusal(**item)
                self.assertEqual((error["status"], error.get("pointer")), (400, "/requests/0" + pointer), error["detail"])
        error = self.refusal(layers=[{"clip": 32 * "0"}])
        self.assertEqual((error["status"], error["pointer"]), (404, "/requests/0/layers/0/clip"))
        self.assertEqual(self.refusal(layers=[good] * 16, t=[0] * 5000)["limit"], "rows")
        self.assertEqual(self.refusal(layers=[good] * 16, t=[0] * 6251, joints=["mHead"])["limit"], "max-frames")
        self.assertEqual(self.post(layers=[good] * 16, fps=1000, to=10, **{"as": "f32"}).json["limit"], "max-frames")
        for body in (b'{"requests":[{"mix":"sl","layers":[{"start":NaN}]}]}',
                     b'{"requests":[{"mix":"sl","layers":[{"start":1e999}]}]}'):
            self.assertEqual(self.client.post("/v1/poses", body).status, 400)

    def assertSane(self, result):
        for pose in result["poses"]:
            for q in pose["rotation"]:
                self.assertAlmostEqual(sum(v * v for v in q), 1, delta=1e-4)
            for layer in pose["layers"]:
                self.assertTrue(0 <= layer["weight"] <= 1, layer)
        for morphs in (pose.get("morphs", ()) for pose in result["poses"]):
            self.assertTrue(all(0 <= m <= 1 for m in morphs))

    def test_survived(self):
        """What is legal and odd: the numbers are those of sl-mix.md 10."""
        head = [("mHead", 2, spin(), [(0, (0, 0, 0.1))])]
        whole = [0, 0.1, 0.5, 0.99, 1, 1.5, 5, 1000, 1e6]
        odd = {
            "6": ([{}] * 16, anim(head)), "6 stopped": ([{"start": 1, "stop": 1}] * 16, anim(head, ease=(0.2, 0.2))),
            "7": ([{}], anim(head, 0)), "7 loop": ([{"stop": 2}], anim(head, 0, loop=(0, 0))),
            "8 in=out": ([{"stop": 3}], anim(head, 2, loop=(1, 1))),
            "8 in>out": ([{"stop": 3}], anim(head, 2, loop=(1.5, 0.5))),
            "8 out beyond": ([{"stop": 3}], anim(head, 2, loop=(0, 9))),
            "8 in beyond": ([{"stop": 3}], anim(head, 2, loop=(9, 9))),
            "8 negative": ([{"stop": 3}], anim(head, 2, loop=(-1, 1))),
            "9": ([{"stop": 0.5}], anim(head, 1, ease=(3, 3))), "9 negative": ([{}], anim(head, 1, ease=(-1, -2))),
            "9 huge": ([{"stop": 4}], anim(head, 1, ease=(3e38, 3e38))),
            "10": ([{}], anim([("mHead", -1, spin(), [])], base=-1)),
            "10 greatest": ([{}, {"start": 0.5}], anim([("mHead", 2147483647, spin(), [])])),
            "11": ([{"stop": 1}], anim([("mHead", 1, [], [])] + [(f"mJoint{i}", 1, [], []) for i in range(215)])),
            "12": ([{}], anim([("mHead", 1, spin(), []), ("mHead", 2, spin(1), []), ("mHat", 1, spin(), [])])),
            "13": ([{"start": 900}], anim(head)), "14": ([{"start": 1, "stop": 1}], anim(head)),
            "15": ([{"offset": 1e6}], anim(head, 1, loop=(0, 1e-30))),
            "17": ([{"start": i / 20} for i in range(16)], anim(head, 1, ease=(0.3, 0.3))),
            "18": ([{"start": 1}, {"start": 1}], anim(head, 1, ease=(0.5, 0.5))),
            "19": ([{"additive": True}], anim(head, 1, ease=(0.5, 0.5))),
            "20": ([{}], anim(head, emote=bytes(range(1, 256)))), "21": ([{}], anim(head, hand=14)),
            "22": ([{"start": 1e6, "stop": 1e6}], anim(head, 1, ease=(1e-30, 1e-30))),
        }
        avatar = self.mix([{"clip": self.clip(anim(head))}])["skeleton"]
        for name, (layers, data) in odd.items():
            with self.subTest(name):
                reply = self.client.post("/v1/archives", data, name=f"odd {name}.anim".replace("=", " ").replace(">", " "))
                if reply.status == 422:
                    continue  # the viewer refuses it as well
                clip = reply.json["clips"][0]["id"]
                result = self.mix([{"clip": clip, **layer} for layer in layers], t=whole, explain=True, skeleton=avatar)
                self.assertSane(result)
                if name == "10":
                    self.assertIn("frozen_in_viewer", [w["code"] for w in result["warnings"]])
                if name == "14":
                    self.assertSameTurn(self.row(result, "mHead", "rotation", 8), (0, 0, 0, 1), 1e-6)

    def test_masks(self):
        clip = self.clip(anim([("mHead", 2, spin(1), []), ("mNeck", 2, spin(1), [])], 2, loop=(0, 2)))
        result = self.mix([{"clip": clip, "joints": ["mNeck"]}], t=1)
        self.assertSameTurn(self.row(result, "mHead", "rotation"), (0, 0, 0, 1), 1e-6)
        self.assertGreater(abs(self.row(result, "mNeck", "rotation")[2]), 0.4)
        self.assertEqual({j["name"] for j in result["joints"] if j["driven"]}, {"mNeck"})

    def test_immediate(self):
        clip = self.clip(anim([("mHead", 2, spin(1), [])], 9, ease=(0, 3), loop=(0, 9)))
        found = self.mix([{"clip": clip, "stop": 1, "immediate": True}], t=[0.999, 1], undriven="rest")["poses"]
        self.assertEqual([len(pose["layers"]) for pose in found], [1, 0])
