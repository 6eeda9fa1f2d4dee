"""Characters of several files: parts that sims wear, the avatar of Second Life. Skins, pictures, morphs in the GLB, and
the same deformation there as in /vertices."""

import math
import shutil
import struct
import tempfile
import unittest
from pathlib import Path

import sims3_files as made
from daemon import Daemon, corpus
from test_bodies import LETTERS, accessor, read_glb, skinned
from test_pictures import read_png

FORMATS = Daemon.samples.parent / "format-samples"
TIMES = (0, 0.137, 0.31, 0.55)
GEOM, VPXY, DDS, CASP = 0x015A1849, 0x736884F1, 0x00B2D882, 0x034AEECB
PART = 0x008C9DFC


def container(tag, kind, public, chunk):
    key = struct.pack("<QII", PART if public else 0, kind if public else 0, public)
    return struct.pack("<5I", 3, public, 0, 0, 1) + key + struct.pack("<2I", 44, len(chunk)) + chunk


def with_keys(head, body, keys):
    """What begins with the tag and version, then leads to its table of keys."""
    table = struct.pack("<I", len(keys)) + b"".join(struct.pack("<IIQ", *key) for key in keys)
    return head + struct.pack("<2I", 4 + len(body), len(table)) + body + table


def mesh(bones, texture):
    """A spike at each bone, half of whose tip is the next bone's."""
    vertices, indices = b"", []
    for i, (_, place) in enumerate(bones):
        for corner, offset in enumerate(((0, 0, 0), (0.05, 0, 0), (0, 0.1, 0.05))):
            other = (i + 1) % len(bones)
            share = 0.5 if corner == 2 else 0
            vertices += struct.pack("<3f3f2f4B4f", *(a + b for a, b in zip(place, offset)), 0, 0, 1, corner / 2,
                                    corner % 2, i, other, 255, 0, 1 - share, share, 0, 0)
            indices.append(3 * i + corner)
    block = b"MTNF" + struct.pack("<3I", 0, 16, 1) + struct.pack("<4I", 0x6CC0FD85, 4, 4, 32) + bytes(16)
    elements = ((1, 1, 12), (2, 1, 12), (3, 1, 8), (4, 2, 4), (5, 1, 16))
    body = struct.pack("<2I", 0x548394B9, len(block)) + block + struct.pack("<4I", 0, 0, 3 * len(bones), 5)
    body += b"".join(struct.pack("<2IB", *element) for element in elements) + vertices
    body += struct.pack("<IBI", 1, 2, len(indices)) + struct.pack(f"<{len(indices)}H", *indices)
    body += struct.pack("<iI", 1, len(bones)) + b"".join(struct.pack("<I", made.fnv(name, 32)) for name, _ in bones)
    keys = ((DDS, 0, made.fnv(texture, 64)), (0x00AE6C67, 0, 1))
    return container("GEOM", GEOM, 0, with_keys(b"GEOM" + struct.pack("<I", 5), body, keys))


def mesh_list(levels):
    """Levels of detail: (number, instances of meshes)."""
    keys, entries = [], b""
    for number, meshes in levels:
        entries += struct.pack("<3B", 0, number, len(meshes))
        for instance in meshes:
            entries += struct.pack("<I", len(keys))
            keys.append((GEOM, PART, instance))
    body = struct.pack("<B", len(levels)) + entries + struct.pack("<B6f", 2, -1, 0, -1, 1, 2, 1) + bytes(5)
    return container("VPXY", VPXY, 1, with_keys(b"VPXY" + struct.pack("<I", 4), body, keys))


def part(name, age):
    """A part that a sim wears."""
    text = name.encode("utf-16-be")
    body = struct.pack("<IB", 0, len(text)) + text + struct.pack("<fB4I", 1, 0, 4, 8, age, 2)
    body += b"\xff" * 6 + struct.pack("<I2BB", 0, 1, 0, 0) + bytes(5) + b"\0"
    return struct.pack("<2I", 18, len(body)) + body + struct.pack("<BQII", 1, PART, 1, VPXY)


