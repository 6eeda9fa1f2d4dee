"""with= and suggest: heads, hands and hats on a character, by the naming of The Sims 1."""

import shutil
import tempfile
import unittest
from pathlib import Path

from daemon import Daemon, corpus
from fixture import SampleCase
from test_bodies import read_glb
from test_gltf_meshes import upload
from test_sims_meshes import body, unpack


def skin(suit, bone, part):
    """A triangle on a bone: (name of the mesh, bone, file)."""
    name = f"xskin-{suit}-{bone}-{part}"
    # Each is another triangle, lest one's bytes are the other's.
    size = 1 + sum(name.encode()) / 1000
    corners = [f"{x} {y} 0 0 0 1" for x, y in ((0, 0), (size, 0), (0, size))]
    lines = [name, "x", "1", bone, "1", "0 1 2", "1", "0 0 3 -1 0", "3", "0 0", "1 0", "0 1", "0", "3", *corners, ""]
    return name, bone, "\r\n".join(lines)


def suit(name, *skins):
    rows = [row for mesh, bone, _ in skins for row in (bone, mesh, "0", "0")]
    lines = ["// Character File", "version 300", "0", "1", name, "0", "0", str(len(skins)), *rows, "0", ""]
    return "\r\n".join(lines)


def skeleton(name, height):
    bones = ("ROOT", "NULL"), ("PELVIS", "ROOT"), ("HEAD", "PELVIS"), ("L_HAND", "PELVIS"), ("R_HAND", "PELVIS")
    rows = [row for bone, parent in bones for row in (bone, parent, "0", f"| 0 {height} 0 |", "| 0 0 0 1 |", *"11000")]
    lines = ["// Character File", "version 300", "1", name, str(len(bones)), *rows, "0", "0", ""]
    return "\r\n".join(lines)


def dress(folder, name, *parts):
    skins = [skin(name, *part) for part in parts]
    (folder / f"{name}.cmx").write_text(suit(name, *skins), newline="")
    for mesh, _, text in skins:
        (folder / f"{mesh}.skn").write_text(text, newline="")


class Composing(unittest.TestCase):
    assertProblem = SampleCase.assertProblem

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        wardrobe, other = Path(cls.folder.name, "wardrobe"), Path(cls.folder.name, "other")
        wardrobe.mkdir()
        other.mkdir()
        for name, height in (("adult", 1.5), ("child", 1)):
            (wardrobe / f"{name}-skeleton.cmx").write_text(skeleton(name, height), newline="")
        dress(wardrobe, "b001mafit_01", ("PELVIS", "BODY"))
        dress(wardrobe, "c001ma_jo", ("HEAD", "HEAD"), ("HEAD", "SPECS"))
        dress(wardrobe, "c002fa_di", ("HEAD", "HEAD"))
        dress(wardrobe, "c003mc_al", ("HEAD", "HEAD"))
        dress(wardrobe, "hulo", ("L_HAND", "HAND"))
        dress(wardrobe, "huro", ("R_HAND", "HAND"))
        dress(wardrobe, "box", ("HEAD", "HEADBOX"))
        dress(other, "c009ma_ed", ("HEAD", "HEAD"))
        cls.daemon = Daemon(wardrobe, other)
        cls.daemon.__enter__()
        cls.client = cls.daemon.client
        cls.meshes = {mesh["name"]: mesh["id"] for mesh in cls.client.items("/v1/meshes")}
        cls.names = {value: key for key, value in cls.meshes.items()}

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None, None, None)
        cls.folder.cleanup()

    def path(self, name):
        found = [c for c in self.client.items("/v1/characters") if c["name"] == name]
        self.assertEqual(len(found), 1, name)
        return f"/v1/characters/{found[0]['id']}"

    def mesh(self, name):
        return self.meshes[f"xskin-{name}"]

    def suggested(self, character):
        return [(self.names[s["mesh"]][len("xskin-"):], s["place"]) for s in character["suggest"]]

    def test_a_suit_alone_is_offered_a_head_first(self):
        suit = self.client.get(self.path("b001mafit_01")).json
        self.assertEqual(self.suggested(suit), [("c001ma_jo-HEAD-HEAD", "head"), ("c009ma_ed-HEAD-HEAD", "head"),
                                                ("c001ma_jo-HEAD-SPECS", "accessory"),
                                                ("hulo-L_HAND-HAND", "hands"), ("huro-R_HAND-HAND", "hands")])
        scores = [s["score"] for s in suit["suggest"]]
        self.assertEqual(scores, sorted(scores, reverse=True))

    def test_what_is_worn_is_free_no_more(self):
        path, head, hand = self.path("b001mafit_01"), self.mesh("c001ma_jo-HEAD-HEAD"), self.mesh("hulo-L_HAND-HAND")
        alone = self.client.get(path)
        reply = self.client.get(path, **{"with": f"{head},{hand}"})
        self.assertEqual([m["id"] for m in reply.json["meshes"]], [alone.json["meshes"][0]["id"], head, hand])
        self.assertEqual(self.suggested(reply.json), [("c001ma_jo-HEAD-SPECS", "accessory"), ("huro-R_HAND-HAND", "hands")])
        self.assertEqual(reply.json["skeleton"], alone.json["skeleton"])
        self.assertNotEqual(reply.headers["ETag"], alone.headers["ETag"])
        again = self.client.get(path, headers={"If-None-Match": reply.headers["ETag"]}, **{"with": f"{head},{hand}"})
        self.assertEqual(again.status, 304)

    def test_a_head_is_offered_a_body(self):
        self.assertIn(("b001mafit_01-PELVIS-BODY", "body"), self.suggested(self.client.get(self.path("c001ma_jo")).json))
        woman = self.suggested(self.client.get(self.path("c002fa_di")).json)
        self.assertFalse([name for name, place in woman if place in ("body", "head")])

    def test_every_suggestion_can_be_worn(self):
        count = 0
        for item in self.client.items("/v1/characters"):
            path = f"/v1/characters/{item['id']}"
            for offer in self.client.get(path).json["suggest"]:
                self.assertEqual(self.client.get(path, **{"with": offer["mesh"]}).status, 200, offer)
                count += 1
        self.assertGreater(count, 10)

    def test_the_glb_has_what_is_worn(self):
        path, head = self.path("b001mafit_01"), self.mesh("c001ma_jo-HEAD-HEAD")
        alone = self.client.get(path + ".glb")
        worn = self.client.get(path + ".glb", **{"with": head})
        self.assertEqual(len(read_glb(worn.body)[0]["meshes"]), len(read_glb(alone.body)[0]["meshes"]) + 1)
        self.assertNotEqual(worn.headers["ETag"], alone.headers["ETag"])
        own = self.client.get(path).json["meshes"][0]["id"]
        twice = self.client.get(path + ".glb", **{"with": f"{own},{own}"})
        self.assertEqual(len(read_glb(twice.body)[0]["meshes"]), len(read_glb(alone.body)[0]["meshes"]))

    def test_refusals(self):
        path, child = self.path("b001mafit_01"), self.mesh("c003mc_al-HEAD-HEAD")
        for suffix in ("", ".glb"):
            for text in ("zz", "0" * 32, f"{child},", ""):
                reply = self.client.get(path + suffix, **{"with": text})
                self.assertProblem(reply, 400, code="bad_parameter", parameter="with")
            many = ",".join([self.mesh("c001ma_jo-HEAD-HEAD")] * 17)
            self.assertProblem(self.client.get(path + suffix, **{"with": many}), 400, code="bad_parameter")
            self.assertProblem(self.client.get(path + suffix, **{"with": child}), 422, code="other_skeleton")


