"""The Sims 3: names both ways, who clips are for, what other packages name, what modders are told."""

import shutil
import tempfile
import unittest
import zipfile
from pathlib import Path

import sims3_files as made
from daemon import Daemon, corpus, run
from fixture import SampleCase, ServedCase
from uploads import zipped

PETS = "6B20C4F3-48000000-94E51F6DDD39F504"
CHAIN = (("b__ROOT__", -1, (0, 0, 0)), ("b__ROOT_bind__", 0, (0, 1, 0)), ("b__Pelvis__", 1, (0, 0, 0)),
         ("b__Spine0__", 2, (0, 0.1, 0)), ("b__Spine1__", 3, (0, 0.2, 0)), ("b__Head__", 4, (0, 0.4, 0)))
IDENTITY, ZERO = 0x11, 0x0B


def turned(*bones):
    """Tracks that drive bones, with a rotation that stays."""
    return tuple(made.channel(made.fnv(bone, 32), made.ROTATION, IDENTITY) for bone in bones)


BONES = tuple(name for name, _, _ in CHAIN)


class Packs(SampleCase):
    """What the game installs from: a manifest, and the packages behind it."""

    def inspect(self, data, name="x.sims3pack"):
        return self.client.post("/v1/inspect", data, name=name)

    def test_its_packages_are_opened(self):
        clips = [made.clip(name, turned(*BONES)) for name in ("a_walk", "a_wave")]
        packages = [made.package((made.CLIP, 0, index + 1, clip)) for index, clip in enumerate(clips)]
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "one.sims3pack").write_bytes(made.sims3pack(("a &amp; b.package", packages[0]), ("pic.png", b"no"),
                                                                        ("c.package", packages[1])))
            with Daemon(folder) as daemon:
                archive = next(item for item in daemon.client.items("/v1/archives") if item["format"] == "sims3pack")
                entries = [entry["name"] for entry in daemon.client.items(f"/v1/archives/{archive['id']}/entries")]
                self.assertEqual(entries[:3], ["a & b.package", "pic.png", "c.package"])
                self.assertTrue(entries[3].startswith("a & b.package/6B20C4F3-"), entries)
                found = daemon.client.items("/v1/clips", archive=archive["id"])
                self.assertEqual(len(found), 2)
                for clip in found:
                    self.assertEqual(daemon.client.get(f"/v1/clips/{clip['id']}/pose").status, 200)

    def test_a_pack_in_a_zip(self):
        """As packs are posted: stored and deflated, as a PATH and as an upload, indexed and after a restart."""
        clips = [made.clip(name, turned(*BONES)) for name in ("a_walk", "a_wave")]
        packs = [made.sims3pack((f"{index}.package", made.package((made.CLIP, 0, index + 1, clip))))
                 for index, clip in enumerate(clips)]
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            data = zipped([(f"mod/{index}.Sims3Pack", pack) for index, pack in enumerate(packs)], method)
            with self.subTest(method), tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as store:
                (Path(folder) / "mod.zip").write_bytes(data)
                for _ in range(2):
                    with Daemon(folder, "--data", store) as daemon:
                        uploaded = daemon.client.post("/v1/archives", data, name="upload.zip").json["id"]
                        for archive in {uploaded, *(a["id"] for a in daemon.client.items("/v1/archives") if a["format"] == "zip")}:
                            names = [e["name"] for e in daemon.client.items(f"/v1/archives/{archive}/entries")]
                            self.assertEqual(names[:4], ["mod/0.Sims3Pack", "mod/1.Sims3Pack", "mod/0.Sims3Pack/0.package",
                                                         "mod/1.Sims3Pack/1.package"])
                            self.assertTrue(names[5].startswith("mod/1.Sims3Pack/1.package/6B20C4F3-"), names)
                            found = daemon.client.items("/v1/clips", archive=archive)
                            self.assertEqual({clip["name"] for clip in found}, {"a_walk", "a_wave"})
                            for clip in found:
                                self.assertEqual(daemon.client.get(f"/v1/clips/{clip['id']}/pose").status, 200)
                            raw = daemon.client.get(f"/v1/archives/{archive}/entries/4")
                            self.assertEqual(raw.body, clips[0])

    def test_a_pack_deeper_in_zips_is_refused(self):
        pack = made.sims3pack(("0.package", made.package((made.CLIP, 0, 1, made.clip("a_walk", turned(*BONES))))))
        inside = made.sims3pack(("0.Sims3Pack", pack))
        for data in (zipped([("a.zip", zipped([("0.Sims3Pack", pack)]))]), zipped([("1.Sims3Pack", inside)])):
            self.assertIn(b"nested_too_deep", self.client.post("/v1/inspect", data, name="x.zip").body)

    def test_one_odd_entry_leaves_the_others(self):
        """Marks that the sizes contradict are read by the sizes; deleted entries and sizes that cannot be count for nothing."""
        clip = made.clip("a_walk", turned(*BONES))
        other = made.clip("a_wave", turned(*BONES))
        for name, content, mark, size, clips in (
                ("marked packed, but stored", other, 0xFFFF, len(other), 2), ("marked deleted", other, 0xFFE0, len(other), 1),
                ("deleted by its sizes", b"x", 0xFFFF, 0xFFFFFFFF, 1), ("deleted by its sizes, stored", b"x", 0, 0xFFFFFFFF, 1),
                ("too large for RefPack", b"\x10\xfb" + bytes(200), 0xFFFF, 0xFFFFFFFE, 1),
                ("too large for zlib", b"\x78\x9c" + bytes(200), 0x5A42, 0xFFFFFFFE, 1),
                ("too large", bytes(200), 0, 0x80000000, 1)):
            with self.subTest(name):
                data = made.package((made.CLIP, 0, 1, clip), (made.CLIP, 0, 2, content, mark, size))
                found = self.inspect(data, "x.package")
                self.assertEqual(found.status, 200, found.body)
                self.assertEqual((found.json["entry_count"], len(found.json["clips"])), (2, clips))

    def test_ranges_that_lie(self):
        package = made.package((made.CLIP, 0, 1, made.clip("a_walk", turned(*BONES))))
        for said in ({"Offset": 1}, {"Length": len(package) + 1}, {"Length": 10**17}, {"Offset": 2**64}, {"Offset": -1},
                     {"Length": "x"}, {"Length": ""}, {"Offset": 10**30}):
            with self.subTest(said):
                data = made.sims3pack(("a.package", package, said))
                with tempfile.TemporaryDirectory() as folder:
                    (Path(folder) / "one.sims3pack").write_bytes(data)
                    with Daemon(folder) as daemon:
                        archive = next(a for a in daemon.client.items("/v1/archives") if a["format"] == "sims3pack")
                        error = daemon.client.items(f"/v1/archives/{archive['id']}/entries")[0]["error"]
                self.assertIn(error["code"], ("entry_range", "bad_number"))
                # An offset of one puts the end outside, which is what the length says.
                tag = "Length" if said == {"Offset": 1} else list(said)[0]
                self.assertEqual(error["offset"], data.index(f"<{tag}>".encode()))

    def test_manifests_that_are_none(self):
        whole = made.sims3pack(("a.package", b"DBPF"))
        for data, code, offset in (
                (whole[:16], "truncated", 13), (whole[:40], None, 17), (whole[:13] + b"\xff" * 4 + whole[17:], None, 17),
                (made.sims3pack(root="Other"), "bad_root", 17 + 38),
                (made.sims3pack(before='<!DOCTYPE x [<!ENTITY a "aaaa">]>'), "doctype", None),
                (whole.replace(b"</Name>", b"</Nome>"), "bad_xml", None),
                (made.sims3pack(("n" * 2000, b"")), "text_too_long", None)):
            reply = self.inspect(data)
            self.assertEqual(reply.status, 422, reply)
            if code:
                self.assertEqual(reply.json["code"], code)
            if offset:
                self.assertEqual(reply.json["offset"], offset)
        for size in range(11, len(whole)):
            self.assertIn(self.inspect(whole[:size]).status, (200, 422))