def dds(rows):
    """An image, each pixel (red, green, blue, alpha)."""
    height, width = len(rows), len(rows[0])
    head = struct.pack("<7I44x", 124, 0x100F, height, width, 4 * width, 0, 0)
    head += struct.pack("<2I4x5I", 32, 0x41, 32, 0xFF0000, 0xFF00, 0xFF, 0xFF000000) + struct.pack("<I16x", 0x1000)
    return b"DDS " + head + b"".join(bytes((b, g, r, a)) for row in rows for r, g, b, a in row)


def deformed(root, binary, animation, t, number):
    """A mesh of several as a player has it, morph targets mixed in."""
    node = next(n for n in root["nodes"] if n.get("mesh") == number)
    primitive = root["meshes"][number]["primitives"][0]
    positions = [list(p) for p in accessor(root, binary, primitive["attributes"]["POSITION"])]
    weights = node.get("weights", root["meshes"][number].get("weights", []))
    for target, weight in zip(primitive.get("targets", []), weights):
        row = root["accessors"][target["POSITION"]]
        sparse = row.get("sparse")
        if not weight or not sparse:
            moved = accessor(root, binary, target["POSITION"]) if weight else []
            places = range(len(moved))
        else:
            view = root["bufferViews"][sparse["indices"]["bufferView"]]
            letter = LETTERS[sparse["indices"]["componentType"]]
            places = struct.unpack_from(f"<{sparse['count']}{letter}", binary, view["byteOffset"])
            view = root["bufferViews"][sparse["values"]["bufferView"]]
            flat = struct.unpack_from(f"<{3 * sparse['count']}f", binary, view["byteOffset"])
            moved = [flat[i:i + 3] for i in range(0, len(flat), 3)]
        for place, way in zip(places, moved):
            positions[place] = [a + weight * b for a, b in zip(positions[place], way)]
    return skinned(root, binary, animation, t, number, positions)


class DressedCase(unittest.TestCase):
    def folder(self):
        top = tempfile.TemporaryDirectory()
        self.addCleanup(top.cleanup)
        return Path(top.name)

    def check_deformation(self, client, character, clip):
        """GLB and /vertices agree; returns the GLB."""
        glb = client.get(f"/v1/characters/{character['id']}.glb?clips={clip}")
        self.assertEqual(glb.status, 200, glb)
        root, binary = read_glb(glb.body)
        self.assertEqual(len(root["meshes"]), len(character["meshes"]))
        for number, mesh in enumerate(character["meshes"]):
            for t in TIMES:
                reply = client.get(f"/v1/meshes/{mesh['id']}/vertices?clip={clip}&t={t}&wrap=clamp").json
                self.assertEqual(reply["skeleton"], character["skeleton"])
                found = list(deformed(root, binary, root["animations"][0], t, number))
                self.assertEqual(len(found), len(reply["positions"]))
                worst = max(abs(a - b) for p, q in zip(found, reply["positions"]) for a, b in zip(p, q))
                self.assertLess(worst, 1e-4, (mesh["name"], t))
        return root, binary


