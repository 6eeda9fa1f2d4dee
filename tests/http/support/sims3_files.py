"""Files of The Sims 3, put together field by field: clips, rigs, packages. What is in them is made up."""

import struct

CLIP, RIG, NAME_MAP, MORPH = 0x6B20C4F3, 0x8EAF13DE, 0x0166038C, 0x0A037DDA
STORED, REFPACK = 0x0000, 0xFFFF
TRANSLATION, ROTATION, WEIGHT = 1, 2, 7


def fnv(name, bits):
    value, prime = (0x811C9DC5, 0x01000193) if bits == 32 else (0xCBF29CE484222325, 0x100000001B3)
    for byte in name.lower().encode():
        value = value * prime % (1 << bits) ^ byte
    return value


def weight_keys(*ticks):
    """Keys of a morph (type 0x05), a weight of 1 each."""
    return b"".join(struct.pack("<HHH", tick, 0, 65535) for tick in ticks)


def channel(key, target, kind, keys=b"", count=0, offset=0.0, scale=1.0):
    return key, target, kind, keys, count, offset, scale


def clip(name, channels=(), ticks=31, palette=(), key_offsets=None, ik=b"", version=2):
    """key_offsets: where each channel's keys are said to be, in place of where they are."""
    at = 48 + 20 * len(channels)
    texts = name.encode() + b"\0" + b"made\0"
    places, data = at + len(texts), struct.pack(f"<{len(palette)}f", *palette)
    table = b""
    for index, (key, target, kind, keys, count, offset, scale) in enumerate(channels):
        here = places + len(data) if key_offsets is None else key_offsets[index]
        table += struct.pack("<IIffHBB", here, key, offset, scale, count, kind, target)
        data += keys
    head = b"_pilC3S_" + struct.pack("<IIfHHIIIIII", version, 0, 1 / 30, ticks, 0, len(channels), len(palette),
                                     48, places, at, at + len(name.encode()) + 1)
    section = head + table + texts + data
    size = len(section)
    section += b"~" * (-size % 4)
    blocks = ik + b"x\0~~" + struct.pack("<4f", 0, 0, 0, 1)
    end = 56 + len(section)
    offsets = {0x10: end if ik else 0, 0x14: end + len(ik), 0x24: end + len(blocks) - 16}
    words = [offsets[at] - at if offsets.get(at) else 0 for at in range(0x10, 0x28, 4)]
    return struct.pack("<IIII", CLIP, 0, size, 0x2C) + struct.pack("<6I", *words) + bytes(16) + section + blocks


def rig(name, joints):
    """joints: (name, parent, translation)"""
    data = struct.pack("<IIi", 4, 2, len(joints))
    for index, (joint, parent, place) in enumerate(joints):
        data += struct.pack("<3f4f3f", *place, 0, 0, 0, 1, 1, 1, 1)
        data += struct.pack("<i", len(joint)) + joint.encode()
        data += struct.pack("<iiII", index, parent, fnv(joint, 32), 0x23)
    return data + struct.pack("<i", len(name)) + name.encode() + struct.pack("<i", 0)


def name_map(*names):
    """Of (instance, name)."""
    return struct.pack("<II", 1, len(names)) + b"".join(
        struct.pack("<QI", instance, len(name)) + name.encode() for instance, name in names)


def package(*entries):
    """Of (type, group, instance, bytes), or also (compression, size in memory)."""
    data, index = b"", b""
    for kind, group, instance, content, *packing in entries:
        compression, size = packing or (STORED, len(content))
        index += struct.pack("<IIIIIIIHH", kind, group, instance >> 32, instance & 0xFFFFFFFF, 96 + len(data),
                             len(content) | 0x80000000, size, compression, 1)
        data += content
    return package_of(data, struct.pack("<I", 0) + index, len(entries))


def sims3pack(*files, header=b"\7\0\0\0TS3Pack\1\1", before="", root="Sims3Package"):
    """Of (name, bytes), or of (name, bytes, what the manifest says of its range): {"Length": …, "Offset": …}."""
    data, rows = b"", ""
    for name, contents, *said in files:
        members = {"Name": name, "Length": len(contents), "Offset": len(data), "Crc": "0", **(said[0] if said else {})}
        rows += "<PackagedFile>" + "".join(f"<{tag}>{text}</{tag}>" for tag, text in members.items()) + "</PackagedFile>"
        data += contents
    manifest = f'<?xml version="1.0" encoding="utf-8"?>{before}<{root} Type="x">{rows}</{root}>'.encode()
    return header + struct.pack("<I", len(manifest)) + manifest + data


def package_of(data, index, count):
    head = struct.pack("<4sII", b"DBPF", 2, 0) + bytes(24) + struct.pack("<III", count, 0, len(index))
    return head.ljust(60, b"\0") + struct.pack("<IQ", 3, 96 + len(data)) + bytes(24) + data + index
