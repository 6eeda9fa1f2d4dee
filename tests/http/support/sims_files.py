"""Meshes of The Sims, read by the rules of the specification alone (sims1-character.md, sections 4 and 5)."""

import struct


class Mesh:
    """bones, faces, bindings (bone, first, count, blend_first, blend_count), uvs, blends (vertex, weight), vertices (x y z
    nx ny nz, real ones first)."""

    def check(self):
        real = len(self.uvs)
        assert len(self.vertices) == real + len(self.blends)
        assert all(0 <= v < real for face in self.faces for v in face)
        assert all(0 <= v < real and 0 <= w <= 32768 for v, w in self.blends)
        owners = [None] * len(self.vertices)
        for bone, first, count, blend_first, blend_count in self.bindings:
            assert blend_count or blend_first == -1
            for v in [*range(first, first + count), *range(real + blend_first, real + blend_first + blend_count)]:
                assert owners[v] is None, "bound twice"
                owners[v] = self.bones[bone]
        assert None not in owners, "bound by nothing"
        self.owners = owners
        return self

    def deform(self, bones):
        """bones: name to a function from the bone's space to the model's. The positions of the real vertices."""
        placed = [bones[owner](vertex[:3]) for owner, vertex in zip(self.owners, self.vertices)]
        for k, (v, weight) in enumerate(self.blends):
            w = weight / 32768
            placed[v] = [a * (1 - w) + b * w for a, b in zip(placed[v], placed[len(self.uvs) + k])]
        return placed[:len(self.uvs)]


def read_skn(data):
    lines = iter(data.decode("cp1252").split("\r\n"))
    mesh = Mesh()
    mesh.name, mesh.texture = next(lines), next(lines)

    def rows(kind):
        return [tuple(kind(n) for n in next(lines).split()) for _ in range(int(next(lines)))]

    mesh.bones = [next(lines) for _ in range(int(next(lines)))]
    mesh.faces, mesh.bindings = rows(int), rows(int)
    mesh.uvs, mesh.blends, mesh.vertices = rows(float), rows(int), rows(float)
    assert [line for line in lines if line.strip()] == []
    return mesh.check()


class Reader:
    def __init__(self, data, order):
        self.data, self.order, self.at = data, order, 0

    def take(self, form, order=None):
        form = (order or self.order) + form
        values = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return values

    def text(self):
        length, = self.take("B")
        self.at += length
        return self.data[self.at - length:self.at].decode("cp1252")

    def rows(self, form, order=None):
        return [self.take(form, order) for _ in range(self.take("i")[0])]


def read_binary(data, order, version=None, named=True):
    reader, mesh = Reader(data, order), Mesh()
    if version:
        assert reader.take("I") == (version,)
    mesh.name, mesh.texture = (reader.text(), reader.text()) if named else (None, None)
    mesh.bones = [reader.text() for _ in range(reader.take("i")[0])]
    mesh.faces, mesh.bindings = reader.rows("3i"), reader.rows("5i")
    mesh.uvs = reader.rows("2f", "<")
    mesh.blends = [(v, w) for w, v in reader.rows("2i")]
    mesh.vertices = reader.rows("6f", "<")
    assert reader.at == len(data)
    return mesh.check()


def read_bmf(data):
    return read_binary(data, "<")


def read_tso(data):
    return read_binary(data, ">", version=2, named=False)
