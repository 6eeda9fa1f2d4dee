"""posed convert: one file, several clips into one, everything into a folder; what is said, how it ends."""

import json
import shutil
import struct
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

from daemon import Daemon, run


def glb(path):
    data = path.read_bytes()
    return json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])


class Convert(unittest.TestCase):
    def setUp(self):
        top = tempfile.TemporaryDirectory()
        self.addCleanup(top.cleanup)
        self.folder = Path(top.name)
        self.walk = Daemon.samples / "second-life" / "walk.anim"
        self.sims = Daemon.samples / "sims-online" / "a2o-walk.anim"
        self.far = Daemon.samples / "sims-online.far"

    def convert(self, *arguments, status=0):
        """Standard output and the lines of standard error."""
        found, out, errors = run("convert", *arguments)
        self.assertEqual(found, status, (arguments, errors))
        lines = errors.splitlines()
        for line in lines:
            self.assertTrue(line.startswith("posed: "), errors)
        return out, lines

    def test_prime_through_the_names_of_its_skeleton(self):
        """Tracks of Metroid Prime have ids; in a GLB on a skeleton their nodes have its names, and the ids come back."""
        for game in (1, 2):
            pak = Daemon.samples / f"metroid-prime-{game}.pak"
            for clip, entry in (("Walk", "0C0D0001.ANIM"), ("Jump", "0C0D0002.ANIM")):
                self.convert(pak, self.folder / "x.glb", "--clip", clip)
                self.assertIn("Skeleton_Root", [node["name"] for node in glb(self.folder / "x.glb")["nodes"]])
                self.convert(self.folder / "x.glb", self.folder / "x.anim", "--to", "prime-anim")
                self.assertEqual(run("extract", pak, entry, "--to", self.folder / "out")[0], 0)
                self.assertEqual((self.folder / "x.anim").read_bytes(), (self.folder / "out" / entry).read_bytes())

    def test_there_and_back_again(self):
        for original in (self.walk, self.sims):
            for middle in ("x.glb", "x.gltf", "x.json"):
                self.convert(original, self.folder / middle)
                out, lines = self.convert(self.folder / middle, self.folder / "back.anim")
                self.assertEqual((out, lines), ("", []))
                self.assertEqual((self.folder / "back.anim").read_bytes(), original.read_bytes(), middle)

    def test_a_model_is_on_the_skeleton_that_is_said(self):
        """A file of a mesh and its skeleton: on that one, or on none when that is said."""
        folder = Daemon.samples / "sims-online"
        with zipfile.ZipFile(self.folder / "model.zip", "w") as model:
            for name in ("adult.skel", "body.0b0d000100000009.mesh"):
                model.write(folder / name, name)
        self.convert(self.folder / "model.zip", self.folder / "x.glb")
        self.assertEqual(len(glb(self.folder / "x.glb")["skins"]), 1)
        found, _, errors = run("convert", self.folder / "model.zip", self.folder / "y.glb", "--skeleton", "none")
        self.assertEqual(found, 0, errors)
        self.assertNotIn("skins", glb(self.folder / "y.glb"))

    def test_warnings(self):
        _, lines = self.convert(self.sims, self.folder / "x.anim", "--to", "sl-anim")
        self.assertTrue(any("(events_dropped)" in line for line in lines), lines)
        self.assertTrue((self.folder / "x.anim").exists())
        _, lines = self.convert(self.sims, self.folder / "y.anim", "--to", "sl-anim", "--strict", status=1)
        self.assertEqual(len(lines), 1)
        self.assertFalse((self.folder / "y.anim").exists())

    def test_what_cannot_be_written_is_one_line(self):
        """The notes of a conversion are of a file that is there; without one the error stands alone."""
        _, lines = self.convert(self.sims, self.folder / "x.anim", "--to", "sl-anim")
        self.assertTrue(lines)
        for out in (self.folder / "no" / "x.anim", self.walk / "x.anim"):
            _, lines = self.convert(self.sims, out, "--to", "sl-anim", status=1)
            self.assertEqual(len(lines), 1, lines)
            self.assertIn(str(out), lines[0])

    def test_a_pair_is_two_files(self):
        out = self.folder / "x.cmx"
        self.convert(self.sims, out)
        self.assertTrue((self.folder / "xskill-a2o-walk.cfp").exists())
        self.convert(out, self.folder / "x.glb")
        self.assertEqual(len(glb(self.folder / "x.glb")["animations"]), 1)
        self.convert(self.sims, self.folder / "x.zip", "--to", "sims1-bcf")
        names = zipfile.ZipFile(self.folder / "x.zip").namelist()
        self.assertEqual(names, ["x.bcf", "xskill-a2o-walk.cfp"])

    def test_several_clips_into_one(self):
        out = self.folder / "x.glb"
        self.convert(self.far, out, "--clip", "a2o-wave,a2o-walk")
        self.assertEqual([animation["name"] for animation in glb(out)["animations"]], ["a2o-wave", "a2o-walk"])
        self.assertEqual(len(glb(out)["skins"]), 1)
        _, lines = self.convert(self.far, out, status=1)
        self.assertIn("a2o-idle", lines[0])
        _, lines = self.convert(self.far, out, "--clip", "a2o-walk,nobody", status=1)
        self.assertIn("nobody", lines[0])
        self.convert(self.far, self.folder / "x.bvh", "--clip", "a2o-wave,a2o-walk", status=2)

    def test_standard_output(self):
        for name in ("-", "/dev/stdout"):
            found = subprocess.run(
                [Daemon.binary, "convert", self.walk, name, "--to", "sl-anim"], capture_output=True, timeout=60
            )
            self.assertEqual((found.returncode, found.stderr), (0, b""))
            self.assertEqual(found.stdout, self.walk.read_bytes())

    def test_links_stay(self):
        """Standard output that is a file, named by a link as /dev/stdout is one; and a link to a file."""
        link, stream, file = self.folder / "link", self.folder / "stream", self.folder / "file"
        stream.symlink_to("/proc/self/fd/1")
        link.symlink_to("file")
        for out in ("-", "/dev/stdout", stream):
            with open(file, "wb") as output:
                subprocess.run([Daemon.binary, "convert", self.walk, out, "--to", "sl-anim"], stdout=output, timeout=60)
            self.assertEqual(file.read_bytes(), self.walk.read_bytes(), out)
        self.convert(self.sims, link, "--to", "tso-anim")
        self.assertEqual(file.read_bytes(), self.sims.read_bytes())
        self.assertTrue(link.is_symlink() and stream.is_symlink())
        self.assertEqual(len(list(self.folder.iterdir())), 3)

    def test_everything(self):
        out, lines = self.convert(Daemon.samples, self.folder / "out", "--to", "glb")
        clips = json.loads(run("ls", "--json", Daemon.samples)[1])
        self.assertTrue(clips)
        made = sorted(self.folder.glob("out/**/*.glb"))
        self.assertEqual(out, f"{len(made)} converted\n")
        self.assertIn(self.folder / "out" / "second-life" / "walk.glb", made)
        self.assertIn(self.folder / "out" / "sims-online.far" / "a2o-walk.glb", made)
        for path in made:
            self.assertEqual(len(glb(path)["animations"]), 1, path)
        self.assertEqual(lines, ["posed: note: stand_in_skeleton (3 files)"])  # of Second Life's

    def test_it_goes_on_past_what_is_broken(self):
        folder = self.folder / "in"
        shutil.copytree(Daemon.samples / "second-life", folder)
        (folder / "broken.anim").write_bytes(self.walk.read_bytes()[:500])
        out, lines = self.convert(folder, self.folder / "out", "--to", "bvh", status=1)
        self.assertEqual(out, "3 converted, 1 failed\n")
        self.assertTrue(any("broken.anim" in line and "offset 0x" in line for line in lines), lines)
        self.assertEqual(len(list(self.folder.glob("out/*.bvh"))), 3)
        out, lines = self.convert(folder, self.folder / "out", "--to", "prime-anim", "--strict", status=1)
        self.assertEqual(out, "0 converted, 4 failed\n")

    def test_names_that_repeat(self):
        folder = self.folder / "in"
        folder.mkdir()
        shutil.copy(self.walk, folder / "walk.anim")
        shutil.copy(Daemon.samples / "second-life" / "wave.anim", folder / "walk.animatn")
        self.convert(folder, self.folder / "out", "--to", "glb")
        self.assertEqual(sorted(path.name for path in self.folder.glob("out/*")), ["walk (2).glb", "walk.glb"])

    def test_skills_of_one_name_keep_their_own_keys(self):
        """Two clips called Idle in one folder: each skill has a key file of its own, whichever is made first."""
        folder = self.folder / "in"
        folder.mkdir()
        for clip, name in (("a2o-walk", "a.json"), ("a2o-wave", "b.json")):
            self.convert(self.far, folder / name, "--clip", clip)
            text = (folder / name).read_text()
            self.assertEqual(text.count(f'"name":"{clip}"'), 1)
            (folder / name).write_text(text.replace(f'"name":"{clip}"', '"name":"Idle"'))
        made = []
        for target, extension in (("sims1-cmx", "cmx"), ("sims1-cmx", "cmx"), ("sims1-bcf", "bcf")):
            out = self.folder / f"out{len(made)}"
            self.convert(folder, out, "--to", target)
            self.assertEqual(
                sorted(path.name for path in out.iterdir()),
                [f"a.{extension}", f"b.{extension}", "xskill-Idle (2).cfp", "xskill-Idle.cfp"],
            )
            for name in "ab":
                alone = self.folder / f"alone{len(made)}{name}"
                alone.mkdir()
                self.convert(folder / f"{name}.json", alone / f"{name}.{extension}", "--to", target)
                keys = []
                for where in (out, alone):
                    self.convert(where / f"{name}.{extension}", self.folder / "x.json")
                    keys.append(json.loads((self.folder / "x.json").read_text())["joints"])
                self.assertEqual(keys[0], keys[1], (target, name))
            made.append({path.name: path.read_bytes() for path in out.iterdir()})
        self.assertEqual(made[0], made[1])

    def test_options(self):
        out = self.folder / "x.anim"
        self.convert(self.walk, out, "--priority", "5", "--no-loop", "--ease-in", "0.5", "--ease-out", "1")
        clip = json.loads(run("info", "--json", out)[1])["clips"][0]
        extras = clip["extras"]
        self.assertEqual((extras["base_priority"], clip["loop"]), (5, False))
        self.assertEqual((extras["ease_in"], extras["ease_out"]), (0.5, 1))
        self.convert(self.walk, self.folder / "x.glb", "--fps", "10", "--bones", "none", "--skeleton", "none")
        model = glb(self.folder / "x.glb")
        self.assertNotIn("meshes", model)
        self.assertEqual(model["animations"][0]["extras"]["posed"]["resampled"], 10)
        mesh = Daemon.samples / "sims-online" / "body.0b0d000100000009.mesh"
        skeleton = Daemon.samples / "sims-online" / "adult.skel"
        _, lines = self.convert(self.sims, self.folder / "m.glb", "--mesh", mesh, "--skeleton", skeleton)
        self.assertEqual(lines, [])
        self.assertEqual(len(glb(self.folder / "m.glb")["meshes"]), 1)
        self.convert(self.sims, self.folder / "x.json", "--from", "tso-anim", "--axes", "gltf")
        self.assertEqual(json.loads((self.folder / "x.json").read_text())["axes"], "gltf")

    def test_maps(self):
        names = self.folder / "map.json"
        names.write_text('{"PELVIS":"hips","nobody":"x"}')
        _, lines = self.convert(self.sims, self.folder / "x.glb", "--map", names, "--skeleton", "none")
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("nobody", lines[0])
        self.assertIn("hips", [node.get("name") for node in glb(self.folder / "x.glb")["nodes"]])
        names.write_text("{")
        for source, target in ((self.sims, "x.glb"), (self.far, "out")):
            _, lines = self.convert(source, self.folder / target, "--to", "glb", "--map", names, status=1)
            self.assertIn("map.json", lines[0])
        self.convert(self.sims, self.folder / "x.glb", "--map", self.folder / "none.json", status=1)

    def test_models(self):
        self.convert(Daemon.samples / "sims-online" / "adult.skel", self.folder / "x.glb")
        self.assertEqual(len(glb(self.folder / "x.glb")["skins"][0]["joints"]), 29)
        self.convert(Daemon.samples / "sims-online" / "adult.skel", self.folder / "x.bvh", status=1)

    def test_bad_usage(self):
        out = self.folder / "x.glb"
        for arguments in (
            (),
            (self.walk,),
            (self.walk, out, out),
            (self.walk, self.folder / "x"),
            (self.walk, out, "--to", "nonsense"),
            (self.walk, out, "--from", "nonsense"),
            (self.walk, out, "--fps", "x"),
            (self.walk, out, "--priority", "1"),
            (self.walk, self.folder / "x.anim", "--priority", "9"),
            (self.walk, self.folder / "x.anim", "--loop", "--no-loop"),
            (self.walk, out, "--bones", "many"),
            (self.far, self.folder / "out"),
            (self.far, self.folder / "out", "--to", "glb", "--priority", "1"),
        ):
            with self.subTest(arguments):
                self.convert(*arguments, status=2)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_bad_input(self):
        out = self.folder / "x.glb"
        broken = self.folder / "broken.anim"
        broken.write_bytes(self.walk.read_bytes()[:500])
        other = self.folder / "other.anim"
        other.write_bytes(b"nothing that is known")
        for arguments in (
            (self.folder / "nowhere", out),
            (broken, out),
            (other, out),
            (self.walk, out, "--skeleton", self.folder / "nowhere"),
            (self.walk, out, "--skeleton", self.walk),
            (self.walk, out, "--mesh", self.walk),
            (self.walk, self.folder / "x.bvh", "--skeleton", "none"),
            (self.walk, self.folder / "no" / "x.glb"),
            (self.sims, out, "--from", "sl-anim"),
        ):
            with self.subTest(arguments):
                _, lines = self.convert(*arguments, status=1)
                self.assertGreaterEqual(len(lines), 1)
        self.assertFalse(out.exists())
