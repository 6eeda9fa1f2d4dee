"""Characters with bodies: skins, materials and pictures in the GLB, the same deformation there as in /vertices."""

import json
import math
import struct
import unittest
from pathlib import Path

from daemon import Daemon
from fixture import SampleCase

SIZES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
LETTERS = {5121: "B", 5123: "H", 5125: "I", 5126: "f"}


def read_glb(data):
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + length]), data[28 + length:]


def accessor(root, binary, index):
    row = root["accessors"][index]
    view = root["bufferViews"][row["bufferView"]]
    size = SIZES[row["type"]]
    start = view["byteOffset"] + row.get("byteOffset", 0)
    values = struct.unpack_from(f"<{row['count'] * size}{LETTERS[row['componentType']]}", binary, start)
    return [values[i:i + size] for i in range(0, len(values), size)] if size > 1 else list(values)


def multiply(a, b):
    return [sum(a[4 * k + row] * b[4 * column + k] for k in range(4)) for column in range(4) for row in range(4)]


def compose(t, q, s):
    x, y, z, w = q
    columns = ((1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
               (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
               (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)))
    return [n for i in range(3) for n in (*(v * s[i] for v in columns[i]), 0)] + [*t, 1]


def slerp(a, b, f):
    dot = sum(x * y for x, y in zip(a, b))
    b = [-x for x in b] if dot < 0 else b
    angle = math.acos(min(abs(dot), 1))
    if angle < 1e-4:
        mixed = [x + (y - x) * f for x, y in zip(a, b)]
    else:
        mixed = [(math.sin((1 - f) * angle) * x + math.sin(f * angle) * y) / math.sin(angle) for x, y in zip(a, b)]
    length = math.sqrt(sum(x * x for x in mixed))
    return [x / length for x in mixed]


def sample(root, binary, sampler, path, t):
    times, values = accessor(root, binary, sampler["input"]), accessor(root, binary, sampler["output"])
    k = max((i for i, time in enumerate(times) if time <= t), default=0)
    if t <= times[0] or k + 1 == len(times):
        return list(values[k])
    f = (t - times[k]) / (times[k + 1] - times[k])
    if path == "rotation":
        return slerp(values[k], values[k + 1], f)
    return [a + (b - a) * f for a, b in zip(values[k], values[k + 1])]


def skinned(root, binary, animation, t, mesh=0, positions=None):
    """The positions of a mesh as a glTF player has them; positions: other ones than those in the file."""
    parts = [{"translation": n.get("translation", [0, 0, 0]), "rotation": n.get("rotation", [0, 0, 0, 1]),
              "scale": n.get("scale", [1, 1, 1])} for n in root["nodes"]]
    for channel in animation["channels"]:
        target = channel["target"]
        parts[target["node"]][target["path"]] = sample(root, binary, animation["samplers"][channel["sampler"]],
                                                       target["path"], t)
    world = {}

    def place(node, above):
        part = parts[node]
        world[node] = multiply(above, compose(part["translation"], part["rotation"], part["scale"]))
        for child in root["nodes"][node].get("children", ()):
            place(child, world[node])

    for node in root["scenes"][0]["nodes"]:
        place(node, compose((0, 0, 0), (0, 0, 0, 1), (1, 1, 1)))
    skin = root["skins"][next(node["skin"] for node in root["nodes"] if node.get("mesh") == mesh)]
    binds = accessor(root, binary, skin["inverseBindMatrices"])
    matrices = [multiply(world[joint], bind) for joint, bind in zip(skin["joints"], binds)]
    attributes = root["meshes"][mesh]["primitives"][0]["attributes"]
    joints, weights = (accessor(root, binary, attributes[key]) for key in ("JOINTS_0", "WEIGHTS_0"))
    rows = zip(positions or accessor(root, binary, attributes["POSITION"]), joints, weights)
    for (x, y, z), joints, weights in rows:
        yield [sum(w * (matrices[j][i] * x + matrices[j][4 + i] * y + matrices[j][8 + i] * z + matrices[j][12 + i])
                   for j, w in zip(joints, weights)) for i in range(3)]


class Bodies(SampleCase):
    def characters(self):
        for item in self.client.items("/v1/characters", format="prime-ancs"):
            yield self.client.get(f"/v1/characters/{item['id']}").json

    def test_the_glb_deforms_as_vertices_do(self):
        count = 0
        for character in self.characters():
            mesh = character["meshes"][0]["id"]
            for clip in character["clips"]:
                glb = self.client.get(f"/v1/characters/{character['id']}.glb?clips={clip['id']}")
                root, binary = read_glb(glb.body)
                for t in (0, 0.137, 0.31, 0.55):
                    path = f"/v1/meshes/{mesh}/vertices?clip={clip['id']}&t={t}&wrap=clamp"
                    wanted = self.client.get(path).json["positions"]
                    duration = max(root["accessors"][s["input"]]["max"][0] for s in root["animations"][0]["samplers"])
                    found = list(skinned(root, binary, root["animations"][0], min(t, duration)))
                    self.assertEqual(len(found), len(wanted))
                    worst = max(abs(a - b) for p, q in zip(found, wanted) for a, b in zip(p, q))
                    self.assertLess(worst, 1e-4, (clip["name"], t))
                    count += 1
        self.assertGreater(count, 20)

    def test_the_glb_has_materials_and_pictures(self):
        for character in self.characters():
            glb = self.client.get(f"/v1/characters/{character['id']}.glb")
            self.assertNotIn("empty_mesh", glb.headers.get("Posed-Warning", ""))
            root, _ = read_glb(glb.body)
            self.assertEqual(len(root["images"]), 11)
            self.assertEqual(len(root["meshes"][0]["primitives"]), 12)
            self.assertEqual(sorted(m.get("alphaMode", "OPAQUE") for m in root["materials"]),
                             ["BLEND", "MASK"] + ["OPAQUE"] * 9)
            self.assertTrue(all("baseColorTexture" in m["pbrMetallicRoughness"] for m in root["materials"]))

    def test_a_mesh_tells_its_looks(self):
        for character in self.characters():
            mesh = self.client.get(f"/v1/meshes/{character['meshes'][0]['id']}").json
            faces = [face for primitive in mesh["primitives"] for face in primitive["faces"]]
            self.assertEqual(faces, mesh["faces"])
            self.assertEqual(mesh["materials"][2]["alpha"], "blend")
            self.assertEqual(mesh["materials"][2]["image"], "0C0D0042")
            self.assertEqual(mesh["morphs"], [])
            self.assertEqual(mesh["skeleton"], character["skeleton"])

    def test_a_material_leads_to_its_picture(self):
        for character in self.characters():
            mesh = self.client.get(f"/v1/meshes/{character['meshes'][0]['id']}").json
            for material in mesh["materials"]:
                image = self.client.get(f"/v1/images/{material['image_id']}").json
                self.assertEqual((image["archive"], image["format"]), (mesh["archive"], "prime-txtr"))
                self.assertEqual(self.client.get(f"/v1/images/{material['image_id']}.png").status, 200)
                self.assertTrue(image["entry"].startswith(material["image"]), image["entry"])
                self.assertEqual(material["emissive_image"] is None, material["emissive_image_id"] is None)
            self.assertEqual((mesh["texture"], mesh["texture_id"]), (None, None))

    def test_images(self):
        items = self.client.items("/v1/images", format="prime-txtr")
        self.assertGreaterEqual(len(items), 11)
        for item in items:
            image = self.client.get(f"/v1/images/{item['id']}").json
            self.assertEqual((image["width"], image["height"]), (item["width"], item["height"]))
            self.assertIn("texture_format", image["extras"])
            png = self.client.get(f"/v1/images/{item['id']}.png")
            self.assertEqual(png.headers["Content-Type"], "image/png")
            self.assertEqual(png.body[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(struct.unpack(">II", png.body[16:24]), (item["width"], item["height"]))
        self.assertEqual(self.client.get("/v1/images/" + "0" * 32).status, 404)

    def test_common_pictures(self):
        """The same pattern as BMP, PNG and TGA, a grey one as JPEG, in a folder and inspected."""
        folder = Path(__file__).resolve().parents[2] / "data"
        with Daemon(*(folder / kind for kind in ("bmp", "jpeg", "png", "tga"))) as daemon:
            client = daemon.client
            items = {item["format"]: item for item in client.items("/v1/images")}
            found = {kind: (item["width"], item["height"], item["alpha"]) for kind, item in items.items()}
            wanted = {"bmp": (6, 4, False), "png": (6, 4, True), "tga": (6, 4, True), "jpeg": (8, 8, False)}
            self.assertEqual(found, wanted)
            bodies = {kind: client.get(f"/v1/images/{item['id']}.png").body for kind, item in items.items()}
            self.assertEqual(bodies["png"], bodies["tga"])
            for body in bodies.values():
                self.assertEqual(body[:8], b"\x89PNG\r\n\x1a\n")
            for file in sorted(folder.glob("*/pattern.*")):
                reply = client.post("/v1/inspect", file.read_bytes(), name=file.name).json
                self.assertEqual((reply["format"], reply["kind"]), (file.parent.name, "image"))
            broken = client.post("/v1/inspect", (folder / "png" / "pattern.png").read_bytes()[:40], name="a.png")
            self.assertEqual((broken.status, broken.json["code"]), (422, "bad_picture"))
            jpeg = next((folder / "jpeg").glob("*.jp*g")).read_bytes()
            table = jpeg.index(b"\xff\xc4") + 5  # 16 counts, after the length and the table's place
            for counts in (b"\xff" * 16, b"\0\0" + b"\x81" * 2 + b"\0" * 12):
                codes = client.post("/v1/inspect", jpeg[:table] + counts + jpeg[table + 16:], name="codes.jpg")
                self.assertEqual((codes.status, codes.json["code"]), (422, "bad_picture"))


if __name__ == "__main__":
    unittest.main()
