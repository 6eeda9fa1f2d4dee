"""Metroid Prime: a pak's character sets name its clips and say their skeletons and events."""

import shutil
import tempfile
import unittest
from pathlib import Path

from daemon import Daemon, run
from fixture import SampleCase

# What a pak calls them, and the sample of each; A3 and A4 are in no character set.
MEMBERS = (("000000C0_Figures.ANCS", "prime-ancs/{}.ancs"), ("000000C1.CINF", "prime-cinf/{}.cinf"),
           ("000000C2.CSKR", "prime-cskr/{}.cskr"), ("000000A1_first.ANIM", "prime-anim/packed-{}.anim"),
           ("000000A2.ANIM", "prime-anim/frames-{}.anim"), ("ABCD1234.EVNT", "prime-evnt/{}.evnt"))
EVENTS = ["user", "particle", "int32", "sound", "loop"]


def unpack(folder, game):
    """The members as files, with two more clips that differ from the others in a byte of padding."""
    samples = Daemon.samples.parent / "format-samples"
    for name, sample in MEMBERS:
        if game == "mp2" and name.endswith("EVNT"):
            continue
        shutil.copy(samples / sample.format(game), folder / name)
    walk = (folder / "000000A1_first.ANIM").read_bytes()
    (folder / "000000A3_alone.ANIM").write_bytes(walk + b"\0\0")
    (folder / "000000A4.ANIM").write_bytes(walk + b"\0")
    return sorted(folder.iterdir())