class Worn(DressedCase):
    """A part of two meshes, with its list, its picture, and meshes of a coarser level."""

    def bones(self):
        with Daemon(Daemon.samples / "sims-3.package") as daemon:
            rig = daemon.client.items("/v1/skeletons", format="sims3-rig")[0]
            joints = daemon.client.get("/v1/skeletons/" + rig["id"]).json["joints"]
        places = []
        for joint in joints:
            above = places[joint["parent"]][1] if joint["parent"] >= 0 else (0, 0, 0)
            places.append((joint["name"], tuple(a + b for a, b in zip(above, joint["translation"]))))
        return places

    def fill(self, folder):
        bones = self.bones()
        half = len(bones) // 2
        for instance, some in ((0xA1, bones), (0xA2, bones[:half + 1]), (0xB1, bones[:2])):
            (folder / f"afBodyTest_lod_0x{instance:016X}.simgeom").write_bytes(mesh(some, "body_m"))
        (folder / f"{VPXY:08X}-00000001-{PART:016X}.vpxy").write_bytes(mesh_list(((2, (0xB1,)), (1, (0xA1, 0xA2)))))
        (folder / "afBodyTest.casp").write_bytes(part("afBodyTest", 0x2130))
        shutil.copy(FORMATS / "sims3-dds" / "sample.dds", folder / "body_m.dds")

    def test_who_wears_what(self):
        folder = self.folder()
        self.fill(folder)
        with Daemon(folder, Daemon.samples / "sims-3.package") as daemon:
            client = daemon.client
            characters = {item["type"]: client.get(f"/v1/characters/{item['id']}").json
                          for item in client.items("/v1/characters")}
            self.assertEqual(sorted(characters), ["part", "parts"])
            names = [[mesh["name"] for mesh in character["meshes"]] for character in characters.values()]
            self.assertEqual(names[0], names[1])
            self.assertEqual([name[-2:] for name in names[0]], ["A1", "A2"], "the smallest level is drawn")
            clip = client.items("/v1/clips", name="a_walk_loop_x")[0]["id"]
            for character in characters.values():
                self.assertEqual(character["missing"], [])
                root, _ = self.check_deformation(client, character, clip)
                self.assertEqual(len(root["images"]), 1)
                self.assertEqual(root["materials"][0]["name"], "SimSkin")

    def test_what_goes_with_it(self):
        """By the names of parts: of the same age and sex, for free places, in full detail; a body comes before a hat."""
        folder = self.folder()
        self.fill(folder)
        bones = self.bones()
        for name in ("afFaceOne_lod1", "afFaceOne_lod2", "amFaceTwo_lod1", "cuFaceThree_lod1", "auAccessoryHat_lod1",
                     "afBodyOther_lod1", "teapot_lod1"):
            some = bones[:1 + len(name) % 7]
            (folder / f"{name}.simgeom").write_bytes(mesh(some, "body_m"))
        with Daemon(folder, Daemon.samples / "sims-3.package") as daemon:
            client = daemon.client
            for item in client.items("/v1/characters"):
                one = client.get(f"/v1/characters/{item['id']}").json
                self.assertEqual([(s["name"], s["place"]) for s in one["suggest"]],
                                 [("afFaceOne_lod1", "head"), ("auAccessoryHat_lod1", "accessory")])
                worn = client.get(f"/v1/characters/{item['id']}.glb", **{"with": one["suggest"][0]["mesh"]})
                self.assertEqual(len(read_glb(worn.body)[0]["meshes"]), len(one["meshes"]) + 1)

    def colors(self, client, character, clip):
        """Of all opaque pixels of a picture."""
        reply = client.get(f"/v1/clips/{clip}/preview.png", character=character["id"], width=256, height=256, angle="front")
        self.assertEqual(reply.status, 200, reply)
        _, _, rows = read_png(reply.body)
        return [row[x:x + 3] for row in rows for x in range(0, len(row), 4) if row[x + 3] == 255]

    def test_cloth_lies_on_skin(self):
        """The image of a garment is relief with its coverage as alpha: bare limbs have the colour of skin, not of nothing."""
        skin, cloth = (219, 168, 138), (96 * 1.5,) * 3
        for left, right, is_there in (((0, 0, 0, 0), (96, 96, 96, 255), True), ((0, 0, 0, 0),) * 2 + (False,)):
            folder = self.folder()
            self.fill(folder)
            (folder / "body_m.dds").write_bytes(dds([[left] * 4 + [right] * 4] * 8))
            if not is_there:
                (folder / "body_m.dds").unlink()
            with Daemon(folder, Daemon.samples / "sims-3.package") as daemon:
                client = daemon.client
                character = client.get(f"/v1/characters/{client.items('/v1/characters')[0]['id']}").json
                mesh = client.get(f"/v1/meshes/{character['meshes'][0]['id']}").json
                covers = mesh["materials"][0]["covers"]
                self.assertEqual(covers["gain"], 1.5)
                self.assertEqual([round(255 * c) for c in covers["ground"]], list(skin))
                clip = client.items("/v1/clips", name="a_walk_loop_x")[0]["id"]
                seen = self.colors(client, character, clip)
                self.assertGreater(len(seen), 200)
                tones = [c for c in seen if c[0] > 1.2 * c[2]]
                self.assertGreater(len(tones), len(seen) / (4 if is_there else 1) - 1)
                if is_there:
                    self.assertGreater(len([c for c in seen if max(c) - min(c) < 6]), len(seen) / 8)
                self.assertFalse([c for c in seen if max(c) < 40], "nothing is black")
                root, binary = read_glb(client.get(f"/v1/characters/{character['id']}.glb?clips={clip}").body)
                material = root["materials"][0]
                self.assertNotIn("alphaMode", material)
                self.assertEqual("images" in root, is_there)
                if is_there:
                    view = root["bufferViews"][root["images"][0]["bufferView"]]
                    at = view.get("byteOffset", 0)
                    width, height, rows = read_png(binary[at:at + view["byteLength"]])
                    self.assertEqual((width, height), (8, 8))
                    size = len(rows[0]) // 8
                    self.assertEqual([tuple(rows[3][x * size:x * size + 3]) for x in (0, 7)], [skin, cloth])
                else:
                    factor = material["pbrMetallicRoughness"]["baseColorFactor"]
                    for one, wanted in zip(factor, skin):
                        self.assertAlmostEqual(one, ((wanted / 255 + 0.055) / 1.055) ** 2.4, 2)

    def test_in_a_package_and_what_is_missing(self):
        folder = self.folder()
        self.fill(folder)
        next(folder.glob("*A2.simgeom")).unlink()
        with Daemon(folder) as daemon:
            for item in daemon.client.items("/v1/characters"):
                character = daemon.client.get(f"/v1/characters/{item['id']}").json
                self.assertEqual(len(character["meshes"]), 1)
                self.assertEqual(character["missing"], [f"{GEOM:08X}-{PART:08X}-{0xA2:016X}"])

    @unittest.skipUnless(corpus(), "no corpus")
    def test_the_real_dress(self):
        with Daemon(corpus() / "sims3" / "meshes" / "dress" / "dress-made-casp.package") as daemon:
            found = [daemon.client.get(f"/v1/characters/{item['id']}").json
                     for item in daemon.client.items("/v1/characters")]
            self.assertEqual(sorted(character["type"] for character in found), ["part", "parts"])
            for character in found:
                self.assertEqual(len(character["meshes"]), 2)
                self.assertEqual(character["missing"], [])