class Names(SampleCase):
    def test_hashes_of_the_spec(self):
        for name, fnv32, fnv64, clip in (
                ("b__ROOT__", "0xFEAE6981", "0xFC99C6D074AAD4E1", None),
                ("A_Walk", "0x565E0DFE", "0x11A06AB91BCA6BDE", "0x11A06AB91BCA6BDE"),
                ("c_walk", "0x9A652B34", "0x5D5D78CC131D5CD4", "0x92A06AB91BCA6BDE"),
                ("t2c_kiss_x", None, None, "0xA183758C58387C6F"),
                ("al_wheeze_x", None, None, "0x94E51F6DDD39F504")):
            found = self.client.get("/v1/hash", name=name).json
            for key, wanted in (("fnv32", fnv32), ("fnv64", fnv64), ("clip_id", clip)):
                if wanted:
                    self.assertEqual(found[key], wanted, name)

    def test_chain_of_a_name(self):
        chain = self.client.get("/v1/resolve", name="t2c_kiss_x").json["chain"]
        self.assertEqual([link["name"] for link in chain], ["t2c_kiss_x", "a2a_kiss_x"])
        self.assertEqual([actor["age"] for actor in chain[0]["actors"]], ["teen", "child"])
        self.assertEqual([actor["species"] for actor in chain[1]["actors"]], ["human", "human"])
        self.assertEqual(len(self.client.get("/v1/resolve", name="a_walk").json["chain"]), 1)

    def test_what_a_short_id_is_of(self):
        for number, name in (("0xFEAE6981", "b__ROOT__"), ("0xf7f2bc99", "NoseCrinkleBack"), ("0x1", None)):
            found = self.client.get("/v1/resolve", id=number).json
            self.assertEqual((found["name"], found["chain"][0]["name"]), (name, name))

    def test_what_a_long_id_is_of(self):
        for number, name in (("0x1959C183F7F2BC99", "NoseCrinkleBack"), ("0x1959C182F7F2BC99", None)):
            self.assertEqual(self.client.get("/v1/resolve", id=number).json["name"], name)

    def test_what_a_broken_file_was_is_in_its_extension(self):
        clip, rig = made.clip("a_x"), made.rig("auRig", CHAIN)
        for name, data, code, offset in (
                ("a.clip", b"\xf4" + clip[1:], "bad_type_id", 0), ("a.animation", clip[:3], "truncated", 0),
                ("a.rig", b"\x05" + rig[1:], "bad_version", 0), ("a.grannyrig", rig[:3], "truncated", 0),
                ("a.rig", rig[:4] + b"\x03" + rig[5:], "bad_version", 4)):
            self.assertProblem(self.client.post("/v1/inspect", data, name=name), 422, code=code, offset=offset,
                               format="sims3-rig" if "rig" in name else "sims3-clip")
        self.assertProblem(self.client.post("/v1/inspect", clip[:3], name="a.bin"), 415)

    def test_what_is_missing_or_wrong(self):
        self.assertProblem(self.client.get("/v1/hash"), 400, parameter="name")
        self.assertProblem(self.client.get("/v1/resolve"), 400, parameter="name")
        self.assertProblem(self.client.get("/v1/resolve", name="a", id="0x1"), 400, parameter="id")
        for text in ("1", "0x", "0xg", "0x12345678123456789"):
            self.assertProblem(self.client.get("/v1/resolve", id=text), 400, parameter="id")


