"""glTF as other tools write it: nodes in any frame of an animation, the skin bound in a T-pose, in other units under a node."""

import base64
import json
import math
import struct
import unittest

from daemon import Daemon
from fixture import SampleCase
from uploads import zipped

# A person by Mixamo's names: name, parent, offset in metres in a T-pose.
BONES = [
    ("Hips", None, (0, 1.0, 0)), ("Spine", "Hips", (0, 0.1, 0)), ("Spine1", "Spine", (0, 0.15, 0)), ("Spine2", "Spine1", (0, 0.15, 0)),
    ("Neck", "Spine2", (0, 0.15, 0)), ("Head", "Neck", (0, 0.1, 0)),
] + [
    bone for side, x in (("Left", 1), ("Right", -1)) for bone in (
        (f"{side}Shoulder", "Spine2", (x * 0.05, 0.1, 0)), (f"{side}Arm", f"{side}Shoulder", (x * 0.12, 0, 0)),
        (f"{side}ForeArm", f"{side}Arm", (x * 0.28, 0, 0)), (f"{side}Hand", f"{side}ForeArm", (x * 0.26, 0, 0)),
        (f"{side}UpLeg", "Hips", (x * 0.1, -0.05, 0)), (f"{side}Leg", f"{side}UpLeg", (0, -0.43, 0)),
        (f"{side}Foot", f"{side}Leg", (0, -0.43, 0)), (f"{side}ToeBase", f"{side}Foot", (0, -0.07, 0.14)))
]
HANGING = {"LeftArm": -80, "RightArm": 80}  # degrees about z: not what the skin was bound in


def matrix(at):
    return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, *(-x for x in at), 1]


def person(hanging=False, centimetres=False, broken=False):
    """A .gltf with one animation that nods. centimetres: joints and skin in them, lying, under a node that puts both right."""
    unit = 100 if centimetres else 1
    lay = (lambda v: (v[0], -v[2], v[1])) if centimetres else (lambda v: v)
    index = {name: i for i, (name, _, _) in enumerate(BONES)}
    places, nodes, binds = {}, [], []
    for name, parent, offset in BONES:
        places[name] = tuple(a + b for a, b in zip(places.get(parent, (0, 0, 0)), offset))
        node = {"name": f"mixamorig:{name}", "translation": [unit * x for x in lay(offset)]}
        if hanging and name in HANGING:
            half = math.radians(HANGING[name]) / 2
            axis = lay((0, 0, 1))
            node["rotation"] = [*(math.sin(half) * x for x in axis), math.cos(half)]
        children = [index[other] for other, above, _ in BONES if above == name]
        nodes.append(node | ({"children": children} if children else {}))
        binds += matrix([unit * x for x in lay(places[name])])
    roots = [0]
    if centimetres:
        nodes.append({"name": "Armature", "children": [0], "scale": [0.01] * 3, "rotation": [-math.sqrt(0.5), 0, 0, math.sqrt(0.5)]})
        roots = [len(nodes) - 1]
    times, turns = (0, 1), (0, 0, 0, 1, 0.1, 0, 0, math.sqrt(0.99))
    data = struct.pack(f"<{len(binds)}f2f8f", *binds, *times, *turns)
    size = 4 * len(binds)
    return json.dumps({
        "asset": {"version": "2.0", "generator": "another tool"}, "scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes,
        "skins": [{"joints": list(range(len(BONES))), "inverseBindMatrices": 0}],
        "animations": [{"name": "nod", "channels": [{"sampler": 0, "target": {"node": index["Head"], "path": "rotation"}}],
                        "samplers": [{"input": 1, "output": 2}]}],
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
        "bufferViews": [{"buffer": 0, "byteLength": size}, {"buffer": 0, "byteOffset": size, "byteLength": 40}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 999 if broken else len(BONES), "type": "MAT4"},
            {"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},
            {"bufferView": 1, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "VEC4"}],
    }).encode()


