"""Models, skins, skeletons and textures of Metroid Prime, read by the rules of the specifications alone (prime-cmdl.md,
prime-skeleton.md 1 and 5, prime-txtr.md)."""

import struct

NULL_IDS = {"mp1": 2, "mp2": 97}


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from(">" + form, self.data, self.at)
        self.at += struct.calcsize(">" + form)
        return values

    def word(self):
        return self.take("I")[0]

    def words(self, count=None):
        return self.take(f"{self.word() if count is None else count}I")

    def text(self):
        end = self.data.index(b"\0", self.at)
        text, self.at = self.data[self.at:end].decode(), end + 1
        return text

    def align(self):
        self.at += -self.at % 32

    def end(self):
        rest = self.data[self.at:]
        assert len(rest) < 64 and not rest.strip(b"\xff\0"), rest


class Cmdl:
    """game, box, positions, normals, uvs, textures (ids), materials, surfaces (material, bank, triangles of corners
    (place, normal, uv, matrix))."""

    def __init__(self, data):
        self.file = file = Reader(data)
        magic, version, self.flags, *self.box = file.take("3I6f")
        assert magic == 0xDEADBABE and not self.flags & 6
        self.game = {2: "mp1", 4: "mp2"}[version]
        sections, sets = file.words(2)
        assert sets == 1
        sizes = file.words(sections)
        file.align()
        parts, at = [], file.at
        for size in sizes:
            assert size % 32 == 0
            parts.append(data[at:at + size])
            at += size
        assert at == len(data)
        self.read_set(Reader(parts[0]))
        self.positions, self.normals, self.uvs = self.rows(parts[1], 3), self.rows(parts[2], 3), self.rows(parts[4], 2)
        assert not parts[3]
        table = Reader(parts[5])
        ends = table.words()
        assert len(ends) == sections - 6
        assert list(ends) == [sum(sizes[6:7 + i]) for i in range(len(ends))]
        self.surfaces = [self.surface(Reader(part)) for part in parts[6:]]

    @staticmethod
    def rows(data, width):
        size = 4 * width
        return [struct.unpack_from(f">{width}f", data, at) for at in range(0, len(data) - size + 1, size)]

    def read_set(self, part):
        self.textures = part.words()
        ends = part.words()
        start, self.materials = part.at, []
        for end in ends:
            self.materials.append(self.material(part))
            assert part.at == start + end

    def material(self, part):
        flags = part.word()
        textures = part.words()
        attributes = part.word()
        if self.game == "mp2":
            part.words(2)
        assert all(texture < len(self.textures) for texture in textures)
        assert flags >> 16 == (1 << len(textures)) - 1
        part.word()
        konst = part.take(f"{4 * part.word()}B") if flags & 8 else None
        destination, source = part.take("2H")
        assert part.words() == (0x3001,)
        stages = [part.take("4I4B") for _ in range(part.word())]
        orders = [part.take("H2B") for _ in stages]
        coordinates = part.words()
        assert part.words(2) == (4, 0)
        (color, alpha, color_op, alpha_op, _, alpha_konst, color_konst, raster), = stages
        assert [color >> 5 * i & 31 for i in range(4)] == [15, 10, 8 if textures else 14, 15]
        assert (color_op, alpha_op, raster, color_konst) == (0x100, 0x100, 4, 0 if textures else 12)
        assert orders == [(0, 0, 0) if textures else (0, 255, 255)]
        assert [c >> 4 & 31 for c in coordinates] == [4] * len(textures)
        return {"flags": flags, "texture": self.textures[textures[0]] if textures else None, "konst": konst,
                "attributes": attributes, "blend": (source, destination)}

    def surface(self, part):
        center, (material, size, a, b, extra) = part.take("3f"), part.words(5)
        part.take("3f")
        bank = part.take("hH")[0] if self.game == "mp2" else -1
        part.at += extra
        part.align()
        assert (a, b) == (0, 0) and size == 0x80000000 | len(part.data) - part.at
        attributes, corners = self.materials[material]["attributes"], []
        assert attributes & 0xFFFFFF == 0x30F and attributes >> 24 in (0, 1 if self.game == "mp2" else 0)
        while part.at < len(part.data):
            code, = part.take("B")
            if not code:
                continue
            assert code == 0x90
            for _ in range(part.take("H")[0]):
                matrix = part.take("B")[0] if attributes >> 24 else None
                place, normal, uv = part.take("3H")
                corners.append((place, normal, uv, matrix))
        assert corners and len(corners) % 3 == 0
        assert all(p < len(self.positions) and n < len(self.normals) and t < len(self.uvs) for p, n, t, _ in corners)
        for k in range(3):
            values = [self.positions[corner[0]][k] for corner in corners]
            assert min(values) - 1e-6 <= center[k] <= max(values) + 1e-6
            assert self.box[k] <= min(values) and max(values) <= self.box[3 + k]
        return material, bank, [corners[i:i + 3] for i in range(0, len(corners), 3)]

    def corners(self):
        """In the order of the file: (place, normal, uv, group by its matrix or None)."""
        for material, bank, triangles in self.surfaces:
            for triangle in triangles:
                for place, normal, uv, matrix in triangle:
                    assert matrix is None or matrix % 3 == 0 and matrix < 30 and bank >= 0
                    yield place, normal, uv, None if matrix is None else 10 * bank + matrix // 3


