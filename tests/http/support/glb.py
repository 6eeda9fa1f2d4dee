"""Makes small GLB files: numbers into one buffer, the rest as the members of the JSON."""

import json
import struct
import zlib

LETTERS = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


def png(width, height, pixels):
    """pixels: rows of (r, g, b, a)."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(n for pixel in row for n in pixel) for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Glb:
    def __init__(self, **members):
        self.root = {"asset": {"version": "2.0"}, "accessors": [], "bufferViews": [], **members}
        self.binary = b""

    def view(self, data, **members):
        self.binary += bytes(-len(self.binary) % 4)
        self.root["bufferViews"].append({"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data), **members})
        self.binary += data
        return len(self.root["bufferViews"]) - 1

    def accessor(self, rows, kind=5126, **members):
        """The rows (tuples or numbers) as an accessor of that component type; returns its index."""
        rows = [row if isinstance(row, (tuple, list)) else (row,) for row in rows]
        data = b"".join(struct.pack(f"<{len(row)}{LETTERS[kind]}", *row) for row in rows)
        self.root["accessors"].append({"bufferView": self.view(data), "componentType": kind, "count": len(rows),
                                       "type": TYPES[len(rows[0])], **members})
        return len(self.root["accessors"]) - 1

    def sparse(self, count, rows):
        """rows: index to (x, y, z); the others are 0."""
        indices = self.view(b"".join(struct.pack("<H", i) for i in sorted(rows)))
        values = self.view(b"".join(struct.pack("<3f", *rows[i]) for i in sorted(rows)))
        self.root["accessors"].append({"componentType": 5126, "count": count, "type": "VEC3", "sparse": {
            "count": len(rows), "indices": {"bufferView": indices, "componentType": 5123}, "values": {"bufferView": values}}})
        return len(self.root["accessors"]) - 1

    def bytes(self):
        return self.of(self.root)

    def of(self, root):
        """The file with another JSON."""
        root = {**root, "buffers": [{"byteLength": len(self.binary)}]}
        text = json.dumps(root).encode()
        text += b" " * (-len(text) % 4)
        binary = self.binary + bytes(-len(self.binary) % 4)
        return (struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary)) + struct.pack("<I4s", len(text), b"JSON") +
                text + struct.pack("<I4s", len(binary), b"BIN\0") + binary)
