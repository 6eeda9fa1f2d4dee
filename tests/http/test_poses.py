"""Keys, poses and events: against each other and against the rules of the formats."""

import json
import socket
import struct

from daemon import Daemon
from fixture import SampleCase


def significant(text):
    """How many digits of a decimal count."""
    return len(text.lower().split("e")[0].replace("-", "").replace(".", "").strip("0"))


def shortest(number):
    """The decimal of the fewest digits that reads back as the same 32-bit float."""
    for digits in range(1, 10):
        text = f"{number:.{digits}g}"
        if struct.pack("<f", float(text)) == struct.pack("<f", number):
            return text
    raise AssertionError(number)


def joints_of(pose):
    return {j["name"]: j for j in pose["joints"]}


def multiply(a, b):
    """Column-major 4 x 4."""
    return [sum(a[4 * k + row] * b[4 * column + k] for k in range(4)) for column in range(4) for row in range(4)]


def matrix_of(joint):
    x, y, z, w = joint["rotation"]
    sx, sy, sz = joint["scale"]
    tx, ty, tz = joint["translation"]
    return [
        (1 - 2 * (y * y + z * z)) * sx, 2 * (x * y + z * w) * sx, 2 * (x * z - y * w) * sx, 0,
        2 * (x * y - z * w) * sy, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z + x * w) * sy, 0,
        2 * (x * z + y * w) * sz, 2 * (y * z - x * w) * sz, (1 - 2 * (x * x + y * y)) * sz, 0,
        tx, ty, tz, 1,
    ]


VARYING = ("Date", "X-Request-Id", "Server-Timing")


class NextTime(SampleCase):
    """A loop remembers what a request comes to, and answers another time of it without reading it again."""

    def ask(self, path, query, t, name="t"):
        reply = self.client.get(f"{path}?{query.replace('TIME', f'{name}={t}')}")
        body = reply.json["detail"] if reply.status >= 400 else reply.body
        return reply.status, [h for h in reply.headers.items() if h[0] not in VARYING], body

    def test_it_is_answered_as_if_it_had_been_read(self):
        clip = self.clip("walk", "sl-anim")
        tso = self.clip("a2o-walk", "tso-anim")["id"]
        onto = next(p["skeleton"] for p in self.client.get("/v1/people").json["items"] if p["family"] != "sl")
        revision = self.client.get(f"/v1/clips/{tso}").json["links"]["pose"].split("v=")[1]
        clips, named = f"/v1/clips/{clip['id']}/pose", f"/v1/named/second-life/{clip['name']}/pose"
        queries = ["TIME", "TIME&as=f32", "as=f32&TIME", "space=model&TIME&wrap=loop", "TIME&axes=native&skeleton=none",
                   "TIME&joints=mPelvis", f"TIME&retarget=1&onto={onto}", f"TIME&as=f32&retarget=1&onto={onto}&ik=none",
                   f"archive={clip['archive']}&TIME", f"TIME&v={revision}",
                   "TIME&root=motion&v=0", "TIME&retarget=1", "TIME&t=2", "TIME&as=xml", "TIME&nothing=1"]
        for path in (clips, named, f"/v1/clips/{tso}/pose"):
            for query in queries:
                for t in ("0", "0.75", "-1", "000.250", "1e-1", "1-", ".", "+1", "%31", ""):
                    self.ask(path, query, "0.5")
                    self.ask(path, query, "0.25")
                    # What is written with escapes is read as a whole.
                    self.assertEqual(self.ask(path, query, t), self.ask(path, query, t, "%74"), (path, query, t))

    def test_each_client_gets_the_form_that_it_accepts(self):
        path = f"/v1/clips/{self.clip('walk', 'sl-anim')['id']}/pose?t="
        for _ in range(2):
            for kind in ("application/json", "application/octet-stream"):
                for t in ("0.1", "0.2"):
                    self.assertEqual(self.client.get(path + t, headers={"Accept": kind}).media_type, kind)
            self.assertProblem(self.client.get(path + "0.3", headers={"Accept": "image/png"}), 406)


