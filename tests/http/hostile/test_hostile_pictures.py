"""Pictures that cost far more than their bytes: refused by their head, at upload, and asked for again at no cost."""

import socket
import struct
import time
import unittest
import zlib

from fixture import SampleCase
from glb import Glb
from test_gltf_meshes import upload


def jpeg(side, scans, broken=False):
    """A progressive JPEG in grey: scans of 18 bytes that visit every pixel and change none."""
    table = b"\x01" + bytes(15) + b"\x00"
    head = b"\xff\xd8\xff\xdb\x00\x43\x00" + b"\x01" * 64
    head += b"\xff\xc2\x00\x0b\x08" + struct.pack(">HH", side, side) + b"\x01\x01\x11\x00"
    head += b"\xff\xc4\x00\x14\x00" + table + b"\xff\xc4\x00\x14\x10" + table
    first = b"\xff\xda\x00\x08\x01\x01\x00\x00\x00\x00" + bytes(8)
    further = b"\xff\xda\x00\x08\x01\x01\x00\x01\x3f\x00" + bytes(8)
    wrong = b"\xff\xda\x00\x08\x01\x09\x00\x01\x3f\x00" if broken else b""
    return head + first + further * (scans - 1) + wrong + b"\xff\xd9"


def png_bomb(megabytes):
    """One pixel, and far more behind it."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    packed = zlib.compress(bytes(megabytes << 20), 9)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 6, 0, 0, 0)) + chunk(b"IDAT", packed)
            + chunk(b"IEND", b""))


def textured(picture):
    """A triangle with that picture."""
    file = Glb(scenes=[{"nodes": [0]}], scene=0)
    attributes = {"POSITION": file.accessor([(0, 0, 0), (1, 0, 0), (0, 1, 0)]),
                  "NORMAL": file.accessor([(0, 0, 1)] * 3), "TEXCOORD_0": file.accessor([(0, 0), (1, 0), (0, 1)])}
    file.root["meshes"] = [{"name": "sign", "primitives": [{"attributes": attributes, "material": 0}]}]
    file.root["nodes"] = [{"name": "sign", "mesh": 0}]
    file.root["images"] = [{"bufferView": file.view(picture), "mimeType": "image/jpeg"}]
    file.root["textures"] = [{"source": 0}]
    file.root["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
    return file.bytes()


class HostilePictures(SampleCase):
    arguments = ("--max-time", "5s")

    def spent(self):
        """Processor seconds of the daemon."""
        with open(f"/proc/{self.daemon.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def test_a_jpeg_of_many_scans_is_refused_at_once(self):
        before = self.spent()
        body = jpeg(4000, 20000)
        for path in ("/v1/inspect", "/v1/archives", "/v1/convert?to=glb"):
            reply = self.client.post(path, body, name="a.jpg")
            self.assertEqual((reply.status, reply.json["code"]), (413, "picture_too_large"), reply)
            self.assertIn("20000 scans over 4000 by 4000 pixels", reply.json["detail"])
        self.assertLess(self.spent() - before, 1)

    def test_a_texture_of_many_scans_is_left_out_at_upload(self):
        before = self.spent()
        archive = upload(self, textured(jpeg(4000, 4000)))
        self.assertEqual(archive.get("images", []), [])
        mesh = archive["meshes"][0]["id"]
        for path in (f"/v1/meshes/{mesh}.glb", f"/v1/meshes/{mesh}"):
            self.assertEqual(self.client.get(path).status, 200)
        self.assertLess(self.spent() - before, 1)

    def test_a_broken_texture_costs_one_decode(self):
        archive = upload(self, textured(jpeg(4000, 20, broken=True)))
        mesh = archive["meshes"][0]["id"]
        self.client.get(f"/v1/meshes/{mesh}.glb")
        before = self.spent()
        for target in ("glb", "skn", "simgeom") * 4:
            reply = self.client.get(f"/v1/meshes/{mesh}.{target}")
            self.assertIn(reply.status, (200, 422), reply)
        self.assertLess(self.spent() - before, 0.5)

    def test_a_bomb_in_a_png_unpacks_no_further_than_its_pixels(self):
        before = self.spent()
        reply = self.client.post("/v1/inspect", png_bomb(500), name="a.png")
        self.assertEqual((reply.status, reply.json["code"]), (422, "bad_picture"), reply)
        self.assertLess(self.spent() - before, 0.5)

    def test_clients_that_left_cost_nobody_a_place(self):
        body = jpeg(4000, 25)
        for _ in range(8):
            one = socket.create_connection((self.client.host, self.client.port))
            one.sendall(b"POST /v1/inspect?name=a.jpg HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            one.close()
        clip = self.client.get("/v1/clips?limit=1").json["items"][0]["id"]
        began = time.monotonic()
        self.assertEqual(self.client.get(f"/v1/clips/{clip}/preview.png?width=211").status, 200)
        self.assertLess(time.monotonic() - began, 4)


if __name__ == "__main__":
    unittest.main()