class Limits(unittest.TestCase):
    def test_suggestions_are_bounded_and_a_body_comes_before_the_hats(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            dress(folder, "b001mafit_01", ("PELVIS", "BODY"))
            for i in range(40):
                dress(folder, f"c{i:03}ma_x", ("HEAD", "HEAD" if i == 39 else "SPECS"))
            with Daemon(folder) as daemon:
                suit = next(c for c in daemon.client.items("/v1/characters") if c["name"] == "b001mafit_01")
                places = [s["place"] for s in daemon.client.get(f"/v1/characters/{suit['id']}").json["suggest"]]
                self.assertEqual(places, ["head"] + ["accessory"] * 16)


class Online(SampleCase):
    """The Sims Online: names say nothing, the bones that a mesh hangs on do."""

    def test_what_hangs_on_a_few_bones_goes_with_a_body(self):
        made = upload(self, body().bytes())
        with tempfile.TemporaryDirectory() as folder:
            for path in (Daemon.samples / "sims-online").iterdir():
                shutil.copyfile(path, Path(folder) / path.name)
            for name, data in unpack(self.client.get(f"/v1/meshes/{made['meshes'][0]['id']}.mesh")).items():
                (Path(folder) / name).write_bytes(data)
            with Daemon(folder) as daemon:
                found = {}
                for item in daemon.client.items("/v1/characters", format="tso-apr"):
                    one = daemon.client.get(f"/v1/characters/{item['id']}").json
                    found[one["name"].partition(".")[0]] = one
                tube, = (name for name in found if name != "body")
                mesh, = found[tube]["meshes"]
                self.assertEqual([(s["mesh"], s["place"]) for s in found["body"]["suggest"]], [(mesh["id"], "accessory")])
                self.assertEqual([(s["mesh"], s["place"]) for s in found[tube]["suggest"]],
                                 [(found["body"]["meshes"][0]["id"], "body")])
                worn = daemon.client.get(f"/v1/characters/{found['body']['id']}", **{"with": mesh["id"]})
                self.assertEqual((len(worn.json["meshes"]), worn.json["suggest"]), (2, []))


class Others(SampleCase):
    def test_without_naming_rules_nothing_is_suggested(self):
        for item in self.client.items("/v1/characters", format="prime-ancs"):
            self.assertEqual(self.client.get(f"/v1/characters/{item['id']}").json["suggest"], [])


@unittest.skipUnless(corpus(), "no corpus")
class Real(unittest.TestCase):
    def test_the_suit_of_a_man_gets_a_mans_head(self):
        with Daemon(corpus() / "sims") as daemon:
            names = {mesh["id"]: mesh["name"].lower() for mesh in daemon.client.items("/v1/meshes")}
            for suit, heads in (("b001mafit_01", {"xskin-c005ma_hipster-head-head"}),
                                ("b001fafit_01", {"xskin-c001fa_mercedes-head-head"}),
                                ("b001ucchd_01", {"xskin-c004mc_nerd-head-head"})):
                item = daemon.client.items("/v1/characters", name=suit)[0]
                found = daemon.client.get(f"/v1/characters/{item['id']}").json
                self.assertEqual({names[s["mesh"]] for s in found["suggest"] if s["place"] == "head"}, heads)
                self.assertEqual(found["suggest"][0]["place"], "head")
                dressed = daemon.client.get(f"/v1/characters/{item['id']}.glb?with={found['suggest'][0]['mesh']}")
                self.assertEqual(len(read_glb(dressed.body)[0]["meshes"]), 2)


if __name__ == "__main__":
    unittest.main()