class PrimeCase:
    game = None
    assertClose = SampleCase.assertClose

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        root = Path(cls.folder.name)
        (root / "in").mkdir()
        status, _, error = run("pack", root / "figures.pak", "--game", cls.game, *unpack(root / "in", cls.game))
        assert status == 0, error
        cls.daemon = Daemon(root / "figures.pak")
        cls.daemon.__enter__()
        cls.client = cls.daemon.client

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None, None, None)
        cls.folder.cleanup()

    def clip(self, name):
        found = self.client.items("/v1/clips", name=name)
        self.assertEqual(len(found), 1, name)
        return self.client.get(f"/v1/clips/{found[0]['id']}").json

    def test_joints_have_the_names_of_the_skeleton(self):
        """A clip stores ids alone; what it is put on tells their names, but not to the clip JSON."""
        clip = self.clip("walk")
        skeleton = self.client.get(f"/v1/skeletons/{clip['skeleton']}").json
        names = {joint["id"]: joint["name"] for joint in skeleton["joints"]}
        found = [(joint["id"], joint["name"]) for joint in clip["joints"]]
        self.assertEqual(found, [(joint, names.get(joint)) for joint, _ in found])
        self.assertTrue(any(name for _, name in found), found)
        keys = self.client.get(f"/v1/clips/{clip['id']}/keys").json
        self.assertEqual([(joint["id"], joint["name"]) for joint in keys["joints"]],
                         [(joint, None) for joint, _ in found])

    def test_names(self):
        names = {c["entry"].split(".")[0]: c["name"] for c in self.client.items("/v1/clips")}
        self.assertEqual(names, {"000000A1_first": "walk", "000000A2": "step", "000000A3_alone": "alone",
                                 "000000A4": "000000A4"})
        walk = self.clip("walk")
        self.assertEqual(walk["extras"]["names"], ["walk", "step"])
        self.assertEqual(walk["extras"]["game"], self.game)
        self.assertEqual(self.clip("step")["extras"]["names"], ["step"])
        self.assertNotIn("names", self.clip("alone")["extras"])
        # by names of archive and clip, and keys that depend on nothing else
        self.assertEqual(self.client.get("/v1/named/figures.pak/walk").json["id"], walk["id"])
        keys = self.client.get(f"/v1/clips/{walk['id']}/keys").json
        self.assertEqual(keys["name"], "first")
        self.assertNotIn("names", keys["extras"])
        archive = self.client.items("/v1/archives")[0]
        whole = self.client.get(f"/v1/archives/{archive['id']}").json
        self.assertEqual(whole["rejected"], [])
        self.assertEqual(sorted(c["name"] for c in whole["clips"]), ["000000A4", "alone", "step", "walk"])

    def test_a_character_has_skeleton_skin_and_clips(self):
        characters = self.client.items("/v1/characters")
        self.assertEqual([(c["name"], c["type"], c["format"]) for c in characters],
                         [("Figure", "character_set", "prime-ancs"), ("Shadow", "character_set", "prime-ancs")])
        skeleton, = self.client.items("/v1/skeletons")
        self.assertEqual((skeleton["format"], skeleton["joint_count"]), ("prime-cinf", 3))
        mesh, = self.client.items("/v1/meshes")
        figure, shadow = (self.client.get(f"/v1/characters/{c['id']}").json for c in characters)
        for one in (figure, shadow):
            self.assertEqual(one["skeleton"], skeleton["id"])
            self.assertEqual([m["id"] for m in one["meshes"]], [mesh["id"]])
            # It names a model, which is not in this pak.
            self.assertEqual(one["missing"], ["000000C3"])
        self.assertEqual([c["name"] for c in figure["clips"]], ["walk", "step"])
        self.assertEqual([c["name"] for c in shadow["clips"]], ["walk"])
        for clip in figure["clips"]:
            self.assertEqual(self.client.get(f"/v1/clips/{clip['id']}").json["skeleton"], skeleton["id"])

    def test_a_skin_counts_its_vertices(self):
        mesh, = self.client.items("/v1/meshes")
        skeleton, = self.client.items("/v1/skeletons")
        whole = self.client.get(f"/v1/meshes/{mesh['id']}").json
        count = 0
        wanted = []
        for group in whole["extras"]["groups"]:
            wanted += [(f"#{w['bone_id']}", count, group["vertex_count"], w["weight"]) for w in group["weights"]]
            count += group["vertex_count"]
        self.assertGreater(count, 0)
        self.assertEqual((mesh["vertex_count"], whole["vertex_count"], whole["face_count"]), (count, count, 0))
        self.assertEqual([(b["bone"], b["first"], b["count"], b["weight"]) for b in whole["bindings"]], wanted)
        self.assertEqual(whole["skeleton"], skeleton["id"])
        # there is no surface to be drawn: pictures show the bones
        clip = self.clip("walk")["id"]
        bones = self.client.get(f"/v1/clips/{clip}/preview.svg").body
        self.assertEqual(self.client.get(f"/v1/clips/{clip}/preview.svg", mesh=mesh["id"]).body, bones)
        vertices = self.client.get(f"/v1/meshes/{mesh['id']}/vertices", clip=clip, t=0.1).json
        self.assertEqual((vertices["positions"], vertices["skeleton"]), ([], skeleton["id"]))

    def test_events_come_from_beside(self):
        walk = self.clip("walk")
        self.assertEqual(walk["event_count"], 0)
        self.assertEqual(self.client.get(f"/v1/clips/{walk['id']}/keys").json["events"], [])
        found = self.client.get(f"/v1/clips/{walk['id']}/events").json
        self.assertEqual([e["type"] for e in found["items"]], EVENTS)
        self.assertEqual(found["total"], 5)
        self.assertEqual([e["time"] for e in found["items"]], [0, 0.03125, 0.0625, 0.0625, 0.09375])
        landing, dust, _, sound, _ = found["items"]
        self.assertEqual((landing["kind"], landing["name"], landing["action"]), ("int32", "Land", "landing"))
        self.assertEqual((dust["effect_type"], dust["effect_id"]), ("PART", 0xDEADBEEF))
        self.assertEqual(sound["sound_id"], 0x00120345)
        some = self.client.get(f"/v1/clips/{walk['id']}/events", **{"from": 0.05, "to": 0.07}).json
        self.assertEqual([e["type"] for e in some["items"]], ["int32", "sound"])
        step = self.client.get(f"/v1/clips/{self.clip('step')['id']}/events").json
        self.assertEqual(step["items"], [])

    def test_the_root_moves_when_it_is_asked_to(self):
        walk = self.clip("walk")
        root = 3 if self.game == "mp1" else 0
        poses = {}
        for motion in ("in_place", "motion"):
            pose = self.client.get(f"/v1/clips/{walk['id']}/pose", t=0.1, axes="native", root=motion).json
            self.assertEqual(pose["skeleton"], walk["skeleton"])
            self.assertEqual([j["id"] for j in pose["joints"]], [root, root + 1, root + 2])
            poses[motion] = pose["joints"][0]
            self.assertTrue(pose["joints"][0]["driven"])
        self.assertClose(poses["in_place"]["rotation"], (0, 0, 0, 1), 1e-6)
        self.assertClose(poses["in_place"]["translation"], (0, 0.25, 0), 1e-6)
        if self.game == "mp1":
            self.assertClose(poses["motion"]["rotation"], (0.00427, -0.00853, 0.01491, 0.99984), 1e-5)
        else:
            self.assertClose(poses["motion"]["translation"], (0.375, 0.25, 0.125), 1e-6)


