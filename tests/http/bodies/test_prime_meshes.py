"""Meshes made fit for Metroid Prime 1 and 2, judged by an independent reader of their files and posed by their own rules."""

import math
import subprocess
import tempfile
import unittest
from pathlib import Path

from daemon import Daemon
from fixture import SampleCase
from places import inverse, transform, worlds
from prime_bodies import Cinf, Cmdl, Cskr, deform, read_txtr, to_gltf
from test_bodies import accessor, multiply, read_glb, skinned
from test_gltf_meshes import upload
from test_sims_meshes import SHADES, body, unpack

GAMES = ("mp1", "mp2")


def by_kind(files):
    return {name.rsplit(".", 1)[1]: data for name, data in files.items()}


def corners_of(root, binary, rows):
    """Of triangles with three places: others are not drawn."""
    indices = [v for part in root["meshes"][0]["primitives"] for v in accessor(root, binary, part["indices"])]
    places = accessor(root, binary, root["meshes"][0]["primitives"][0]["attributes"]["POSITION"])
    faces = [indices[i:i + 3] for i in range(0, len(indices), 3)]
    return [rows[v] for face in faces if len({tuple(places[v]) for v in face}) == 3 for v in face]


class PrimeMeshes(SampleCase):
    def cmdl(self, archive, status=200, **query):
        reply = self.client.get(f"/v1/meshes/{archive['meshes'][0]['id']}.cmdl", **query)
        self.assertEqual(reply.status, status, reply)
        return reply

    def lost(self, wanted, found, tolerance):
        self.assertEqual(len(wanted), len(found))
        worst = max(abs(a - b) for p, q in zip(wanted, found) for a, b in zip(p, q))
        self.assertLess(worst, tolerance)

    def check_poses(self, archive, made, game, times=(0, 0.25, 0.8, 1)):
        root, binary = read_glb(made)
        files = by_kind(unpack(self.cmdl(archive, game=game)))
        self.assertLessEqual({"ancs", "cinf", "cmdl", "cskr", "txtr"}, {*files, "txtr"})
        model, skin, skeleton = Cmdl(files["cmdl"]), Cskr(files["cskr"], game), Cinf(files["cinf"], game)
        self.assertEqual((model.game, model.flags), (game, 1))
        self.assertEqual(skin.count, 1 + max(place for place, _, _, _ in model.corners()))
        self.assertTrue(all(p == n for p, n, _, _ in model.corners()))  # so that a group has both
        rest = worlds(root, binary)
        for bone, (_, origin) in skeleton.bones.items():
            self.assertClose(to_gltf(origin), rest[skeleton.names[bone]][12:15], 1e-6)
        for t in times:
            posed = worlds(root, binary, t)
            moves = {bone: (lambda v, m=multiply(posed[name], inverse(rest[name])): transform(m, v))
                     for bone, name in skeleton.names.items()}
            wanted = corners_of(root, binary, list(skinned(root, binary, root["animations"][0], t)))
            self.lost(wanted, list(deform(model, skin, moves)), 1e-5)
        return model, skin

    def test_a_body_of_another_program(self):
        """Within 1e-5 of what a glTF player shows, by the games' own rules, with up to three weights."""
        for three in (False, True):
            made = body(three=three).bytes()
            archive = upload(self, made)
            for game in GAMES:
                model, skin = self.check_poses(archive, made, game)
                self.assertEqual(skin.count, 88)  # the seam is one of texture coordinates alone
                self.assertEqual(len({uv for _, _, uv, _ in model.corners()}), 99)
                self.assertEqual(bool(skin.banks), game == "mp2")
                self.assertEqual(len(model.surfaces) > 1, False)

    def test_many_groups_fill_several_banks(self):
        def many(file, root):
            rows = [(1 - k / 198, k / 198, 0, 0) if k < 99 else (k / 198, 1 - k / 198, 0, 0) for k in range(198)]
            rows = [tuple(sorted(row, reverse=True)) for row in rows]
            root["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = file.accessor(rows)

        made = body(change=many).bytes()
        archive = upload(self, made)
        model, skin = self.check_poses(archive, made, "mp2")
        self.assertGreater(len(model.surfaces), 5)
        self.assertEqual(len(skin.banks), 10 * len(model.surfaces))
        model, skin = self.check_poses(archive, made, "mp1")
        self.assertEqual(len(model.surfaces), 1)

    def test_a_static_model(self):
        def without_skin(file, root):
            del root["nodes"][3]["skin"], root["animations"], root["skins"]
            for name in ("JOINTS_0", "WEIGHTS_0"):
                del root["meshes"][0]["primitives"][0]["attributes"][name]
            root["nodes"][3]["translation"] = [1, 2, 3]

        made = body(change=without_skin)
        root, binary = read_glb(made.bytes())
        places = accessor(root, binary, root["meshes"][0]["primitives"][0]["attributes"]["POSITION"])
        wanted = corners_of(root, binary, [[x + 1, y + 2, z + 3] for x, y, z in places])
        archive = upload(self, made.bytes())
        for game in GAMES:
            files = by_kind(unpack(self.cmdl(archive, game=game)))
            self.assertEqual(sorted(files), ["cmdl", "txtr"])
            model = Cmdl(files["cmdl"])
            self.assertEqual((model.game, model.flags), (game, 0))
            self.lost(wanted, [to_gltf(model.positions[place]) for place, _, _, _ in model.corners()], 1e-6)
            self.assertEqual(len({n for _, n, _, _ in model.corners()}), 8)  # as many as there are directions

    def test_models_of_the_games_come_back(self):
        """The samples' characters as GLB and back: the same corners in poses of their clips, within 1e-5."""
        count = 0
        for item in self.client.items("/v1/characters", format="prime-ancs"):
            character = self.client.get(f"/v1/characters/{item['id']}").json
            for clip in character["clips"]:
                made = self.client.get(f"/v1/characters/{item['id']}.glb?clips={clip['id']}&bones=none").body
                archive = upload(self, made)
                for game in GAMES:
                    self.check_poses(archive, made, game, (0, 0.137, 0.31))
                    count += 1
        self.assertGreater(count, 5)

    def test_textures_and_materials(self):
        def two(file, root):
            primitive = root["meshes"][0]["primitives"][0]
            root["materials"] += [{"alphaMode": "BLEND", "pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0.25, 0.5]}}]
            root["meshes"][0]["primitives"].append({**primitive, "material": 1})

        archive = upload(self, body(change=two).bytes())
        for game in GAMES:
            files = unpack(self.cmdl(archive, game=game))
            model = Cmdl(next(iter(files.values())))
            textured, plain = model.materials
            self.assertEqual(read_txtr(files[f"{textured['texture']:08X}.txtr"]), SHADES)
            self.assertEqual((plain["texture"], plain["konst"], plain["blend"]), (None, (255, 128, 64, 128), (4, 5)))
            self.assertEqual([surface[0] for surface in model.surfaces], [0, 1])

    def test_ours_read_them_as_characters(self):
        """The files of the ZIP are a character: its mesh deforms as the one that it was made of."""
        made = upload(self, body().bytes())
        for game in GAMES:
            reply = self.client.post("/v1/archives", self.cmdl(made, game=game).body, name="figure.zip")
            self.assertEqual(reply.status, 201, reply)
            meshes = [self.client.get(f"/v1/meshes/{item['id']}").json for item in reply.json["meshes"]]
            described = next(mesh for mesh in meshes if mesh["format"] == "prime-cmdl")
            self.assertEqual(len(described["faces"]), 160)
            self.assertEqual([w["code"] for w in described["warnings"]], [], game)
            character, = reply.json["characters"]
            glb = self.client.get(f"/v1/characters/{character['id']}.glb")
            self.assertEqual(glb.status, 200, glb)
            root, binary = read_glb(glb.body)
            self.assertTrue(root["skins"] and root["images"])

    def test_four_weights_and_what_is_lost(self):
        def four(file, root):
            root["nodes"][2]["children"] = [4]
            root["nodes"].append({"name": "HAT", "translation": [0, 0.2, 0]})
            skin = root["skins"][0]
            binds = accessor(*read_glb(file.bytes()), skin["inverseBindMatrices"])
            hat = list(binds[2])
            hat[13] -= 0.2
            skin["joints"].append(4)
            skin["inverseBindMatrices"] = file.accessor([tuple(m) for m in (*binds, hat)])
            attributes = root["meshes"][0]["primitives"][0]["attributes"]
            attributes["JOINTS_0"] = file.accessor([(0, 1, 2, 3)] * 198, 5121)
            attributes["WEIGHTS_0"] = file.accessor([(0.4, 0.3, 0.15, 0.15)] * 198)

        archive = upload(self, body(change=four).bytes())
        for game in GAMES:
            reply = self.cmdl(archive, game=game)
            self.assertEqual(reply.headers["Posed-Warning"].split(",")[0], "weights_dropped")

    def test_limits_and_refusals(self):
        def large(file, root):
            rows = [(i % 300 / 10, i // 300 / 10, 0) for i in range(300 * 220)]
            faces = [v for i in range(300 * 219) if i % 300 < 299 for v in (i, i + 1, i + 300)]
            root["meshes"][0]["primitives"][0] = {"attributes": {"POSITION": file.accessor(rows)}, "indices": file.accessor(faces, 5125)}
            del root["nodes"][3]["skin"], root["animations"]

        def without_area(file, root):
            root["meshes"][0]["primitives"][0]["indices"] = file.accessor([0, 99, 1], 5123)

        reply = self.cmdl(upload(self, body(change=large).bytes()), 422)
        self.assertProblem(reply, 422, code="too_many_vertices")
        self.assertRegex(reply.json["detail"], r"triangle \d+ needs vertex 65536")
        self.assertProblem(self.cmdl(upload(self, body(change=without_area).bytes()), 422), 422, code="nothing_to_write")
        self.assertProblem(self.cmdl(upload(self, body().bytes()), 400, game="mp3"), 400, parameter="game")

    def test_convert_and_the_command_line(self):
        reply = self.client.post("/v1/convert", body().bytes(), to="prime-cmdl", game="mp2", name="tube.glb")
        self.assertEqual((reply.status, reply.media_type), (200, "application/zip"))
        self.assertEqual(Cmdl(next(iter(unpack(reply).values()))).game, "mp2")
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "tube.glb").write_bytes(body().bytes())
            done = subprocess.run([Daemon.binary, "convert", f"{folder}/tube.glb", f"{folder}/new.cmdl", "--game", "mp2"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done)
            self.assertEqual(Cmdl((Path(folder) / "new.cmdl").read_bytes()).game, "mp2")
            Cskr(next(Path(folder).glob("*.cskr")).read_bytes(), "mp2")


if __name__ == "__main__":
    unittest.main()
