"""Hostile meshes for every game that takes meshes: refused with a reason, or written with a warning and then sound."""

import os
import struct
import unittest

from fixture import SampleCase
from glb import Glb
from prime_bodies import Cmdl, Cskr
from sims3_bodies import Geom
from sims_files import read_bmf, read_skn, read_tso
from test_gltf_meshes import IDENTITY, upload
from test_sims_meshes import unpack

TARGETS = {"skn": read_skn, "bmf": read_bmf, "mesh": read_tso, "simgeom": Geom, "cmdl": Cmdl}

USUAL = {"", "unknown_bone", "ids_assigned"}  # of bones that a game does not have


def patch(file, index, **members):
    file.root["accessors"][index].update(members)


def strip(change=None, rows=((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)), faces=(0, 1, 2, 1, 3, 2), weights=None, joints=None):
    """A square on two bones; change: of the file, its primitive and attributes."""
    file = Glb(scenes=[{"nodes": [0, 2]}], scene=0)
    attributes = {"POSITION": file.accessor(rows), "NORMAL": file.accessor([(0, 0, 1)] * len(rows)),
                  "TEXCOORD_0": file.accessor([(x, y) for x, y, _ in rows]),
                  "JOINTS_0": file.accessor(joints or [(0, 1, 0, 0)] * len(rows), 5121),
                  "WEIGHTS_0": file.accessor(weights or [(0.75, 0.25, 0, 0)] * len(rows))}
    primitive = {"attributes": attributes, "indices": file.accessor(faces, 5125)}
    file.root["meshes"] = [{"name": "square", "primitives": [primitive]}]
    file.root["nodes"] = [{"name": "PELVIS", "children": [1]}, {"name": "SPINE"}, {"mesh": 0, "skin": 0}]
    file.root["skins"] = [{"joints": [0, 1], "inverseBindMatrices": file.accessor([IDENTITY] * 2)}]
    if change:
        change(file, primitive, attributes)
    return file.bytes()


