"""Meshes made fit for The Sims, judged by an independent reader of its files and posed by its own rules."""

import io
import json
import math
import struct
import tempfile
import unittest
import zipfile
from pathlib import Path

from daemon import Daemon
from fixture import SampleCase
from glb import Glb, png
from sims_files import read_bmf, read_skn, read_tso
from test_bodies import accessor, compose, multiply, read_glb, skinned
from test_gltf_meshes import IDENTITY, moved, upload

FOOT = 0.3048
READERS = {"skn": read_skn, "bmf": read_bmf, "mesh": read_tso}
SHADES = [[(x * 8, min(y * 8, 255), (x + y) * 4, 255) for x in range(31)] for y in range(33)]


def unpack(reply):
    archive = zipfile.ZipFile(io.BytesIO(reply.body))
    return {name: archive.read(name) for name in archive.namelist()}


def posed_by_bones(root, binary, t):
    """The bones of a GLB at that time, as functions from The Sims' bone space (feet, mirrored in x) to glTF's model space."""
    from test_bodies import sample
    parts = [{"translation": n.get("translation", [0, 0, 0]), "rotation": n.get("rotation", [0, 0, 0, 1]),
              "scale": n.get("scale", [1, 1, 1])} for n in root["nodes"]]
    for channel in root["animations"][0]["channels"]:
        target = channel["target"]
        if target["path"] in ("translation", "rotation", "scale"):
            parts[target["node"]][target["path"]] = sample(
                root, binary, root["animations"][0]["samplers"][channel["sampler"]], target["path"], t)
    bones = {}

    def place(node, above):
        matrix = multiply(above, compose(*(parts[node][k] for k in ("translation", "rotation", "scale"))))

        def move(v, m=matrix):
            x, y, z = -v[0] * FOOT, v[1] * FOOT, v[2] * FOOT
            return [m[i] * x + m[4 + i] * y + m[8 + i] * z + m[12 + i] for i in range(3)]

        bones[root["nodes"][node].get("name")] = move
        for child in root["nodes"][node].get("children", ()):
            place(child, matrix)

    for node in root["scenes"][0]["nodes"]:
        place(node, list(IDENTITY))
    return bones


