"""Meshes of glTF files: read with their skins, materials, images and morphs, deformed as a glTF player does it."""

import copy
import json
import math
import tempfile
import unittest
from pathlib import Path

from daemon import Daemon
from fixture import SampleCase
from glb import Glb, png
from test_bodies import read_glb, skinned

HALF = math.sqrt(0.5)
IDENTITY = (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)
RED, CLEAR = (255, 0, 0, 255), (0, 0, 255, 0)


def moved(x, y, z):
    return IDENTITY[:12] + (x, y, z, 1)


def figure():
    """A strip of ten quads on a bent chain of three joints: two primitives, a picture, colours, two UV sets, five
    weights at one vertex, a morph target and a clip that turns a joint; a hat without a skin hangs on the last."""
    file = Glb(scenes=[{"nodes": [0, 4]}], scene=0, skins=[{"joints": [1, 2, 3]}])
    rows = [(x, y / 10, z) for y in range(11) for x, z in ((-0.1, 0.02), (0.1, -0.02))]
    weights, joints = [], []
    for x, y, z in rows:
        f = min(max(y * 2 - 0.5, 0), 1)
        joints.append((0, 1, 2, 0))
        weights.append((1 - f, f * 0.75, f * 0.25, 0))
    more, further = [(0, 0, 0, 0)] * len(rows), [(0, 0, 0, 0)] * len(rows)
    joints[5], weights[5] = (0, 1, 2, 0), (0.3, 0.25, 0.2, 0.15)
    further[5], more[5] = (1, 0, 0, 0), (0.1, 0, 0, 0)
    attributes = {"POSITION": file.accessor(rows), "NORMAL": file.accessor([(0, 0, 1)] * len(rows)),
                  "TEXCOORD_0": file.accessor([(x + 0.5, 1 - y) for x, y, z in rows]),
                  "TEXCOORD_1": file.accessor([(int(65535 * y), 65535) for x, y, z in rows], 5123, normalized=True),
                  "COLOR_0": file.accessor([(y, 1, 0) for x, y, z in rows]),
                  "JOINTS_0": file.accessor(joints, 5121), "WEIGHTS_0": file.accessor(weights),
                  "JOINTS_1": file.accessor(further, 5121), "WEIGHTS_1": file.accessor(more)}
    quads = [(2 * i, 2 * i + 1, 2 * i + 3, 2 * i, 2 * i + 3, 2 * i + 2) for i in range(10)]
    targets = [{"POSITION": file.sparse(len(rows), {4: (0.5, 0, 0), 7: (0, 0, 0.25)})}]
    file.root["meshes"] = [
        {"primitives": [{"attributes": attributes, "indices": file.accessor([n for quad in part for n in quad], 5123),
                         "material": material, "targets": targets}
                        for material, part in ((1, quads[:6]), (0, quads[6:]))],
         "weights": [0], "extras": {"targetNames": ["lean"]}},
        {"name": "hat", "primitives": [{"attributes": {"POSITION": file.accessor([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)])},
                                        "mode": 5}]}]
    file.root["materials"] = [
        {"name": "cloth", "doubleSided": True, "alphaMode": "MASK", "alphaCutoff": 0.25,
         "pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0.25, 1], "baseColorTexture": {"index": 0, "texCoord": 1}}},
        {"name": "skin", "emissiveFactor": [0, 0, 1]}]
    file.root["textures"] = [{"source": 0, "sampler": 0}]
    file.root["samplers"] = [{"wrapS": 33071, "wrapT": 33071}]
    file.root["images"] = [{"name": "cloth", "mimeType": "image/png",
                            "bufferView": file.view(png(2, 2, [[RED, CLEAR], [CLEAR, RED]]))}]
    file.root["nodes"] = [
        {"name": "hip", "children": [1]}, {"name": "low", "children": [2]},
        {"name": "middle", "translation": [0, 0.5, 0], "children": [3]},
        {"name": "high", "translation": [0, 0.4, 0], "children": [5]}, {"name": "body", "mesh": 0, "skin": 0},
        {"name": "hat", "mesh": 1, "translation": [0, 0.1, 0], "scale": [-0.2, 0.2, 0.2]}]
    file.root["skins"][0]["inverseBindMatrices"] = file.accessor([IDENTITY, moved(0, -0.5, 0), moved(0, -0.9, 0)])
    turns = [(0, 0, 0, 1), (HALF, 0, 0, HALF), (0, 0, HALF, HALF)]
    file.root["animations"] = [{
        "name": "bend", "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}},
                                     {"sampler": 1, "target": {"node": 4, "path": "weights"}}],
        "samplers": [{"input": file.accessor([0, 1, 2], min=[0], max=[2]), "output": file.accessor(turns)},
                     {"input": file.accessor([0, 2], min=[0], max=[2]), "output": file.accessor([0, 1])}]}]
    return file