class Bound(SampleCase):
    def made(self, name, **options):
        reply = self.client.post("/v1/archives", person(**options), name=f"{name}.gltf")
        self.assertIn(reply.status, (200, 201), reply.body[:300])
        return reply.json["skeletons"][0]["id"], reply.json["clips"][0]["id"]

    def humanoid(self, skeleton):
        reply = self.client.get(f"/v1/skeletons/{skeleton}/humanoid")
        self.assertEqual(reply.status, 200, reply.body[:300])
        return reply.json

    def test_figure_is_the_one_that_was_bound(self):
        """Hanging arms of the nodes, centimetres, lying under a node: the same figure, in a T-pose, of the same size."""
        plain = self.humanoid(self.made("plain")[0])
        self.assertEqual(plain["family"], "mixamo")
        self.assertAlmostEqual(plain["hip_height"], 0.93, delta=1e-4)
        for name, options in (("hanging", {"hanging": True}), ("units", {"centimetres": True}),
                              ("both", {"hanging": True, "centimetres": True})):
            with self.subTest(name):
                found = self.humanoid(self.made(name, **options)[0])
                for side in ("left", "right"):
                    self.assertAlmostEqual(found["arm_alignment"][side], 0, delta=0.05)
                self.assertAlmostEqual(found["hip_height"], plain["hip_height"], delta=1e-4)
                self.assertAlmostEqual(found["ankle_height"], plain["ankle_height"], delta=1e-4)

    def test_arms_point_where_they_point(self):
        """A walk on the figure whose nodes hang: arms as on the one that stands in a T-pose."""
        walk = self.client.get("/v1/clips?name=a2o-walk&format=tso-anim").json["items"][0]["id"]
        places = {}
        for name, options in (("plain", {}), ("hanging", {"hanging": True}), ("both", {"hanging": True, "centimetres": True})):
            skeleton = self.made(name, **options)[0]
            reply = self.client.get(f"/v1/clips/{walk}/pose?t=0.4&space=model&retarget=1&onto={skeleton}")
            self.assertEqual(reply.status, 200, reply.body[:300])
            places[name] = {j["name"]: j["matrix"][12:15] for j in reply.json["joints"]}
        for name in ("hanging", "both"):
            for bone in ("LeftHand", "RightForeArm", "Head", "LeftFoot", "RightToeBase"):
                for a, b in zip(places[name][f"mixamorig:{bone}"], places["plain"][f"mixamorig:{bone}"]):
                    self.assertAlmostEqual(a, b, delta=1e-3, msg=f"{name}: {bone}")

    def test_what_a_clip_leaves_alone_stays_as_it_was_bound(self):
        """The arms of a nod, on a figure whose nodes let them hang: one key each; none where the nodes are as bound."""
        source, nod = self.made("plain")
        for name, held in (("plain", set()), ("hanging", {"LeftArm", "RightArm"}), ("both", {"LeftArm", "RightArm"})):
            options = {"hanging": name != "plain", "centimetres": name == "both"}
            target = self.made(name, **options)[0]
            query = {"retarget": 1, "skeleton": source, "onto": target}
            joints = {j["name"]: j for j in self.client.get(f"/v1/clips/{nod}/pose", t=0.5, **query).json["joints"]}
            driven = {joint.split(":")[1] for joint in joints if joints[joint]["driven"]}
            self.assertEqual(driven, {"Head"} | held, name)
            for bone in held:
                for found, wanted in zip(joints[f"mixamorig:{bone}"]["rotation"], (0, 0, 0, 1)):
                    self.assertAlmostEqual(found, wanted, delta=1e-5, msg=f"{name}: {bone}")
            file = self.client.get(f"/v1/clips/{nod}.gltf", bones="none", **query).json
            [animation] = file["animations"]
            keys = {file["nodes"][channel["target"]["node"]]["name"].split(":")[1]:
                    file["accessors"][animation["samplers"][channel["sampler"]]["input"]]["count"]
                    for channel in animation["channels"]}
            self.assertEqual({bone: keys[bone] for bone in held}, dict.fromkeys(held, 1), name)
            fit = self.client.get(f"/v1/clips/{nod}/retarget", skeleton=source, onto=target).json
            self.assertEqual(fit["driven"], ["head"])

    def test_a_skin_that_cannot_be_read_says_nothing(self):
        """Matrices beyond their view: the file is read as it was, the nodes are the figure."""
        found = self.humanoid(self.made("broken", hanging=True, broken=True)[0])
        self.assertAlmostEqual(found["arm_alignment"]["left"], 80, delta=0.1)

    def test_without_onto_a_person_is_taken(self):
        """Not the rig of an object that lies beside the clip, however near."""
        walk = (Daemon.samples / "sims-online" / "a2o-walk.anim").read_bytes()
        lamp = b"""<?xml version="1.0"?>
<linden_skeleton num_bones="2" num_collision_volumes="0" version="2.0">
<bone name="lamp" pivot="0 0 1" pos="0 0 1" rot="0 0 0" scale="1 1 1" end="0 0 1" support="base" group="Torso" connected="false">
<bone name="shade" pivot="0 0 1" pos="0 0 1" rot="0 0 0" scale="1 1 1" end="0 0 1" support="base" group="Torso" connected="false"/>
</bone></linden_skeleton>"""
        made = self.client.post("/v1/archives", zipped([("a2o-walk.anim", walk), ("lamp.xml", lamp)]), name="lamp.zip")
        self.assertEqual(made.status, 201, made.body[:300])
        [rig], [clip] = made.json["skeletons"], made.json["clips"]
        self.assertEqual(self.client.get(f"/v1/skeletons/{rig['id']}/humanoid").status, 422)
        self.assertNotIn(rig["id"], [one["skeleton"] for one in self.client.get("/v1/people").json["items"]])
        for reply in (self.client.get(f"/v1/clips/{clip['id']}.anim", to="sl-anim", retarget=1, archive=made.json["id"]),
                      self.client.post("/v1/convert", zipped([("a2o-walk.anim", walk), ("lamp.xml", lamp)]), name="lamp.zip",
                                       to="sl-anim", retarget=1)):  # fmt: skip
            self.assertEqual(reply.status, 200, reply.body[:300])
            found = self.client.post("/v1/inspect", reply.body, name="x.anim").json
            self.assertGreater(found["clips"][0]["joint_count"], 15)

    def test_crowds_of_joints(self):
        """More than there may be, and as many with the names of bones as fit into a second: refused, for what they are."""
        def crowd(count):
            names = ("Hips", "LeftHand", "RightHand", "LeftFoot", "RightFoot", "Head", "Neck", "Spine", "LeftArm", "RightUpLeg")
            joints = "".join(f"JOINT {names[i % 10]}_{i}\n{{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n}}\n" for i in range(1, count))
            motion = f"MOTION\nFrames: 1\nFrame Time: 0.1\n{'0 ' * count}\n"
            return f"HIERARCHY\nROOT Hips\n{{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n{joints}}}\n{motion}".encode()

        many = self.client.post("/v1/archives", crowd(100_000), name="many.bvh")
        self.assertProblem(many, 413, limit="joints")
        made = self.client.post("/v1/archives", crowd(10_000), name="crowd.bvh")
        self.assertEqual(made.status, 201, made.body[:200])
        skeleton, clip = made.json["skeletons"][0]["id"], made.json["clips"][0]["id"]
        self.assertProblem(self.client.get(f"/v1/skeletons/{skeleton}/humanoid"), 422, code="not_humanoid")
        person, _ = self.made("plain")
        for query in ({"skeleton": skeleton, "onto": person}, {"skeleton": person, "onto": skeleton}):
            reply = self.client.get(f"/v1/clips/{clip}/pose", retarget=1, **query)
            self.assertProblem(reply, 422, code="not_humanoid")


if __name__ == "__main__":
    unittest.main()
