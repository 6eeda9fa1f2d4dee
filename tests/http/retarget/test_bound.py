"""glTF as other tools write it: nodes in any frame of an animation, the skin bound in a T-pose, in other units under a node."""

import base64
import json
import math
import struct
import unittest

from fixture import SampleCase

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

    def test_a_skin_that_cannot_be_read_says_nothing(self):
        """Matrices beyond their view: the file is read as it was, the nodes are the figure."""
        found = self.humanoid(self.made("broken", hanging=True, broken=True)[0])
        self.assertAlmostEqual(found["arm_alignment"]["left"], 80, delta=0.1)


if __name__ == "__main__":
    unittest.main()
