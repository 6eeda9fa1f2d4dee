"""Pictures and plots: what they are, what they show, and what is refused."""

import struct
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path

from daemon import Daemon, corpus, run
from fixture import SampleCase

PREVIEWS = {"svg": "image/svg+xml", "png": "image/png", "webp": "image/webp"}


def read_png(data):
    """(width, height, rows of bytes) of an 8-bit RGBA or RGB PNG without interlacing."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", chunk)
            assert (depth, interlaced) == (8, 0) and color in (2, 6), (depth, color, interlaced)
            step = 4 if color == 6 else 3
        elif kind == b"IDAT":
            packed += chunk
        at += 12 + size
    raw, rows, stride = zlib.decompress(packed), [], width * step
    last = bytearray(stride)
    for y in range(height):
        filtering, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a, b, c = row[i - step] if i >= step else 0, last[i], last[i - step] if i >= step else 0
            if filtering == 1:
                row[i] = row[i] + a & 255
            elif filtering == 2:
                row[i] = row[i] + b & 255
            elif filtering == 3:
                row[i] = row[i] + (a + b) // 2 & 255
            elif filtering == 4:
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                row[i] = row[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c) & 255
        rows.append(row)
        last = row
    return width, height, rows


def solid_box(picture, least=200):
    """(left, top, right, bottom, count) of the pixels that are not see-through; the floor and the shadow are."""
    width, _, rows = picture
    found = [(x, y) for y, row in enumerate(rows) for x in range(width) if row[x * 4 + 3] > least]
    if not found:
        return None
    xs, ys = [x for x, _ in found], [y for _, y in found]
    return min(xs), min(ys), max(xs), max(ys), len(found)


def webp_frames(data):
    """The frames of an animated WebP: place, size and duration."""
    assert (data[:4], data[8:12]) == (b"RIFF", b"WEBP") and int.from_bytes(data[4:8], "little") + 8 == len(data)
    at, frames = 12, []
    while at < len(data):
        kind, size = data[at:at + 4], int.from_bytes(data[at + 4:at + 8], "little")
        if kind == b"ANMF":
            x, y, width, height, ms = (int.from_bytes(data[at + 8 + 3 * i:at + 11 + 3 * i], "little") for i in range(5))
            frames.append({"x": 2 * x, "y": 2 * y, "width": width + 1, "height": height + 1, "ms": ms})
        at += 8 + size + size % 2
    return frames


class Pictures(SampleCase):
    def path(self, rest):
        return f"/v1/clips/{self.clip('a2o-walk', 'tso-anim')['id']}/{rest}"

    def test_types(self):
        for ending, media in PREVIEWS.items():
            reply = self.client.get(self.path("preview." + ending))
            self.assertEqual((reply.status, reply.media_type), (200, media))
            self.assertEqual(self.client.get("/v1/named/samples/a2o-walk/preview." + ending).body, reply.body)
            again = self.client.get(self.path("preview." + ending), headers={"If-None-Match": reply["ETag"]})
            self.assertEqual(again.status, 304)

    def test_size_and_place(self):
        reply = self.client.get(self.path("preview.png"), width=200, height=120)
        picture = read_png(reply.body)
        self.assertEqual(picture[:2], (200, 120))
        left, top, right, bottom, _ = solid_box(picture)
        self.assertTrue(2 <= left and 2 <= top and right <= 197 and bottom <= 117, (left, top, right, bottom))
        self.assertGreater(bottom - top, 80)  # it fills the frame upright
        self.assertGreater(bottom - top, (right - left) * 1.5)

    def test_it_moves(self):
        pictures = {self.client.get(self.path("preview.png"), t=t).body for t in (0, 0.2, 0.4)}
        self.assertEqual(len(pictures), 3)

    def test_angles_differ(self):
        pictures = {self.client.get(self.path("preview.png"), angle=angle).body
                    for angle in ("front", "side", "three-quarter", "top")}
        self.assertEqual(len(pictures), 4)

    def test_sheet(self):
        picture = read_png(self.client.get(self.path("preview.png"), frames=8, width=640, height=320).body)
        for column in range(4):
            for row in range(2):
                cell = (160, 160, [bytes(line[column * 640:(column + 1) * 640])
                                   for line in picture[2][row * 160:(row + 1) * 160]])
                self.assertIsNotNone(solid_box(cell), (column, row))

    def test_strip(self):
        options = {"frames": 8, "width": 1280, "height": 120, "mesh": "bones"}
        picture = read_png(self.client.get(self.path("preview.png"), layout="strip", **options).body)
        for column in range(8):
            cell = (160, 120, [bytes(line[column * 640:(column + 1) * 640]) for line in picture[2]])
            self.assertIsNotNone(solid_box(cell), column)
        self.assertEqual(self.client.get(self.path("preview.png"), layout="row", check=False).status, 400)

    def test_background(self):
        _, _, rows = read_png(self.client.get(self.path("preview.png"), background="#ff8000").body)
        self.assertEqual(bytes(rows[0][:3]), b"\xff\x80\x00")

    def test_webp_is_animated(self):
        body = self.client.get(self.path("preview.webp")).body
        self.assertEqual((body[:4], body[8:12]), (b"RIFF", b"WEBP"))
        self.assertGreater(body.count(b"ANMF"), 5)

    def test_webp_is_small(self):
        """Ten frames a second for three seconds, unless it is said otherwise, in a few kilobytes."""
        walk = self.path("preview.webp")
        duration = self.client.get(self.path("")[:-1]).json["duration"]
        for mesh, most in (("mannequin", 25_000), ("bones", 32_000)):
            body = self.client.get(walk, width=192, height=192, mesh=mesh).body
            frames = webp_frames(body)
            self.assertEqual(len(frames), round(10 * min(duration, 3)), mesh)
            self.assertAlmostEqual(sum(frame["ms"] for frame in frames), 1000 * min(duration, 3), delta=1)
            self.assertLess(len(body), most * min(duration, 3) / 2, mesh)
            for frame in frames:
                self.assertEqual((frame["x"] % 2, frame["y"] % 2), (0, 0))
                self.assertLessEqual(frame["x"] + frame["width"], 192)
                self.assertLessEqual(frame["y"] + frame["height"], 192)
        self.assertEqual(len(webp_frames(self.client.get(walk, fps=5).body)), round(5 * min(duration, 3)))
        self.assertEqual(len(webp_frames(self.client.get(walk, fps=25, seconds=0.4).body)), 10)
        self.assertEqual(len(webp_frames(self.client.get(walk, seconds=0.2, background="white").body)), 2)
        bodies = {self.client.get(walk, width=64, height=64, background=color).body
                  for color in ("white", "black", "#ff000080", "transparent")}
        self.assertEqual(len(bodies), 4)
        for name, value in (("fps", 0.5), ("fps", 26), ("seconds", 0), ("seconds", 61), ("fps", "nan")):
            self.assertProblem(self.client.get(walk, **{name: value}), 400, parameter=name)
        self.assertProblem(self.client.get(self.path("preview.png"), fps=5), 400, parameter="fps")

    def test_svg_is_well_formed(self):
        root = ElementTree.fromstring(self.client.get(self.path("preview.svg"), width=300, mesh="bones").text)
        self.assertEqual(root.get("width"), "300px" if root.get("width").endswith("px") else "300")
        self.assertGreater(len(root.findall(".//{http://www.w3.org/2000/svg}path")), 50)

    def test_svg_that_moves(self):
        path, size = self.path("preview.svg"), {"width": 192, "height": 192, "motion": 1}
        duration = self.client.get(self.path("")[:-1]).json["duration"]
        reply = self.client.get(path, **size)
        self.assertEqual((reply.status, reply["Content-Type"]), (200, "image/svg+xml"))
        self.assertLess(len(zlib.compress(reply.body)), 30_000)
        root = ElementTree.fromstring(reply.text)
        svg = "{http://www.w3.org/2000/svg}"
        self.assertEqual({child.tag.removeprefix(svg) for child in root.iter()}, {"svg", "title", "g", "path", "animate"})
        moving = root.findall(f".//{svg}animate")
        self.assertGreater(len(moving), 0)
        for animate in moving:
            self.assertAlmostEqual(float(animate.get("dur").removesuffix("s")), min(duration, 3), delta=0.001)
            values = animate.get("values").split(";")
            self.assertEqual(len(values), round(10 * min(duration, 3)) + 1)
            # What is between two of them has to be defined: the same commands.
            self.assertEqual(len({"".join(c for c in value if c.isalpha()) for value in values}), 1)
        paths = root.findall(f".//{svg}path")
        self.assertEqual([path.get("d") for path in paths],
                         [path.find(f"{svg}animate").get("values").split(";")[0] for path in paths])
        self.assertGreater(len(set(moving[-1].get("values").split(";"))), 5)
        self.assertEqual(self.client.get(path, **size).body, reply.body)
        self.assertNotEqual(self.client.get(path, fps=5, seconds=0.5, **size).body, reply.body)
        self.assertIn('fill="#ff8000"', self.client.get(path, background="#ff8000", **size).text)
        for name, value in (("t", 1), ("frames", 2), ("layout", "strip"), ("fps", 0.5), ("seconds", 61)):
            self.assertProblem(self.client.get(path, motion=1, **{name: value}), 400, parameter=name)
        for name in ("fps", "seconds"):
            self.assertProblem(self.client.get(path, **{name: 1}), 400, parameter=name)
        self.assertProblem(self.client.get(path, check=False, motion=2), 400, parameter="motion")
        self.assertProblem(self.client.get(self.path("preview.png"), motion=1), 400, parameter="motion")
        # Without a hierarchy there are no lines: a picture.
        self.assertEqual(self.client.get(path, motion=1, skeleton="none").status, 200)

    def test_names_are_text(self):
        name = '<script>alert(1)<b>&"\'.anim'
        walk = (Path(Daemon.samples) / "second-life" / "walk.anim").read_bytes()
        with Daemon() as daemon:
            archive = daemon.client.post("/v1/archives", walk, name=name).json
            (clip,) = archive["clips"]
            text = daemon.client.get(f"/v1/clips/{clip['id']}/preview.svg", motion=1).text
            self.assertNotIn("<script", text)
            root = ElementTree.fromstring(text)
            self.assertEqual(root.findtext("{http://www.w3.org/2000/svg}title"), clip["name"])
            self.assertIn("<script>", clip["name"])

    def test_warnings(self):
        reply = self.client.get(self.path("preview.png"), skeleton="none")
        self.assertEqual((reply.status, reply["Posed-Warning"]), (200, "no_skeleton"))
        self.assertIsNotNone(solid_box(read_png(reply.body)))

    def test_meshes(self):
        mesh = self.client.items("/v1/meshes")[0]
        for clip in self.client.items("/v1/clips"):
            if clip["archive"] == mesh["archive"]:
                reply = self.client.get(f"/v1/clips/{clip['id']}/preview.png", mesh=mesh["id"])
                self.assertIn(reply.status, (200, 400))
                if reply.status == 200:
                    plain = self.client.get(f"/v1/clips/{clip['id']}/preview.png")
                    self.assertNotEqual(plain.body, reply.body)
                    return
        self.fail("no clip for a mesh")

    def test_refusals(self):
        for query in ({"width": 15}, {"width": 2049}, {"height": "tall"}, {"frames": 0}, {"frames": 65},
                      {"angle": "below"}, {"background": "#12"}, {"background": "url(x)"}, {"mesh": "x"},
                      {"mesh": 32 * "0"}, {"skeleton": "x"}, {"t": "nan"}, {"colour": "red"}):
            with self.subTest(query):
                reply = self.client.get(self.path("preview.png"), **query)
                self.assertProblem(reply, 400, parameter=next(iter(query)))
        self.assertProblem(self.client.get(self.path("preview.webp"), t=1), 400, parameter="t")
        self.assertEqual(self.client.get(self.path("preview.gif")).status, 404)

    def test_plot(self):
        clip = self.client.get(self.path("")[:-1]).json
        joint = next(j["name"] for j in clip["joints"] if "rotation" in j["channels"])
        reply = self.client.get(self.path("plot.svg"), joint=joint)
        self.assertEqual((reply.status, reply.media_type), (200, "image/svg+xml"))
        ElementTree.fromstring(reply.text)
        self.assertEqual(self.client.get("/v1/named/samples/a2o-walk/plot.svg", joint=joint).body, reply.body)
        self.assertEqual(self.client.get(self.path("plot.svg")).status, 200)
        self.assertProblem(self.client.get(self.path("plot.svg"), joint="nobody"), 400, parameter="joint")
        self.assertProblem(self.client.get(self.path("plot.svg"), width=10), 400, parameter="width")


@unittest.skipUnless(corpus(), "no corpus")
class RealFiles(unittest.TestCase):
    def test_every_clip_with_keys_is_in_its_frame(self):
        with Daemon(corpus() / "sl", corpus() / "sims", corpus() / "sims3") as daemon:
            count = 0
            for clip in daemon.client.items("/v1/clips", limit=1000):
                if not clip["key_count"]:
                    continue
                reply = daemon.client.get(f"/v1/clips/{clip['id']}/preview.png", width=96, height=96)
                self.assertEqual(reply.status, 200, (clip["name"], reply))
                # Names are too small here to be solid, and have no floor below them.
                box = solid_box(read_png(reply.body), 40 if reply["Posed-Warning"] == "no_skeleton" else 200)
                self.assertIsNotNone(box, clip["name"])
                self.assertTrue(0 < box[0] and 0 < box[1] and box[2] < 95 and box[3] < 95, (clip["name"], box))
                count += 1
            self.assertGreater(count, 200)


def figure_below(distance):
    """BVH: a body of four joints that hangs that far above its root."""
    joints = (("body", (0, distance, 0)), ("chest", (0, 50, 0)), ("head", (0, 60, 0)))
    text, depth = "HIERARCHY\nROOT root\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n", 1
    for name, offset in joints:
        text += "JOINT {}\n{{\nOFFSET {} {} {}\nCHANNELS 3 Zrotation Xrotation Yrotation\n".format(name, *offset)
        depth += 1
    text += "End Site\n{\nOFFSET 30 20 0\n}\n" + "}\n" * depth
    return text + "MOTION\nFrames: 2\nFrame Time: 0.5\n" + "0 0 0 0 5 0 0 5 0 0 5 0\n" * 2


class FarRoot(unittest.TestCase):
    """A root that is no part of the body is left out when the body would be a speck beside it."""

    def test_the_body_fills_the_frame(self):
        pixels = {}
        with tempfile.TemporaryDirectory() as folder:
            for distance in (40, 20000):
                clip = Path(folder) / f"{distance}.bvh"
                clip.write_text(figure_below(distance))
                self.assertEqual(run("preview", clip, f"{folder}/a.png", "--size", "100x100", "--angle", "front"),
                                 (0, "", ""))
                picture = read_png((Path(folder) / "a.png").read_bytes())
                self.assertIsNotNone(solid_box(picture))
                pixels[distance] = solid_box(picture)[4]
        # A bone to the root would be as high as the frame, and thicker.
        self.assertLess(pixels[20000], 2 * pixels[40])


class CommandLine(unittest.TestCase):
    def test_preview(self):
        clip = Daemon.samples / "second-life" / "walk.anim"
        with tempfile.TemporaryDirectory() as folder:
            for name, begin in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.webp", b"RIFF")):
                status, out, errors = run("preview", clip, f"{folder}/{name}", "--size", "64x48")
                self.assertEqual((status, out), (0, ""))
                self.assertRegex(errors, r"^posed: .+\(stand_in_skeleton\)\n$")
                self.assertTrue((Path(folder) / name).read_bytes().startswith(begin))
            self.assertEqual(read_png((Path(folder) / "a.png").read_bytes())[:2], (64, 48))
            for status, arguments in ((2, (clip, f"{folder}/a.gif")), (2, (clip, f"{folder}/b.png", "--size", "wide")),
                                      (2, (clip, f"{folder}/b.png", "--angle", "below")),
                                      (2, (clip, f"{folder}/b.png", "--size", "4x4")),
                                      (1, (clip, f"{folder}/no/b.png")), (1, (f"{folder}/none.anim", f"{folder}/b.png"))):
                done = run("preview", *arguments)
                self.assertEqual(done[0], status, done)
                self.assertRegex(done[2], r"^posed: .+\n$")
                self.assertFalse((Path(folder) / "b.png").exists())
