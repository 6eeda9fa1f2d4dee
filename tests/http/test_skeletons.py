"""skeleton=auto: which skeleton a clip is put on when several know its joints. Folders as people have them."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import sims3_files as sims3
from daemon import Daemon
from uploads import form, zipped

BONES = ("hips", "spine", "head")


def bvh(length, frames=2):
    """A figure of three joints, each so long."""
    text = "HIERARCHY\n"
    for depth, name in enumerate(BONES):
        kind = "JOINT" if depth else "ROOT"
        text += f"{kind} {name}\n{{\nOFFSET 0 {length if depth else 0} 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    text += f"End Site\n{{\nOFFSET 0 {length} 0\n}}\n" + "}\n" * len(BONES)
    rows = "".join(f"{frame} 0 0 0 {length} 0 0 0 0\n" for frame in range(frames))
    return (text + f"MOTION\nFrames: {frames}\nFrame Time: 0.1\n" + rows).encode()


def gltf(length, names=True, turn=1.0):
    """Two nodes, the second above the first; the second turns half about z in one second."""
    import base64
    import struct
    data = struct.pack("<2f", 0, 1) + struct.pack("<8f", 0, 0, 0, 1, 0, 0, turn, 0)
    nodes = [{"children": [1]}, {"translation": [0, length, 0], "children": [2]}, {"translation": [0, length, 0]}]
    for index, node in enumerate(nodes):
        if names:
            node["name"] = BONES[index]
    return json.dumps({
        "asset": {"version": "2.0"}, "nodes": nodes, "scene": 0, "scenes": [{"nodes": [0]}],
        "skins": [{"joints": [0, 1, 2]}],
        "animations": [{"channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
                        "samplers": [{"input": 0, "output": 1}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR"},
                      {"bufferView": 0, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "VEC4"}],
        "bufferViews": [{"buffer": 0, "byteLength": len(data)}],
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64,"
                     + base64.b64encode(data).decode()}]}).encode()


def still(key):
    """A channel of a rotation that turns nowhere (type 0x11)."""
    return sims3.channel(sims3.fnv(key, 32), sims3.ROTATION, 0x11)


def weight(name):
    return sims3.channel(sims3.fnv(name, 64) & 0xFFFFFFFF, sims3.WEIGHT, 5, sims3.weight_keys(0, 30), 2)


PEOPLE = ("b__ROOT__", "b__Pelvis__", "b__Head__")


class Folders(unittest.TestCase):
    """Each case makes a folder (and the same as an upload), and says what every clip has to stand on."""

    def check(self, client, wanted, **query):
        """wanted: clip entry -> entry of its skeleton, or its name."""
        names = {s["id"]: (s["entry"], s["name"]) for s in client.items("/v1/skeletons", limit=1000)}
        clips = client.items("/v1/clips", limit=1000, **query)
        found = {clip["entry"]: names.get(clip["skeleton"]) for clip in clips}
        self.assertEqual(sorted(found), sorted(wanted))
        for clip, skeleton in wanted.items():
            self.assertIn(skeleton, found[clip] or (None,), clip)

    def everywhere(self, files, wanted, check=None):
        """As a folder, in a ZIP, and as a form. check(client): more to be looked at."""
        with tempfile.TemporaryDirectory() as folder, Daemon() as empty:
            for name, data in files.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            with Daemon(folder) as daemon:
                self.check(daemon.client, wanted)
                if check:
                    check(daemon.client)
            reply = empty.client.post("/v1/archives", zipped(list(files.items())), name="all.zip")
            self.assertEqual(reply.status, 201, reply)
            self.check(empty.client, wanted)
            if check:
                check(empty.client)
            empty.client.request("DELETE", f"/v1/archives/{reply.json['id']}")
            if all("/" not in name for name in files):
                headers, body = form(list(files.items()))
                self.assertEqual(empty.client.request("POST", "/v1/archives", body, headers).status, 201)
                self.check(empty.client, wanted)

    def test_twelve_bvhs_of_equal_names(self):
        files = {f"take {k:02}.bvh": bvh(k + 1) for k in range(12)}

        def lengths(client):
            for clip in client.items("/v1/clips"):
                pose = client.get(f"/v1/clips/{clip['id']}/pose").json
                self.assertEqual(pose["joints"][1]["translation"][1], int(clip["entry"][5:7]) + 1)
                self.assertNotIn("warnings", pose)

        self.everywhere(files, {name: name for name in files}, lengths)

    def test_convert_of_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder) / "in", pathlib.Path(folder) / "out"
            source.mkdir()
            for k in range(12):
                (source / f"take{k}.bvh").write_bytes(bvh(k + 1))
            subprocess.run([Daemon.binary, "convert", source, target, "--to", "gltf"], check=True,
                           capture_output=True)
            for k in range(12):
                nodes = json.loads((target / f"take{k}.gltf").read_bytes())["nodes"] \
                    if (target / f"take{k}.gltf").exists() else self.glb_nodes(target / f"take{k}.glb")
                spine = next(node for node in nodes if node.get("name") == "spine")
                self.assertEqual(spine["translation"][1], k + 1)

    @staticmethod
    def glb_nodes(path):
        data = path.read_bytes()
        return json.loads(data[20:20 + int.from_bytes(data[12:16], "little")])["nodes"]

    def test_three_exports_of_one_rig(self):
        files = {f"{name}.gltf": gltf(length) for name, length in (("idle", 1), ("run", 1.5), ("walk", 2))}
        self.everywhere(files, {name: name for name in files})

    def test_nodes_without_names(self):
        files = {f"{name}.gltf": gltf(length, names=False) for name, length in (("a", 1), ("b", 2))}

        def turned(client):
            for clip in client.items("/v1/clips"):
                pose = client.get(f"/v1/clips/{clip['id']}/pose", t=1).json
                self.assertNotIn("unmatched", pose)
                self.assertEqual([joint["driven"] for joint in pose["joints"]], [False, True, False])
                self.assertEqual([abs(part) for part in pose["joints"][1]["rotation"]], [0, 0, 1, 0])

        self.everywhere(files, {name: name for name in files}, turned)

    def test_two_nodes_of_one_name(self):
        document = json.loads(gltf(1))
        for node in document["nodes"]:
            node["name"] = "bone"
        reply_of = {}
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "same.gltf").write_text(json.dumps(document))
            with Daemon(folder) as daemon:
                clip = daemon.client.items("/v1/clips")[0]["id"]
                reply_of = daemon.client.get(f"/v1/clips/{clip}/pose", t=1).json
                glb = daemon.client.get(f"/v1/clips/{clip}.glb").body
        self.assertEqual([joint["driven"] for joint in reply_of["joints"]], [False, True, False])
        nodes = json.loads(glb[20:20 + int.from_bytes(glb[12:16], "little")])
        animated = {channel["target"]["node"] for channel in nodes["animations"][0]["channels"]}
        self.assertEqual(len(animated), 1)
        moved = nodes["nodes"][animated.pop()]
        self.assertTrue(moved["name"].startswith("bone"))
        self.assertEqual(moved["translation"], [0, 1, 0])

    def test_tracks_of_weights_are_no_joints(self):
        channels = [still(name) for name in PEOPLE] + [weight(f"morph{k}") for k in range(20)]
        files = {"a_talk.clip": sims3.clip("a_talk", channels),
                 "auRig.rig": sims3.rig("auRig", [(name, i - 1, (0, 1, 0)) for i, name in enumerate(PEOPLE)])}
        self.everywhere(files, {"a_talk.clip": "auRig"})

    def test_the_sims_3_by_age_and_species(self):
        rigs = ("auRig", "cuRig", "puRig", "acRig", "adRig", "alRig", "ccRig", "cdRig", "ahRig", "chRig")
        files = {f"{rig}.rig": sims3.rig(rig, [(name, i - 1, (0, 1 + k / 10, 0)) for i, name in enumerate(PEOPLE)])
                 for k, rig in enumerate(rigs)}
        wanted = {}
        for name, rig in (("a_walk", "auRig"), ("c_walk", "cuRig"), ("p_walk", "puRig"), ("t_walk", "auRig"),
                          ("e_walk", "auRig"), ("ac_walk", "acRig"), ("ad_walk", "adRig"), ("al_walk", "alRig"),
                          ("cc_walk", "ccRig"), ("cd_walk", "cdRig"), ("ah_walk", "ahRig"), ("ch_walk", "chRig"),
                          ("a2c_hug_x", "auRig"), ("a2c_hug_y", "cuRig"), ("c2ad_pet_y", "adRig"),
                          ("ad2a_beg_x", "adRig"), ("a2o_sit_x", "auRig")):
            files[f"{name}.clip"] = sims3.clip(name, [still(bone) for bone in PEOPLE])
            wanted[f"{name}.clip"] = rig

        def told(client):
            for clip in client.items("/v1/clips"):
                self.assertIsNone(client.get(f"/v1/clips/{clip['id']}")["Posed-Warning"], clip["name"])

        self.everywhere(files, wanted, told)

    def test_who_says_no_age_is_an_adult(self):
        """Every order of rigs of equal bones, whatever their ids and places: never by chance."""
        rigs = ("puRig", "auRig", "cuRig", "buRig")
        for length in range(1, 9):
            for others in ((), ("adRig", "cdRig")):
                chosen = rigs + others
                files = {f"{rig}.rig": sims3.rig(rig, [(name, i - 1, (0, length + k / 10, 0))
                                                       for i, name in enumerate(PEOPLE)])
                         for k, rig in enumerate(chosen[length % len(chosen):] + chosen[:length % len(chosen)])}
                files["dance.clip"] = sims3.clip("dance", [still(bone) for bone in PEOPLE])
                with Daemon() as daemon:
                    reply = daemon.client.post("/v1/archives", zipped(list(files.items())), name="all.zip")
                    self.assertEqual(reply.status, 201, reply)
                    self.check(daemon.client, {"dance.clip": "auRig"})

    def test_a_toddlers_rig_of_fewer_bones_is_no_adult(self):
        """Fewer other joints decide only between rigs of one age; the number of known joints decides before."""
        files = {"auRig.rig": sims3.rig("auRig", [(name, i - 1, (0, 1, 0)) for i, name in enumerate((*PEOPLE, "b__Jaw__"))]),
                 "puRig.rig": sims3.rig("puRig", [(name, i - 1, (0, 0.5, 0)) for i, name in enumerate(PEOPLE)]),
                 "dance.clip": sims3.clip("dance", [still(bone) for bone in PEOPLE])}
        self.everywhere(files, {"dance.clip": "auRig"})

    def test_of_animals_the_grown_one(self):
        for length in range(1, 7):
            files = {f"{rig}.rig": sims3.rig(rig, [(name, i - 1, (0, length + k / 10, 0))
                                                   for i, name in enumerate(PEOPLE)])
                     for k, rig in enumerate(("cdRig", "adRig", "ccRig", "chRig"))}
            files["run.clip"] = sims3.clip("run", [still(bone) for bone in PEOPLE])
            with Daemon() as daemon:
                reply = daemon.client.post("/v1/archives", zipped(list(files.items())), name="all.zip")
                self.assertEqual(reply.status, 201, reply)
                self.check(daemon.client, {"run.clip": "adRig"})

    def test_alone_it_stands_on_the_built_in_adult(self):
        with Daemon() as daemon:
            clip = sims3.clip("dance", [still(bone) for bone in PEOPLE])
            self.assertEqual(daemon.client.post("/v1/archives", clip, name="dance.clip").status, 201)
            skeleton = daemon.client.items("/v1/clips")[0]["skeleton"]
            self.assertEqual(daemon.client.get(f"/v1/skeletons/{skeleton}").json["name"], "The Sims 3 adult stand-in")

    def test_a_variant_is_known_by_its_key(self):
        """Inside "a_walk" may be a dog's: the id of the entry says so."""
        bones = [still(bone) for bone in PEOPLE]
        rigs = [(sims3.RIG, 0, k + 1, sims3.rig(rig, [(name, i - 1, (0, k + 1, 0)) for i, name in enumerate(PEOPLE)]))
                for k, rig in enumerate(("auRig", "adRig"))]
        plain = sims3.fnv("a_walk", 64) & ~(1 << 63)
        dog = plain ^ (0x8000 | 0x08 << 8) << 48
        for instance, rig in ((plain, "auRig"), (dog, "adRig")):
            data = sims3.package((sims3.CLIP, 0, instance, sims3.clip("a_walk", bones)), *rigs)
            with Daemon() as daemon:
                self.assertEqual(daemon.client.post("/v1/archives", data, name="x.package").status, 201)
                names = {s["id"]: s["name"] for s in daemon.client.items("/v1/skeletons")}
                self.assertEqual(names[daemon.client.items("/v1/clips")[0]["skeleton"]], rig)

    def test_the_same_folder_decides_and_says_so(self):
        def rigged(scale):
            return sims3.rig("rig", [(name, i - 1, (0, scale, 0)) for i, name in enumerate(PEOPLE)])

        files = {f"{name}/rig.rig": rigged(scale) for name, scale in (("a", 1), ("b", 2), ("c", 3))}
        files |= {f"{name}/dance.clip": sims3.clip(f"dance {name}", [still(bone) for bone in PEOPLE]) for name in "abc"}

        def told(client):
            for clip in client.items("/v1/clips"):
                self.assertEqual(client.get(f"/v1/clips/{clip['id']}")["Posed-Warning"], "skeleton_elsewhere")
                pose = client.get(f"/v1/clips/{clip['id']}/pose")
                self.assertEqual(pose["Posed-Warning"], "skeleton_elsewhere")
                self.assertEqual([w["code"] for w in pose.json["warnings"]], ["skeleton_elsewhere"])
                self.assertIn("skeleton_elsewhere", client.get(f"/v1/clips/{clip['id']}.glb")["Posed-Warning"])
                named = client.get(f"/v1/clips/{clip['id']}/pose", skeleton=clip["skeleton"])
                self.assertIsNone(named["Posed-Warning"])

        self.everywhere(files, {f"{name}/dance.clip": f"{name}/rig.rig" for name in "abc"}, told)

    def test_equal_rest_poses_are_no_matter(self):
        joints = [(name, i - 1, (0, 1, 0)) for i, name in enumerate(PEOPLE)]
        files = {"one.rig": sims3.rig("one", joints), "two.rig": sims3.rig("two", joints),
                 "dance.clip": sims3.clip("dance", [still(bone) for bone in PEOPLE])}
        with tempfile.TemporaryDirectory() as folder:
            for name, data in files.items():
                (pathlib.Path(folder) / name).write_bytes(data)
            with Daemon(folder) as daemon:
                clip = daemon.client.items("/v1/clips")[0]["id"]
                self.assertIsNone(daemon.client.get(f"/v1/clips/{clip}")["Posed-Warning"])
