"""Meshes and textures of The Sims 3, read by the rules of the specifications alone (sims3-geom.md, 1, 2 and 6; dds.md)."""

import struct

from sims3_files import fnv

GEOM, DDS, SKIN_CONTROLLER = 0x015A1849, 0x00B2D882, 0x00AE6C67
SIM_SKIN, DIFFUSE_MAP = 0x548394B9, 0x6CC0FD85
SIZES = {1: (1, 12), 2: (1, 12), 3: (1, 8), 4: (2, 4), 5: (1, 16), 6: (1, 12), 7: (3, 4), 10: (4, 4)}


class Geom:
    """positions, normals, uvs (of set 0), joints, weights, tangents, ids, faces, bones (hashes), keys (type, group,
    instance), controller, shader, parameters (hash to numbers)."""

    def __init__(self, data):
        version, public, unused, external, chunks = struct.unpack_from("<5I", data)
        assert (version, unused, external, chunks) == (3, 0, 0, 1)
        start, size = struct.unpack_from("<2I", data, 20 + 16)
        assert start % 4 == 0 and start + size == len(data)
        self.data, self.at = data[start:], 4
        assert self.data[:4] == b"GEOM"
        version, table, table_size, self.shader = self.take("4I")
        assert version == 5
        self.read_keys(8 + 4 + table, table_size)
        self.parameters = self.read_material() if self.shader else {}
        self.merge, self.order, count, elements = self.take("4I")
        self.read_vertices(count, [self.take("2IB") for _ in range(elements)])
        groups, width, corners = self.take("IBI")
        assert (groups, width, corners % 3) == (1, 2, 0)
        indices = self.take(f"{corners}H")
        assert all(v < count for v in indices)
        self.faces = [indices[i:i + 3] for i in range(0, corners, 3)]
        self.controller, bones = self.take("iI")
        self.bones = self.take(f"{bones}I")
        assert self.keys[self.controller][0] == SKIN_CONTROLLER
        assert self.at == 8 + 4 + table and self.at + table_size == len(self.data)
        self.check()

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def read_keys(self, at, size):
        count, = struct.unpack_from("<I", self.data, at)
        assert size == 4 + 16 * count
        self.keys = [struct.unpack_from("<IIQ", self.data, at + 4 + 16 * i) for i in range(count)]

    def read_material(self):
        size, = self.take("I")
        block, self.at = self.data[self.at:self.at + size], self.at + size
        tag, zero, length, count = struct.unpack_from("<4s3I", block)
        assert (tag, zero, size) == (b"MTNF", 0, 16 + 16 * count + length)
        rows = [struct.unpack_from("<4I", block, 16 + 16 * i) for i in range(count)]
        return {name: struct.unpack_from(f"<{words}{'f' if kind == 1 else 'I'}", block, at) for name, kind, words, at in rows}

    def read_vertices(self, count, elements):
        found = {}
        for usage, kind, size in elements:
            assert SIZES[usage] == (kind, size), (usage, kind, size)
            found.setdefault(usage, [])
        for _ in range(count):
            for usage, kind, size in elements:
                found[usage].append(self.take({1: f"{size // 4}f", 2: "4B", 3: "4B", 4: "I"}[kind]))
        self.positions, self.normals, self.uvs, self.joints, self.weights, self.tangents, self.ids = (
            found.get(usage) for usage in (1, 2, 3, 4, 5, 6, 10))

    def check(self):
        def length(v):
            return sum(x * x for x in v) ** 0.5
        assert all(abs(length(n) - 1) < 1e-5 for n in self.normals)
        assert all(abs(length(n) - 1) < 1e-5 for n in self.tangents)
        for joints, weights in zip(self.joints or (), self.weights or ()):
            assert abs(sum(weights) - 1) < 1e-5 and list(weights) == sorted(weights, reverse=True)
            assert all(w >= 0 and j < len(self.bones) and (w or not j) for j, w in zip(joints, weights))
        places = {}
        assert all(places.setdefault(p, i) == i for p, i in zip(self.positions, self.ids))

    def deform(self, moves):
        """moves: hash to a function from a place in the bind pose to one in the pose."""
        for place, joints, weights in zip(self.positions, self.joints, self.weights):
            yield [sum(w * moves[self.bones[j]](place)[i] for j, w in zip(joints, weights) if w) for i in range(3)]


def read_dds(data):
    """All levels of an uncompressed file, each as rows of (r, g, b, a)."""
    magic, size, flags, height, width, pitch, depth, levels = struct.unpack_from("<4s7I", data)
    assert (magic, size, pitch) == (b"DDS ", 124, 4 * width)
    size, flags, code, bits, *masks = struct.unpack_from("<IIII4I", data, 76)
    assert (size, flags, code, bits, masks) == (32, 0x41, 0, 32, [0xFF0000, 0xFF00, 0xFF, 0xFF000000])
    at, found = 128, []
    for level in range(levels):
        w, h = max(width >> level, 1), max(height >> level, 1)
        words = struct.unpack_from(f"<{w * h}I", data, at)
        rows = [tuple(word >> shift & 255 for shift in (16, 8, 0, 24)) for word in words]
        found.append([rows[y * w:(y + 1) * w] for y in range(h)])
        at += 4 * w * h
    assert at == len(data) and (w, h) == (1, 1)
    return found


def texture_key(name):
    return DDS, 0, fnv(name, 64)