def body(three=False, change=None):
    """A tube on three bones, with a seam where positions and normals agree but UVs do not, and each vertex twice."""
    file = Glb(scenes=[{"nodes": [0, 3]}], scene=0)
    rows, normals, uvs, joints, weights = [], [], [], [], []
    for copy in range(2):
        for y in range(11):
            for k in range(8 + 1):
                angle = k % 8 * math.pi / 4
                f = min(max(y / 5 - 0.5, 0), 1)
                rows.append((0.1 * math.cos(angle), y / 10, 0.1 * math.sin(angle)))
                normals.append((math.cos(angle), 0, math.sin(angle)))
                uvs.append((k / 8, 1 - y / 10))
                joints.append((0, 1, 2, 0))
                weights.append((1 - f, f * 0.7, f * 0.3, 0) if three else (1 - f, f, 0, 0))
    faces = [n for y in range(10) for k in range(8) for a in [y * 9 + k] for n in (a, a + 9, a + 1, a + 1 + 99, a + 9 + 99, a + 10 + 99)]
    attributes = {"POSITION": file.accessor(rows), "NORMAL": file.accessor(normals), "TEXCOORD_0": file.accessor(uvs),
                  "JOINTS_0": file.accessor(joints, 5121), "WEIGHTS_0": file.accessor(weights)}
    file.root["meshes"] = [{"name": "tube", "primitives": [{"attributes": attributes, "indices": file.accessor(faces, 5123),
                                                            "material": 0}]}]
    file.root["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
    file.root["textures"] = [{"source": 0}]
    file.root["images"] = [{"name": "Cloth 1", "mimeType": "image/png", "bufferView": file.view(png(31, 33, SHADES))}]
    file.root["nodes"] = [{"name": "PELVIS", "children": [1]},
                          {"name": "SPINE", "translation": [0, 0.4, 0], "rotation": [0, 0, 0.6, 0.8], "children": [2]},
                          {"name": "HEAD", "translation": [0.3, 0, 0]}, {"name": "tube", "mesh": 0, "skin": 0}]
    spine = [0.28, -0.96, 0, 0, 0.96, 0.28, 0, 0, 0, 0, 1, 0, -0.384, -0.112, 0, 1]
    head = list(spine)
    head[12] -= 0.3
    file.root["skins"] = [{"joints": [0, 1, 2], "inverseBindMatrices": file.accessor([IDENTITY, tuple(spine), tuple(head)])}]
    file.root["animations"] = [{"name": "bend", "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
                                "samplers": [{"input": file.accessor([0, 1], min=[0], max=[1]),
                                              "output": file.accessor([(0, 0, 0.6, 0.8), (0.6, 0, 0, 0.8)])}]}]
    if change:
        change(file, file.root)
    return file


def read_bmp(data):
    size, start, height_of_head, width, height = struct.unpack_from("<2xI4xIIii", data)
    planes, depth, packing = struct.unpack_from("<HHI", data, 26)
    assert (size, height_of_head, planes, depth, packing) == (len(data), 40, 1, 8, 0)
    stride = (width + 3) // 4 * 4
    colors = [data[54 + 4 * i:57 + 4 * i][::-1] for i in range(256)]
    return [[tuple(colors[data[start + (height - 1 - y) * stride + x]]) for x in range(width)] for y in range(height)]


class SimsMeshes(SampleCase):
    def files(self, archive, extension, status=200, **query):
        reply = self.client.get(f"/v1/meshes/{archive['meshes'][0]['id']}.{extension}", **query)
        self.assertEqual(reply.status, status, reply)
        return reply

    def test_a_body_of_another_program(self):
        """Within 1e-4 of what a glTF player shows, by the game's own rules, at several times."""
        file = body()
        root, binary = read_glb(file.bytes())
        archive = upload(self, file.bytes())
        corners = accessor(root, binary, root["meshes"][0]["primitives"][0]["indices"])
        for extension, read in READERS.items():
            reply = self.files(archive, extension)
            self.assertNotIn("Posed-Warning", reply.headers)
            files = unpack(reply)
            mesh = read(next(iter(files.values())))
            self.assertEqual(len(mesh.uvs), 99)  # the copies are merged, the seam is not
            self.assertEqual(mesh.bones, ["PELVIS", "SPINE"])
            firsts = [binding[1] for binding in mesh.bindings if binding[2]]
            self.assertEqual(firsts, sorted(firsts))
            for t in (0, 0.25, 0.8, 1):
                wanted = list(skinned(root, binary, root["animations"][0], t))
                found = mesh.deform(posed_by_bones(root, binary, t))
                for face, (a, b, c) in zip(mesh.faces, zip(corners[::3], corners[1::3], corners[2::3])):
                    for v, w in zip(face, (a, c, b)):  # the axes are mirrored
                        self.assertClose(found[v], wanted[w], 1e-4, f"{extension} {t}")

    def test_what_lies_beside(self):
        archive = upload(self, body().bytes())
        files = unpack(self.files(archive, "skn"))
        self.assertEqual(list(files), ["xskin-tube-PELVIS-BODY.skn", "Cloth_1.bmp", "tube.cmx"])
        mesh = read_skn(files["xskin-tube-PELVIS-BODY.skn"])
        self.assertEqual((mesh.name, mesh.texture), ("xskin-tube-PELVIS-BODY", "Cloth_1"))
        self.assertEqual(files["tube.cmx"].decode().split("\r\n")[1:12],
                         ["version 300", "0", "1", "tube", "0", "0", "1", "PELVIS", "xskin-tube-PELVIS-BODY", "0", "0"])
        self.assertEqual(list(unpack(self.files(archive, "bmf"))), ["xskin-tube-PELVIS-BODY.bmf", "Cloth_1.bmp", "tube.cmx.bcf"])
        self.worn(unpack(self.files(archive, "mesh")))

    def test_a_mesh_leads_to_its_texture(self):
        """With the picture beside it and without; the case and the extension do not count."""
        files = unpack(self.files(upload(self, body().bytes()), "skn"))
        skin = files.pop("xskin-tube-PELVIS-BODY.skn")
        for beside in ("Cloth_1.bmp", "skins/CLOTH_1.BMP", "Cloth_11.bmp", None):
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "skins").mkdir()
                (Path(folder) / "body.skn").write_bytes(skin)
                if beside:
                    (Path(folder) / beside).write_bytes(files["Cloth_1.bmp"])
                with Daemon(folder) as daemon:
                    mesh = daemon.client.get(f"/v1/meshes/{daemon.client.items('/v1/meshes')[0]['id']}").json
                    images = [image["id"] for image in daemon.client.items("/v1/images")]
                    self.assertEqual(mesh["texture"], "Cloth_1")
                    self.assertEqual(mesh["texture_id"], images[0] if beside and "11" not in beside else None, beside)

    def test_each_archive_shows_its_own_texture(self):
        files = unpack(self.files(upload(self, body().bytes()), "skn"))
        textures = {}
        for pixel in (3, 4):
            data, packed = bytearray(files["Cloth_1.bmp"]), io.BytesIO()
            data[-1] = pixel
            with zipfile.ZipFile(packed, "w") as archive:
                archive.writestr("body.skn", files["xskin-tube-PELVIS-BODY.skn"])
                archive.writestr("Cloth_1.bmp", bytes(data))
            reply = self.client.post("/v1/archives", packed.getvalue(), name=f"{pixel}.zip").json
            self.addCleanup(self.client.request, "DELETE", f"/v1/archives/{reply['id']}")
            textures[reply["id"]] = (reply["meshes"][0]["id"], reply["images"][0]["id"])
        self.assertEqual(len(set(textures.values())), 2)
        for archive, (mesh, image) in textures.items():
            self.assertEqual(self.client.get(f"/v1/meshes/{mesh}", archive=archive).json["texture_id"], image)

    def worn(self, files):
        """The appearance leads to the binding, which leads to mesh and texture, by the numbers in the names."""
        keys = {tuple(struct.unpack(">II", bytes.fromhex(name.split(".")[1]))): name for name in files}
        self.assertEqual(sorted(key[1] for key in keys), [9, 11, 12, 20])
        appearance = next(data for name, data in files.items() if name.endswith(".apr"))
        self.assertEqual(struct.unpack_from(">III", appearance), (1, 0, 0))
        count, file, kind = struct.unpack_from(">III", appearance, 12)
        binding = files[keys[file, kind]]
        self.assertEqual((count, kind, binding[4:11]), (1, 11, b"\6PELVIS"))
        for at, ending in ((11, ".mesh"), (27, ".bmp")):
            has, group, file, kind = struct.unpack_from(">IIII", binding, at)
            self.assertEqual((has, group), (8, 0))
            self.assertTrue(keys[file, kind].endswith(ending))

    def test_the_texture_has_256_colours(self):
        picture = read_bmp(unpack(self.files(upload(self, body().bytes()), "skn"))["Cloth_1.bmp"])
        self.assertEqual((len(picture), len(picture[0])), (33, 31))
        worst = max(abs(a - b) for row, wanted in zip(picture, SHADES) for p, q in zip(row, wanted) for a, b in zip(p, q))
        self.assertLess(worst, 32)  # 1,023 colours became 256
        self.assertGreater(len({p for row in picture for p in row}), 200)

        def plain(file, root):
            root["images"][0]["bufferView"] = file.view(png(3, 2, [[(255, 0, 0, 255), (0, 255, 0, 255), (1, 2, 3, 255)]] * 2))

        picture = read_bmp(unpack(self.files(upload(self, body(change=plain).bytes()), "skn"))["Cloth_1.bmp"])
        self.assertEqual(picture, [[(255, 0, 0), (0, 255, 0), (1, 2, 3)]] * 2)

    def test_warnings_tell_what_is_lost(self):
        def without_uvs(file, root):
            del root["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"]

        def see_through(file, root):
            root["images"][0]["bufferView"] = file.view(png(1, 1, [[(1, 2, 3, 4)]]))

        def flat(file, root):
            root["meshes"][0]["primitives"][0]["indices"] = file.accessor([0, 1, 9, 5, 5, 6], 5123)

        def unweighted(file, root):
            root["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = file.accessor([(0, 0, 0, 0)] * 198)

        for code, made in (("weights_dropped", body(three=True)), ("no_uvs", body(change=without_uvs)),
                           ("alpha_dropped", body(change=see_through)), ("degenerate_faces", body(change=flat)),
                           ("unweighted_vertices", body(change=unweighted))):
            with self.subTest(code=code):
                archive = upload(self, made.bytes())
                self.assertEqual(self.files(archive, "skn").headers.get("Posed-Warning"), code)
                read_skn(next(iter(unpack(self.files(archive, "skn")).values())))
                self.assertProblem(self.files(archive, "skn", 422, strict=1), 422, code="strict")

    def test_refusals(self):
        def without_skin(file, root):
            del root["nodes"][3]["skin"], root["animations"]

        def without_area(file, root):
            root["meshes"][0]["primitives"][0]["indices"] = file.accessor([0, 99, 1], 5123)

        for code, change in (("not_skinned", without_skin), ("nothing_to_write", without_area)):
            with self.subTest(code=code):
                archive = upload(self, body(change=change).bytes())
                self.assertProblem(self.files(archive, "skn", 422), 422, code=code)
        archive = upload(self, body().bytes())
        self.assertProblem(self.files(archive, "obj", 404), 404, code="no_conversion")

    def test_convert_writes_the_only_mesh(self):
        for target, read in (("sims1-skn", read_skn), ("sims1-bmf", read_bmf), ("tso-mesh", read_tso)):
            reply = self.client.post("/v1/convert", body().bytes(), to=target, name="tube.glb")
            self.assertEqual((reply.status, reply.media_type), (200, "application/zip"))
            self.assertEqual(len(read(next(iter(unpack(reply).values()))).faces), 160)
        reply = self.client.post("/v1/convert", b'{"asset":{"version":"2.0"}}', to="sims1-skn", name="x.gltf")
        self.assertProblem(reply, 422, code="no_mesh")

        def two(file, root):
            root["nodes"].append({"name": "other", "mesh": 0, "skin": 0})

        reply = self.client.post("/v1/convert", body(change=two).bytes(), to="sims1-skn", name="x.glb")
        self.assertProblem(reply, 400, parameter="mesh")

    def test_meshes_of_the_game_come_back(self):
        """As GLB and back: the same triangles at the same places, in poses of the game's clips."""
        count = 0
        for item in [*self.client.items("/v1/meshes", format="tso-mesh"), *self.of_the_first_game()]:
            skeleton = self.client.get(f"/v1/meshes/{item['id']}").json["skeleton"]
            archive = upload(self, self.client.get(f"/v1/meshes/{item['id']}.glb").body)
            for extension, read in READERS.items():
                name, data = next(iter(unpack(self.files(archive, extension)).items()))
                read(data)
                back = self.client.post("/v1/archives", data, name=name).json
                for clip in self.client.items("/v1/clips", format="tso-anim"):
                    query = {"clip": clip["id"], "t": 0.4 * clip["duration"], "skeleton": skeleton}
                    before, after = (self.corners(mesh, query) for mesh in (item["id"], back["meshes"][0]["id"]))
                    self.assertEqual(len(before), len(after))
                    for a, b in zip(before, after):
                        self.assertClose(a, b, 1e-4)
                    count += 1
        self.assertGreater(count, 5)

    def of_the_first_game(self):
        samples = Path(Daemon.samples).parent / "format-samples" / "sims1-skn"
        for path in sorted(samples.glob("*.skn")):
            archive = self.client.post("/v1/archives", path.read_bytes(), name=path.name).json
            yield archive["meshes"][0]

    def corners(self, mesh, query):
        faces = self.client.get(f"/v1/meshes/{mesh}").json["faces"]
        places = self.client.get(f"/v1/meshes/{mesh}/vertices", **query).json["positions"]
        return [places[v] for face in faces for v in face]

    def test_a_moved_vertex_stays_where_it_was_put(self):
        """_POSITION_2 far from POSITION was left behind by an editor: it does not count."""
        def second(file, root):
            rows = [(9, 9, 9, 1)] * 198
            root["meshes"][0]["primitives"][0]["attributes"]["_POSITION_2"] = file.accessor(rows)

        archive = upload(self, body(change=second).bytes())
        reply = self.files(archive, "skn")
        self.assertEqual(reply.headers["Posed-Warning"], "second_position_moved")
        plain = unpack(self.files(upload(self, body().bytes()), "skn"))
        self.assertEqual(list(unpack(reply).values())[0], list(plain.values())[0])


class CommandLine(SampleCase):
    def test_files_beside_out(self):
        import subprocess
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "tube.glb").write_bytes(body().bytes())
            done = subprocess.run([Daemon.binary, "convert", f"{folder}/tube.glb", f"{folder}/new.skn"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done)
            mesh = read_skn((Path(folder) / "new.skn").read_bytes())
            self.assertEqual((mesh.name, mesh.texture), ("new", "Cloth_1"))
            self.assertIn(b"\r\nnew\r\n", (Path(folder) / "new.cmx").read_bytes())
            read_bmp((Path(folder) / "Cloth_1.bmp").read_bytes())
            done = subprocess.run([Daemon.binary, "convert", f"{folder}/tube.glb", f"{folder}/new.zip", "--to", "tso-mesh"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(zipfile.ZipFile(f"{folder}/new.zip").namelist()), 4)


if __name__ == "__main__":
    unittest.main()