def upload(case, data):
    """The archive of a file that is deleted after the test."""
    reply = case.client.post("/v1/archives", data, name="figure.glb")
    case.assertEqual(reply.status, 201, reply.text)
    case.addCleanup(case.client.request, "DELETE", f"/v1/archives/{reply.json['id']}")
    return reply.json


class GltfMeshes(SampleCase):
    def upload(self, data):
        return upload(self, data)

    def test_a_character_shows_its_own_body(self):
        file = figure()
        archive = self.upload(file.bytes())
        self.assertEqual([mesh["name"] for mesh in archive["meshes"]], ["body", "hat"])
        body, hat = (self.client.get(f"/v1/meshes/{mesh['id']}").json for mesh in archive["meshes"])
        self.assertEqual((body["format"], body["vertex_count"], body["face_count"]), ("gltf", 22, 20))
        self.assertEqual(body["skeleton"], archive["skeletons"][0]["id"])
        self.assertEqual([p["material"] for p in body["primitives"]], [0, 1])
        skin, cloth = body["materials"]
        self.assertEqual((skin["name"], skin["alpha"], skin["image"], skin["emissive"]), ("skin", "opaque", None, [0, 0, 1]))
        self.assertEqual((cloth["image"], cloth["alpha"], cloth["cutoff"], cloth["two_sided"], cloth["base_color"]),
                         ("cloth", "mask", 0.25, True, [1, 0.5, 0.25, 1]))
        self.assertEqual((skin["image_id"], skin["emissive_image_id"]), (None, None))
        self.assertEqual(cloth["image_id"], archive["images"][0]["id"])
        self.assertEqual(body["morphs"], ["lean"])
        self.assertIn("weights_dropped", json.dumps(body["warnings"]))
        self.assertEqual(hat["faces"], [[0, 2, 1], [1, 2, 3]])  # a strip, turned round by the mirroring node
        self.deforms_as_a_player(file, archive)
        self.hat_follows(archive, hat)

    def deforms_as_a_player(self, file, archive):
        root, binary = read_glb(file.bytes())
        weights = root["accessors"][root["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"]]
        self.assertEqual(weights["count"], 22)
        turning = copy.deepcopy(root["animations"][0])
        turning["channels"] = turning["channels"][:1]
        for t in (0, 0.3, 1, 1.75, 2):
            reply = self.client.get(f"/v1/meshes/{archive['meshes'][0]['id']}/vertices?clip={archive['clips'][0]['id']}&t={t}")
            bases = [list(row) for row in self.rows(root, binary)]
            bases[4][0] += 0.5 * t / 2
            bases[7][2] += 0.25 * t / 2
            wanted = list(skinned(root, binary, turning, t, positions=bases))
            for v, (a, b) in enumerate(zip(reply.json["positions"], wanted)):
                if v != 5:  # its fifth weight is dropped
                    self.assertClose(a, b, 1e-5, f"{t} {v}")

    @staticmethod
    def rows(root, binary):
        from test_bodies import accessor
        return accessor(root, binary, root["meshes"][0]["primitives"][0]["attributes"]["POSITION"])

    def hat_follows(self, archive, hat):
        query = f"/v1/meshes/{hat['id']}/vertices?clip={archive['clips'][0]['id']}"
        self.assertClose(self.client.get(query + "&t=0").json["positions"][3], (-0.2, 1.2, 0), 1e-6)
        # Turned about x by 90 degrees at the height of 0.5: what was above is in front.
        self.assertClose(self.client.get(query + "&t=1").json["positions"][3], (-0.2, 0.5, 0.7), 1e-5)

    def test_pictures_come_along(self):
        archive = self.upload(figure().bytes())
        image = self.client.get(f"/v1/images/{archive['images'][0]['id']}").json
        self.assertEqual((image["name"], image["width"], image["height"], image["alpha"]), ("cloth", 2, 2, True))
        self.assertEqual(self.client.get(f"/v1/images/{image['id']}.png").body[:8], b"\x89PNG\r\n\x1a\n")
        glb = self.client.get(f"/v1/meshes/{archive['meshes'][0]['id']}.glb")
        root, binary = read_glb(glb.body)
        self.assertEqual((len(root["images"]), root["images"][0]["name"]), (1, "cloth"))
        self.assertEqual([m["name"] for m in root["materials"]], ["skin", "cloth"])
        self.assertEqual(root["meshes"][0]["extras"]["targetNames"], ["lean"])

    def test_each_of_two_pictures_has_its_id(self):
        """Equal names, a second picture that glows, and one whose bytes are no picture."""
        file = figure()
        views = [file.view(png(1, 1, [[RED]])), file.view(png(1, 1, [[CLEAR]])), file.view(b"no picture")]
        file.root["images"] = [{"name": "cloth", "mimeType": "image/png", "bufferView": view} for view in views]
        file.root["textures"] = [{"source": 0}, {"source": 1}, {"source": 2}]
        file.root["materials"][0]["emissiveTexture"] = {"index": 1, "texCoord": 1}
        file.root["materials"][1]["pbrMetallicRoughness"] = {"baseColorTexture": {"index": 2}}
        archive = self.upload(file.bytes())
        skin, cloth = self.client.get(f"/v1/meshes/{archive['meshes'][0]['id']}").json["materials"]
        self.assertIsNone(skin["image_id"])
        for key in ("image", "emissive_image"):
            image = self.client.get(f"/v1/images/{cloth[key + '_id']}").json
            self.assertEqual(image["name"], cloth[key])
            self.assertEqual(image["alpha"], True)
        self.assertEqual(len({cloth["image_id"], cloth["emissive_image_id"]}), 2)

    def test_a_picture_beside_it(self):
        file = figure()
        del file.root["images"][0]["bufferView"], file.root["images"][0]["name"], file.root["images"][0]["mimeType"]
        file.root["images"][0]["uri"] = "textures/my%20cloth.png"
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "textures").mkdir()
            (Path(folder) / "textures" / "my cloth.png").write_bytes(png(1, 1, [[RED]]))
            (Path(folder) / "figure.glb").write_bytes(file.bytes())
            with Daemon(folder) as daemon:
                mesh = daemon.client.items("/v1/meshes", name="body")[0]
                image = daemon.client.get(f"/v1/meshes/{mesh['id']}").json["materials"][1]["image"]
                self.assertEqual(image, "my cloth.png")
                own = [image["id"] for image in daemon.client.items("/v1/images") if image["format"] == "gltf"]
                self.assertEqual([daemon.client.get(f"/v1/meshes/{mesh['id']}").json["materials"][1]["image_id"]], own)
                root, _ = read_glb(daemon.client.get(f"/v1/meshes/{mesh['id']}.glb").body)
                self.assertEqual(len(root["images"]), 1)
        reply = self.client.post("/v1/inspect", file.bytes(), name="figure.glb")
        self.assertIn("image_left_out", json.dumps(reply.json["warnings"]))

    def test_our_own_files_come_back(self):
        """Every mesh of the samples with a skeleton, as a GLB with a clip: the same vertices."""
        count = 0
        with tempfile.TemporaryDirectory() as folder:
            wanted = {}
            for character in self.client.items("/v1/characters"):
                for clip in self.client.get(f"/v1/characters/{character['id']}").json["clips"][:2]:
                    glb = self.client.get(f"/v1/characters/{character['id']}.glb?clips={clip['id']}")
                    if glb.status == 200 and read_glb(glb.body)[0]["meshes"][0].get("name") != "bones":  # only shown
                        name = wanted.get(glb.body, f"{character['id']}-{clip['id']}.glb")
                        (Path(folder) / name).write_bytes(glb.body)
                        wanted[glb.body] = name  # the same bytes are one thing
            with Daemon(folder) as daemon:
                meshes, clips = daemon.client.items("/v1/meshes"), daemon.client.items("/v1/clips")
                for data, name in wanted.items():
                    root, binary = read_glb(data)
                    found = {"meshes": [mesh for mesh in meshes if mesh["entry"] == name],
                             "clips": [clip for clip in clips if clip["entry"] == name]}
                    self.assertEqual(len(found["meshes"]), len(root["meshes"]), name)
                    count += self.compares(daemon.client, found, root, binary)
        self.assertGreater(count, 5)

    def compares(self, client, found, root, binary):
        duration = max(root["accessors"][s["input"]]["max"][0] for s in root["animations"][0]["samplers"])
        for k, mesh in enumerate(found["meshes"]):
            for t in (0, 0.4 * duration, 0.9 * duration):
                reply = client.get(f"/v1/meshes/{mesh['id']}/vertices?clip={found['clips'][0]['id']}&t={t}")
                self.assertEqual(reply.status, 200, reply.text)
                worst = max(abs(a - b) for p, q in zip(reply.json["positions"], skinned(root, binary, root["animations"][0], t, k))
                            for a, b in zip(p, q))
                self.assertLess(worst, 1e-4, (mesh["name"], t))
        return len(found["meshes"])


