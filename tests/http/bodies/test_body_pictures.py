"""Pictures of bodies: the silhouette is that of the vertices, textures show, and every body of the samples is drawn."""

import base64
import math
import unittest
import xml.etree.ElementTree as ElementTree

from daemon import Daemon, corpus
from fixture import SampleCase
from test_bodies import accessor, read_glb
from test_pictures import read_png, solid_box

SIZE = 160


def turned(point, around, up):
    """A point as the camera of that angle sees it: right, up."""
    ca, sa = math.cos(math.radians(around)), math.sin(math.radians(around))
    cu, su = math.cos(math.radians(up)), math.sin(math.radians(up))
    x, y, z = point
    return ca * x - sa * z, -su * sa * x + cu * y - su * ca * z


def covered(triangles, width, height):
    """The pixels whose centre is in a triangle (of pixels)."""
    found = set()
    for (ax, ay), (bx, by), (cx, cy) in triangles:
        for y in range(max(0, int(min(ay, by, cy))), min(height, int(max(ay, by, cy)) + 1)):
            meets = []
            for (px, py), (qx, qy) in (((ax, ay), (bx, by)), ((bx, by), (cx, cy)), ((cx, cy), (ax, ay))):
                if (py <= y + 0.5) != (qy <= y + 0.5):
                    meets.append(px + (y + 0.5 - py) * (qx - px) / (qy - py))
            if meets:
                found.update((x, y) for x in range(max(0, math.ceil(min(meets) - 0.5)),
                                                   min(width, math.ceil(max(meets) - 0.5))))
    return found


def solid(picture, least):
    width, _, rows = picture
    return {(x, y) for y, row in enumerate(rows) for x in range(width) if row[x * 4 + 3] >= least}