@unittest.skipUnless(corpus(), "no corpus")
class Objects(DressedCase):
    def test_a_model_on_its_rig(self):
        with Daemon(corpus() / "sims3" / "meshes" / "objects", corpus() / "sims3" / "rigs") as daemon:
            client = daemon.client
            item = next(item for item in client.items("/v1/characters") if item["entry"].endswith("189D58428C1ACEA6.vpxy"))
            character = client.get(f"/v1/characters/{item['id']}").json
            self.assertEqual([mesh["name"][-16:] for mesh in character["meshes"]], ["189D58428C1ACEA6"])
            rig = client.get(f"/v1/skeletons/{character['skeleton']}").json
            self.assertIn("6EE886E80C45C5F0", rig["entry"])
            root, binary = read_glb(client.get(f"/v1/characters/{item['id']}.glb").body)
            self.assertEqual(len(root["images"]), 1)
            self.assertEqual(len(accessor(root, binary, root["meshes"][0]["primitives"][0]["attributes"]["POSITION"])), 116)


AVATAR = """<?xml version="1.0"?>
<linden_avatar version="2.0">
  <skeleton file_name="avatar_skeleton.xml">
    <param id="1" name="Arms" value_min="0" value_max="1" value_default="0.5">
      <param_skeleton><bone name="mElbowLeft" scale="0 0.4 0.1" offset="0 0.05 0"/></param_skeleton></param>
  </skeleton>
  <mesh type="upperBodyMesh" lod="0" file_name="avatar_upper_body.llm">
    <param id="2" name="Fat" value_min="0" value_max="1" value_default="0.75"><param_morph/></param>
  </mesh>
  <mesh type="upperBodyMesh" lod="1" file_name="avatar_upper_body_1.llm" reference="avatar_upper_body.llm"/>
  <mesh type="lowerBodyMesh" lod="0" file_name="avatar_lower_body.llm"/>
  <mesh type="skirtMesh" lod="0" file_name="avatar_upper_body.llm"/>
</linden_avatar>
"""


