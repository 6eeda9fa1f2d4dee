"""POST /v1/convert of several clips together: the file plays what POST /v1/poses answers."""

import json
import math

from fixture import SampleCase


def turned(a, b):
    return 2 * math.acos(min(1, abs(sum(p * q for p, q in zip(a, b)))))


class Convert(SampleCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.walk, cls.wave, cls.idle = (cls.clip(name, "sl-anim")["id"] for name in ("walk", "wave", "idle"))

    def scenes(self):
        played = [{"clip": self.walk, "stop": 1}, {"clip": self.wave, "start": 0.4, "stop": 1.1}]
        yield {"mix": "sl", "layers": played}
        yield {"crossfade": [{"clip": self.walk}, {"clip": self.idle, "at": 0.33, "duration": 0.2}], "to": 1}
        yield {"layers": [{"clip": self.walk}, {"clip": self.wave, "additive": True, "weight": 0.5}], "to": 1}

    def convert(self, item, to, **query):
        return self.client.post("/v1/convert", json.dumps(item), headers={"Content-Type": "application/json"}, to=to, **query)

    def poses(self, item, t, **more):
        item = {k: v for k, v in item.items() if k not in ("fps", "from", "to")}
        body = {"requests": [{**item, "t": t, **more}]}
        return self.client.post("/v1/poses", json.dumps(body)).json["results"][0]

    def upload(self, reply, name):
        self.assertEqual(reply.status, 200, reply)
        stored = self.client.post("/v1/archives", reply.body, name=name)
        self.assertIn(stored.status, (200, 201), stored)
        return stored.json["clips"][0]["id"]

    def assertPlays(self, clip, item, times, degrees, metres):
        wanted = self.poses(item, times)
        found = self.client.get(f"/v1/clips/{clip}/poses", t=",".join(map(str, times)), skeleton=wanted["skeleton"]).json
        self.assertEqual([j["name"] for j in found["joints"]], [j["name"] for j in wanted["joints"]])
        for a, b in zip(found["poses"], wanted["poses"]):
            for joint, p, q in zip(wanted["joints"], a["rotation"], b["rotation"]):
                self.assertLess(math.degrees(turned(p, q)), degrees, f"{joint['name']} at {a['t']}")
            for joint, p, q in zip(wanted["joints"], a["translation"], b["translation"]):
                self.assertClose(p, q, metres, f"{joint['name']} at {a['t']}")

    def test_files_play_the_mixture(self):
        for number, item in enumerate(self.scenes()):
            for to, name, degrees, metres in (("glb", "mix.glb", 0.06, 1e-5), ("json", "mix.json", 0.06, 1e-5),
                                              ("sl-anim", "mix.anim", 0.15, 1e-3)):
                with self.subTest(number, to=to):
                    reply = self.convert({**item, "fps": 30}, to, name=f"mix {number}.anim")
                    clip = self.upload(reply, f"{number} {name}")
                    self.assertPlays(clip, item, [0, 0.1, 0.3, 0.5, 0.8, 0.9], degrees, metres)

    def test_keys_at_moments(self):
        """Whatever the rate: a start, a stop, the end of easing, and the window's ends."""
        item = next(self.scenes())
        keys = self.convert({**item, "fps": 2}, "json", axes="gltf").json
        times = max((j["rotation"]["times"] for j in keys["joints"] if "rotation" in j), key=len)
        for wanted in (0, 0.4, 0.5, 1, 1.1):
            self.assertTrue(any(abs(t - wanted) < 1e-6 for t in times), f"{wanted} in {times}")
        self.assertEqual(times, sorted(set(times)))
        self.assertAlmostEqual(keys["duration"], times[-1], delta=1e-6)

    def test_a_window_and_the_rate_of_the_query(self):
        item = {"layers": [{"clip": self.walk}], "from": 0.2, "to": 0.5}
        keys = self.convert({**item, "fps": 10}, "json").json
        times = max((j["rotation"]["times"] for j in keys["joints"] if "rotation" in j), key=len)
        self.assertClose(times, (0, 0.1, 0.2, 0.3), 1e-6)
        self.assertEqual(self.convert(item, "glb", fps=10).body, self.convert({**item, "fps": 10}, "glb").body)
        self.assertEqual(self.convert(item, "glb").body, self.convert({"requests": [item]}, "glb").body)

    def test_one_pose(self):
        keys = self.convert({"layers": [{"clip": self.walk, "joints": ["mHead"]}], "t": 0.5}, "json").json
        self.assertEqual([j["name"] for j in keys["joints"]], ["mHead"])
        self.assertEqual(keys["duration"], 0)

    def test_game_options(self):
        item = next(self.scenes())
        clip = self.upload(self.convert(item, "sl-anim", priority=5, loop=1), "options.anim")
        found = self.client.get(f"/v1/clips/{clip}").json
        self.assertEqual((found["extras"]["base_priority"], found["loop"]), (5, True))

    def test_a_clips_json_is_a_file(self):
        body = self.client.get(f"/v1/clips/{self.walk}.json").body
        reply = self.client.post("/v1/convert", body, headers={"Content-Type": "application/json"}, to="sl-anim")
        self.assertEqual(reply.status, 200, reply)

    def send(self, body, to="glb"):
        return self.client.post("/v1/convert", body, headers={"Content-Type": "application/json"}, to=to)

    def test_large_and_damaged_items_are_still_items(self):
        """The members at the top say what a body is, wherever they are, and not its first megabyte."""
        layer = b'{"clip":"%s"}' % self.walk.encode()
        for body in (b'{"layers":[' + b",".join([layer] * 60_000) + b"]}",
                     b'{"from":0,"note":"' + b"x" * 2_000_000 + b'","crossfade":[' + layer + b"]}",
                     b"{" + b" " * 1_100_000 + b'"mix" : "sl"}',
                     b'{"extras":{"layers":1},"requests":[' + b"[" * 1_048_576):
            with self.subTest(body[:20]):
                reply = self.send(body)
                self.assertProblem(reply, 413, limit="body")
                self.assertIn("layers", reply.json["detail"])
        for body in (b'{"mix":"sl"}', b'{"layers":', b'{"crossfade":[{"clip":"\xff"}]}', b'\xef\xbb\xbf{"layers":[1'):
            with self.subTest(body):
                self.assertEqual(self.send(body).status, 400)

    def test_what_has_the_words_elsewhere_is_a_file(self):
        body = self.client.get(f"/v1/clips/{self.walk}.json").json
        body["extras"]["layers"] = {"mix": ["requests", "crossfade"]}
        self.assertEqual(self.send(json.dumps(body).encode(), "sl-anim").status, 200)
        body["extras"]["padding"] = "x" * 1_200_000
        self.assertEqual(self.send(json.dumps(body).encode(), "sl-anim").status, 200)
        for odd in (b'["layers"]', b'[{"layers":[]}]', b'{"name":"layers"}', b'{"a":{"layers":[]}}', b'"layers"'):
            self.assertEqual(self.send(odd).status, 415, odd)

    def test_refused(self):
        good = {"clip": self.walk}
        for pointer, item in (("/layers", {"layers": []}), ("/layers/0/start", {"mix": "sl", "layers": [good | {"start": -1}]}),
                              ("/requests/0/layers/0/t", {"requests": [{"mix": "sl", "layers": [good | {"t": 0}]}]}),
                              ("/fps", {"layers": [good], "fps": 1e5, "to": 1e6}), ("/tt", {"layers": [good], "tt": 1})):
            with self.subTest(item):
                self.assertProblem(self.convert(item, "glb"), 400, pointer=pointer)
        self.assertProblem(self.convert({"requests": [{"layers": [good]}] * 2}, "glb"), 400, pointer="/requests")
        self.assertProblem(self.convert({"layers": [good]}, "glb", retarget=1), 400, parameter="retarget")
        self.assertProblem(self.convert({"layers": [good]}, "glb", clip="walk"), 400, parameter="clip")
        self.assertProblem(self.convert({"layers": [good], "fps": 1000, "to": 9}, "glb"), 413, limit="rows")
        reply = self.client.post("/v1/convert", b'{"layers":[NaN]}', headers={"Content-Type": "application/json"}, to="glb")
        self.assertEqual(reply.status, 400)
        reply = self.client.post("/v1/convert", b'{"layers":[]', headers={"Content-Type": "application/json"}, to="glb")
        self.assertEqual(reply.status, 400)