class Samples(SampleCase):
    """The package of the sample library."""

    def test_what_it_shows(self):
        clips = {clip["name"]: clip for clip in self.client.items("/v1/clips", format="sims3-clip")}
        self.assertEqual(sorted(clips), ["a_idle_loop_x", "a_walk_loop_x", "c_wave_x"])
        self.assertTrue(all(clip["sims3"]["fits"] and not clip["warnings"] for clip in clips.values()))
        rig = self.client.items("/v1/skeletons", format="sims3-rig")[0]
        self.assertTrue(all(clip["skeleton"] == rig["id"] for clip in clips.values()))
        steps = self.client.get(f"/v1/clips/{clips['a_walk_loop_x']['id']}/events").json["items"]
        self.assertEqual([(step["type"], step["sound"]) for step in steps], [("sound", "foot_step")] * 2)
        data = (Daemon.samples / "sims-3.package").read_bytes()
        self.assertEqual(self.client.post("/v1/inspect", data, name="x.package").json["warnings"], [])

    def test_the_figure_stands_as_in_the_other_games(self):
        """The same motion on the same figure: each joint where it is in The Sims Online, to a few millimetres."""
        for name, other in (("a_walk_loop_x", "a2o-walk"), ("c_wave_x", "a2o-wave")):
            found = self.clip(name, "sims3-clip"), self.clip(other, "tso-anim")
            here, there = ([joint["matrix"][12:15] for joint in self.client.get(
                f"/v1/clips/{clip['id']}/pose", t=0, space="model").json["joints"]] for clip in found)
            self.assertEqual(len(here), len(there))
            for a, b in zip(here, there):
                self.assertClose(a, b, 0.003, name)


