"""Meshes made fit for The Sims 3, judged by an independent reader of its files and posed by its own rules."""

import math
import subprocess
import tempfile
import unittest
from pathlib import Path

from daemon import Daemon
from fixture import SampleCase
from places import inverse, transform, worlds
from sims3_bodies import DIFFUSE_MAP, SIM_SKIN, Geom, fnv, read_dds, texture_key
from test_bodies import accessor, multiply, read_glb, skinned
from test_gltf_meshes import upload
from test_sims_meshes import SHADES, body, unpack


def moves(root, binary, t):
    """What the game does with a rig: from the bind pose to the pose, by the hash of a bone."""
    rest, posed = worlds(root, binary), worlds(root, binary, t)
    return {fnv(name, 32): (lambda v, m=multiply(posed[name], inverse(rest[name])): transform(m, v)) for name in rest}


class Sims3Meshes(SampleCase):
    def geom(self, archive, status=200, **query):
        reply = self.client.get(f"/v1/meshes/{archive['meshes'][0]['id']}.simgeom", **query)
        self.assertEqual(reply.status, status, reply)
        return reply

    def check_poses(self, made, tolerance=1e-5):
        root, binary = read_glb(made)
        reply = self.geom(upload(self, made))
        mesh = Geom(next(iter(unpack(reply).values())))
        corners = accessor(root, binary, root["meshes"][0]["primitives"][0]["indices"])
        for t in (0, 0.25, 0.8, 1):
            wanted = list(skinned(root, binary, root["animations"][0], t))
            found = list(mesh.deform(moves(root, binary, t)))
            self.assertEqual(3 * len(mesh.faces), len(corners))
            for face, at in zip(mesh.faces, range(0, len(corners), 3)):
                for v, w in zip(face, corners[at:at + 3]):
                    self.assertClose(found[v], wanted[w], tolerance, t)
        return reply, mesh

    def test_a_body_of_another_program(self):
        """Within 1e-5 of what a glTF player shows, by the game's own rules; up to four weights are kept."""
        for made in (body(), body(three=True)):
            reply, mesh = self.check_poses(made.bytes())
            self.assertEqual(reply.headers.get("Posed-Warning"), "unknown_bone")  # those are of The Sims 1
            self.assertEqual(len(mesh.positions), 99)  # the copies are merged, the seam is not
            self.assertEqual(len(set(mesh.ids)), 88)   # but its two sides are one vertex for morphs
            self.assertEqual(mesh.bones[:2], (fnv("PELVIS", 32), fnv("SPINE", 32)))

    def test_a_bind_pose_that_is_not_the_rest_pose(self):
        """A mesh in centimetres under a skin that makes metres of them comes out in metres."""
        def centimetres(file, root):
            attributes = root["meshes"][0]["primitives"][0]["attributes"]
            rows = accessor(*read_glb(file.bytes()), attributes["POSITION"])
            attributes["POSITION"] = file.accessor([tuple(100 * x for x in row) for row in rows])
            skin = root["skins"][0]
            binds = accessor(*read_glb(file.bytes()), skin["inverseBindMatrices"])
            skin["inverseBindMatrices"] = file.accessor([tuple(x * (0.01 if i < 12 else 1) for i, x in enumerate(m)) for m in binds])

        _, mesh = self.check_poses(body(change=centimetres).bytes(), 2e-5)
        self.assertAlmostEqual(max(y for _, y, _ in mesh.positions), 1, 5)

    def test_texture_and_material(self):
        files = unpack(self.geom(upload(self, body().bytes())))
        self.assertEqual(list(files), ["tube.simgeom", f"Cloth_1_0x{fnv('Cloth_1', 64):016X}.dds"])
        mesh, picture = (read(data) for read, data in zip((Geom, read_dds), files.values()))
        self.assertEqual(mesh.shader, SIM_SKIN)
        self.assertEqual(mesh.keys[mesh.parameters[DIFFUSE_MAP][0]], texture_key("Cloth_1"))
        self.assertEqual(picture[0], SHADES)
        for fine, coarse in zip(picture, picture[1:]):
            for y, row in enumerate(coarse):
                for x, pixel in enumerate(row):
                    mean = [sum(fine[min(2 * y + j, len(fine) - 1)][min(2 * x + i, len(fine[0]) - 1)][c] for i in (0, 1) for j in (0, 1)) / 4
                            for c in range(4)]
                    self.assertClose(pixel, mean, 1)

    def test_tangents(self):
        """Those of the file where it has them, else along u and at right angles to the normal."""
        mesh = Geom(next(iter(unpack(self.geom(upload(self, body().bytes()))).values())))
        for place, normal, tangent in zip(mesh.positions, mesh.normals, mesh.tangents):
            angle = math.atan2(place[2], place[0])
            self.assertLess(abs(sum(a * b for a, b in zip(normal, tangent))), 1e-5)
            self.assertGreater(-math.sin(angle) * tangent[0] + math.cos(angle) * tangent[2], 0.9)

        def given(file, root):
            root["meshes"][0]["primitives"][0]["attributes"]["TANGENT"] = file.accessor([(0, 1, 0, -1)] * 198)

        mesh = Geom(next(iter(unpack(self.geom(upload(self, body(change=given).bytes()))).values())))
        self.assertEqual(set(mesh.tangents), {(0, 1, 0)})

    def test_limits_name_the_triangle(self):
        def large(file, root):
            rows = [(i % 300 / 10, i // 300 / 10, 0) for i in range(300 * 220)]
            faces = [v for i in range(300 * 219) if i % 300 < 299 for v in (i, i + 1, i + 300)]
            root["meshes"][0]["primitives"][0] = {"attributes": {
                "POSITION": file.accessor(rows), "JOINTS_0": file.accessor([(0, 0, 0, 0)] * len(rows), 5121),
                "WEIGHTS_0": file.accessor([(1, 0, 0, 0)] * len(rows))}, "indices": file.accessor(faces, 5125)}

        archive = upload(self, body(change=large).bytes())
        reply = self.geom(archive, 422)
        self.assertProblem(reply, 422, code="too_many_vertices")
        self.assertRegex(reply.json["detail"], r"triangle \d+ needs vertex \d+ of 65999; the format numbers 65536")

    def test_convert_and_the_command_line(self):
        reply = self.client.post("/v1/convert", body().bytes(), to="sims3-geom", name="tube.glb")
        self.assertEqual((reply.status, reply.media_type), (200, "application/zip"))
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "tube.glb").write_bytes(body().bytes())
            done = subprocess.run([Daemon.binary, "convert", f"{folder}/tube.glb", f"{folder}/new.simgeom"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done)
            self.assertEqual(len(Geom((Path(folder) / "new.simgeom").read_bytes()).faces), 160)
            read_dds(next(Path(folder).glob("Cloth_1*.dds")).read_bytes())


if __name__ == "__main__":
    unittest.main()