class Poses(SampleCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sl = cls.clip("walk", "sl-anim")["id"]
        cls.tso = cls.clip("a2o-walk", "tso-anim")["id"]

    def pose(self, clip, **query):
        reply = self.client.get(f"/v1/clips/{clip}/pose", **query)
        self.assertEqual(reply.status, 200, reply)
        return reply.json

    def test_a_pose_on_a_key_is_the_key(self):
        for clip in (self.sl, self.tso):
            keys = self.client.get(f"/v1/clips/{clip}/keys").json
            index = 7
            t = keys["joints"][0]["rotation"]["times"][index]
            pose = self.pose(clip, t=repr(t), axes="native", skeleton="none")
            found = joints_of(pose)
            for joint in keys["joints"]:
                wanted = joint["rotation"]["values"][index]
                self.assertSameTurn(found[joint["name"]]["rotation"], wanted, 2e-4, joint["name"])
                if "translation" in joint:
                    self.assertClose(found[joint["name"]]["translation"], joint["translation"]["values"][index], 1e-4)

    def test_between_keys_second_life_blends_linearly(self):
        keys = self.client.get(f"/v1/clips/{self.sl}/keys").json
        pelvis = keys["joints"][0]
        times, values = pelvis["translation"]["times"], pelvis["translation"]["values"]
        t = round((times[4] + times[5]) / 2, 6)
        u = (t - times[4]) / (times[5] - times[4])
        wanted = [a + (b - a) * u for a, b in zip(values[4], values[5])]
        found = joints_of(self.pose(self.sl, t=t, axes="native", skeleton="none"))[pelvis["name"]]
        self.assertClose(found["translation"], wanted, 1e-5)

    def test_clocks(self):
        keys = self.client.get(f"/v1/clips/{self.tso}/keys").json
        duration, count = keys["duration"], 32
        times = keys["joints"][0]["rotation"]["times"]
        for k in (0, 1, 17, 31):
            self.assertAlmostEqual(times[k], k * duration / count, places=6)
        # Held after the last key; with wrap=loop it blends back to the first one.
        last = round(times[-1], 6)
        held = self.pose(self.tso, t=duration, skeleton="none")["joints"]
        for a, b in zip(held, self.pose(self.tso, t=last, skeleton="none")["joints"]):
            self.assertSameTurn(a["rotation"], b["rotation"], 2e-4)
        looped = self.pose(self.tso, t=round(duration * 3, 6), wrap="loop", skeleton="none")["joints"]
        for a, b in zip(looped, self.pose(self.tso, t=0, skeleton="none")["joints"]):
            self.assertSameTurn(a["rotation"], b["rotation"], 1e-3)

    def test_times_outside_are_held(self):
        first, last = self.pose(self.sl, t=-5), self.pose(self.sl, t=1e6)
        self.assertEqual(first["joints"], self.pose(self.sl)["joints"])
        self.assertEqual(last["joints"], self.pose(self.sl, t=100)["joints"])
        self.assertGreaterEqual(first["t"], 0)

    def test_a_loop_goes_on_before_its_start(self):
        duration = self.client.get(f"/v1/clips/{self.tso}").json["duration"]
        before = self.pose(self.tso, t=-0.2, wrap="loop", skeleton="none")
        self.assertEqual(before["t"], -0.2)
        after = self.pose(self.tso, t=round(duration - 0.2, 6), wrap="loop", skeleton="none")
        for a, b in zip(before["joints"], after["joints"]):
            self.assertSameTurn(a["rotation"], b["rotation"], 1e-4)
        first = self.pose(self.tso, skeleton="none")
        self.assertEqual(self.pose(self.tso, t=-0.2, skeleton="none")["joints"], first["joints"])
        # Second Life's clock knows no time before the start.
        self.assertEqual(self.pose(self.sl, t=-0.2, wrap="loop")["joints"], self.pose(self.sl)["joints"])

    def test_time_is_rounded(self):
        self.assertEqual(self.pose(self.sl, t="0.12345649")["t"], 0.123456)
        self.assertEqual(self.pose(self.sl, t="1e-1")["t"], 0.1)

    def test_axes_of_second_life(self):
        native = joints_of(self.pose(self.sl, t=0.4, axes="native"))
        for name, joint in joints_of(self.pose(self.sl, t=0.4)).items():
            x, y, z = native[name]["translation"]
            self.assertClose(joint["translation"], [y, z, x], 1e-6, name)
            x, y, z, w = native[name]["rotation"]
            self.assertSameTurn(joint["rotation"], [y, z, x, w], 1e-6, name)

    def test_axes_of_the_sims(self):
        native = joints_of(self.pose(self.tso, t=0.4, axes="native"))
        for name, joint in joints_of(self.pose(self.tso, t=0.4)).items():
            x, y, z = native[name]["translation"]
            self.assertClose(joint["translation"], [-0.3048 * x, 0.3048 * y, 0.3048 * z], 1e-6, name)
            x, y, z, w = native[name]["rotation"]
            self.assertSameTurn(joint["rotation"], [-x, y, z, w], 1e-6, name)

    def test_model_space_is_the_product_of_the_locals(self):
        for clip in (self.sl, self.tso):
            pose = self.pose(clip, t=0.3, space="model")
            world = []
            for joint in pose["joints"]:
                local = matrix_of(joint)
                world.append(multiply(world[joint["parent"]], local) if joint["parent"] >= 0 else local)
                self.assertClose(joint["matrix"], world[-1], 1e-5, joint["name"])

    def test_the_figure_walks_upright_and_forward(self):
        for clip, head, foot in ((self.sl, "mHead", "mAnkleLeft"), (self.tso, "HEAD", "L_FOOT")):
            heights, ahead = [], []
            for k in range(16):
                found = joints_of(self.pose(clip, t=round(k / 15, 6), space="model"))
                self.assertGreater(found[head]["matrix"][13], 1.3)
                heights.append(found[foot]["matrix"][13])
                ahead.append(found[foot]["matrix"][14])
            self.assertGreater(max(ahead) - min(ahead), 0.4)
            self.assertGreater(max(heights) - min(heights), 0.05)
            self.assertGreater(min(heights), 0)

    def test_skeletons(self):
        auto, none = self.pose(self.tso, t=0.2), self.pose(self.tso, t=0.2, skeleton="none")
        self.assertIsNone(none["skeleton"])
        self.assertTrue(all("parent" not in j for j in none["joints"]))
        self.assertTrue(all("parent" in j and {"translation", "rotation", "scale"} <= j.keys() for j in auto["joints"]))
        explicit = self.pose(self.tso, t=0.2, skeleton=auto["skeleton"])
        self.assertEqual(explicit["joints"], auto["joints"])
        adult = next(s for s in self.client.items("/v1/skeletons") if s["format"] == "tso-skel")
        self.assertEqual(auto["skeleton"], adult["id"])
        driven = {j["name"] for j in auto["joints"] if j["driven"]}
        self.assertEqual(driven, {j["name"] for j in none["joints"]})

    def test_a_wrong_skeleton_leaves_tracks_unmatched(self):
        adult = next(s for s in self.client.items("/v1/skeletons") if s["format"] == "tso-skel")
        pose = self.pose(self.sl, skeleton=adult["id"])
        self.assertIn("mTorso", pose["unmatched"])

    def test_a_skeleton_that_is_not_there(self):
        reply = self.client.get(f"/v1/clips/{self.sl}/pose", skeleton=32 * "0")
        self.assertProblem(reply, 400, parameter="skeleton")

    def test_selected_joints(self):
        pose = self.pose(self.tso, t=0.2, joints="HEAD,PELVIS")
        names = [j["name"] for j in pose["joints"]]
        self.assertEqual(sorted(names), ["HEAD", "PELVIS"])
        head = joints_of(pose)["HEAD"]
        self.assertEqual(names[head["parent"]], "PELVIS")
        reply = self.client.get(f"/v1/clips/{self.tso}/pose", joints="NOSE")
        self.assertProblem(reply, 400, parameter="joints")

    def test_root_motion(self):
        distance = self.client.get(f"/v1/clips/{self.tso}").json["extras"]["distance"] * 0.3048
        placed = joints_of(self.pose(self.tso, t=0.5, space="model"))["PELVIS"]["matrix"]
        moved = joints_of(self.pose(self.tso, t=0.5, space="model", root="motion"))["PELVIS"]["matrix"]
        duration = self.client.get(f"/v1/clips/{self.tso}").json["duration"]
        self.assertAlmostEqual(moved[14] - placed[14], distance * 0.5 / duration, places=4)

    def test_pose_as_floats(self):
        reply = self.client.get(f"/v1/clips/{self.tso}/pose", t=0.25, **{"as": "f32"})
        pose = self.pose(self.tso, t=0.25)
        wanted = [v for j in pose["joints"] for v in j["translation"] + j["rotation"] + j["scale"]]
        self.assertEqual(list(reply.floats), [struct.unpack("<f", struct.pack("<f", v))[0] for v in wanted])

    def test_numbers_are_exact_and_short(self):
        floats = self.client.get(f"/v1/clips/{self.tso}/pose", t=0.25, **{"as": "f32"}).floats
        text = self.client.get(f"/v1/clips/{self.tso}/pose", t=0.25).text
        pose = json.loads(text, parse_float=str, parse_int=str)
        written = [v for j in pose["joints"] for v in j["translation"] + j["rotation"] + j["scale"]]
        for number, digits in zip(floats, written, strict=True):
            self.assertEqual(struct.pack("<f", float(digits)), struct.pack("<f", number))
            self.assertEqual(significant(digits), significant(shortest(number)), digits)


class Series(SampleCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sl = cls.clip("wave", "sl-anim")["id"]
        cls.tso = cls.clip("a2o-wave", "tso-anim")["id"]

    def poses(self, clip, headers=None, **query):
        reply = self.client.get(f"/v1/clips/{clip}/poses", headers=headers, **query)
        self.assertEqual(reply.status, 200, reply)
        return reply

    def test_default_rate(self):
        found = self.poses(self.tso).json
        self.assertEqual((found["fps"], len(found["poses"])), (30, 73))
        self.assertEqual(found["times"], [p["t"] for p in found["poses"]])
        self.assertEqual(self.poses(self.sl).json["fps"], 30)

    def test_rate_and_end(self):
        found = self.poses(self.sl, fps=7).json["times"]
        self.assertEqual(len(found), int(2.4 * 7) + 1)
        self.assertAlmostEqual(found[3], 3 / 7, places=5)
        ended = self.poses(self.sl, fps=7, end=1).json["times"]
        self.assertEqual(ended[:-1], found)
        self.assertAlmostEqual(ended[-1], 2.4, places=5)

    def test_window(self):
        found = self.poses(self.sl, fps=10, **{"from": 0.5, "to": 1.0}).json["times"]
        self.assertClose(found, [0.5, 0.6, 0.7, 0.8, 0.9, 1.0], 1e-6)
        ended = self.poses(self.sl, fps=10, end=1, **{"from": 0.5, "to": 0.75}).json["times"]
        self.assertClose(ended, [0.5, 0.6, 0.7, 0.75], 1e-6)
        beyond = self.poses(self.sl, fps=10, end=1, **{"from": 5, "to": 6}).json
        self.assertEqual((beyond["times"], beyond["poses"]), ([], []))
        for what in ("poses", "events"):
            reply = self.client.get(f"/v1/clips/{self.sl}/{what}", **{"from": 2, "to": 1})
            self.assertProblem(reply, 400, parameter="from")

    def test_most_frames(self):
        """What counts is the answer, not the clip; a refusal names its limit."""
        with Daemon("--max-frames", "20", Daemon.samples) as other:
            base = f"/v1/clips/{self.sl}/poses"
            window = {"from": 0.5, "to": 0.69}
            self.assertEqual(len(other.client.get(base, fps=100, **window).json["poses"]), 20)
            for parameter, query in (("fps", {"fps": 100}), ("fps", {"fps": 100, "from": 0.5, "to": 0.7}),
                                     ("end", {"fps": 100, "end": 1, "from": 0.5, "to": 0.695}),
                                     ("t", {"t": ",".join("0" * 21)})):
                with self.subTest(query):
                    reply = other.client.get(base, **query)
                    self.assertProblem(reply, 400, parameter=parameter, limit="max-frames")

    def test_each_is_the_single_pose(self):
        found = self.poses(self.tso, t="0,0.7,2.4", skeleton="none", axes="native").json
        self.assertEqual(found["times"], [0, 0.7, 2.4])
        for frame in found["poses"]:
            single = self.client.get(f"/v1/clips/{self.tso}/pose", t=frame["t"], skeleton="none", axes="native").json
            self.assertEqual([j["name"] for j in found["joints"]], [j["name"] for j in single["joints"]])
            self.assertEqual(frame["rotation"], [j.get("rotation") for j in single["joints"]])

    def test_neighbouring_rotations_lie_in_one_hemisphere(self):
        frames = self.poses(self.tso).json["poses"]
        for before, after in zip(frames, frames[1:]):
            for a, b in zip(before["rotation"], after["rotation"]):
                self.assertGreaterEqual(sum(x * y for x, y in zip(a, b)), 0)

    def test_floats(self):
        found = self.poses(self.sl).json
        for chosen in ({"as": "f32"}, {}):
            headers = {} if chosen else {"Accept": "application/octet-stream"}
            reply = self.poses(self.sl, headers=headers, **chosen)
            self.assertEqual(reply.media_type, "application/octet-stream")
            frames, joints = int(reply["Posed-Frames"]), int(reply["Posed-Joints"])
            self.assertEqual((frames, joints), (len(found["times"]), len(found["joints"])))
            self.assertEqual(float(reply["Posed-Fps"]), found["fps"])
            floats = reply.floats
            self.assertEqual(len(floats), frames * joints * 10)
            for k in (0, frames // 2, frames - 1):
                for j in range(joints):
                    row = floats[10 * (k * joints + j) :][:10]
                    frame = found["poses"][k]
                    self.assertClose(row, frame["translation"][j] + frame["rotation"][j] + frame["scale"][j], 1e-6)

    def test_floats_of_model_space(self):
        reply = self.poses(self.sl, t="0.4", space="model", **{"as": "f32"})
        self.assertEqual(len(reply.floats), int(reply["Posed-Joints"]) * 16)

    def test_half_floats(self):
        for options in ({"fps": 7}, {"t": "0.4", "space": "model"}, {"fps": 2000}):  # the last is a stream
            plain = self.poses(self.sl, **options, **{"as": "f32"})
            halves = self.poses(self.sl, **options, **{"as": "f16"})
            self.assertEqual(len(halves.body) * 2, len(plain.body))
            for name in ("Posed-Frames", "Posed-Joints", "Posed-Fps"):
                self.assertEqual(halves[name], plain[name])
            error = float(halves["Posed-Error"])
            found = struct.unpack(f"<{len(halves.body) // 2}e", halves.body)
            for a, b in zip(found, plain.floats):
                self.assertLessEqual(abs(a - b), max(error * abs(b), 2**-25))
        self.assertIsNone(plain["Posed-Error"])

    def test_fixed_point(self):
        for options in ({"fps": 7}, {"t": "0.4,0.1", "axes": "gltf"}, {"fps": 2000}):  # the last is a stream
            plain = self.poses(self.sl, **options, **{"as": "f32"})
            fixed = self.poses(self.sl, **options, **{"as": "snorm16"})
            self.assertEqual(len(fixed.body) * 2, len(plain.body))
            for name in ("Posed-Frames", "Posed-Joints", "Posed-Fps"):
                self.assertEqual(fixed[name], plain[name])
            error, ranges = float(fixed["Posed-Error"]), [float(one) for one in fixed["Posed-Range"].split(",")]
            of_row = [ranges[0]] * 3 + [ranges[1]] * 4 + [ranges[2]] * 3
            self.assertEqual(ranges[1], 1)
            self.assertEqual(max(1, *(max(map(abs, plain.floats[i::10])) for i in range(3))), ranges[0])
            found = struct.unpack(f"<{len(fixed.body) // 2}h", fixed.body)
            for i, (a, b) in enumerate(zip(found, plain.floats)):
                self.assertLessEqual(abs(a / 32767 * of_row[i % 10] - b), error * of_row[i % 10] + 1e-6)
        self.assertIsNone(plain["Posed-Range"])
        refused = self.client.get(f"/v1/clips/{self.sl}/poses", fps=5, space="model", **{"as": "snorm16"})
        self.assertProblem(refused, 400, code="bad_parameter", parameter="space")
        item = {"clip": self.sl, "fps": 7, "as": "snorm16"}
        reply = self.client.post("/v1/poses", json.dumps({"requests": [item]}))
        self.assertEqual(reply.body, self.poses(self.sl, fps=7, **{"as": "snorm16"}).body)
        refused = self.client.post("/v1/poses", json.dumps({"requests": [item | {"space": "model"}]}))
        self.assertEqual((refused.status, refused.json["pointer"]), (400, "/requests/0/space"))

    def test_many_streams_at_once(self):
        """A loop makes a few blocks itself and has the pool make the others: each client gets the same bytes."""
        readers, slow = 24, 4096
        for form, options in (("f32", {"fps": 1500}), ("json", {"fps": 200}), ("f16", {"fps": 1500, "space": "model"})):
            whole = self.poses(self.sl, **options, **{"as": form})
            query = "&".join(f"{name}={value}" for name, value in {**options, "as": form}.items())
            head = f"GET /v1/clips/{self.sl}/poses?{query} HTTP/1.0\r\n\r\n".encode()
            streams = [socket.create_connection((self.client.host, self.client.port), timeout=30)
                       for _ in range(readers)]
            got = [bytearray() for _ in streams]
            for stream in streams:
                stream.sendall(head)
            for i, stream in enumerate(streams):  # a little of each, while the others wait
                got[i] += stream.recv(slow)
            for i, stream in enumerate(streams):
                while piece := stream.recv(1 << 16):
                    got[i] += piece
                stream.close()
            for answer in got:
                self.assertEqual(bytes(answer.partition(b"\r\n\r\n")[2]), whole.raw_body)

    def test_a_stream_of_floats_tells_its_length(self):
        for form in ("f32", "f16", "snorm16"):
            reply = self.poses(self.sl, fps=2000, **{"as": form})
            self.assertEqual(int(reply["Content-Length"]), len(reply.raw_body))
            numbers = int(reply["Posed-Frames"]) * int(reply["Posed-Joints"]) * 10
            self.assertEqual(len(reply.raw_body), numbers * (4 if form == "f32" else 2))

    def test_lines(self):
        reply = self.poses(self.sl, headers={"Accept": "application/x-ndjson"}, fps=5)
        lines = [json.loads(line) for line in reply.text.splitlines()]
        frames = self.poses(self.sl, fps=5).json["poses"]
        self.assertEqual([line["t"] for line in lines], [f["t"] for f in frames])

    def test_names_and_floats_in_one(self):
        reply = self.poses(self.sl, fps=5, **{"as": "posed"})
        length = struct.unpack("<I", reply.body[:4])[0]
        head = json.loads(reply.body[4 : 4 + length])
        at = (4 + length + 3) // 4 * 4
        self.assertNotIn("poses", head)
        plain = self.poses(self.sl, fps=5, **{"as": "f32"})
        self.assertEqual(reply.body[at:], plain.body)
        self.assertEqual(len(head["joints"]), int(plain["Posed-Joints"]))

    def test_a_window_that_begins_after_its_end(self):
        duration = self.client.get(f"/v1/clips/{self.sl}").json["duration"]
        for window, wanted in (({"from": duration + 1}, "the end of the clip"), ({"from": 0.5, "to": 0.2}, "after to")):
            reply = self.client.get(f"/v1/clips/{self.sl}/poses", **window)
            self.assertEqual((reply.status, reply.json["parameter"]), (400, "from"))
            self.assertIn(wanted, reply.json["detail"])
        self.assertEqual(self.poses(self.sl, **{"from": duration + 1, "to": duration + 2}).json["poses"], [])

    def test_accept(self):
        both = self.poses(self.sl, headers={"Accept": "application/octet-stream;q=0.5, application/json"}, fps=1)
        self.assertEqual(both.media_type, "application/json")

    def test_events(self):
        walk = self.clip("a2o-walk", "tso-anim")["id"]
        found = self.client.get(f"/v1/clips/{walk}/events").json["items"]
        self.assertEqual([(e["type"], e["value"]) for e in found], [("footstep", "-1"), ("footstep", "1")])
        self.assertAlmostEqual(found[1]["time"], 0.533, places=3)
        later = self.client.get(f"/v1/clips/{walk}/events", **{"from": 0.1}).json["items"]
        self.assertEqual(len(later), 1)
        there = self.client.get(f"/v1/clips/{walk}/events", **{"from": found[1]["time"], "to": found[1]["time"]})
        self.assertEqual(there.json["items"], found[1:], "a time of an answer is a bound that holds it")
        none = self.client.get(f"/v1/clips/{walk}/events", **{"from": 0.1, "to": 0.2}).json["items"]
        self.assertEqual(none, [])

    def test_clip_json_is_keys(self):
        keys, whole = self.client.get(f"/v1/clips/{self.tso}/keys"), self.client.get(f"/v1/clips/{self.tso}.json")
        self.assertEqual(keys.json["joints"], whole.json["joints"])
        self.assertEqual(keys.json["key_count"], sum(len(c["times"]) for j in keys.json["joints"]
                                                     for c in (j.get("rotation"), j.get("translation")) if c))
        self.assertEqual(self.client.get(f"/v1/clips/{self.tso}.xyz").status, 404)
