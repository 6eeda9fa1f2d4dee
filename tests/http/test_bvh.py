"""BVH over HTTP: the end of a clip, units, which way is up."""

import tempfile
import unittest
from pathlib import Path

from daemon import Daemon


def bvh(frames, seconds, root="body", length=1):
    """A root that goes along X by those places, and a joint as far above it."""
    rows = "".join(f"{x} 0 0 0 0 0 0 0 0\n" for x in frames)
    return (
        f"HIERARCHY\nROOT {root}\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
        f"Yrotation\nJOINT head\n{{\nOFFSET 0 {length} 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        f"End Site\n{{\nOFFSET 0 {length} 0\n}}\n}}\n}}\nMOTION\nFrames: {len(frames)}\nFrame Time: {seconds}\n{rows}"
    )


class Bvh(unittest.TestCase):
    def served(self, **texts):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in texts.items():
            (Path(folder.name) / f"{name}.bvh").write_text(text)
        daemon = Daemon(folder.name)
        daemon.__enter__()
        self.addCleanup(daemon.__exit__, None, None, None)
        return daemon.client

    def test_the_printed_duration_is_the_end(self):
        """Whatever t is rounded to: to 1e-6 by posed, to a 32-bit float by who prints it."""
        client = self.served(x=bvh((0, 1e6), "0.3333334"), y=bvh((0, 1e6), "20.0333333"))
        for clip in client.items("/v1/clips"):
            for t in (clip["duration"], round(clip["duration"], 6), clip["duration"] + 1e-6, 1e6):
                pose = client.get(f"/v1/clips/{clip['id']}/pose", t=t).json
                self.assertEqual(pose["joints"][0]["translation"][0], 1e6, (clip["duration"], t))
                self.assertEqual(pose["t"], clip["duration"])
            poses = client.get(f"/v1/clips/{clip['id']}/poses", t=f"0,{clip['duration']}").json["poses"]
            self.assertEqual(poses[-1]["translation"][0][0], 1e6)

    def test_which_way_is_up(self):
        """A figure along Z is turned, and a note says so; up= on a conversion is believed before that."""
        lying = bvh((0, 1), 1).replace("OFFSET 0 1 0", "OFFSET 0 0 1")
        client = self.served(x=lying)
        clip = client.items("/v1/clips")[0]
        warnings = client.get(f"/v1/clips/{clip['id']}").json["warnings"]
        self.assertEqual([(w["code"], w["severity"]) for w in warnings], [("z_up", "note")])
        pose = client.get(f"/v1/clips/{clip['id']}/pose", space="model").json
        self.assertEqual(pose["joints"][1]["matrix"][12:15], [0, 1, 0])
        wanted = {None: ("0 1 0", "z_up"), "auto": ("0 1 0", "z_up"), "z": ("0 1 0", None), "y": ("0 0 1", None)}
        for up, (offset, warning) in wanted.items():
            query = {"up": up} if up else {}
            for answer in (client.get(f"/v1/clips/{clip['id']}.bvh", **query),
                           client.post("/v1/convert", lying.encode(), to="bvh", **query)):
                self.assertIn(f"JOINT head\n\t{{\n\t\tOFFSET {offset}\n", answer.text, up)
                self.assertEqual("z_up" in answer.headers.get("Posed-Warning", ""), bool(warning), up)
        standing = client.post("/v1/convert?to=bvh&up=z", bvh((0, 1), 1).encode()).text
        self.assertIn("OFFSET 0 0 -1", standing)
        hip = client.post("/v1/convert?to=bvh&up=z", bvh((0, 1), 1, "hip").encode()).text
        self.assertIn("OFFSET 0 1 0", hip)
        for answer in (client.get(f"/v1/clips/{clip['id']}.bvh", up="x"),
                       client.get(f"/v1/clips/{clip['id']}.json", up="z"),
                       client.post("/v1/convert?to=bvh&up=z", (Daemon.samples / "second-life/walk.anim").read_bytes())):
            self.assertEqual((answer.status, answer.json["parameter"]), (400, "up"), answer.text)

    def test_poses_and_pictures_believe_up(self):
        """As if the file had been read so; stored values stay what they are."""
        lying = bvh((0, 1), 1).replace("OFFSET 0 1 0", "OFFSET 0 0 1")
        client = self.served(x=lying, y=bvh((0, 1), 1, "hip"))
        path, hip = (f"/v1/clips/{clip['id']}" for clip in client.items("/v1/clips", sort="name"))
        head = {"auto": [0, 1, 0], "z": [0, 1, 0], "y": [0, 0, 1], None: [0, 1, 0]}
        pictures = {}
        for up, place in head.items():
            query = {"up": up} if up else {}
            self.assertEqual(client.get(f"{path}/pose", space="model", **query).json["joints"][1]["matrix"][12:15], place)
            joint = client.get(f"{path}/pose", axes="native", **query).json["joints"][1]
            self.assertEqual(joint["translation"], [0, 0, 1])
            poses = client.get(f"{path}/poses", t="0,1", **query).json["poses"]
            self.assertEqual([pose["translation"][1] for pose in poses], [place, place])
            reply = client.get(f"{path}/preview.svg", angle="front", **query)
            pictures[up] = reply.text
            self.assertEqual(client.get(reply["Content-Location"]).text, reply.text)
        self.assertEqual(pictures["auto"], pictures["z"])
        self.assertNotEqual(pictures["y"], pictures["z"])
        # Its root says how Second Life reads it.
        self.assertEqual(client.get(f"{hip}/pose", up="z").json, client.get(f"{hip}/pose").json)
        walk = client.post("/v1/archives", (Daemon.samples / "second-life/walk.anim").read_bytes(), name="walk.anim").json
        for rest in ("pose", "poses", "preview.svg", "preview.webp"):
            for of, up in ((walk["clips"][0]["id"], "z"), (path.split("/")[-1], "x")):
                reply = client.get(f"/v1/clips/{of}/{rest}", up=up)
                self.assertEqual((reply.status, reply.json["parameter"]), (400, "up"), rest)

    def test_json_carries_the_skeleton(self):
        """BVH and glTF by way of .json: uploaded and converted, they pose as they did."""
        client = self.served(x=bvh((0, 1, 3), 0.5, length=2), y=bvh((0, 1), 1, "hip"),
                             z=bvh((0, 1), 1).replace("OFFSET 0 1 0", "OFFSET 0 0 1"))
        for clip in client.items("/v1/clips"):
            path = f"/v1/clips/{clip['id']}"
            glb = client.get(f"{path}.glb").body
            for axes in ("native", "gltf"):
                text = client.get(f"{path}.json", axes=axes)
                self.assertEqual([j["name"] for j in text.json["skeleton"]["joints"]][1:], ["head"])
                self.assertEqual(text.json["joints"][1]["joint"], 1)
                back = client.post("/v1/archives", text.body, name="back.json").json
                pose = client.get(f"{path}/pose", t=0.4, space="model").json["joints"]
                again = client.get(f"/v1/clips/{back['clips'][0]['id']}/pose", t=0.4, space="model").json["joints"]
                self.assertEqual(again, pose)
                converted = client.post("/v1/convert", text.body, to="bvh").text
                if axes == "native":
                    self.assertEqual(converted, client.get(f"{path}.bvh").text)
            text = client.post("/v1/convert", glb, to="json").body
            again = client.post("/v1/archives", text, name="glb.json").json["clips"][0]["id"]
            self.assertEqual(client.get(f"/v1/clips/{again}/pose", t=0.4, space="model").json["joints"], pose)
            renamed = client.get(f"{path}.json", map='{"head":"crown"}').json
            self.assertEqual(renamed["skeleton"]["joints"][1]["name"], "crown")
            self.assertEqual(renamed["joints"][1]["name"], "crown")

    def test_units_of_what_is_written(self):
        client = self.served(x=bvh((0, 1), 1), y=bvh((0, 1), 1, "hip"))
        lengths = {}
        for clip in client.items("/v1/clips"):
            for query in ({}, {"unit": "cm"}, {"unit": "inch"}, {"unit": "cm", "fps": 1}):
                text = client.get(f"/v1/clips/{clip['id']}.bvh", **query).text
                lengths[clip["name"], *query.values()] = round(float(text.split("JOINT head")[1].split()[3]), 2)
        wanted = {("x",): 1, ("x", "cm"): 100, ("x", "inch"): 39.37, ("x", "cm", 1): 100}
        self.assertEqual(lengths, wanted | {("y", *query): 1 for (_, *query) in wanted})
        text = client.post("/v1/convert?to=bvh&unit=cm", bvh((0, 1), 1).encode()).text
        self.assertIn("OFFSET 0 100 0", text)
        for path in (f"/v1/clips/{clip['id']}.bvh?unit=ft", f"/v1/clips/{clip['id']}.json?unit=cm"):
            self.assertEqual(client.get(path).status, 400, path)
