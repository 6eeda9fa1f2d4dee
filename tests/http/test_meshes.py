"""Meshes, their vertices on a pose, and the characters that wear them."""

import base64
import json
import math
import struct
from pathlib import Path

from daemon import Daemon
from fixture import SampleCase
from glb import Glb
from test_bodies import accessor, read_glb


def signed_volume(positions, faces):
    """Positive when faces are counter-clockwise seen from outside, in right-handed axes."""
    total = 0.0
    for a, b, c in faces:
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = positions[a], positions[b], positions[c]
        total += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    return total / 6


class Meshes(SampleCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.id = cls.client.items("/v1/meshes")[0]["id"]
        cls.mesh = cls.client.get(f"/v1/meshes/{cls.id}").json
        cls.walk = cls.clip("a2o-walk", "tso-anim")["id"]

    def vertices(self, **query):
        return self.client.get(f"/v1/meshes/{self.id}/vertices", **query).json

    def test_one_mesh(self):
        mesh = self.mesh
        self.assertEqual((mesh["name"], mesh["format"]), ("body.0b0d000100000009", "tso-mesh"))
        self.assertEqual((len(mesh["uvs"]), len(mesh["faces"])), (mesh["vertex_count"], mesh["face_count"]))
        self.assertTrue(all(0 <= corner < mesh["vertex_count"] for face in mesh["faces"] for corner in face))
        covered = sum(binding["count"] for binding in mesh["bindings"])
        self.assertEqual(covered, mesh["vertex_count"])

    def test_the_body_stands_upright(self):
        positions = self.vertices()["positions"]
        heights = [y for _, y, _ in positions]
        self.assertLess(abs(min(heights)), 0.1)
        self.assertTrue(1.5 < max(heights) < 2)
        head = next(b for b in self.mesh["bindings"] if b["bone"] == "HEAD")
        self.assertGreater(min(heights[head["first"] : head["first"] + head["count"]]), 1.2)

    def test_a_mesh_without_a_skeleton_stands_as_stored(self):
        positions = [1, 2, 3, 4, 5, 6, 7, 8, 10]
        buffer = base64.b64encode(struct.pack("<9f", *positions)).decode()
        data = json.dumps({
            "asset": {"version": "2.0"}, "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3, "min": [1, 2, 3], "max": [7, 8, 10]}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}],
            "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64," + buffer}]}).encode()
        archive = self.client.post("/v1/archives", data, name="static.gltf").json
        path = f"/v1/meshes/{archive['meshes'][0]['id']}/vertices"
        for query in ({}, {"skeleton": "none"}, {"axes": "native"}, {"skeleton": "auto"}):
            with self.subTest(query):
                found = self.client.get(path, **query)
                self.assertEqual(found.status, 200, found.body)
                self.assertEqual(sum(found.json["positions"], []), positions)
                self.assertIsNone(found.json["skeleton"])
                self.assertIsNone(found["Posed-Warning"])
        floats = struct.unpack("<18f", self.client.get(path, **{"as": "f32"}).body)
        self.assertEqual([*floats[0:3], *floats[6:9], *floats[12:15]], positions)
        reply = self.client.get(path, clip=self.walk, skeleton="none")
        self.assertProblem(reply, 400)
        self.assertEqual(reply.json["parameter"], "skeleton")
        self.assertEqual(self.client.get(f"/v1/meshes/{self.id}/vertices", skeleton="none").status, 200)

    def test_a_model_of_a_pak_alone_stands_as_stored(self):
        """Without its character nothing says which bones it has; its GLB has the same vertices."""
        count = 0
        for path in sorted((Path(Daemon.samples).parent / "format-samples" / "prime-cmdl").glob("*.cmdl")):
            archive = self.client.post("/v1/archives", path.read_bytes(), name=path.name).json
            mesh = f"/v1/meshes/{archive['meshes'][0]['id']}"
            found = self.client.get(mesh + "/vertices")
            self.assertEqual((found.status, found.json["skeleton"], found["Posed-Warning"]), (200, None, None))
            self.assertEqual(len(found.json["positions"]), self.client.get(mesh).json["vertex_count"])
            self.assertEqual(self.client.get(mesh + "/vertices", skeleton="none").json, found.json)
            native = self.client.get(mesh + "/vertices", axes="native").json["positions"]
            for (x, y, z), (a, b, c) in zip(found.json["positions"], native):
                self.assertClose((x, y, z), (-a, c, b), 1e-6)
            root, binary = read_glb(self.client.get(mesh + ".glb").body)
            rows = accessor(root, binary, root["meshes"][0]["primitives"][0]["attributes"]["POSITION"])
            for row, place in zip(rows, found.json["positions"]):
                self.assertClose(row, place, 1e-6)
            count += 1
        self.assertEqual(count, 2)

    def test_morphs_of_a_static_mesh_count(self):
        """The weights of the mesh, those of its node instead, and none; as JSON's glTF and as GLB the same."""
        rows, moves = [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 0, 4), (0, 0, 0), (2, 0, 0)]
        for weights, own, share in (([0.5], None, 0.5), ([0.5], [0.25], 0.25), (None, [1], 1), (None, None, 0), ([-1.5], None, -1.5)):
            file = Glb(scenes=[{"nodes": [0]}], nodes=[{"mesh": 0}])
            primitive = {"attributes": {"POSITION": file.accessor(rows)}, "targets": [{"POSITION": file.accessor(moves)}]}
            file.root["meshes"] = [{"primitives": [primitive]} | ({"weights": weights} if weights else {})]
            file.root["nodes"][0] |= {"weights": own} if own else {}
            text = {**file.root, "buffers": [{"byteLength": len(file.binary), "uri": "data:;base64," + base64.b64encode(file.binary).decode()}]}
            for name, data in (("a.glb", file.bytes()), ("a.gltf", json.dumps(text).encode())):
                with self.subTest(name, weights=weights, own=own):
                    archive = self.client.post("/v1/archives", data, name=name).json
                    found = self.client.get(f"/v1/meshes/{archive['meshes'][0]['id']}/vertices").json
                    for row, base, move in zip(found["positions"], rows, moves):
                        self.assertClose(row, [a + share * b for a, b in zip(base, move)], 1e-6)

    def test_faces_look_outwards(self):
        self.assertGreater(signed_volume(self.vertices()["positions"], self.mesh["faces"]), 0.01)

    def test_normals_point_outwards(self):
        found = self.vertices()
        for (a, b, c) in self.mesh["faces"][:60]:
            p, q, r = (found["positions"][i] for i in (a, b, c))
            u, v = [q[i] - p[i] for i in range(3)], [r[i] - p[i] for i in range(3)]
            face = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
            mean = [sum(found["normals"][i][k] for i in (a, b, c)) for k in range(3)]
            self.assertGreater(sum(x * y for x, y in zip(face, mean)), 0)

    def test_bones_carry_their_vertices(self):
        """Two vertices of one bone that nothing blends keep their distance on every pose."""
        head = next(b for b in self.mesh["bindings"] if b["bone"] == "HEAD")
        pair = (head["first"], head["first"] + head["count"] - 1)
        lengths, places = [], []
        for t in (0, 0.2, 0.5, 0.9):
            positions = self.vertices(clip=self.walk, t=t)["positions"]
            lengths.append(math.dist(positions[pair[0]], positions[pair[1]]))
            places.append(positions[pair[0]])
        self.assertClose(lengths, [lengths[0]] * 4, 1e-5)
        self.assertGreater(max(math.dist(places[0], place) for place in places), 0.005)

    def test_floats(self):
        reply = self.client.get(f"/v1/meshes/{self.id}/vertices", clip=self.walk, t=0.3, **{"as": "f32"})
        found = self.vertices(clip=self.walk, t=0.3)
        rows = zip(found["positions"], found["normals"], strict=True)
        self.assertClose(reply.floats, [v for position, normal in rows for v in position + normal], 1e-6)

    def test_not_modified_names_the_twin_too(self):
        reply = self.client.get(f"/v1/meshes/{self.id}/vertices")
        again = self.client.get(f"/v1/meshes/{self.id}/vertices", headers={"If-None-Match": reply["ETag"]})
        self.assertEqual(again.status, 304)
        self.assertIn("skeleton=", again["Content-Location"])
        self.assertEqual(again["Content-Location"], reply["Content-Location"])

    def test_wrong_names(self):
        self.assertEqual(self.client.get(f"/v1/meshes/{32 * '0'}").status, 404)
        reply = self.client.get(f"/v1/meshes/{self.id}/vertices", clip=32 * "0")
        self.assertIn(reply.status, (400, 404))

    def test_characters(self):
        appearance = next(c for c in self.client.items("/v1/characters") if c["format"] == "tso-apr")
        whole = self.client.get(f"/v1/characters/{appearance['id']}").json
        self.assertEqual([m["id"] for m in whole["meshes"]], [self.id])
        self.assertEqual(whole["missing"], [])
        self.assertIn(self.walk, [c["id"] for c in whole["clips"]])
        adult = next(s["id"] for s in self.client.items("/v1/skeletons") if s["format"] == "tso-skel")
        self.assertEqual(whole["skeleton"], adult)