class HostileMeshes(SampleCase):
    arguments = ("--max-time", "120s")  # a machine that is busy, and a million triangles

    def refused(self, made):
        """Reading refuses the file, or its mesh."""
        reply = self.client.post("/v1/archives", made, name="hostile.glb")
        meshes = reply.json.get("meshes", []) if reply.status in (200, 201) else []
        self.assertEqual(meshes, [], reply)
        for target in ("sims1-skn", "sims1-bmf", "tso-mesh", "sims3-geom", "prime-cmdl"):
            reply = self.client.post("/v1/convert", made, to=target, name="hostile.glb")
            self.assertEqual(reply.status, 422, (target, reply))
            self.assertTrue(reply.json["code"] and reply.json["detail"])

    def written(self, made, code=None, faces=2):
        """Every target writes it, with that warning; the independent readers check the files."""
        archive = upload(self, made)
        for extension, read in TARGETS.items():
            with self.subTest(extension):
                reply = self.client.get(f"/v1/meshes/{archive['meshes'][0]['id']}.{extension}")
                self.assertEqual(reply.status, 200, reply)
                codes = {one.strip() for one in reply.headers.get("Posed-Warning", "").split(",")} - USUAL
                self.assertEqual(codes, {code} if code else set(), extension)
                files = unpack(reply) if reply.media_type == "application/zip" else {"alone": reply.body}
                mesh = read(next(iter(files.values())))
                count = len(mesh.faces) if hasattr(mesh, "faces") else sum(len(s[2]) for s in mesh.surfaces)
                self.assertEqual(count, faces)
                for name, data in files.items():
                    if name.endswith(".cskr"):
                        Cskr(data, "mp1")

    def nothing(self, made):
        archive = upload(self, made)
        for extension in TARGETS:
            reply = self.client.get(f"/v1/meshes/{archive['meshes'][0]['id']}.{extension}")
            self.assertProblem(reply, 422, code="nothing_to_write")

    def test_sound(self):
        self.written(strip())

    def test_counts_of_2_to_32(self):
        for name in ("POSITION", "NORMAL", "JOINTS_0", "WEIGHTS_0", "indices"):
            for count in (2 ** 32, 2 ** 32 - 1, 2 ** 31):
                def large(file, primitive, attributes):
                    patch(file, primitive["indices"] if name == "indices" else attributes[name], count=count)
                with self.subTest(name, count=count):
                    self.refused(strip(large))

    def test_weights_that_are_no_numbers(self):
        for bits in (0x7FC00000, 0x7F800000, 0xFF800000):
            number, = struct.unpack("<f", struct.pack("<I", bits))
            self.refused(strip(weights=[(number, 0.25, 0, 0)] * 4))

    def test_positions_that_are_no_numbers(self):
        self.refused(strip(rows=((float("nan"), 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0))))
        self.refused(strip(rows=((float("inf"), 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0))))

    def test_negative_weights(self):
        self.refused(strip(weights=[(1.5, -0.5, 0, 0)] * 4))

    def test_joints_out_of_range(self):
        self.refused(strip(joints=[(0, 2, 0, 0)] * 4))
        self.refused(strip(joints=[(255, 0, 0, 0)] * 4))

    def test_faces_out_of_range(self):
        self.refused(strip(faces=(0, 1, 4, 1, 3, 2)))
        self.refused(strip(faces=(0, 1, 2 ** 32 - 1, 1, 3, 2)))

    def test_no_weights(self):
        self.written(strip(weights=[(0, 0, 0, 0)] * 4), "unweighted_vertices")

    def test_no_normals(self):
        self.written(strip(lambda file, primitive, attributes: attributes.pop("NORMAL")))

    def test_normals_without_a_length(self):
        def zero(file, primitive, attributes):
            attributes["NORMAL"] = file.accessor([(0, 0, 0)] * 4)
        self.written(strip(zero))

    def test_no_uvs(self):
        self.written(strip(lambda file, primitive, attributes: attributes.pop("TEXCOORD_0")), "no_uvs")

    def test_further_uvs_are_lost(self):
        def more(file, primitive, attributes):
            attributes["TEXCOORD_1"] = attributes["TEXCOORD_0"]
        self.written(strip(more), "uv_sets_dropped")

    def test_degenerate_triangles(self):
        self.written(strip(faces=(0, 1, 2, 1, 1, 2, 3, 3, 3, 1, 3, 2)), "degenerate_faces")
        self.nothing(strip(faces=(0, 0, 1, 2, 2, 2)))

    def test_all_in_one_place(self):
        """Vertices are told apart by their UVs alone, or not at all."""
        made = strip(lambda file, primitive, attributes: attributes.pop("TEXCOORD_0"), rows=((1, 1, 1),) * 4)
        self.nothing(made)

    def test_not_a_manifold(self):
        """Five triangles on one edge, and one of them twice."""
        rows = [(0, 0, 0), (0, 1, 0)] + [(1, i, i) for i in range(5)]
        faces = [v for i in range(5) for v in (0, 1, 2 + i)] + [0, 1, 2]
        self.written(strip(rows=rows, faces=faces), faces=6)

    def test_a_million_triangles(self):
        """On 40,000 vertices, so that every format holds them. A sanitizer's daemon gets a tenth."""
        side, grid, count = 200, [], 100_000 if os.environ.get("POSED_SANITIZE") else 1_000_000
        for y in range(side - 1):
            for x in range(side - 1):
                a = y * side + x
                grid += (a, a + 1, a + side, a + 1, a + side + 1, a + side)
        faces = (grid * (3 * count // len(grid) + 1))[:3 * count]
        made = strip(rows=[(i % side / 8, i // side / 8, 0) for i in range(side * side)], faces=faces)
        self.written(made, faces=count)


if __name__ == "__main__":
    unittest.main()
