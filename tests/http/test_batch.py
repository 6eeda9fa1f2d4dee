"""Many poses in one body, and blends."""

import json
import math

from daemon import Daemon
from fixture import SampleCase


def turn(q, p):
    """The angle between two unit quaternions."""
    dot = min(1.0, abs(sum(a * b for a, b in zip(q, p))))
    return 2 * math.acos(dot)


class Batch(SampleCase):
    def ask(self, *requests, status=200):
        reply = self.client.post("/v1/poses", json.dumps({"requests": requests}))
        self.assertEqual(reply.status, status, reply)
        return reply.json["results"] if status == 200 else reply.json

    def walk(self):
        return self.clip("walk", "sl-anim")["id"]

    def wave(self):
        return self.clip("wave", "sl-anim")["id"]

    def test_as_the_query_answers(self):
        walk = self.walk()
        found = self.ask({"clip": walk, "t": [0, 0.25, 0.5]}, {"clip": walk, "t": 0.25, "space": "model"},
                         {"clip": walk, "t": 0.25, "axes": "native", "skeleton": "none"}, {"clip": walk})
        for result, query in zip(found, ({"t": "0,0.25,0.5"}, {"t": "0.25", "space": "model"},
                                         {"t": "0.25", "axes": "native", "skeleton": "none"}, {"t": "0"})):
            self.assertEqual(result, self.client.get(f"/v1/clips/{walk}/poses", **query).json)

    def test_every_clip_as_the_query_answers(self):
        """Also those whose morphs are named by other archives."""
        clips = [clip["id"] for clip in self.client.items("/v1/clips")]
        for clip, result in zip(clips, self.ask(*({"clip": clip} for clip in clips))):
            self.assertEqual(result, self.client.get(f"/v1/clips/{clip}/poses", t=0).json)

    def test_joints(self):
        walk = self.walk()
        result = self.ask({"clip": walk, "t": 0.1, "joints": ["mPelvis", "mHead"]})[0]
        self.assertEqual([joint["name"] for joint in result["joints"]], ["mPelvis", "mHead"])

    def test_one_bad_item_spoils_no_other(self):
        walk = self.walk()
        found = self.ask({"clip": walk, "t": 0.1}, {"clip": 32 * "0"}, {"clip": walk, "t": "soon"},
                         {"clip": walk, "speed": 2}, 7, {"t": 1}, {"clip": walk, "space": "outer"},
                         {"clip": walk, "joints": ["nobody"]}, {"clip": walk, "t": []}, {"clip": walk, "t": 0.2})
        self.assertEqual([result.get("error", {}).get("status", 200) for result in found],
                         [200, 404, 400, 400, 400, 400, 400, 400, 400, 200])
        self.assertEqual(found[2]["error"]["pointer"], "/requests/2/t")
        self.assertEqual(found[6]["error"]["parameter"], "space")

    def test_bad_bodies(self):
        for body in (b"", b"{", b"[]", b'{"requests":3}', b'{"requests":[],"more":1}', b"\xff", b'{"requests":[NaN]}',
                     b'{"requests":[],"requests":[]}', b"[" * 5000, json.dumps({"requests": [0] * 1001}).encode()):
            with self.subTest(body[:40]):
                self.assertEqual(self.client.post("/v1/poses", body).status, 400)
        for body in (b"", b"{", b"name=a&to=glb"):
            self.assertIn("the body is not JSON", self.client.post("/v1/poses", body).json["detail"])
        self.assertProblem(self.client.post("/v1/poses", b" " * 2000000), 413, limit="body")

    def test_limits_are_of_all_items(self):
        walk = self.walk()
        found = self.ask({"clip": walk, "t": [0.1] * 90000}, {"clip": walk, "t": [0.1] * 100001, "joints": ["mHead"]})
        self.assertEqual([result["error"]["limit"] for result in found], ["rows", "max-frames"])
        with Daemon("--max-frames", "5", Daemon.samples) as daemon:
            item = {"clip": walk, "t": [0, 0.1], "joints": ["mPelvis"]}
            body = json.dumps({"requests": [item] * 3 + [item | {"t": 0}]})
            found = daemon.client.post("/v1/poses", body).json["results"]
            self.assertEqual([result.get("error", {}).get("limit") for result in found],
                             [None, None, "max-frames", None])

    def test_blend_of_one_is_the_clip(self):
        walk = self.walk()
        blend, plain = self.ask({"layers": [{"clip": walk, "t": 0.3, "weight": 3}]}, {"clip": walk, "t": 0.3})
        self.assertIsNone(blend["clip"])
        self.assertEqual(blend["times"], plain["times"])
        for part in ("translation", "rotation", "scale"):
            for a, b in zip(blend["poses"][0][part], plain["poses"][0][part]):
                if part == "rotation":
                    self.assertLess(turn(a, b), 1e-3)
                else:
                    self.assertClose(a, b, 1e-6)

    def test_blend_is_between(self):
        walk = self.walk()
        a, b, half = self.ask({"clip": walk, "t": 0}, {"clip": walk, "t": 0.5},
                              {"layers": [{"clip": walk, "t": 0, "weight": 2}, {"clip": walk, "t": 0.5, "weight": 2}]})
        moved = 0
        for p, q, r in zip(*(x["poses"][0]["rotation"] for x in (a, b, half))):
            whole = turn(p, q)
            if whole > 0.01:
                moved += 1
                self.assertAlmostEqual(turn(p, r), whole / 2, delta=0.05 * whole + 1e-3)
        self.assertGreater(moved, 3)

    def test_a_layer_takes_what_its_clip_drives_and_it_names(self):
        walk, wave = self.walk(), self.wave()
        base, both, named = self.ask(
            {"clip": walk, "t": 0.3},
            {"layers": [{"clip": walk, "t": 0.3, "weight": 1}, {"clip": wave, "t": 0.3, "weight": 1}]},
            {"layers": [{"clip": walk, "t": 0.3, "weight": 1},
                        {"clip": wave, "t": 0.3, "weight": 1, "joints": ["mElbowRight"]}]})
        driven = {j["name"] for j in self.client.get(f"/v1/clips/{wave}").json["joints"]}
        for i, joint in enumerate(base["joints"]):
            if joint["name"] not in driven:
                self.assertLess(turn(base["poses"][0]["rotation"][i], both["poses"][0]["rotation"][i]), 1e-3)
            if joint["name"] != "mElbowRight":
                self.assertLess(turn(base["poses"][0]["rotation"][i], named["poses"][0]["rotation"][i]), 1e-3)

    def test_bad_blends(self):
        walk = self.walk()
        for layers in ([], 3, [7], [{"clip": walk, "weight": -1}], [{"clip": walk, "weight": "much"}],
                       [{"clip": walk, "x": 1}], [{"weight": 1}], [{"clip": walk}] * 17,
                       [{"clip": walk, "joints": []}], [{"clip": walk, "joints": ["nobody"]}]):
            with self.subTest(layers):
                self.assertEqual(self.ask({"layers": layers})[0]["error"]["status"], 400)
        self.assertEqual(self.ask({"layers": [{"clip": walk}], "skeleton": "none"})[0]["error"]["status"], 400)
        zero = self.ask({"layers": [{"clip": walk, "t": 0.3, "weight": 0}]})[0]
        self.assertFalse(any(joint["driven"] for joint in zero["joints"]))