class MadeCase(unittest.TestCase):
    """Made files in a folder of their own."""

    def setUp(self):
        top = tempfile.TemporaryDirectory()
        self.addCleanup(top.cleanup)
        self.top = Path(top.name)

    def write(self, name, data):
        (self.top / name).write_bytes(data)
        return self.top / name


class Library(MadeCase):
    def test_whom_clips_are_for(self):
        walk = made.clip("c_walk", turned("b__Head__"))
        other = made.clip("cc_hop_x", turned("b__Pelvis__"))
        self.write("walk.package", made.package(
            (made.CLIP, 0, 0x92A06AB91BCA6BDE, walk), (made.CLIP, 0, 0x11A06AB91BCA6BDE, other),
            (made.NAME_MAP, 0, 0, made.name_map((0x11A06AB91BCA6BDE, "cc_walk")))))
        exported = self.write("S3_6B20C4F3_48000000_94E51F6DDD39F504_al_wheeze_x%%+CLIP.animation",
                              made.clip("inner", turned("b__Head__")))
        self.write("loose.clip", made.clip("e2o_sit_x", turned("b__Head__")))
        with Daemon(self.top) as daemon:
            found = {clip["name"]: clip for clip in daemon.client.items("/v1/clips")}
            walk = found["c_walk"]["sims3"]
            self.assertEqual((walk["instance"], walk["fits"]), ("0x92A06AB91BCA6BDE", True))
            self.assertEqual(walk["actors"], [{"actor": "x", "code": "c", "age": "child", "species": "human"}])
            # Filed as another age's than its name says.
            wrong = found["cc_hop_x"]["sims3"]
            self.assertEqual((wrong["name"], wrong["fits"]), ("cc_walk", False))
            self.assertEqual(wrong["actors"][0]["species"], "human")
            self.assertEqual(found["inner"]["sims3"]["name"], "al_wheeze_x")
            self.assertEqual(found["inner"]["sims3"]["group"], "0x48000000")
            self.assertTrue(found["inner"]["sims3"]["fits"])
            loose = found["e2o_sit_x"]["sims3"]
            self.assertEqual((loose["instance"], loose["group"], loose["fits"]), (None, None, None))
            self.assertEqual([actor["age"] for actor in loose["actors"]], ["elder", None])
            one = daemon.client.get(f"/v1/clips/{found['c_walk']['id']}").json
            self.assertEqual(one["sims3"], walk)
            # Both ways: from the name to the loose file and the entry, and from an id that nothing has to its name.
            for name, entry in (("e2o_sit_x", "loose.clip"), ("al_wheeze_x", exported.name)):
                link = daemon.client.get("/v1/resolve", name=name).json["chain"][0]
                self.assertEqual([loaded["entry"] for loaded in link["loaded"]], [entry])
            clip_id = daemon.client.get("/v1/hash", name="ac_wheeze_x").json["clip_id"]
            chain = daemon.client.get("/v1/resolve", id=clip_id).json["chain"]
            self.assertEqual([link["name"] for link in chain], ["ac_wheeze_x", "a_wheeze_x"])
        status, text, _ = run("info", exported)
        self.assertEqual(status, 0)
        self.assertIn("x: adult little dog (al); id 0x94E51F6DDD39F504 fits al_wheeze_x", text)
        _, text, _ = run("info", self.top / "walk.package")
        self.assertIn("x: child human (c); id 0x92A06AB91BCA6BDE fits c_walk", text)
        self.assertIn("id 0x11A06AB91BCA6BDE does not fit cc_walk", text)

    def test_what_a_broken_file_was_is_in_its_name(self):
        broken = made.clip("a_x")[:80]
        with Daemon(Daemon.samples) as daemon:
            for name in ("S3_6B20C4F3_00000000_94E51F6DDD39F504_x.bin", "6B20C4F3-00000000-94E51F6DDD39F504"):
                reply = daemon.client.post("/v1/inspect", b"\xff" + broken[1:], name=name)
                self.assertEqual((reply.status, reply.json["format"]), (422, "sims3-clip"), reply.text)
            reply = daemon.client.post("/v1/inspect", b"\x09" + bytes(40), name="S3_8EAF13DE_00000000_94E51F6DDD39F504_x")
            self.assertEqual((reply.status, reply.json["format"]), (422, "sims3-rig"), reply.text)

    def test_a_broken_file_is_told_with_the_byte(self):
        broken = self.write("broken.clip", b"\xf4" + made.clip("a_x")[1:])
        status, _, errors = run("info", broken)
        self.assertEqual((status, "broken.clip: offset 0x0: " in errors), (1, True), errors)

    def test_packing(self):
        """Stored, RefPack and zlib: the same entries come out of each, and those that are packed are smaller."""
        clips = [self.write(f"{name}_hop_x.clip", made.clip(f"{name}_hop_x", turned(*BONES) * 9)) for name in "ac"]
        sizes = {}
        for method in (None, "none", "refpack", "zlib"):
            package = self.top / f"{method}.package"
            status, _, errors = run("pack", *(("--compress", method) if method else ()), package, *clips)
            self.assertEqual(status, 0, errors)
            sizes[method] = package.stat().st_size
            self.assertEqual(run("extract", package, "--to", self.top / str(method))[0], 0)
            found = sorted(path.read_bytes() for path in (self.top / str(method)).iterdir() if "0166038C" not in path.name)
            self.assertEqual(found, sorted(clip.read_bytes() for clip in clips))
        self.assertEqual(sizes[None], sizes["refpack"])
        self.assertLess(max(sizes["refpack"], sizes["zlib"]), sizes["none"] // 2)
        status, _, errors = run("pack", "--compress", "lzma", self.top / "x.package", *clips)
        self.assertEqual((status, "compress" in errors), (1, True), errors)

    def test_morphs_that_other_packages_name(self):
        hashed, nobody = made.fnv("madeFrown", 64), 0x12345678
        tracks = [made.channel(key, made.WEIGHT, 0x05, made.weight_keys(0), 1)
                  for key in (hashed & 0xFFFFFFFF, nobody, made.fnv("NoseCrinkleBack", 64) & 0xFFFFFFFF)]
        self.write("clip.package", made.package((made.CLIP, 0, 1, made.clip("a_frown_x", tracks))))
        with Daemon(self.top) as daemon:
            clip = daemon.client.items("/v1/clips")[0]["id"]
            plain = f"#{hashed & 0xFFFFFFFF}"
            before = daemon.client.get(f"/v1/clips/{clip}/pose")
            self.assertEqual(before.json["morphs"], {plain: 1, f"#{nobody}": 1, "NoseCrinkleBack": 1})
            names = [joint["name"] for joint in daemon.client.get(f"/v1/clips/{clip}").json["joints"]]
            self.assertEqual(names, [None, None, "NoseCrinkleBack"])
        self.write("morphs.package", made.package(
            (made.MORPH, 0, hashed, b"a morph"),
            # A name that its own id is not the hash of says nothing about tracks.
            (made.NAME_MAP, 0, 0, made.name_map((hashed, "madeFrown"), (nobody, "liar")))))
        with Daemon(self.top) as daemon:
            after = daemon.client.get(f"/v1/clips/{clip}/pose")
            self.assertEqual(after.json["morphs"], {"madeFrown": 1, f"#{nobody}": 1, "NoseCrinkleBack": 1})
            self.assertNotEqual(before.headers["ETag"], after.headers["ETag"])
            # What depends on the file alone stays as it is.
            explicit = daemon.client.get(f"/v1/clips/{clip}/pose", skeleton="none")
            self.assertEqual(list(explicit.json["morphs"])[0], plain)
            series = daemon.client.get(f"/v1/clips/{clip}/poses", fps=1).json
            self.assertEqual(series["morphs"], ["madeFrown", f"#{nobody}", "NoseCrinkleBack"])
            names = [joint["name"] for joint in daemon.client.get(f"/v1/clips/{clip}").json["joints"]]
            self.assertEqual(names, ["madeFrown", None, "NoseCrinkleBack"])
            found = daemon.client.get("/v1/resolve", id=f"0x{hashed & 0xFFFFFFFF:08x}").json
            self.assertEqual(found["name"], "madeFrown")
            self.assertEqual(daemon.client.get("/v1/resolve", id=f"0x{hashed:016X}").json["name"], "madeFrown")


class Lints(MadeCase):
    """A mod as it is uploaded: clips with the rig of a prop, or of another creature, or with their own."""

    def inspect(self, daemon, *entries, **query):
        found = daemon.client.post("/v1/inspect", made.package(*entries), name="mod.package", **query)
        self.assertEqual(found.status, 200, found.text)
        return {warning["code"]: warning for warning in found.json["warnings"]}

    def test_a_prop_s_rig_says_nothing_about_the_clip(self):
        clip = made.clip("a_sneeze_x", turned(*BONES))
        prop = made.rig("tissue", (("b__ROOT__", -1, (0, 0, 0)), ("paper", 0, (0, 0.1, 0))))
        sim = made.rig("auRig", CHAIN)
        clip_id = 0x1111
        with Daemon(self.write("au.rig", sim), self.write("tissue.rig", prop)) as daemon:
            rigs = {rig["name"]: rig["id"] for rig in daemon.client.items("/v1/skeletons")}
            upload = ((made.CLIP, 0, clip_id, clip), (made.RIG, 0, 2, prop))
            self.assertNotIn("foreign_tracks", self.inspect(daemon, *upload))
            # Unless it is the one that was asked for.
            found = self.inspect(daemon, *upload, skeleton=rigs["tissue"])
            self.assertIn("has joints for 1 of the clip's 6 tracks", found["foreign_tracks"]["message"])
            self.assertNotIn("foreign_tracks", self.inspect(daemon, *upload, skeleton=rigs["auRig"]))
            for wrong in ("0" * 32, "auRig", ""):
                reply = daemon.client.post("/v1/inspect", clip, name="a.clip", skeleton=wrong)
                self.assertEqual((reply.status, reply.json["parameter"]), (400, "skeleton"))
        status, text, _ = run("info", "--skeleton", self.top / "tissue.rig", self.write("a_sneeze_x.clip", clip))
        self.assertEqual(status, 0)
        self.assertIn("has joints for 1 of the clip's 6 tracks", text)
        self.assertNotIn("tracks", run("info", self.top / "a_sneeze_x.clip")[1])
        status, _, errors = run("info", "--skeleton", self.top / "a_sneeze_x.clip", self.top / "a_sneeze_x.clip")
        self.assertEqual((status, "holds no skeleton" in errors), (1, True))

    def test_on_its_own_rig(self):
        sim = (made.RIG, 0, 2, made.rig("auRig", CHAIN))

        def moved(bone, height):
            """A bone's translation, one key, from 0 to height."""
            word = 1023 << 10
            return made.channel(made.fnv(bone, 32), made.TRANSLATION, 0x12, b"\0\0\0\0" + word.to_bytes(4, "little"),
                                1, 0, height)

        with Daemon(Daemon.samples) as daemon:
            def look(name, *channels):
                others = turned(*BONES)
                return self.inspect(daemon, (made.CLIP, 0, 1, made.clip(name, others + channels)), sim)

            self.assertEqual(set(look("a_fine_x", moved("b__Spine1__", 0.2))), {"id_differs"})
            self.assertIn("b__Spine1__", look("a_long_x", moved("b__Spine1__", 0.5))["stretched_bone"]["message"])
            found = look("a_sunk_x", moved("b__ROOT__", -1.5))
            self.assertIn("1.5 m below the floor", found["below_floor"]["message"])
            self.assertNotIn("stretched_bone", found)
            half = b"".join(b"".join(part.to_bytes(2, "little") for part in (tick, 0, sine, 0, 0, cosine))
                            for tick, sine, cosine in ((0, 0, 4095), (30, 2896, 2896)))
            turn = made.channel(made.fnv("b__Head__", 32), made.ROTATION, 0x14, half, 2)
            self.assertIn("90 degrees", look("a_sit_loop_x", turn)["loop_gap"]["message"])
            self.assertNotIn("loop_gap", look("a_sit_x", turn))
            # A loose clip that is called a loop should close, too.
            reply = daemon.client.post("/v1/inspect", made.clip("a_sit_loop_x", (turn,)), name="a_sit_loop_x.clip")
            self.assertEqual([warning["code"] for warning in reply.json["warnings"]], ["loop_gap"])


@unittest.skipUnless(corpus(), "no corpus")
class Loaded(ServedCase):
    """What the corpus says of the real files, from the running daemon."""

    @classmethod
    def serves(cls):
        return (corpus() / "sims3",)

    def test_who_has_an_id(self):
        link = self.client.get("/v1/resolve", id="0x94E51F6DDD39F504").json["chain"][0]
        self.assertEqual(link["name"], "al_wheeze_x")
        self.assertTrue(any(entry["entry"].startswith(PETS) for entry in link["loaded"]))
        # The map of names is right where the inner name, ad_testcough4_x, is not.
        found = self.client.get("/v1/resolve", id="0xB978ECD3046CB427").json
        self.assertEqual(found["name"], "ad_idle_sit_hack_x")

    def test_counts(self):
        clips = self.client.items("/v1/clips")
        self.assertEqual(len(clips), 17)
        self.assertEqual(sum(len(clip["found_in"]) for clip in clips), 23)
        self.assertEqual(sum(clip["key_count"] * len(clip["found_in"]) for clip in clips), 395566)
        self.assertEqual([clip["name"] for clip in clips if clip["warnings"]], [])
        filed = [clip["sims3"] for clip in clips if clip["sims3"]["instance"]]
        self.assertEqual((len(filed), all(key["fits"] for key in filed)), (15, True))
        self.assertTrue(all(key["actors"][0]["species"] for key in filed))
        rigs = self.client.items("/v1/skeletons")
        places = [entry for archive in self.client.items("/v1/archives")
                  for entry in self.client.items(f"/v1/archives/{archive['id']}/entries")
                  if entry["kind"] == "skeleton"]
        self.assertEqual((len(rigs), len(places)), (4, 8))
        self.assertFalse(any("error" in entry for entry in places))

    def test_broken_and_deleted(self):
        archives = {Path(archive["name"]).name: archive for archive in self.client.items("/v1/archives")}
        for name, offset in (("s4tk-Corrupt.package", 64), ("s4tk-CorruptHeader.package", 0)):
            error = self.client.get(f"/v1/archives/{archives[name]['id']}").json["error"]
            self.assertEqual((error["status"], error["offset"]), (422, offset), error)
            status, _, errors = run("ls", corpus() / "sims3" / "packages" / name)
            self.assertEqual((status, f"offset {hex(offset)}: " in errors), (1, True), errors)
        broken = [name for name, archive in archives.items() if "error" in
                  self.client.get(f"/v1/archives/{archive['id']}").json]
        self.assertEqual(len(broken), 2)
        deleted = archives["s4tk-DeletedRecord.package"]["id"]
        entry = self.client.items(f"/v1/archives/{deleted}/entries")[0]
        self.assertEqual(entry["error"]["code"], "deleted")
        self.assertEqual(self.client.get(f"/v1/archives/{deleted}/entries/0").json["code"], "deleted")
        _, text, _ = run("ls", corpus() / "sims3" / "packages" / "s4tk-DeletedRecord.package")
        self.assertIn("deleted", text)

    def test_nothing_to_say_about_real_mods(self):
        differing = []
        for name in ("pets-clips.package", "seasons-clips.package", "object-rigs.package"):
            data = (corpus() / "sims3" / "packages" / name).read_bytes()
            found = self.client.post("/v1/inspect", data, name=name).json
            # Maps of names call a clip otherwise than it does itself.
            notes = [note for note in found["warnings"] if note["code"] == "name_differs" and note["severity"] == "note"]
            self.assertEqual(found["warnings"], notes, name)
            differing += [note["message"] for note in notes]
        self.assertEqual(len(differing), 2, differing)

    def test_a_real_clip_as_tools_name_it(self):
        with tempfile.TemporaryDirectory() as folder:
            name = "S3_6B20C4F3_70000000_D660C6DA61573420_c_buff_dazed_x%%+CLIP.animation"
            shutil.copy(corpus() / "sims3" / "clips" / "c_buff_dazed_x.clip", Path(folder) / name)
            _, text, _ = run("info", Path(folder) / name)
            self.assertIn("x: child human (c); id 0xD660C6DA61573420 fits c_buff_dazed_x", text)
            status, _, errors = run("pack", Path(folder) / "x.package", Path(folder) / name)
            self.assertEqual(status, 0, errors)
            self.assertIn("6B20C4F3-70000000-D660C6DA61573420_c_buff_dazed_x", run("ls", Path(folder) / "x.package")[1])
