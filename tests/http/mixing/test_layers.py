"""Layers with weights, additive layers and cross-fades: POST /v1/poses without "mix"."""

import json
import math

from fixture import SampleCase


def multiply(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def conjugate(q):
    return (-q[0], -q[1], -q[2], q[3])


def power(q, times):
    if q[3] < 0:
        q = [-v for v in q]
    sine = math.hypot(*q[:3])
    angle = math.atan2(sine, q[3]) * times
    scale = math.sin(angle) / sine if sine else 0
    return (q[0] * scale, q[1] * scale, q[2] * scale, math.cos(angle))


class Layers(SampleCase):
    def ask(self, **item):
        reply = self.client.post("/v1/poses", json.dumps({"requests": [item]}))
        self.assertEqual(reply.status, 200, reply)
        return reply.json["results"][0]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.walk, cls.wave, cls.idle = (cls.clip(name, "sl-anim")["id"] for name in ("walk", "wave", "idle"))
        cls.sim = cls.clip("a2o-walk", "tso-anim")["id"]

    def pose(self, clip, t, **query):
        return self.client.get(f"/v1/clips/{clip}/poses", t=t, **query).json["poses"][0]

    def assertSamePose(self, found, wanted, tolerance=2e-5):
        for part in ("translation", "scale"):
            for a, b in zip(found[part], wanted[part]):
                self.assertClose(a, b, tolerance)
        for a, b in zip(found["rotation"], wanted["rotation"]):
            self.assertSameTurn(a, b, tolerance)

    def test_layers_play(self):
        """A layer's clip is at its t when the scene is at 0."""
        result = self.ask(layers=[{"clip": self.walk, "t": 0.25}], t=[0, 0.1, 0.2])
        self.assertEqual(result["times"], [0, 0.1, 0.2])
        for pose, t in zip(result["poses"], (0.25, 0.35, 0.45)):
            self.assertSamePose(pose, self.pose(self.walk, t))
            self.assertEqual(pose["layers"], [{"layer": 0, "weight": 1, "playhead": t}])

    def test_frames(self):
        result = self.ask(layers=[{"clip": self.walk}], fps=10, **{"from": 0.2, "to": 0.5})
        self.assertEqual(result["times"], [0.2, 0.3, 0.4, 0.5])
        self.assertEqual(result["fps"], 10)

    def test_a_crossfade(self):
        item = {"crossfade": [{"clip": self.walk}, {"clip": self.idle, "at": 0.4, "duration": 0.2}]}
        result = self.ask(**item, t=[0.2, 0.4, 0.5, 0.6, 0.9])
        weights = [[layer["weight"] for layer in pose["layers"]] for pose in result["poses"]]
        for found, wanted in zip(weights, ([1], [1], [0.5, 0.5], [1], [1])):
            self.assertClose(found, wanted, 1e-6)
        self.assertSamePose(result["poses"][0], self.pose(self.walk, 0.2))
        self.assertSamePose(result["poses"][1], self.pose(self.walk, 0.4))
        self.assertSamePose(result["poses"][3], self.pose(self.idle, 0.2))
        self.assertSamePose(result["poses"][4], self.pose(self.idle, 0.5))
        half = result["poses"][2]
        for a, b, c in zip(self.pose(self.walk, 0.5)["translation"], self.pose(self.idle, 0.1)["translation"], half["translation"]):
            self.assertClose(c, [(p + q) / 2 for p, q in zip(a, b)], 1e-6)

    def test_a_crossfade_is_smooth(self):
        """Also on joints that only one of the clips drives."""
        result = self.ask(crossfade=[{"clip": self.walk}, {"clip": self.wave, "at": 0.2, "duration": 0.3}], fps=200, to=0.7)
        for before, after in zip(result["poses"], result["poses"][1:]):
            for a, b in zip(before["rotation"], after["rotation"]):
                self.assertGreater(abs(sum(p * q for p, q in zip(a, b))), math.cos(0.05))

    def test_three_in_a_row(self):
        item = {"crossfade": [{"clip": self.walk}, {"clip": self.wave, "at": 0.1, "duration": 1},
                              {"clip": self.idle, "at": 0.6, "duration": 1}]}
        pose = self.ask(**item, t=0.85)["poses"][0]
        self.assertClose([layer["weight"] for layer in pose["layers"]], (0.25 * 0.75, 0.75 * 0.75, 0.25), 1e-6)
        self.assertClose([layer["playhead"] for layer in pose["layers"]], (0.85, 0.75, 0.25), 1e-6)

    def additive(self, base, over, t, weight, reference, **query):
        """What the definition gives: base * (reference^-1 * over)^weight, translations added."""
        base, over = self.pose(base, t, **query), self.pose(over, t, **query)
        rows = []
        for i in range(len(base["rotation"])):
            turn = power(multiply(conjugate(reference["rotation"][i]), over["rotation"][i]), weight)
            shift = [b + weight * (o - r) for b, o, r in
                     zip(base["translation"][i], over["translation"][i], reference["translation"][i])]
            rows.append((multiply(base["rotation"][i], turn), shift))
        return rows

    def check_additive(self, item, rows, driven):
        result = self.ask(**item)
        pose = result["poses"][0]
        count = 0
        for i, (turn, shift) in enumerate(rows):
            if result["joints"][i]["name"] in driven:
                count += 1
                self.assertSameTurn(pose["rotation"][i], turn, 2e-5)
                self.assertClose(pose["translation"][i], shift, 2e-5)
        self.assertEqual(count, len(driven))

    def test_additive_layers(self):
        driven = {joint["name"] for joint in self.client.get(f"/v1/clips/{self.wave}").json["joints"]}
        for reference, pose in ((None, self.pose(self.wave, 0)), ("first", self.pose(self.wave, 0)),
                                ({"clip": self.walk, "t": 0.3}, self.pose(self.walk, 0.3))):
            for weight in (0.25, 1, 1.5):
                layer = {"clip": self.wave, "additive": True, "weight": weight}
                if reference:
                    layer["reference"] = reference
                item = {"layers": [{"clip": self.walk}, layer], "t": 0.4}
                self.check_additive(item, self.additive(self.walk, self.wave, 0.4, weight, pose), driven)

    def test_additive_at_its_reference_adds_nothing(self):
        for axes in ("gltf", "native"):
            for clip in (self.walk, self.sim):
                plain = self.pose(clip, 0.3, axes=axes)
                layers = [{"clip": clip, "t": 0.3}, {"clip": clip, "additive": True}]
                self.assertSamePose(self.ask(layers=layers, axes=axes)["poses"][0], plain)

    def test_additive_from_rest_is_the_clip(self):
        """Nothing lies below: rest plus the clip's difference from it."""
        for clip in (self.walk, self.sim):
            for axes in ("gltf", "native"):
                found = self.ask(layers=[{"clip": clip, "t": 0.3, "additive": True, "reference": "rest"}], axes=axes)
                self.assertSamePose(found["poses"][0], self.pose(clip, 0.3, axes=axes))

    def test_native_axes_are_the_same_pose(self):
        """Stored rotations of The Sims act as their conjugates, so what is added is multiplied the other way."""
        layers = [{"clip": self.sim, "t": 0.1}, {"clip": self.sim, "t": 0.4, "additive": True, "weight": 0.7}]
        native, gltf = (self.ask(layers=layers, axes=axes)["poses"][0] for axes in ("native", "gltf"))
        for a, b in zip(native["rotation"], gltf["rotation"]):
            self.assertSameTurn(b, (-a[0], a[1], a[2], a[3]), 2e-5)

    def test_masks_and_explanations(self):
        layers = [{"clip": self.walk}, {"clip": self.wave, "weight": 3, "joints": ["mElbowRight"]},
                  {"clip": self.wave, "additive": True, "weight": 0.5, "joints": ["mWristRight"]}]
        result = self.ask(layers=layers, t=0.3, explain=True, joints=["mElbowRight", "mWristRight", "mHipLeft"])
        found = {entry["joint"]: entry["stack"] for entry in result["poses"][0]["explain"]}
        self.assertEqual([(e["layer"], e["rotation"]) for e in found["mElbowRight"]], [(0, 0.25), (1, 0.75)])
        self.assertEqual([(e["layer"], e["rotation"]) for e in found["mWristRight"]], [(0, 1), (2, 0.5)])
        self.assertEqual([e["layer"] for e in found["mHipLeft"]], [0])

    def test_forms(self):
        """Also of one clip."""
        for item in ({"crossfade": [{"clip": self.walk}, {"clip": self.idle, "at": 0.1, "duration": 0.1}]}, {"clip": self.walk}):
            whole = self.ask(**item, fps=20, to=0.3)
            body = json.dumps({"requests": [{**item, "fps": 20, "to": 0.3, "as": "posed"}]})
            reply = self.client.post("/v1/poses", body)
            size = int.from_bytes(reply.body[:4], "little")
            head = json.loads(reply.body[4:4 + size])
            self.assertEqual(head, {k: v for k, v in whole.items() if k != "poses"})
            accepted = self.client.post("/v1/poses", json.dumps({"requests": [{**item, "fps": 20, "to": 0.3}]}),
                                        headers={"Accept": "application/octet-stream"})
            self.assertEqual(accepted.headers["Content-Type"], "application/octet-stream")
            self.assertEqual(len(accepted.body), 7 * len(whole["joints"]) * 40)

    def test_model_space(self):
        layers = [{"clip": self.walk}]
        found = self.ask(layers=layers, t=0.3, space="model")
        wanted = self.client.get(f"/v1/clips/{self.walk}/poses", t=0.3, space="model").json
        for a, b in zip(found["poses"][0]["matrix"], wanted["poses"][0]["matrix"]):
            self.assertClose(a, b, 1e-5)

    def test_refused(self):
        good = {"clip": self.walk}
        for pointer, item in (
                ("/crossfade", {"layers": [good], "crossfade": [good]}), ("/crossfade", {"crossfade": []}),
                ("/crossfade", {"crossfade": [good] * 17}),
                ("/crossfade/1/at", {"crossfade": [good | {"at": 1}, good | {"at": 0.5}]}),
                ("/crossfade/0/duration", {"crossfade": [good | {"duration": -1}]}),
                ("/crossfade/0/weight", {"crossfade": [good | {"weight": 1}]}),
                ("/layers/0/weight", {"layers": [good | {"weight": -1}]}),
                ("/layers/0/weight", {"layers": [good | {"weight": "1"}]}),
                ("/layers/0/start", {"layers": [good | {"start": 1}]}),
                ("/layers/0/t", {"layers": [good | {"t": "0"}]}),
                ("/layers/0/reference", {"layers": [good | {"reference": "first"}]}),
                ("/layers/0/reference", {"layers": [good | {"reference": "bind", "additive": True}]}),
                ("/layers/0/reference/clip", {"layers": [good | {"reference": {"t": 1}, "additive": True}]}),
                ("/layers/0/reference/x", {"layers": [good | {"reference": good | {"x": 1}, "additive": True}]}),
                ("/layers/1/clip", {"layers": [good, {"clip": self.sim}], "axes": "native"}),
                ("/base", {"layers": [good], "base": "avatar"}), ("/t", {"layers": [good], "t": 1e7}),
                ("/space", {"layers": [good], "space": "outer"})):
            with self.subTest(item):
                error = self.ask(**item)["error"]
                self.assertEqual((error["status"], error["pointer"]), (400, "/requests/0" + pointer), error["detail"])
        self.assertEqual(self.ask(layers=[good], mix="sl", wrap="loop")["error"]["pointer"], "/requests/0/wrap")

    def test_huge_numbers_stay_finite(self):
        layers = [{"clip": self.walk, "weight": 1e6}, {"clip": self.wave, "weight": 1e6, "additive": True, "t": 1e300}]
        for row in self.ask(layers=layers, t=[0, 1e6])["poses"]:
            for q in row["rotation"]:
                self.assertAlmostEqual(sum(v * v for v in q), 1, delta=1e-4)
            self.assertTrue(all(v is not None for xyz in row["translation"] for v in xyz))