class Hostile(SampleCase):
    """Each refusal names the place in the JSON."""

    arguments = ("--max-time", "120s")  # a machine that is busy, and a million triangles

    def inspect(self, change, data=b""):
        file = figure()
        change(file, file.root)
        return self.client.post("/v1/inspect", file.bytes(), name="figure.glb")

    def test_refusals(self):
        def attribute(name, value, primitive=0):
            return lambda file, root: root["meshes"][0]["primitives"][primitive]["attributes"].update({name: value})

        def weights(rows, name="WEIGHTS_0", kind=5126):
            return lambda file, root: root["meshes"][0]["primitives"][0]["attributes"].update(
                {name: file.accessor(rows, kind)})

        def count(name, value):
            def change(file, root):
                root["accessors"][root["meshes"][0]["primitives"][0]["attributes"][name]]["count"] = value
            return change

        def indices(rows):
            return lambda file, root: root["meshes"][0]["primitives"][0].update(indices=file.accessor(rows, 5125))

        ones = [(1, 0, 0, 0)] * 22
        for code, pointer, change in (
                ("bad_index", "/meshes/0/primitives/0/attributes/POSITION", attribute("POSITION", 999)),
                ("outside_view", "/accessors/0/count", count("POSITION", 2**32)),
                ("outside_view", "/accessors/0/count", count("POSITION", 2**52)),
                ("count_mismatch", "/accessors/1/count", count("NORMAL", 21)),
                ("count_mismatch", "/accessors/6/count", count("WEIGHTS_0", 2**32)),
                ("bad_type", "/accessors/2/type", attribute("POSITION", 2)),
                ("not_finite", "/accessors/18", weights([(math.nan, 0, 0, 0)] * 22)),
                ("bad_weight", "/meshes/0/primitives/0/attributes/JOINTS_0", weights([(-1, 2, 0, 0)] * 22)),
                ("bad_joint", "/meshes/0/primitives/0/attributes/JOINTS_0", weights([(3, 3, 3, 3)] * 22, "JOINTS_0", 5121)),
                ("bad_component_type", "/accessors/18/componentType", weights(ones, "JOINTS_0")),
                ("face_index", "/meshes/0/primitives/0/indices", indices([0, 1, 22])),
                ("face_index", "/meshes/0/primitives/0/indices", indices([0, 1, 2**32 - 1])),
                ("bad_triangles", "/meshes/0/primitives/0/indices", indices([0, 1, 2, 3])),
                ("bad_mode", "/meshes/0/primitives/0/mode", lambda f, r: r["meshes"][0]["primitives"][0].update(mode=7)),
                ("bad_targets", "/meshes/0/primitives/1/targets",
                 lambda f, r: r["meshes"][0]["primitives"][1].pop("targets")),
                ("bad_alpha", "/materials/0/alphaMode", lambda f, r: r["materials"][0].update(alphaMode="CLEAR")),
                ("bad_index", "/meshes/0/primitives/0/material", lambda f, r: r["meshes"][0]["primitives"][0].update(material=2)),
                ("bad_index", "/materials/0/pbrMetallicRoughness/baseColorTexture/index",
                 lambda f, r: r["materials"][0]["pbrMetallicRoughness"].update(baseColorTexture={"index": 4})),
                ("bad_index", "/nodes/4/skin", lambda f, r: r["nodes"][4].update(skin=1)),
                ("count_mismatch", "/accessors/13/count", lambda f, r: r["accessors"][13].update(count=2)),
                ("bad_number", "/nodes/5", lambda f, r: r["nodes"][5].update(scale=[3e38, 3e38, 3e38], translation=[3e38, 0, 0]))):
            with self.subTest(code=code, pointer=pointer):
                reply = self.inspect(change)
                self.assertProblem(reply, 422, code=code, pointer=pointer, format="gltf")

    def test_what_is_not_supported_is_left_out(self):
        """Clips and skeleton are read all the same."""
        def draco(file, root):
            root["meshes"][0]["primitives"][0]["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": 0}}

        def without_view(file, root):
            del root["accessors"][0]["bufferView"]
            root["accessors"][0]["count"] = 2**31

        def points(file, root):
            root["meshes"][0]["primitives"][1]["mode"] = 0

        def unused(file, root):
            del root["nodes"][5]["mesh"]

        def morphs(file, root):
            for primitive in root["meshes"][0]["primitives"]:
                primitive["targets"] = primitive["targets"] * 4000000

        def broken_picture(file, root):
            root["images"][0]["bufferView"] = file.view(b"\x89PNG\r\n\x1a\n" + bytes(40))

        for code, left, change in (("mesh_left_out", 1, draco), ("mesh_left_out", 1, without_view),
                                   ("primitives_left_out", 2, points), ("unused_meshes", 1, unused),
                                   ("image_left_out", 2, broken_picture)):
            with self.subTest(code=code):
                reply = self.inspect(change)
                self.assertEqual(reply.status, 200, reply.text)
                self.assertIn(code, json.dumps(reply.json["warnings"]))
                self.assertEqual((len(reply.json["clips"]), len(reply.json["meshes"])), (1, left))

    def test_no_normals_no_uvs_and_faces_without_area(self):
        def change(file, root):
            for primitive in root["meshes"][0]["primitives"]:
                for name in ("NORMAL", "TEXCOORD_0", "TEXCOORD_1"):
                    primitive["attributes"].pop(name, None)
            root["meshes"][0]["primitives"][0]["indices"] = file.accessor([0, 0, 0, 0, 1, 3], 5125)

        file = figure()
        change(file, file.root)
        archive = upload(self, file.bytes())
        normals = self.client.get(f"/v1/meshes/{archive['meshes'][0]['id']}/vertices").json["normals"]
        for normal in normals:
            self.assertAlmostEqual(sum(n * n for n in normal), 1, delta=1e-5)
        self.assertGreater(normals[0][2], 0.9)
        self.assertClose(normals[4], (0, 1, 0), 1e-6)  # no face has it

    def test_a_million_triangles(self):
        file = Glb(scenes=[{"nodes": [0]}], nodes=[{"mesh": 0}])
        file.root["meshes"] = [{"primitives": [{"attributes": {"POSITION": file.accessor([(0, 0, 0), (1, 0, 0), (0, 1, 0)])}}]}]
        corners = file.view(b"\0\0\1\0\2\0" * 1000000)
        file.root["accessors"].append({"bufferView": corners, "componentType": 5123, "count": 3000000, "type": "SCALAR"})
        file.root["meshes"][0]["primitives"][0]["indices"] = 1
        reply = self.client.post("/v1/inspect", file.bytes(), name="many.glb")
        self.assertEqual(reply.status, 200, reply.text)
        self.assertEqual(reply.json["meshes"][0]["face_count"], 1000000)
        file.root["nodes"] = [{"mesh": 0}] * 12
        file.root["scenes"][0]["nodes"] = list(range(12))
        reply = self.client.post("/v1/inspect", file.bytes(), name="many.glb")
        self.assertIn("meshes_left_out", json.dumps(reply.json["warnings"]))
        self.assertEqual(len(reply.json["meshes"]), 8)


if __name__ == "__main__":
    unittest.main()
