"""Conversions: every target from every sample, what comes back, options, warnings, caching, bodies."""

import io
import json
import shutil
import struct
import tempfile
import zipfile
from pathlib import Path

from daemon import Daemon
from fixture import SampleCase
from uploads import form

TARGETS = ("glb", "gltf", "bvh", "json", "sl-anim", "tso-anim", "prime-anim", "sims3-clip", "sims1-cmx", "sims1-bcf")
EXTENSIONS = {"glb": ["gltf", "glb"], "anim": ["sl-anim", "tso-anim", "prime-anim"], "cmx": ["sims1-cmx"]}


def glb(data):
    """The JSON of a GLB."""
    magic, version, size, length, kind = struct.unpack_from("<4sIIII", data)
    assert (magic, version, size, kind) == (b"glTF", 2, len(data), 0x4E4F534A), data[:20]
    return json.loads(data[20 : 20 + length])


def codes(reply):
    return [code for code in (reply["Posed-Warning"] or "").split(", ") if code]


def joint_names(model):
    return [model["nodes"][i]["name"] for i in model["skins"][0]["joints"]]


class ConvertCase(SampleCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.walk = cls.clip("walk", "sl-anim")["id"]
        cls.walk_bytes = (Daemon.samples / "second-life" / "walk.anim").read_bytes()
        cls.sims = cls.clip("a2o-walk", "tso-anim")["id"]
        cls.sims_bytes = (Daemon.samples / "sims-online" / "a2o-walk.anim").read_bytes()

    def convert(self, body, to, headers=None, **query):
        return self.client.post("/v1/convert", body, headers, to=to, **query)

    def good(self, reply):
        self.assertEqual(reply.status, 200, reply)
        return reply


class Downloads(ConvertCase):
    def test_every_target_of_every_clip_reads_back(self):
        for clip in self.client.items("/v1/clips"):
            for extension, wanted in (
                ("glb", "gltf"),
                ("gltf", "gltf"),
                ("bvh", "bvh"),
                ("json", "json"),
                ("anim?to=sl-anim", "sl-anim"),
                ("anim?to=tso-anim", "tso-anim"),
                ("anim?to=prime-anim", "prime-anim"),
                ("clip", "sims3-clip"),
                ("cmx", "zip"),
                ("bcf", "zip"),
            ):
                reply = self.client.get(f"/v1/clips/{clip['id']}.{extension}")
                what = f"{clip['format']} {clip['name']} as {extension}"
                if clip["skeleton"] is None and wanted == "bvh":
                    self.assertProblem(reply, 400, parameter="skeleton")
                    continue
                if clip["format"] == "prime-anim" and wanted == "sl-anim":
                    # No joint is called as one of Second Life's: a file that moves nothing, as in every other target.
                    self.assertIn("no_keys", codes(reply))
                    strict = self.client.get(f"/v1/clips/{clip['id']}.{extension}&strict=1")
                    self.assertProblem(strict, 422, code="strict")
                if clip["format"] != "prime-anim" and wanted == "prime-anim":
                    self.assertProblem(reply, 422, code="nothing_to_write")  # its bones are numbers, which no other game has
                    continue
                self.assertEqual(reply.status, 200, f"{what}: {reply}")
                name = "x." + extension.split("?")[0]
                found = self.client.post("/v1/inspect", reply.body, name=name)
                self.assertEqual(found.status, 200, f"{what}: {found}")
                self.assertEqual(found.json["format"], wanted, what)
                self.assertEqual(len(found.json["clips"]), 1, what)
                if not extension.endswith("to=prime-anim"):
                    self.assertAlmostEqual(found.json["clips"][0]["duration"], clip["duration"], delta=0.05, msg=what)

    def test_headers(self):
        reply = self.client.get(f"/v1/clips/{self.sims}.glb")
        self.assertEqual(reply["Content-Type"], "model/gltf-binary")
        self.assertEqual(
            reply["Content-Disposition"], "attachment; filename=\"a2o-walk.glb\"; filename*=UTF-8''a2o-walk.glb"
        )
        self.assertIsNone(reply["Posed-Warning"])
        head = self.client.request("HEAD", f"/v1/clips/{self.sims}.glb")
        self.assertEqual((head.status, head["ETag"]), (200, reply["ETag"]))
        zipped = self.client.get(f"/v1/clips/{self.sims}.cmx")
        self.assertIn('filename="a2o-walk.zip"', zipped["Content-Disposition"])
        self.assertEqual(self.client.get(f"/v1/clips/{self.walk}.glb")["Posed-Warning"], "stand_in_skeleton")

    def test_joints_are_those_of_the_pose(self):
        pose = self.client.get(f"/v1/clips/{self.sims}/pose").json
        model = glb(self.client.get(f"/v1/clips/{self.sims}.glb").body)
        self.assertEqual(joint_names(model), [joint["name"] for joint in pose["joints"]])
        alone = glb(self.client.get(f"/v1/clips/{self.sims}.glb?skeleton=none").body)
        pose = self.client.get(f"/v1/clips/{self.sims}/pose?skeleton=none").json
        self.assertEqual(joint_names(alone), [joint["name"] for joint in pose["joints"]])

    def test_the_family_decides_what_anim_is(self):
        reply = self.good(self.client.get(f"/v1/clips/{self.walk}.anim"))
        self.assertEqual(reply.body, self.walk_bytes)
        reply = self.good(self.client.get(f"/v1/clips/{self.sims}.anim"))
        self.assertEqual(reply.body, self.sims_bytes)
        other = self.client.items("/v1/clips", format="sims3-clip")[0]["id"]
        reply = self.client.get(f"/v1/clips/{other}.anim")
        self.assertProblem(reply, 400, parameter="to")
        for target in ("sl-anim", "tso-anim", "prime-anim"):
            self.assertIn(target, reply.json["detail"])
        self.assertProblem(self.client.get(f"/v1/clips/{other}.anim?to=bvh"), 400, parameter="to")
        reply = self.client.get(f"/v1/clips/{other}.exe")
        self.assertProblem(reply, 404, code="no_conversion")
        self.assertIn("glb gltf bvh json", reply.json["detail"])

    def test_pairs_hold_both_files(self):
        for extension, member in (("cmx", "a2o-walk.cmx"), ("bcf", "a2o-walk.bcf"), ("cfp", "a2o-walk.cmx")):
            reply = self.good(self.client.get(f"/v1/clips/{self.sims}.{extension}"))
            names = zipfile.ZipFile(io.BytesIO(reply.body)).namelist()
            self.assertEqual(names, [member, "xskill-a2o-walk.cfp"])

    def test_the_second_of_a_pair_is_called_as_the_first_says(self):
        """Extras may hold anything: what is not a file name is none."""
        clip = self.client.get(f"/v1/clips/{self.sims}.json").json
        for file, name in ((5, "xskill-a2o-walk"), ("other", "other"), ({}, "xskill-a2o-walk")):
            clip["extras"] = {**clip.get("extras", {}), "file": file}
            reply = self.good(self.client.post("/v1/convert", json.dumps(clip).encode(), to="sims1-cmx", name="x.json"))
            pair = zipfile.ZipFile(io.BytesIO(reply.body))
            self.assertEqual(pair.namelist()[1], f"{name}.cfp")
            self.assertIn(name.encode(), pair.read(pair.namelist()[0]))

    def test_by_name(self):
        reply = self.good(self.client.get("/v1/named/samples/walk.glb"))
        located = reply["Content-Location"]
        self.assertTrue(located.startswith(f"/v1/clips/{self.walk}.glb?skeleton="), located)
        self.assertEqual(self.client.get(located).body, reply.body)
        self.assertEqual(reply["Cache-Control"], "no-cache")

    def test_caching(self):
        auto = self.good(self.client.get(f"/v1/clips/{self.walk}.glb"))
        self.assertEqual(auto["Cache-Control"], "no-cache")
        twin = self.good(self.client.get(auto["Content-Location"]))
        self.assertEqual((twin.body, twin["ETag"]), (auto.body, auto["ETag"]))
        self.assertEqual(twin["Cache-Control"], "no-cache")  # another body may come
        bones = self.good(self.client.get(auto["Content-Location"] + "&mesh=bones"))
        self.assertEqual(bones["Cache-Control"], "public, max-age=3600")
        again = self.client.get(auto["Content-Location"], {"If-None-Match": auto["ETag"]})
        self.assertEqual(again.status, 304)
        self.assertIn("cache;desc=hit", self.client.get(auto["Content-Location"])["Server-Timing"])
        link = self.client.get(f"/v1/clips/{self.walk}").json["links"]["glb"]
        self.assertEqual(self.client.get(link).body, auto.body)
        version = link.split("v=")[1]
        kept = self.client.get(f"/v1/clips/{self.walk}.glb?skeleton=none&v={version}")
        self.assertIn("immutable", kept["Cache-Control"])
        tags = {
            self.client.get(f"/v1/clips/{self.walk}.{rest}")["ETag"]
            for rest in ("glb", "gltf", "glb?fps=10", "glb?bones=none", 'glb?map={"mHead":"h"}', "glb?skeleton=none")
        }
        self.assertEqual(len(tags), 6)


class Options(ConvertCase):
    def test_resampling(self):
        model = glb(self.good(self.client.get(f"/v1/clips/{self.walk}.glb?fps=10")).body)
        self.assertEqual(model["animations"][0]["extras"]["posed"]["resampled"], 10)
        reply = self.client.get(f"/v1/clips/{self.walk}.glb?fps=1000")
        self.assertEqual(reply.status, 200)
        for bad in ("0", "-1", "1001", "nan", "x"):
            self.assertProblem(self.client.get(f"/v1/clips/{self.walk}.glb?fps={bad}"), 400, parameter="fps")

    def test_frames_are_limited(self):
        with Daemon(Daemon.samples / "second-life", "--max-frames", "20") as daemon:
            reply = daemon.client.get("/v1/named/second-life/walk.glb?fps=1000")
            self.assertProblem(reply, 400, parameter="fps", limit="max-frames")

    def test_bones(self):
        self.assertIn("meshes", glb(self.client.get(f"/v1/clips/{self.sims}.glb?mesh=bones").body))
        self.assertNotIn("meshes", glb(self.good(self.client.get(f"/v1/clips/{self.sims}.glb?bones=none")).body))

    def test_settings_of_second_life(self):
        query = "priority=5&loop=0&ease_in=0.25&ease_out=1.5"
        reply = self.good(self.client.get(f"/v1/clips/{self.walk}.anim?{query}"))
        clip = self.client.post("/v1/inspect", reply.body, name="x.anim").json["clips"][0]
        extras = clip["extras"]
        self.assertEqual((extras["base_priority"], clip["loop"]), (5, False))
        self.assertEqual((extras["ease_in"], extras["ease_out"]), (0.25, 1.5))
        for bad in ("priority=7", "priority=1.5", "priority=x", "loop=2", "ease_in=-1", "ease_out=1e9", "strict=2"):
            reply = self.client.get(f"/v1/clips/{self.walk}.anim?{bad}")
            self.assertProblem(reply, 400, parameter=bad.split("=")[0])

    def test_settings_of_prime(self):
        renamed = '{"HEAD":"joint_7"}'
        for game in ("mp1", "mp2"):
            reply = self.good(self.client.get(f"/v1/clips/{self.sims}.anim?to=prime-anim&game={game}&loop=1", map=renamed))
            found = self.client.post("/v1/inspect", reply.body, name="x.anim", format="prime-anim", game=game).json
            self.assertEqual(found["clips"][0]["loop"], True)
            self.assertEqual(found["clips"][0]["extras"]["game"], game)
        reply = self.client.get(f"/v1/clips/{self.sims}.anim?to=prime-anim&game=mp9", map=renamed)
        self.assertProblem(reply, 400, parameter="game")

    def test_what_a_target_does_not_take(self):
        for extension, query in (
            ("glb", "priority=1"),
            ("glb", "axes=gltf"),
            ("bvh", "bones=none"),
            ("json", "fps=30"),
            ("anim", "game=mp1"),
            ("glb", "nonsense=1"),
        ):
            reply = self.client.get(f"/v1/clips/{self.walk}.{extension}?{query}")
            self.assertProblem(reply, 400, parameter=query.split("=")[0])

    def test_skeletons(self):
        for bad in ("x", "0" * 32, ""):
            reply = self.client.get(f"/v1/clips/{self.walk}.glb", skeleton=bad)
            self.assertProblem(reply, 400, parameter="skeleton")
        reply = self.client.get(f"/v1/clips/{self.walk}.bvh?skeleton=none")
        self.assertProblem(reply, 400, parameter="skeleton")

    def test_meshes(self):
        mesh = self.client.items("/v1/meshes", format="tso-mesh")[0]["id"]
        model = glb(self.good(self.client.get(f"/v1/clips/{self.sims}.glb?mesh={mesh}")).body)
        accessor = model["meshes"][0]["primitives"][0]["attributes"]["POSITION"]
        self.assertGreater(model["accessors"][accessor]["count"], 20)
        self.assertProblem(self.client.get(f"/v1/clips/{self.sims}.glb?mesh=1"), 400, parameter="mesh")
        reply = self.client.get(f"/v1/clips/{self.sims}.glb?mesh={mesh}&skeleton=none")
        self.assertProblem(reply, 400, parameter="skeleton")

    def test_names_are_mapped(self):
        query = {"map": json.dumps({"mPelvis": "hips", "mHead": "Kopf ä"})}
        model = glb(self.good(self.client.get(f"/v1/clips/{self.walk}.glb", **query)).body)
        names = joint_names(model)
        self.assertIn("hips", names)
        self.assertIn("Kopf ä", names)
        self.assertNotIn("mPelvis", names)
        animated = {names_of["target"]["node"] for names_of in model["animations"][0]["channels"]}
        self.assertIn(next(i for i, node in enumerate(model["nodes"]) if node.get("name") == "hips"), animated)
        found = self.good(self.client.get(f"/v1/clips/{self.walk}.json", **query)).json
        self.assertIn("hips", [joint["name"] for joint in found["joints"]])
        back = json.dumps({"hips": "mPelvis", "Kopf ä": "mHead"})
        reply = self.good(self.convert(self.client.get(f"/v1/clips/{self.walk}.glb", **query).body, "sl-anim", map=back))
        self.assertEqual(reply.body, self.walk_bytes)

    def test_names_that_nothing_has(self):
        reply = self.good(self.client.get(f"/v1/clips/{self.sims}.glb", map='{"nobody":"x","PELVIS":"y"}'))
        self.assertEqual(codes(reply), ["rename_unused"])
        reply = self.client.get(f"/v1/clips/{self.sims}.glb", map='{"nobody":"x","PELVIS":"y"}', strict=1)
        self.assertProblem(reply, 422, code="strict")
        self.assertIn("nobody", reply.json["detail"])
        # A joint that is the skeleton's alone is renamed as well, and no warning.
        skeleton = self.client.get(f"/v1/clips/{self.walk}/pose").json
        still = next(joint["name"] for joint in skeleton["joints"] if not joint["driven"])
        reply = self.good(self.client.get(f"/v1/clips/{self.walk}.glb", map=json.dumps({still: "still"})))
        self.assertEqual(codes(reply), ["stand_in_skeleton"])
        self.assertIn("still", joint_names(glb(reply.body)))

    def test_maps_that_are_none(self):
        for text, pointer in (
            ("{", None),
            ("[]", "/"),
            ("[1]", "/"),
            ("1", None),
            ('{"a":1}', "/a"),
            ('{"a/b":""}', "/a~1b"),
            ('{"a":"x","a":"y"}', None),
            ('{"":"x"}', "/"),
            ('{"a":"' + "x" * 300 + '"}', "/a"),
            ('{"a":"\\u0000"}', None),
        ):
            reply = self.client.get(f"/v1/clips/{self.sims}.glb", map=text)
            self.assertProblem(reply, 400, code="bad_map", parameter="map")
            if pointer:
                self.assertEqual(reply.json["pointer"], pointer, text)

    def test_strict(self):
        reply = self.good(self.client.get(f"/v1/clips/{self.sims}.anim?to=sl-anim"))
        self.assertIn("events_dropped", codes(reply))
        strict = self.client.get(f"/v1/clips/{self.sims}.anim?to=sl-anim&strict=1")
        self.assertProblem(strict, 422, code="strict")
        self.assertIn("events_dropped", strict.json["detail"])
        self.assertIsNone(strict["Content-Disposition"])
        self.assertEqual(self.client.get(f"/v1/clips/{self.sims}.glb?strict=1").status, 200)
        # A stand-in is a note.
        self.assertEqual(self.client.get(f"/v1/clips/{self.walk}.glb?strict=1").status, 200)


class Models(ConvertCase):
    def test_skeletons(self):
        for skeleton in self.client.items("/v1/skeletons"):
            reply = self.good(self.client.get(f"/v1/skeletons/{skeleton['id']}.glb"))
            self.assertEqual(len(joint_names(glb(reply.body))), skeleton["joint_count"])
            self.assertIn("filename=", reply["Content-Disposition"])
            again = self.client.get(f"/v1/skeletons/{skeleton['id']}.glb", {"If-None-Match": reply["ETag"]})
            self.assertEqual(again.status, 304)
            self.assertEqual(self.client.get(f"/v1/skeletons/{skeleton['id']}.json").json["id"], skeleton["id"])
        self.assertProblem(self.client.get(f"/v1/skeletons/{'0' * 32}.glb"), 404)

    def test_meshes(self):
        for mesh in self.client.items("/v1/meshes", format="tso-mesh"):
            model = glb(self.good(self.client.get(f"/v1/meshes/{mesh['id']}.glb")).body)
            self.assertEqual(len(model["skins"]), 1)
        self.assertProblem(self.client.get(f"/v1/meshes/{'0' * 32}.glb"), 404)

    def test_characters(self):
        for character in self.client.items("/v1/characters"):
            whole = self.client.get(f"/v1/characters/{character['id']}").json
            ids = [clip["id"] for clip in whole["clips"]]
            reply = self.good(self.client.get(f"/v1/characters/{character['id']}.glb", clips=",".join(ids)))
            model = glb(reply.body)
            self.assertEqual(len(model["animations"]), len(ids))
            names = [animation["name"] for animation in model["animations"]]
            self.assertEqual(sorted(names), sorted(clip["name"] for clip in whole["clips"]))
            skeleton = self.client.get(f"/v1/skeletons/{whole['skeleton']}").json
            self.assertEqual(len(model["skins"]), 1)
            self.assertEqual(len(joint_names(model)), len(skeleton["joints"]))
            reply = self.client.get(f"/v1/characters/{character['id']}.glb?clips=1")
            self.assertProblem(reply, 400, parameter="clips")

    def test_textures(self):
        """A picture of 2 by 2 points that a mesh names is embedded as PNG; one that is no picture is a warning."""
        lines = ["nose", "skin", "1", "HEAD", "1", "0 1 2", "1", "0 0 3 -1 0", "3", "0 0", "1 0", "0 1", "0", "3"]
        lines += ["0 0 0 0 0 1", "0.1 0 0 0 0 1", "0 0.1 0 0 0 1", ""]
        points = bytes(range(6)) + b"\0\0"
        bmp = struct.pack("<2sIIIIIIHHIIIIII", b"BM", 54 + 16, 0, 54, 40, 2, 2, 1, 24, 0, 16, 0, 0, 0, 0) + 2 * points
        with tempfile.TemporaryDirectory() as top:
            folder = Path(top)
            shutil.copy(Daemon.samples / "sims-online" / "adult.skel", folder)
            shutil.copy(Daemon.samples / "sims-online" / "a2o-walk.anim", folder)
            (folder / "nose.skn").write_text("\r\n".join(lines))
            (folder / "SKIN.bmp").write_bytes(bmp)
            with Daemon(folder) as daemon:
                mesh = daemon.client.items("/v1/meshes")[0]["id"]
                clip = daemon.client.items("/v1/clips")[0]["id"]
                for target in (f"/v1/meshes/{mesh}.glb", f"/v1/clips/{clip}.glb?mesh={mesh}"):
                    reply = self.good(daemon.client.get(target))
                    self.assertEqual(codes(reply), [], target)
                    self.assertEqual([image["name"] for image in glb(reply.body)["images"]], ["SKIN.bmp"])
                    self.assertIn(b"\x89PNG", reply.body)
                    self.assertEqual(reply["Cache-Control"], "no-cache")
            (folder / "SKIN.bmp").write_bytes(b"no picture")
            with Daemon(folder) as daemon:
                reply = self.good(daemon.client.get(f"/v1/meshes/{mesh}.glb"))
                self.assertEqual(codes(reply), ["texture_unreadable"])
                self.assertProblem(daemon.client.get(f"/v1/meshes/{mesh}.glb?strict=1"), 422, code="strict")


class Targets(SampleCase):
    def test_a_skeleton_that_was_named_is_no_surprise_whoever_asks_first(self):
        """That a built-in skeleton was chosen is told, of one that was named by its id it is not: two answers, two ETags."""
        shipped = self.client.get(f"/v1/clips/{self.clip('walk', 'sl-anim')['id']}/pose").json["skeleton"]
        clip = self.clip("a2o-walk", "tso-anim")["id"]
        chosen = f"/v1/clips/{clip}.anim?to=sl-anim&retarget=1"
        named = chosen + "&onto=" + shipped
        for paths in ((chosen, named), (named, chosen)):
            with Daemon(Daemon.samples) as daemon:
                replies = {path: daemon.client.get(path) for path in paths}
            self.assertIn("stand_in_skeleton", codes(replies[chosen]))
            self.assertNotIn("stand_in_skeleton", codes(replies[named]))
            self.assertNotEqual(replies[chosen]["ETag"], replies[named]["ETag"])


class BodiesWithCharacters(SampleCase):
    """What a body is made of is found in it, and ends with it: nothing of it is left among what everybody shares."""

    def answers(self, client):
        character = client.items("/v1/characters")[0]["id"]
        walk = next(clip["id"] for clip in client.items("/v1/clips") if clip["name"] == "Walk")
        return [client.get(path).body for path in (f"/v1/characters/{character}", f"/v1/characters/{character}.glb",
                                                   f"/v1/clips/{walk}.glb", f"/v1/clips/{walk}/preview.svg")]

    def test_what_a_request_brought_ends_with_it(self):
        path = Daemon.samples / "metroid-prime-1.pak"
        with Daemon(path) as untouched:
            expected = self.answers(untouched.client)
        with Daemon(path) as daemon:
            headers, body = form([("walk.anim", (Daemon.samples / "second-life" / "walk.anim").read_bytes())])
            for _ in range(3):
                reply = daemon.client.post("/v1/convert", path.read_bytes(), to="glb", clip="Walk", name="a.pak")
                self.assertEqual(reply.status, 200)
                self.assertEqual(daemon.client.post("/v1/convert", body, headers, to="sl-anim").status, 200)
            self.assertEqual(self.answers(daemon.client), expected)


class Bodies(ConvertCase):
    def test_every_target(self):
        for to in TARGETS:
            renamed = {"map": '{"HEAD":"joint_7"}'} if to == "prime-anim" else {}
            reply = self.good(self.convert(self.sims_bytes, to, name="a2o-walk.anim", **renamed))
            self.assertEqual(reply["Cache-Control"], "no-store")
            self.assertIn('filename="a2o-walk.', reply["Content-Disposition"])
            self.assertEqual(self.client.items("/v1/archives"), self.client.items("/v1/archives"))

    def test_round_trips_are_the_same_bytes(self):
        for original, fmt in ((self.walk_bytes, "sl-anim"), (self.sims_bytes, "tso-anim")):
            for middle in ("glb", "gltf", "json"):
                there = self.good(self.convert(original, middle, name="a2o-walk.anim"))
                back = self.good(self.convert(there.body, fmt, name="a2o-walk." + middle))
                self.assertEqual(back.body, original, f"{fmt} by {middle}")
                self.assertEqual(codes(back), [])
            for skeleton in ("none", "auto"):
                there = self.good(self.convert(original, "glb", name="a2o-walk.anim", skeleton=skeleton))
                back = self.good(self.convert(there.body, fmt, name="a2o-walk.glb", skeleton=skeleton))
                self.assertEqual(back.body, original, f"{fmt} on {skeleton}")

    def test_through_the_library(self):
        for clip in self.client.items("/v1/clips", format="sims3-clip"):
            original = self.client.get(f"/v1/clips/{clip['id']}.clip").body
            there = self.client.get(f"/v1/clips/{clip['id']}.glb")
            back = self.good(self.convert(there.body, "sims3-clip", name="x.glb"))
            self.assertEqual(back.body, original, clip["name"])

    def test_what_to_is(self):
        reply = self.client.post("/v1/convert", self.walk_bytes)
        self.assertProblem(reply, 400, parameter="to")
        for target in TARGETS:
            self.assertIn(target, reply.json["detail"])
        self.assertProblem(self.convert(self.walk_bytes, "exe"), 400, parameter="to")

    def test_forms(self):
        pair = zipfile.ZipFile(io.BytesIO(self.client.get(f"/v1/clips/{self.sims}.cmx").body))
        files = [(name, pair.read(name)) for name in pair.namelist()]
        headers, body = form(files)
        reply = self.good(self.convert(body, "tso-anim", headers))
        there = self.client.post("/v1/inspect", reply.body, name="x.anim").json["clips"][0]
        self.assertGreater(there["key_count"], 100)
        headers, body = form(files[:1])
        reply = self.good(self.convert(body, "glb", headers))
        self.assertIn("no_keys", codes(reply))
        self.assertNotIn("animations", glb(reply.body))
        for target in ("sims1-cmx", "sims1-bcf"):
            self.assertProblem(self.convert(body, target, headers), 422, code="no_keys")

    def test_a_skeleton_in_the_form_is_taken(self):
        skeleton = (Daemon.samples / "sims-online" / "adult.skel").read_bytes()
        headers, body = form([("a.anim", self.sims_bytes), ("b.skel", skeleton)])
        self.assertEqual(codes(self.good(self.convert(body, "glb", headers))), [])
        with Daemon() as empty:
            reply = empty.client.post("/v1/convert?to=glb", self.sims_bytes)
            self.assertEqual(codes(reply), ["stand_in_skeleton"])
            reply = empty.client.post("/v1/convert?to=glb", body, headers)
            self.assertEqual(codes(reply), [])

    def test_which_clip(self):
        headers, body = form([("a.anim", self.walk_bytes), ("b.anim", self.sims_bytes)])
        reply = self.convert(body, "sl-anim", headers)
        self.assertProblem(reply, 400, parameter="clip")
        self.assertIn("a2o-walk", reply.json["detail"])
        reply = self.good(self.convert(body, "sl-anim", headers, clip="a"))
        self.assertEqual(reply.body, self.walk_bytes)
        self.assertProblem(self.convert(body, "glb", headers, clip="c"), 400, parameter="clip")
        self.assertProblem(self.convert(body, "sl-anim", headers, clip="a,a2o-walk"), 400, parameter="clip")
        model = glb(self.good(self.convert(body, "glb", headers, clip="a,a2o-walk", skeleton="none")).body)
        self.assertEqual([animation["name"] for animation in model["animations"]], ["a", "a2o-walk"])

    def test_what_is_no_clip(self):
        skeleton = (Daemon.samples / "sims-online" / "adult.skel").read_bytes()
        self.assertEqual(len(joint_names(glb(self.good(self.convert(skeleton, "glb")).body))), 29)
        self.assertProblem(self.convert(skeleton, "sl-anim"), 422, code="no_clip")

    def test_hostile_bodies(self):
        self.assertProblem(self.convert(b"", "glb"), 400)
        self.assertProblem(self.convert(b"nothing that is known", "glb"), 415)
        for cut in range(1, len(self.walk_bytes), 97):
            reply = self.convert(self.walk_bytes[:cut], "glb", name="x.anim")
            self.assertIn(reply.status, (415, 422), reply)
        reply = self.convert(b'{"asset":{"version":"2.0"},"nodes":[{"children":[0]}]}', "sl-anim", name="x.gltf")
        self.assertIn(reply.status, (400, 422), reply)
        reply = self.convert(self.sims_bytes, "glb", format="nonsense")
        self.assertProblem(reply, 400, parameter="format")

    def test_names_reach_no_header_as_they_are(self):
        name = 'a"b\r\nX-Evil: 1;é%/../w\x7f.anim'
        reply = self.good(self.convert(self.walk_bytes, "glb", name=name))
        self.assertIsNone(reply["X-Evil"])
        value = reply["Content-Disposition"]
        plain, _, exact = value.partition("; filename*=")
        self.assertRegex(plain, r'^attachment; filename="[!#-\[\]-~]+\.glb"$')
        self.assertRegex(exact, r"^UTF-8''[A-Za-z0-9%._~-]+\.glb$")
        long = self.good(self.convert(self.walk_bytes, "glb", name="x" * 900 + ".anim"))
        self.assertRegex(long["Content-Disposition"], r'^attachment; filename="x+\.glb"')
