"""glTF as other programs write it, and what is drawn of it."""

import base64
import json
import re
import struct
import tempfile
import time
import unittest
from pathlib import Path

from daemon import Daemon
from fixture import ServedCase
from test_skeletons import gltf


def uri(data):
    return "data:application/octet-stream;base64," + base64.b64encode(data).decode()


def with_keys(times, values, kind="LINEAR"):
    """Of test_skeletons.gltf, with other keys of the rotation."""
    document = json.loads(gltf(1))
    data = struct.pack(f"<{len(times)}f", *times) + b"".join(struct.pack("<4f", *value) for value in values)
    document["accessors"][0]["count"], document["accessors"][1]["count"] = len(times), len(values)
    document["accessors"][1]["byteOffset"] = 4 * len(times)
    document["bufferViews"][0]["byteLength"] = len(data)
    document["buffers"] = [{"byteLength": len(data), "uri": uri(data)}]
    document["animations"][0]["samplers"][0]["interpolation"] = kind
    return document


def meshopt(data, stride):
    """Attributes as EXT_meshopt_compression packs them."""
    rows = [data[i:i + stride] for i in range(0, len(data), stride)]
    out, last = bytearray(b"\xa0"), rows[0]
    block = min(8192 // stride & ~15, 256)
    for begin in range(0, len(rows), block):
        part = rows[begin:begin + block]
        for byte in range(stride):
            before, differences = last[byte], []
            for row in part:
                difference = (row[byte] - before + 128) % 256 - 128
                differences.append((difference << 1 ^ difference >> 7) & 255)
                before = row[byte]
            differences += [0] * (-len(differences) % 16)
            head, body = bytearray(-(-len(differences) // 64)), b""
            for group in range(len(differences) // 16):
                sixteen = differences[group * 16:group * 16 + 16]
                ways = [b"" if not any(sixteen) else None, narrow(sixteen, 2), narrow(sixteen, 4), bytes(sixteen)]
                way = min((k for k in range(4) if ways[k] is not None), key=lambda k: len(ways[k]))
                head[group // 4] |= way << group % 4 * 2
                body += ways[way]
            out += head + body
        last = part[-1]
    return bytes(out) + bytes(max(32 - stride, 0)) + rows[0]


def narrow(sixteen, bits):
    wide, number, more = (1 << bits) - 1, 0, b""
    for value in sixteen:
        number = number << bits | min(value, wide)
        more += bytes([value]) if value >= wide else b""
    return number.to_bytes(2 * bits, "big") + more


def packed(extension="EXT_meshopt_compression"):
    """with_keys of 40 turns, whose times are packed as they are and whose rotations by the filter for them."""
    document = with_keys([k / 30 for k in range(40)], [ONE] * 40)
    times = meshopt(struct.pack("<40f", *(k / 30 for k in range(40))), 4)
    # Two components of 12 bits are 0, the third goes up; the largest is w.
    turns = meshopt(b"".join(struct.pack("<4h", 0, 0, k * 40, 2047) for k in range(40)), 8)
    document["buffers"] = [{"byteLength": len(times + turns), "uri": uri(times + turns)},
                           {"byteLength": 480, "extensions": {extension: {"fallback": True}}}]
    document["bufferViews"] = [
        {"buffer": 1, "byteLength": 160, "extensions": {extension: {
            "buffer": 0, "byteLength": len(times), "byteStride": 4, "count": 40, "mode": "ATTRIBUTES"}}},
        {"buffer": 1, "byteOffset": 160, "byteLength": 320, "extensions": {extension: {
            "buffer": 0, "byteOffset": len(times), "byteLength": len(turns), "byteStride": 8, "count": 40,
            "mode": "ATTRIBUTES", "filter": "QUATERNION"}}}]
    document["accessors"][0].update(bufferView=0, byteOffset=0)
    document["accessors"][1].update(bufferView=1, byteOffset=0, componentType=5122, normalized=True)
    document["extensionsUsed"] = document["extensionsRequired"] = [extension]
    return document


ONE, X, Y, Z = (0, 0, 0, 1), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0)


class Others(ServedCase):
    def served(self, *documents):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for index, document in enumerate(documents):
            (Path(folder.name) / f"{index}.gltf").write_text(json.dumps(document))
        daemon = Daemon(folder.name)
        daemon.__enter__()
        self.addCleanup(daemon.__exit__, None, None, None)
        return daemon.client

    def test_of_equal_times_the_last_key_counts(self):
        client = self.served(with_keys((0, 1, 1, 2, 2, 2), (ONE, X, Y, X, Y, Z)))
        clip = client.items("/v1/clips")[0]
        self.assertEqual([w["code"] for w in clip["warnings"]], ["repeated_times"])
        keys = client.get(f"/v1/clips/{clip['id']}/keys").json["joints"][0]["rotation"]
        self.assertEqual((keys["times"], keys["values"]), ([0, 1, 2], [list(ONE), list(Y), list(Z)]))

    def test_times_that_descend_are_refused(self):
        client = self.served(with_keys((0, 2, 1), (ONE, X, Y)))
        self.assertEqual(client.items("/v1/clips"), [])

    def test_a_later_version_that_asks_for_no_more(self):
        documents = [json.loads(gltf(1)) for _ in range(4)]
        for document, asset in zip(documents, ({"version": "2.1", "minVersion": "2.0"}, {"version": "2.1"},
                                               {"version": "2.1", "minVersion": "2.1"}, {"version": "3.0"})):
            document["asset"] = asset
        client = self.served(*documents)
        self.assertEqual(len(client.items("/v1/clips")), 2)

    def test_without_a_skin_the_whole_tree(self):
        """All that hangs on the root of what is animated, but for what is shown, lights, cameras, and what hangs on these."""
        document = json.loads(gltf(1))
        document["skins"] = []
        document["cameras"] = [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}]
        document["nodes"] += [
            {"name": "hand", "children": [4, 5]}, {"name": "finger"}, {"name": "camera", "camera": 0, "children": [6]},
            {"name": "on camera"}, {"name": "lamp", "extensions": {"KHR_lights_punctual": {"light": 0}}},
            {"name": "elsewhere", "children": [9]}, {"name": "below elsewhere"}, {"children": [11]}, {"name": "hand"}]
        document["nodes"][2]["children"] = [3, 7, 10]
        document["scenes"][0]["nodes"] = [0, 8]
        names = ["hips", "spine", "head", "hand", "finger", None, "hand"]
        client = self.served(document)
        clip = client.items("/v1/clips")[0]["id"]
        found = next(item["id"] for item in client.items("/v1/skeletons") if item["format"] == "gltf")
        joints = client.get(f"/v1/skeletons/{found}").json["joints"]
        self.assertEqual([joint["name"] for joint in joints], names)
        self.assertEqual([joint["parent"] for joint in joints], [-1, 0, 1, 2, 3, 2, 5])
        carried = client.get(f"/v1/clips/{clip}.json").json["skeleton"]["joints"]
        self.assertEqual([joint["name"] for joint in carried], names)
        # A node that is animated is a joint whatever it shows, and so is what is above it.
        document["animations"][0]["channels"][0]["target"]["node"] = 6
        client = self.served(document)
        found = next(item["id"] for item in client.items("/v1/skeletons") if item["format"] == "gltf")
        joints = client.get(f"/v1/skeletons/{found}").json["joints"]
        self.assertEqual([joint["name"] for joint in joints], names[:5] + ["camera", "on camera"] + names[5:])

    def test_human_bones_are_joints(self):
        """Also those that nothing drives and no skin has; a bone that is no node is refused at its place."""
        for extension in ("VRMC_vrm", "VRMC_vrm_animation", "VRM"):
            document = json.loads(gltf(1))
            document["skins"] = []
            document["nodes"] += [{"name": "eye"}, {"name": "hat"}]
            document["nodes"][2]["children"] = [3]
            names = [node["name"] for node in document["nodes"]]
            bones = {"hips": {"node": 0}, "spine": {"node": 1}, "leftEye": {"node": 3}}
            document["extensionsUsed"] = document["extensionsRequired"] = [extension]
            human = {"humanBones": bones}
            document["extensions"] = {extension: {"humanoid": human}}
            if extension == "VRM":
                human["humanBones"] = [{"bone": bone, **row} for bone, row in bones.items()]
                human["humanBones"] += [{"bone": "jaw", "node": -1}, {"bone": "leftThumbProximal", "node": 1}]
                bones["leftThumbMetacarpal"] = {"node": 1}
            client = self.served(document)
            found = next(item["id"] for item in client.items("/v1/skeletons") if item["format"] == "gltf")
            skeleton = client.get(f"/v1/skeletons/{found}").json
            self.assertEqual({joint["name"] for joint in skeleton["joints"]}, set(names[:4]))
            self.assertEqual(skeleton["extras"], {"humanoid": {bone: names[row["node"]] for bone, row in bones.items()}})
            for wrong in ({"node": 9}, {}, 7):
                bones["hips"] = wrong
                if extension == "VRM":
                    human["humanBones"] = [{"bone": "hips", **wrong} if isinstance(wrong, dict) else wrong]
                reply = client.post("/v1/inspect", json.dumps(document).encode(), name="x.gltf")
                self.assertEqual(reply.status, 422)
                self.assertIn(f"/extensions/{extension}/humanoid/humanBones", reply.json["detail"])

    def test_packed_keys(self):
        for extension in ("EXT_meshopt_compression", "KHR_meshopt_compression"):
            client = self.served(packed(extension))
            clip = client.items("/v1/clips")[0]["id"]
            keys = client.get(f"/v1/clips/{clip}/keys").json["joints"][0]["rotation"]
            self.assertEqual(len(keys["times"]), 40)
            for k, (t, turn) in enumerate(zip(keys["times"], keys["values"])):
                z = k * 40 / 2047 / 2 ** 0.5
                self.assertAlmostEqual(t, k / 30, places=6)
                for part, wanted in zip(turn, (0, 0, z, (1 - z * z) ** 0.5)):
                    self.assertAlmostEqual(part, wanted, delta=1e-4)

    def test_packed_keys_that_are_refused(self):
        """By name, and at their place."""
        for change, code in (({"mode": "TRIANGLES"}, "meshopt_mode"), ({"filter": "COLOR"}, "meshopt_filter"),
                             ({"filter": "QUATERNION"}, "bad_stride"), ({"filter": "OCTAHEDRAL", "byteStride": 12}, "bad_stride"),
                             ({"byteStride": 3}, "bad_stride"), ({"byteStride": 260}, "bad_stride"), ({"byteStride": 0}, "bad_stride"),
                             ({"count": 2 ** 53}, "truncated"), ({"count": 40000}, "truncated"), ({"count": 41}, "outside_view"),
                             ({"count": 70}, "bad_meshopt"),
                             ({"byteLength": 20}, "truncated"), ({"byteLength": 70}, "bad_meshopt"),
                             ({"byteLength": 2 ** 52}, "outside_buffer"), ({"buffer": 2}, "bad_index")):
            document = packed()
            document["bufferViews"][0]["extensions"]["EXT_meshopt_compression"].update(change)
            if code == "outside_view":
                document["accessors"][0]["count"] = document["accessors"][1]["count"] = 49
            with self.subTest(change):
                reply = Others.client.post("/v1/inspect", json.dumps(document).encode(), name="x.gltf")
                self.assertEqual((reply.status, reply.json["code"]), (415 if "meshopt_" in code else 422, code))
                if code != "outside_view":
                    self.assertIn("/bufferViews/0/extensions/EXT_meshopt_compression", reply.json["detail"])

    def test_keys_and_binds_that_cannot_be_unpacked(self):
        """The refusal names the view, the accessor and the reason: times and rotations. Without a bind pose the clip is
        the same, so that is a warning; and what no skin names is not looked at."""
        for accessor, extension in ((0, "KHR_meshopt_compression"), (1, "KHR_meshopt_compression"), (1, "EXT_meshopt_compression")):
            for change, code, word in ((b"\xa1", "meshopt_version", "version 1 of the codec"), (None, "meshopt_mode", "mode than ATTRIBUTES")):
                document = packed(extension)
                view = document["bufferViews"][accessor]["extensions"][extension]
                data = bytearray(base64.b64decode(document["buffers"][0]["uri"].split(",")[1]))
                if change:
                    data[view.get("byteOffset", 0)] = change[0]
                else:
                    view["mode"] = "INDICES"
                document["buffers"][0]["uri"] = uri(bytes(data))
                with self.subTest(code, accessor=accessor, extension=extension):
                    reply = Others.client.post("/v1/inspect", json.dumps(document).encode(), name="x.gltf")
                    self.assertEqual((reply.status, reply.json["code"]), (415, code))
                    for part in (f"/bufferViews/{accessor}/extensions/{extension}", f"accessor {accessor} is packed", word,
                                 "save the file without that packing"):
                        self.assertIn(part, reply.json["detail"])
        for is_bound in (False, True):
            document = packed()
            data = base64.b64decode(document["buffers"][0]["uri"].split(",")[1]) + b"\xa1" + bytes(99)
            document["buffers"][0] = {"byteLength": len(data), "uri": uri(data)}
            document["bufferViews"].append({"buffer": 1, "byteLength": 64, "extensions": {"EXT_meshopt_compression": {
                "buffer": 0, "byteOffset": len(data) - 100, "byteLength": 100, "byteStride": 64, "count": 1, "mode": "ATTRIBUTES"}}})
            document["accessors"].append({"bufferView": len(document["bufferViews"]) - 1, "componentType": 5126, "count": 1, "type": "MAT4"})
            last = len(document["accessors"]) - 1
            document["skins"] = [{"joints": [0], **({"inverseBindMatrices": last} if is_bound else {})}]
            reply = Others.client.post("/v1/inspect", json.dumps(document).encode(), name="x.gltf")
            self.assertEqual((reply.status, len(reply.json["clips"]), len(reply.json["skeletons"])), (200, 1, 1))
            warnings = [warning for warning in reply.json["clips"][0]["warnings"] if warning["code"] == "binds_left_out"]
            self.assertEqual(len(warnings), is_bound)
            if is_bound:
                self.assertIn("/skins/0", warnings[0]["message"])
                self.assertIn(f"accessor {last} is packed by version 1", warnings[0]["message"])

    def test_long_strings_are_what_they_were(self):
        """They do not pass through the JSON parser; what follows them is refused at its own place."""
        document = json.loads(gltf(1))
        data = base64.b64decode(document["buffers"][0]["uri"].split(",")[1]) + bytes(200_000)
        document["buffers"] = [{"byteLength": len(data), "uri": uri(data)}]
        document["nodes"][0]["name"] = "n" * 5000
        client = self.served(document)
        clip = client.items("/v1/clips")[0]["id"]
        pose = client.get(f"/v1/clips/{clip}/pose", t=1).json
        self.assertEqual(pose["joints"][0]["name"], "n" * 5000)
        self.assertEqual([abs(part) for part in pose["joints"][1]["rotation"]], [0, 0, 1, 0])
        text = json.dumps(document)[:-1] + ",}"
        reply = client.post("/v1/inspect", text.encode(), name="x.gltf")
        self.assertEqual((reply.status, reply.json["code"]), (422, "bad_json"))
        self.assertLess(abs(reply.json["offset"] - len(text)), 3)

    def test_what_is_no_figure_is_not_drawn(self):
        def figure(*more, skin=False):
            """Hips, spine and head, one metre up, all of which turn; and more nodes (name, parent, translation). skin: of
            the first three."""
            document = json.loads(gltf(1))
            names = ["hips", "spine", "head", *(name for name, _, _ in more)]
            document["nodes"] = [{"name": "hips", "translation": [0, 1, 0]}, {"name": "spine", "translation": [0, 0.3, 0]},
                                 {"name": "head", "translation": [0, 0.3, 0]}]
            parents = {"spine": "hips", "head": "spine"}
            for name, parent, place in more:
                document["nodes"].append({"name": name, "translation": place})
                for of, above in ((name, parent),) if isinstance(parent, str) else (("hips", name),) if parent else ():
                    parents[of] = above
            for name, parent in parents.items():
                document["nodes"][names.index(parent)].setdefault("children", []).append(names.index(name))
            document["skins"] = []
            if skin:
                matrices = struct.pack("<48f", *(1.0 if k % 16 % 5 == 0 else 0.0 for k in range(48)))
                document["skins"] = [{"joints": [0, 1, 2], "inverseBindMatrices": 2}]
                document["accessors"].append({"bufferView": 1, "componentType": 5126, "count": 3, "type": "MAT4"})
                document["bufferViews"].append({"buffer": 1, "byteLength": len(matrices)})
                document["buffers"].append({"byteLength": len(matrices), "uri": uri(matrices)})
            document["animations"][0]["channels"] = [
                {"sampler": 0, "target": {"node": node, "path": "rotation"}} for node in range(len(names))
                if names[node] != "Scene"]
            return document

        plain = figure()
        rigged = figure(("Scene", True, [0, 0, 0]), ("IK_target", "hips", [2, 0, 0]), ("prop_slot", "head", [0, 2, 0]))
        # Whatever they are called, what is in no skin is none of its bones.
        props = ("lantern", "hips", [2, 0, 0]), ("knee_helper", "spine", [0, 0, 2])
        client = self.served(plain, rigged, figure(*props, skin=True), figure(*props))
        pictures = []
        for clip in client.items("/v1/clips", sort="name"):
            svg = client.get(f"/v1/clips/{clip['id']}/preview.svg", t=0, skeleton="auto").text
            pictures.append(len(re.findall("<(?:path|polygon)", svg)))
        self.assertEqual(pictures[:3], pictures[:1] * 3)
        self.assertGreater(pictures[3], pictures[0])
        # What the page's viewer goes by, which draws the same.
        said = []
        for clip in client.items("/v1/clips", sort="name"):
            skeleton = client.get(f"/v1/skeletons/{clip['skeleton']}").json["joints"]
            poses = client.get(f"/v1/clips/{clip['id']}/poses", t=0).json["joints"]
            self.assertEqual([joint.get("skinned") for joint in skeleton], [joint.get("skinned") for joint in poses])
            said.append({joint["name"]: joint.get("skinned") for joint in skeleton})
        self.assertEqual(said[2], {"hips": True, "spine": True, "head": True, "lantern": False, "knee_helper": False})
        for others in (said[0], said[1], said[3]):
            self.assertEqual(set(others.values()), {None})

    def test_what_is_above_the_bones_by_way_of_our_own_files(self):
        """A BVH by way of a GLB or of JSON is what it is directly: folded into the bones if skins tell which these are."""
        half = 0.5 ** 0.5
        armature = {"name": "Armature", "scale": [0.01] * 3, "rotation": [-half, 0, 0, half], "children": [1]}
        bones = [{"name": "thigh", "translation": [0, 0, 100], "children": [2]}, {"name": "shin", "translation": [0, 0, 20]}]
        document = json.loads(gltf(1))
        client = self.served(document)

        def converted(data, name, **wanted):
            reply = client.post("/v1/convert", data, name=name, **wanted)
            self.assertEqual(reply.status, 200, reply.body[:300])
            return reply.body

        for root, joints in (("thigh", [1, 2]), ("shin", [2]), ("Armature", [0, 1, 2]), ("Armature", [])):
            with self.subTest(joints=joints):
                document["nodes"] = [armature, *bones]
                document["skins"] = [{"joints": joints}] if joints else []
                document["animations"][0]["channels"] = [{"sampler": 0, "target": {"node": k, "path": "rotation"}} for k in (1, 2)]
                source = json.dumps(document).encode()
                direct = converted(source, "a.gltf", to="bvh")
                self.assertIn(f"ROOT {root}\n".encode(), direct.replace(b"\r", b""))
                glb = converted(source, "a.gltf", to="glb")
                keys = converted(source, "a.gltf", to="json", axes="native")
                self.assertEqual(converted(glb, "a.glb", to="bvh"), direct)
                self.assertEqual(converted(keys, "a.json", to="bvh"), direct)
                # Both ways in turn.
                self.assertEqual(converted(converted(glb, "a.glb", to="json", axes="native"), "a.json", to="bvh"), direct)
                self.assertEqual(converted(converted(keys, "a.json", to="gltf"), "a.gltf", to="bvh"), direct)

    def test_weights_alone_say_so(self):
        document = json.loads(gltf(1))
        data = struct.pack("<2f", 0, 1) + struct.pack("<4f", 0, 1, 0.5, 0)
        document["meshes"] = [{"primitives": [{"attributes": {}}], "extras": {"targetNames": ["smile", "blink"]}}]
        document["nodes"][0]["mesh"] = 0
        document["accessors"][1] = {"bufferView": 0, "byteOffset": 8, "componentType": 5126, "count": 4, "type": "SCALAR"}
        document["bufferViews"] = [{"buffer": 0, "byteLength": len(data)}]
        document["buffers"] = [{"byteLength": len(data), "uri": uri(data)}]
        document["animations"][0]["channels"][0]["target"] = {"node": 0, "path": "weights"}
        client = self.served(document)
        clip = client.items("/v1/clips")[0]["id"]
        svg = client.get(f"/v1/clips/{clip}/preview.svg").text
        for ending in ("png", "webp"):
            self.assertEqual(client.get(f"/v1/clips/{clip}/preview.{ending}").status, 200)
        # Letters and blanks are drawn as glyphs, the names of the weights below the line.
        self.assertEqual(svg.count("<use"), len("2 morph weights, no joint moves" + "smile" + "blink"))


    def test_a_body_of_targets_alone(self):
        """No skin and no node that moves: drawn as its weights say, and kept."""
        places = [(x, y, z) for x in (-0.5, 0.5) for y in (0, 1) for z in (-0.5, 0.5)]
        faces = [0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3]
        up = [(0, y, 0) for _, y, _ in places]
        parts = [struct.pack("<24f", *(c for row in rows for c in row)) for rows in (places, up)]
        parts += [struct.pack("<36H", *faces), struct.pack("<2f", 0, 1), struct.pack("<2f", 0, 1)]
        kinds = [(5126, 8, "VEC3"), (5126, 8, "VEC3"), (5123, 36, "SCALAR"), (5126, 2, "SCALAR"), (5126, 2, "SCALAR")]
        data = b"".join(parts)
        document = {
            "asset": {"version": "2.0"}, "nodes": [{"name": "frame", "children": [1]}, {"name": "box", "mesh": 0}],
            "scene": 0, "scenes": [{"nodes": [0]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 2, "targets": [{"POSITION": 1}]}],
                        "extras": {"targetNames": ["up"]}}],
            "animations": [{"name": "grow", "samplers": [{"input": 3, "output": 4}],
                            "channels": [{"sampler": 0, "target": {"node": 1, "path": "weights"}}]}],
            "accessors": [{"bufferView": k, "componentType": kind, "count": count, "type": shape}
                          for k, (kind, count, shape) in enumerate(kinds)],
            "bufferViews": [{"buffer": 0, "byteOffset": sum(map(len, parts[:k])), "byteLength": len(part)}
                            for k, part in enumerate(parts)],
            "buffers": [{"byteLength": len(data), "uri": uri(data)}]}
        client = self.served(document)
        clip, mesh = (client.items(f"/v1/{kind}")[0]["id"] for kind in ("clips", "meshes"))
        for t, height in ((0, 1), (0.25, 1.25), (1, 2)):
            vertices = client.get(f"/v1/meshes/{mesh}/vertices", clip=clip, t=t).json
            self.assertAlmostEqual(max(row[1] for row in vertices["positions"]), height, places=6)
        for ending in ("png", "svg", "webp"):
            pictures = {client.get(f"/v1/clips/{clip}/preview.{ending}", t=t).body for t in (0, 0.5, 0.9)}
            self.assertEqual(len(pictures), 3, ending)
        # The same box as a rigid body: where it moves less than twice its size, the camera does not follow.
        rigid = json.loads(json.dumps(document))
        rigid["animations"][0]["samplers"][0]["output"] = 5
        rigid["animations"][0]["channels"][0]["target"]["path"] = "translation"
        rigid["accessors"].append({"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3", "byteOffset": 12})
        other = self.served(rigid)
        moving = other.items("/v1/clips")[0]["id"]
        pictures = {other.get(f"/v1/clips/{moving}/preview.png", t=t).body for t in (0, 0.5, 0.9)}
        self.assertEqual(len(pictures), 3)
        self.assertNotIn("no joint moves", client.get(f"/v1/clips/{clip}/preview.svg", t=0.5).text)
        glb = client.get(f"/v1/clips/{clip}.glb").body
        scene = json.loads(glb[20:20 + struct.unpack("<I", glb[12:16])[0]])
        self.assertIn("targets", scene["meshes"][0]["primitives"][0])
        self.assert_weights(client, clip, glb, [0, 1], [0, 1])
        frames = client.get(f"/v1/clips/{clip}.glb", fps=4).body
        self.assert_weights(client, clip, frames, [0, 0.25, 0.5, 0.75, 1], [0, 0.25, 0.5, 0.75, 1])

    def assert_weights(self, client, clip, glb, times, weights):
        """The mesh's node has a channel of weights; what is read back has each track once."""
        size = struct.unpack("<I", glb[12:16])[0]
        scene, binary = json.loads(glb[20:20 + size]), glb[28 + size:]

        def floats(number):
            accessor = scene["accessors"][number]
            start = scene["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + accessor.get("byteOffset", 0)
            return struct.unpack_from(f"<{accessor['count']}f", binary, start)

        (animation,) = scene["animations"]
        (channel,) = animation["channels"]
        self.assertEqual(channel["target"]["path"], "weights")
        self.assertEqual(scene["nodes"][channel["target"]["node"]]["mesh"], 0)
        sampler = animation["samplers"][channel["sampler"]]
        for number, wanted in ((sampler["input"], times), (sampler["output"], weights)):
            for value, other in zip(floats(number), wanted, strict=True):
                self.assertAlmostEqual(value, other, places=6)
        (again,) = client.post("/v1/inspect?name=again.glb", glb).json["clips"]
        self.assertEqual(again["key_count"], client.get(f"/v1/clips/{clip}").json["key_count"])
        del animation["extras"]
        other = self.served({**scene, "buffers": [{"byteLength": len(binary), "uri": uri(binary)}]})
        keys = other.get(f"/v1/clips/{other.items('/v1/clips')[0]['id']}/keys").json["joints"]
        (morph,) = (joint["morph"] for joint in keys if "morph" in joint)
        self.assertEqual([row[0] for row in morph["values"]], weights)


class Beside(unittest.TestCase):
    """A .gltf whose buffer is another file, as exporters write it: as a PATH by itself, and in a folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.folder = self.root / "of files"
        self.folder.mkdir()

    def write(self, name, uri_of_buffer, turn=Z, at=None):
        document = with_keys((0, 1), (ONE, turn))
        data = base64.b64decode(document["buffers"][0]["uri"].split(",")[1])
        document["buffers"][0]["uri"] = uri_of_buffer
        if at:
            at.parent.mkdir(exist_ok=True)
            at.write_bytes(data)
        (self.folder / name).write_text(json.dumps(document))
        return self.folder / name

    def turned(self, *paths):
        """How the clips of these PATHs turn."""
        with Daemon(*paths) as daemon:
            clips = daemon.client.items("/v1/clips")
            return [daemon.client.get(f"/v1/clips/{clip['id']}/keys").json["joints"][0]["rotation"]["values"][1]
                    for clip in clips]

    def test_its_buffer_is_found(self):
        for uri_of_buffer, at in (("walk.bin", "walk.bin"), ("./Walk.BIN", "walk.bin"), ("my%20w%C3%A4lk.bin", "my wälk.bin"),
                                  ("data/walk%2Ebin", "data/walk.bin"), ("100%.bin", "100%.bin")):
            with self.subTest(uri_of_buffer):
                path = self.write("walk.gltf", uri_of_buffer, at=self.folder / at)
                self.assertEqual(self.turned(path), [list(Z)])
                self.assertEqual(self.turned(self.folder), [list(Z)])
                (self.folder / at).unlink()

    def test_several_buffers_are_found(self):
        """Times in one file, values in another; the clip is another one when either changes."""
        document = with_keys((0, 1), (ONE, Z))
        data = base64.b64decode(document["buffers"][0]["uri"].split(",")[1])
        document["buffers"] = [{"byteLength": 8, "uri": "times.bin"}, {"byteLength": 32, "uri": "values.bin"}]
        document["bufferViews"] = [{"buffer": 0, "byteLength": 8}, {"buffer": 1, "byteLength": 32}]
        document["accessors"][0].update(bufferView=0, byteOffset=0)
        document["accessors"][1].update(bufferView=1, byteOffset=0)
        path = self.folder / "walk.gltf"
        path.write_text(json.dumps(document))
        ids = set()
        for turn in (Z, X):
            for end in (1, 2):
                (self.folder / "times.bin").write_bytes(struct.pack("<2f", 0, end))
                (self.folder / "values.bin").write_bytes(struct.pack("<8f", *ONE, *turn))
                with Daemon(path) as daemon:
                    clip = daemon.client.items("/v1/clips")[0]
                    keys = daemon.client.get(f"/v1/clips/{clip['id']}/keys").json["joints"][0]["rotation"]
                    self.assertEqual((keys["times"], keys["values"][1]), ([0, end], list(turn)))
                    ids.add(clip["id"])
        self.assertEqual(len(ids), 4)
        document["buffers"] += [{"byteLength": 8, "uri": f"{i}.bin"} for i in range(64)]
        for i in range(64):
            (self.folder / f"{i}.bin").write_bytes(struct.pack("<2f", 0, 1))
            document["bufferViews"].append({"buffer": 2 + i, "byteLength": 8})
            document["accessors"].append({"bufferView": 2 + i, "componentType": 5126, "count": 2, "type": "SCALAR"})
            document["animations"][0]["samplers"].append({"input": 2 + i, "output": 1})
            document["animations"][0]["channels"].append({"sampler": 1 + i, "target": {"node": 1 + i % 2, "path": "rotation"}})
        path.write_text(json.dumps(document))
        with Daemon(path) as daemon:
            archive = daemon.client.items("/v1/archives")[0]["id"]
            error = daemon.client.items(f"/v1/archives/{archive}/entries")[0]["error"]
            self.assertEqual((error["code"], "64 external files" in error["detail"]), ("external_uri", True))

    def test_nothing_outside_of_its_folder_is(self):
        secret = self.root / "secret.bin"
        (self.folder / "below").mkdir()
        (self.folder / "link.bin").symlink_to(secret)
        (self.folder / "up").symlink_to(self.root)
        for uri_of_buffer in ("../secret.bin", "%2e%2e/secret.bin", "..%2Fsecret.bin", "below/../../secret.bin", str(secret),
                              f"file://{secret}", "file%3A" + str(secret), "..%5Csecret.bin", "link.bin", "up/secret.bin"):
            with self.subTest(uri_of_buffer):
                path = self.write("walk.gltf", uri_of_buffer, at=secret)
                self.assertEqual(self.turned(path), [])
                self.assertEqual(self.turned(self.folder), [])
                with Daemon(path) as daemon:
                    archive = daemon.client.items("/v1/archives")[0]["id"]
                    entry = daemon.client.items(f"/v1/archives/{archive}/entries")[0]
                    self.assertEqual(entry["error"]["code"], "external_uri")

    def test_a_path_below_is_only_that_one(self):
        (self.folder / "other").mkdir()
        path = self.write("walk.gltf", "data/walk.bin", at=self.folder / "other" / "walk.bin")
        self.assertEqual(self.turned(path), [])
        self.assertEqual(self.turned(self.folder), [])

    def test_a_buffer_that_changes(self):
        path = self.write("walk.gltf", "walk.bin", at=self.folder / "walk.bin")
        with Daemon(path, "--data", self.root / "data") as daemon:
            before = daemon.client.items("/v1/clips")[0]["id"]
            self.write("other.gltf", "walk.bin", turn=X, at=self.folder / "walk.bin")
            deadline = time.monotonic() + 20
            while (clips := daemon.client.items("/v1/clips")) and clips[0]["id"] == before:
                self.assertLess(time.monotonic(), deadline, "it is never seen")
                time.sleep(0.1)
            keys = daemon.client.get(f"/v1/clips/{clips[0]['id']}/keys").json["joints"][0]["rotation"]["values"]
            self.assertEqual(keys[1], list(X))
        self.write("other.gltf", "walk.bin", turn=Y, at=self.folder / "walk.bin")
        self.assertEqual(self.turned(path, "--data", self.root / "data"), [list(Y)])