class Cskr:
    """groups ((weights, first place, count)), banks."""

    def __init__(self, data, game):
        file, self.groups, self.game, first = Reader(data), [], game, 0
        for _ in range(file.word()):
            weights = [file.take("If") for _ in range(file.word())]
            count = file.word()
            assert 1 <= len(weights) <= 3 and abs(sum(w for _, w in weights) - 1) < 1e-5
            assert [w for _, w in weights] == sorted((w for _, w in weights), reverse=True)
            self.groups.append((weights, first, count))
            first += count
        self.count, self.banks = first, ()
        if game == "mp1":
            assert file.words(4) == (0xFFFFFFFF, first, 0xFFFFFFFF, first)
        else:
            self.banks = file.take(f"{file.word()}H")
            assert len(self.banks) % 10 == 0
            self.bytes = file.take(f"{file.word()}B")
        file.end()

    def by_place(self, place):
        return next(i for i, (_, first, count) in enumerate(self.groups) if first <= place < first + count)


class Cinf:
    """bones: id to (parent, origin); names: id to name."""

    def __init__(self, data, game):
        file, self.bones = Reader(data), {}
        for _ in range(file.word()):
            bone, parent, *origin = file.take("2I3f")
            if game == "mp2":
                assert file.take("8f") == (1, 0, 0, 0, 1, 0, 0, 0)
            linked = file.words()
            assert linked[0] == parent and bone < 100
            self.bones[bone] = (parent, origin)
        assert sorted(file.words()) == sorted(self.bones)
        names = [(file.text(), file.word()) for _ in range(file.word())]
        self.names = {bone: name for name, bone in names}
        file.end()
        roots = [bone for bone, (parent, _) in self.bones.items() if parent not in self.bones]
        assert roots == [{"mp1": 3, "mp2": 0}[game]] and self.bones[roots[0]][0] == NULL_IDS[game]


def read_txtr(data):
    """Rows of (r, g, b, a) of an RGBA8 texture."""
    kind, width, height, levels = struct.unpack_from(">IHHI", data)
    assert (kind, levels) == (9, 1)
    rows, at = [[None] * width for _ in range(height)], 12
    for top in range(0, height, 4):
        for left in range(0, width, 4):
            for i in range(16):
                x, y = left + i % 4, top + i // 4
                if x < width and y < height:
                    a, r, g, b = data[at + 2 * i], data[at + 2 * i + 1], data[at + 32 + 2 * i], data[at + 33 + 2 * i]
                    rows[y][x] = (r, g, b, a)
            at += 64
    assert not data[at:].strip(b"\xff\0")
    return rows


def to_gltf(v):
    return [-v[0], v[2], v[1]]


def deform(model, skin, moves):
    """The corners of a model in glTF's axes. moves: bone id to a function from a place in the bind pose to the pose."""
    for place, normal, uv, slot in model.corners():
        group = skin.by_place(place)
        assert slot is None or skin.banks[slot] == group
        at = to_gltf(model.positions[place])
        yield [sum(w * moves[bone](at)[i] for bone, w in skin.groups[group][0]) for i in range(3)]