class FirstGame(PrimeCase, unittest.TestCase):
    game = "mp1"


class SecondGame(PrimeCase, unittest.TestCase):
    game = "mp2"


def repeat(pak, kind):
    """The pak with one more row of its table: the first resource of that kind once more."""
    count_at = 12
    for _ in range(int.from_bytes(pak[8:12], "big")):
        count_at += 12 + int.from_bytes(pak[count_at + 8:count_at + 12], "big")
    count = int.from_bytes(pak[count_at:count_at + 4], "big")
    rows = [pak[count_at + 4 + 20 * i:count_at + 24 + 20 * i] for i in range(count)]
    rows.append(next(row for row in rows if row[4:8] == kind))
    head = (count_at + 4 + 20 * count + 31) // 32 * 32
    shift = (count_at + 4 + 20 * len(rows) + 31) // 32 * 32 - head
    rows = [row[:16] + (int.from_bytes(row[16:], "big") + shift).to_bytes(4, "big") for row in rows]
    table = pak[:count_at] + len(rows).to_bytes(4, "big") + b"".join(rows)
    return table + bytes(-len(table) % 32) + pak[head:]


class Copies(unittest.TestCase):
    """A pak repeats what several areas need: a copy is listed and read, is no error, and is not decoded again."""

    def test_a_repeated_clip(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "in").mkdir()
            self.assertEqual(run("pack", root / "a.pak", "--game", "mp1", *unpack(root / "in", "mp1"))[0], 0)
            (root / "twice.pak").write_bytes(repeat((root / "a.pak").read_bytes(), b"ANIM"))
            with Daemon(root / "twice.pak") as daemon:
                archive, = daemon.client.items("/v1/archives")
                entries = daemon.client.items(f"/v1/archives/{archive['id']}/entries")
                self.assertEqual(len(entries), len(MEMBERS) + 3)
                first = next(e for e in entries if e["name"].endswith(".ANIM"))
                self.assertEqual(dict(entries[-1], index=first["index"]), first)
                read = [daemon.client.get(f"/v1/archives/{archive['id']}/entries/{e['index']}").body
                        for e in (first, entries[-1])]
                self.assertEqual(read[0], read[1])
                whole = daemon.client.get(f"/v1/archives/{archive['id']}").json
                self.assertEqual(whole["rejected"], [])
                self.assertEqual(sorted(c["name"] for c in whole["clips"]), ["000000A4", "alone", "step", "walk"])
            status, output, error = run("extract", root / "twice.pak", "--to", root / "out")
            self.assertEqual((status, error), (0, ""))
            self.assertEqual(len(list((root / "out").iterdir())), len(MEMBERS) + 2, output)


class Folder(PrimeCase, unittest.TestCase):
    """The same unpacked: ids are in the names, and a change of the set changes the names."""

    game = "mp1"

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name) / "figures.pak"
        cls.root.mkdir()
        unpack(cls.root, cls.game)
        cls.daemon = Daemon(cls.root)
        cls.daemon.__enter__()
        cls.client = cls.daemon.client


class Lone(unittest.TestCase):
    def test_a_clip_with_nothing_beside_it(self):
        with Daemon(Daemon.samples.parent / "format-samples" / "prime-anim" / "packed-mp1.anim") as daemon:
            clip, = daemon.client.items("/v1/clips")
            self.assertEqual((clip["name"], clip["skeleton"]), ("packed-mp1", None))
            self.assertEqual(daemon.client.get(f"/v1/clips/{clip['id']}/events").json["items"], [])


if __name__ == "__main__":
    unittest.main()