class BodyPictures(SampleCase):
    def characters(self):
        for item in self.client.items("/v1/characters"):
            one = self.client.get(f"/v1/characters/{item['id']}").json
            if one["clips"] and one["meshes"]:
                yield one

    def picture(self, clip, size=SIZE, **query):
        reply = self.client.get(f"/v1/clips/{clip}/preview.png", width=size, height=size, **query)
        self.assertEqual(reply.status, 200, reply)
        return read_png(reply.body)

    def silhouette(self, clip, meshes, t, angle):
        """Where the picture has to be solid, up to place and size: triangles as the camera sees them."""
        triangles = []
        for mesh in meshes:
            faces = self.client.get(f"/v1/meshes/{mesh}").json["faces"]
            positions = self.client.get(f"/v1/meshes/{mesh}/vertices", clip=clip, t=t).json["positions"]
            seen = [turned(p, *angle) for p in positions]
            triangles += [[seen[i] for i in face] for face in faces]
        return triangles

    def test_the_silhouette_is_that_of_the_vertices(self):
        """Shifted and scaled so that both have the same box, picture and projected triangles overlap."""
        character = next(c for c in self.characters() if c["format"] == "tso-apr")
        clip = self.clip("a2o-walk", "tso-anim")["id"]
        meshes = [m["id"] for m in character["meshes"]]
        for name, angle in (("front", (0, 7)), ("side", (90, 7)), ("three-quarter", (35, 14))):
            drawn = solid(self.picture(clip, 480, character=character["id"], angle=name, t=0.4), 150)
            triangles = self.silhouette(clip, meshes, 0.4, angle)
            xs, ys = [x for t in triangles for x, _ in t], [y for t in triangles for _, y in t]
            left, top = min(x for x, _ in drawn), min(y for _, y in drawn)
            high = max(y for _, y in drawn) + 1 - top
            scale = high / (max(ys) - min(ys))
            wanted = covered([[(left + (x - min(xs)) * scale, top + (max(ys) - y) * scale) for x, y in t]
                              for t in triangles], 480, 480)
            overlap = len(wanted & drawn) / len(wanted | drawn)
            self.assertGreater(overlap, 0.95, (name, overlap, len(wanted), len(drawn)))

    def test_a_character_is_what_its_meshes_are(self):
        for character in self.characters():
            clip = character["clips"][0]["id"]
            body = self.picture(clip, character=character["id"])
            self.assertNotEqual(body, self.picture(clip, mesh="bones"), character["name"])
            box = solid_box(body)
            self.assertTrue(box and box[0] > 0 and box[1] > 0 and box[2] < SIZE - 1 and box[3] < SIZE - 1, box)

    def test_textures_show(self):
        """The sample's hopper has patterns of strong colours; without a texture all is the colour of skin."""
        character = next(c for c in self.characters() if c["format"] == "prime-ancs")
        _, _, rows = self.picture(character["clips"][0]["id"], character=character["id"])
        colors = {(row[x] // 64, row[x + 1] // 64, row[x + 2] // 64)
                  for row in rows for x in range(0, SIZE * 4, 4) if row[x + 3] == 255}
        self.assertGreater(len(colors), 8)
        mesh = next(m["id"] for m in character["meshes"])
        self.assertNotEqual(self.picture(character["clips"][0]["id"], mesh=mesh)[2], [])

    def test_a_mesh_is_lit(self):
        character = next(c for c in self.characters() if c["format"] == "tso-apr")
        _, _, rows = self.picture(self.clip("a2o-walk", "tso-anim")["id"], mesh=character["meshes"][0]["id"])
        reds = {row[x] for row in rows for x in range(0, SIZE * 4, 4) if row[x + 3] == 255}
        self.assertGreater(max(reds) - min(reds), 50)

    def test_the_floor_is_darker_below_a_body(self):
        character = next(c for c in self.characters() if c["format"] == "tso-apr")
        clip = self.clip("a2o-walk", "tso-anim")["id"]
        _, _, rows = self.picture(clip, mesh=character["meshes"][0]["id"], angle="top", background="white")
        shades = {row[x] for row in rows for x in range(0, SIZE * 3 + 1, 3)}
        self.assertGreater(len(shades), 20)

    def test_sheets_svg_and_motion(self):
        character = next(c for c in self.characters() if c["format"] == "tso-apr")
        clip = self.clip("a2o-walk", "tso-anim")["id"]
        path = f"/v1/clips/{clip}/preview"
        sheet = read_png(self.client.get(path + ".png", frames=4, width=320, height=320, character=character["id"]).body)
        for column in range(2):
            for row in range(2):
                cell = (160, 160, [bytes(line[column * 640:(column + 1) * 640])
                                   for line in sheet[2][row * 160:(row + 1) * 160]])
                self.assertIsNotNone(solid_box(cell), (column, row))
        svg = self.client.get(path + ".svg", character=character["id"])
        self.assertEqual(svg.body, self.client.get(path + ".svg", character=character["id"]).body)
        image, = ElementTree.fromstring(svg.text).findall(".//{http://www.w3.org/2000/svg}image")
        data = image.get("{http://www.w3.org/1999/xlink}href").partition("data:image/png;base64,")[2]
        inside = read_png(base64.b64decode(data))
        self.assertEqual(inside[:2], (640, 640))
        self.assertIsNotNone(solid_box(inside))
        webp = self.client.get(path + ".webp", character=character["id"]).body
        self.assertGreater(webp.count(b"ANMF"), 5)

    def test_any_size(self):
        character = next(c for c in self.characters() if c["format"] == "tso-apr")
        clip = self.clip("a2o-walk", "tso-anim")["id"]
        for width, height in ((16, 16), (2048, 16), (17, 900), (1200, 630)):
            reply = self.client.get(f"/v1/clips/{clip}/preview.png", width=width, height=height,
                                    character=character["id"])
            picture = read_png(reply.body)
            self.assertEqual(picture[:2], (width, height))
            self.assertIsNotNone(solid_box(picture, 100), (width, height))

    def test_the_mannequin_is_what_a_person_without_a_body_is(self):
        for name, kind in (("a2o-walk", "tso-anim"), ("walk", "sl-anim")):
            clip = self.clip(name, kind)["id"]
            mannequin = self.picture(clip, mesh="mannequin")
            is_alone = kind == "sl-anim"
            self.assertEqual(self.picture(clip) == mannequin, is_alone)
            self.assertEqual(self.picture(clip, mesh="auto") == mannequin, is_alone)
            bones = self.picture(clip, mesh="bones")
            self.assertEqual(self.picture(clip, mesh="none"), bones)
            self.assertGreater(solid_box(mannequin)[4], 2 * solid_box(bones)[4])
        hopper = next(c for c in self.characters() if c["format"] == "prime-ancs")["clips"][0]["id"]
        self.assertNotEqual(self.picture(hopper), self.picture(hopper, mesh="bones"))
        for path in ("preview.png", "preview.webp"):
            reply = self.client.get(f"/v1/clips/{hopper}/{path}", mesh="mannequin")
            self.assertProblem(reply, 422, code="not_humanoid")

    def test_the_mannequin_in_a_glb(self):
        for name, kind in (("a2o-walk", "tso-anim"), ("walk", "sl-anim")):
            clip = self.clip(name, kind)["id"]
            reply = self.client.get(f"/v1/clips/{clip}.glb", mesh="mannequin")
            self.assertEqual(reply.status, 200, reply)
            self.assertEqual(self.client.get(f"/v1/clips/{clip}.glb").body == reply.body, kind == "sl-anim")
            root, binary = read_glb(reply.body)
            mesh, = root["meshes"]
            primitive, = mesh["primitives"]
            self.assertEqual(mesh["name"], "mannequin")
            self.assertTrue(2700 < root["accessors"][primitive["indices"]]["count"] / 3 < 3300)
            weights = accessor(root, binary, primitive["attributes"]["WEIGHTS_0"])
            self.assertTrue(all(abs(sum(row) - 1) < 1e-5 for row in weights))
            self.assertEqual(len(root["animations"]), 1)
            bones = read_glb(self.client.get(f"/v1/clips/{clip}.glb", mesh="bones").body)[0]
            self.assertNotEqual([m["name"] for m in bones["meshes"]], ["mannequin"])
            self.assertNotIn("meshes", read_glb(self.client.get(f"/v1/clips/{clip}.glb", mesh="none").body)[0])
        hopper = next(c for c in self.characters() if c["format"] == "prime-ancs")["clips"][0]["id"]
        self.assertProblem(self.client.get(f"/v1/clips/{hopper}.glb", mesh="mannequin"), 422, code="not_humanoid")
        self.assertEqual(self.client.get(f"/v1/clips/{hopper}.glb", mesh="auto").status, 200)
        self.assertProblem(self.client.get(f"/v1/clips/{clip}.bvh", mesh="mannequin"), 400, parameter="mesh")
        self.assertProblem(self.client.get(f"/v1/clips/{clip}.glb", mesh="mannequin", skeleton="none"), 400,
                           parameter="skeleton")

    def test_drawing_ends_in_time(self):
        clip = self.clip("a2o-walk", "tso-anim")["id"]
        with Daemon("--max-time", "20ms", Daemon.samples) as daemon:
            for path, query in (("preview.png", {"frames": 64}), ("preview.svg", {"frames": 64}), ("preview.webp", {})):
                for _ in range(100):  # on a busy machine it may have waited as long before it is begun: 503
                    reply = daemon.client.get(f"/v1/clips/{clip}/{path}", mesh="mannequin", width=2048, height=2048,
                                              **query)
                    self.assertIn(reply.status, (413, 503), reply)
                    if reply.status == 413:
                        break
                self.assertEqual(reply.json.get("limit"), "max-time", reply.text)

    def test_refusals(self):
        clip = self.clip("a2o-walk", "tso-anim")["id"]
        character = next(self.characters())["id"]
        mesh = self.client.items("/v1/meshes")[0]["id"]
        path = f"/v1/clips/{clip}/preview.png"
        for parameter, query in (("character", {"character": "x"}), ("character", {"character": 32 * "0"}),
                                 ("character", {"character": character, "mesh": "bones"}),
                                 ("skeleton", {"character": character, "skeleton": "none"}),
                                 ("skeleton", {"mesh": "mannequin", "skeleton": "none"}),
                                 ("mesh", {"mesh": "body"}), ("mesh", {"mesh": f"{mesh},"}),
                                 ("mesh", {"mesh": ",".join([mesh] * 17)})):
            with self.subTest(query):
                self.assertProblem(self.client.get(path, **query), 400, parameter=parameter)


@unittest.skipUnless(corpus(), "no corpus")
class RealBodies(unittest.TestCase):
    def test_every_character_is_drawn(self):
        with Daemon(corpus() / "sl", corpus() / "sims", corpus() / "sims3") as daemon:
            count = 0
            for item in daemon.client.items("/v1/characters"):
                one = daemon.client.get(f"/v1/characters/{item['id']}").json
                if not one["clips"] or not one["meshes"] or not one["skeleton"]:
                    continue
                reply = daemon.client.get(f"/v1/clips/{one['clips'][0]['id']}/preview.png", width=96, height=96,
                                          character=item["id"], skeleton=one["skeleton"])
                self.assertEqual(reply.status, 200, (one["name"], reply))
                box = solid_box(read_png(reply.body))
                self.assertIsNotNone(box, one["name"])
                self.assertTrue(0 < box[0] and 0 < box[1] and box[2] < 95 and box[3] < 95, (one["name"], box))
                count += 1
            self.assertGreater(count, 30)