class Avatar(DressedCase):
    def fill(self, folder):
        (folder / "avatar_lad.xml").write_text(AVATAR)
        shutil.copy(FORMATS / "sl-skeleton" / "sample.xml", folder / "avatar_skeleton.xml")
        shutil.copy(FORMATS / "sl-llm" / "sample.llm", folder / "avatar_upper_body.llm")
        shutil.copy(FORMATS / "sl-llm" / "sample_1.llm", folder / "avatar_upper_body_1.llm")
        for name in ("walk", "wave"):
            shutil.copy(Daemon.samples / "second-life" / f"{name}.anim", folder)

    def only(self, client):
        items = client.items("/v1/characters")
        self.assertEqual([item["format"] for item in items], ["sl-lad"])
        return client.get(f"/v1/characters/{items[0]['id']}").json

    def test_every_clip_plays_on_it(self):
        folder = self.folder()
        self.fill(folder)
        with Daemon(folder) as daemon:
            character = self.only(daemon.client)
            self.assertEqual([mesh["name"] for mesh in character["meshes"]], ["upperBodyMesh"])
            self.assertEqual(sorted(clip["name"] for clip in character["clips"]), ["walk", "wave"])
            self.assertEqual([w["code"] for w in character["warnings"]], ["mesh_left_out"])
            self.assertEqual([row["weight"] for row in character["extras"]["shape"]], [0.5, 0.75])
            for clip in character["clips"]:
                root, _ = self.check_deformation(daemon.client, character, clip["id"])
                self.assertEqual(root["meshes"][0]["weights"], [0.75])
                # The clip alone stays on the plain skeleton, and nothing is said against that.
                alone = daemon.client.get(f"/v1/clips/{clip['id']}").json
                self.assertNotEqual(alone["skeleton"], character["skeleton"])

    def test_what_is_broken_or_missing(self):
        folder = self.folder()
        self.fill(folder)
        data = (folder / "avatar_lad.xml").read_bytes()
        for wanted in ("no_skeleton", "no_meshes"):
            inner = self.folder()
            (inner / "avatar_lad.xml").write_bytes(data)
            if wanted == "no_meshes":
                shutil.copy(folder / "avatar_skeleton.xml", inner)
            with Daemon(inner) as daemon:
                entries = [entry for archive in daemon.client.items("/v1/archives")
                           for entry in daemon.client.items(f"/v1/archives/{archive['id']}/entries")]
                self.assertEqual([entry["error"]["code"] for entry in entries if "error" in entry], [wanted])

    @unittest.skipUnless(corpus(), "no corpus")
    def test_the_viewer_s_own(self):
        folder = self.folder()
        for path in (corpus() / "sl" / "character").iterdir():
            shutil.copyfile(path, folder / path.name)
        shutil.copyfile(corpus() / "sl" / "viewer" / "6ed24bd8-91aa-4b12-ccc7-c97c857ab4e0.animatn", folder / "walk.animatn")
        with Daemon(folder) as daemon:
            character = self.only(daemon.client)
            self.assertEqual(len(character["meshes"]), 7)
            self.assertEqual(character["warnings"], [])
            clip = character["clips"][0]["id"]
            root, _ = self.check_deformation(daemon.client, character, clip)
            self.assertEqual([len(mesh["primitives"][0]["targets"]) for mesh in root["meshes"]][:2], [47, 95])
            upper = next(mesh["id"] for mesh in character["meshes"] if mesh["name"] == "upperBodyMesh")
            path = f"/v1/meshes/{upper}/vertices?clip={clip}&t=0.3&axes=native"
            vertex = daemon.client.get(path).json["positions"][2210]
            for found, wanted in zip(vertex, (0.052418, -0.254984, 0.850502)):
                self.assertLess(math.fabs(found - wanted), 2e-6)


if __name__ == "__main__":
    unittest.main()
