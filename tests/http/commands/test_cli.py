"""The command line: what it prints, how it ends."""

import json
import shutil
import tempfile
import unittest
from pathlib import Path

from daemon import Daemon, run


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.TemporaryDirectory()
        self.addCleanup(self.top.cleanup)
        self.folder = Path(self.top.name)
        self.far = Daemon.samples / "sims-online.far"
        self.walk = Daemon.samples / "second-life" / "walk.anim"

    def succeed(self, *arguments):
        status, out, errors = run(*arguments)
        self.assertEqual((status, errors), (0, ""), arguments)
        return out

    def refuse(self, status, *arguments):
        """One line on standard error that names the program, and nothing else."""
        found, out, errors = run(*arguments)
        self.assertEqual((found, out), (status, ""), (arguments, errors))
        self.assertTrue(errors.startswith("posed: "), errors)
        if status == 1:
            self.assertEqual(errors.count("\n"), 1, errors)
        return errors

    def test_help_and_version(self):
        self.assertRegex(self.succeed("--version"), r"^posed \d+\.\d+\.\d+")
        text = self.succeed("--help")
        for command in ("serve", "ls", "info", "extract", "sample", "convert", "pack", "health"):
            self.assertIn(command, text)
            self.assertIn("posed " + command, self.succeed(command, "--help"))

    def test_bad_usage(self):
        for arguments in ((), ("dance",), ("serve", "--no-such"), ("serve", "--listen"), ("ls",), ("extract", "x"),
                          ("serve", "--listen", "here"), ("serve", "--cache-size", "many"), ("sample", self.walk, "--t", "x"),
                          ("serve", "--threads", "-1")):
            with self.subTest(arguments):
                status, _, errors = run(*arguments)
                self.assertEqual(status, 2, errors)
                self.assertTrue(errors)

    def test_missing_path_before_listening(self):
        self.refuse(1, "serve", "--listen", "127.0.0.1:0", self.folder / "nowhere")
        for command in ("ls", "info"):
            self.assertIn("nowhere", self.refuse(1, command, self.folder / "nowhere"))

    def test_packages_that_cannot_be_opened(self):
        broken = self.folder / "broken.package"
        broken.write_bytes((Daemon.samples / "sims-3.package").read_bytes()[:500])
        self.assertRegex(self.refuse(1, "resolve", "a_walk_loop_x", broken), r"broken\.package: offset 0x[0-9a-f]+: ")
        for wanted in ("0x", "0xzz", "0x11112222333344445"):
            self.refuse(2, "resolve", wanted)

    def test_reindex_makes_no_store(self):
        self.assertIn("nowhere", self.refuse(1, "reindex", "--data", self.folder / "nowhere"))
        self.assertFalse((self.folder / "nowhere").exists())

    def test_a_mesh_that_is_in_the_archive_too(self):
        mesh = next((Daemon.samples / "sims-online").glob("*.mesh"))
        out = self.folder / "walk.glb"
        self.assertEqual(run("convert", self.far, out, "--clip", "a2o-walk", "--mesh", mesh)[0], 0)

    def test_check(self):
        self.assertEqual(run("serve", "--check", Daemon.samples)[0], 0)
        self.assertEqual(run("serve", "--check", self.folder / "nowhere")[0], 1)

    def test_ls(self):
        text = self.succeed("ls", self.far)
        for name in ("a2o-walk.anim", "a2o-wave.anim", "a2o-idle.anim", "adult.skel"):
            self.assertIn(name, text)
        found = json.loads(self.succeed("ls", "--json", self.far))
        self.assertIn("a2o-walk.anim", json.dumps(found))

    def test_info(self):
        self.assertIn("sl-anim", self.succeed("info", self.walk))
        found = json.loads(self.succeed("info", "--json", self.walk))
        with Daemon(Daemon.samples) as daemon:
            asked = daemon.client.post("/v1/inspect", self.walk.read_bytes(), name="walk.anim").json
        self.assertEqual(found["clips"][0]["id"], asked["clips"][0]["id"])
        self.assertEqual(found["format"], asked["format"])
        self.assertIn("a2o-wave", self.succeed("info", self.far, "a2o-wave.anim"))

    def test_extract_and_pack(self):
        self.succeed("extract", self.far, "--to", self.folder / "out")
        for original in (Daemon.samples / "sims-online").iterdir():
            self.assertEqual((self.folder / "out" / original.name).read_bytes(), original.read_bytes())
        packed = self.folder / "again.far"
        self.succeed("pack", packed, *sorted((self.folder / "out").iterdir()))
        self.succeed("extract", packed, "a2o-walk.anim", "--to", self.folder / "one")
        self.assertEqual([p.name for p in (self.folder / "one").iterdir()], ["a2o-walk.anim"])
        zipped = self.folder / "again.zip"
        self.succeed("pack", zipped, self.walk)
        self.assertIn("walk.anim", self.succeed("ls", zipped))

    def test_extract_never_leaves_its_folder(self):
        import zipfile

        evil = self.folder / "evil.zip"
        with zipfile.ZipFile(evil, "w") as archive:
            archive.writestr("../escaped.anim", self.walk.read_bytes())
            archive.writestr("/abs.anim", self.walk.read_bytes())
            archive.writestr("good.anim", self.walk.read_bytes())
        out = self.folder / "deep" / "out"
        run("extract", evil, "--to", out)
        self.assertFalse((self.folder / "deep" / "escaped.anim").exists())
        self.assertFalse(Path("/abs.anim").exists())
        names = {p.name for p in self.folder.rglob("*.anim")}
        self.assertLessEqual(names, {"good.anim"})

    def test_names_cannot_act_on_a_terminal(self):
        import zipfile

        name = "\x1b[31m\u009b2J\u202egpj\u2066\u2028.anim"
        with zipfile.ZipFile(self.folder / "names.zip", "w") as archive:
            archive.writestr(name, self.walk.read_bytes())
        for command in ("ls",), ("ls", "--json"), ("info",), ("info", "--json"):
            shown = self.succeed(*command, self.folder / "names.zip")
            self.assertFalse({c for c in name if not c.isprintable()} & set(shown), f"{command}: {shown!r}")
        listed = json.loads(self.succeed("ls", "--json", self.folder / "names.zip"))
        self.assertEqual(listed["items"][0]["name"], name)

    def test_sample_is_the_api(self):
        found = json.loads(self.succeed("sample", self.walk, "--t", "0.3", "--axes", "native"))
        with Daemon(Daemon.samples) as daemon:
            clip = daemon.client.items("/v1/clips", name="walk", format="sl-anim")[0]["id"]
            asked = daemon.client.get(f"/v1/clips/{clip}/pose?t=0.3&axes=native").json
        self.assertEqual(found["joints"], asked["joints"])

    def test_preview_says_what_it_stands_on(self):
        anim = Daemon.samples.parent / "format-samples" / "prime-anim" / "packed-mp1.anim"
        with tempfile.TemporaryDirectory() as folder:
            for clip, code in ((self.walk, "stand_in_skeleton"), (anim, "no_skeleton")):
                status, _, error = run("preview", clip, Path(folder) / "clip.svg")
                self.assertEqual((status, error.count("\n")), (0, 1), error)
                self.assertIn(f"({code})", error)

    def test_broken_input(self):
        broken = self.folder / "broken.anim"
        broken.write_bytes(self.walk.read_bytes()[:100])
        for command in (("info", broken), ("sample", broken, "--t", "0")):
            errors = self.refuse(1, *command)
            self.assertIn("broken.anim", errors)
            self.assertIn("offset 0x", errors)

    def test_health(self):
        with Daemon(Daemon.samples) as daemon:
            url = f"http://{daemon.client.host}:{daemon.client.port}"
            self.assertEqual(run("health", url)[0], 0)
        self.assertEqual(run("health", url)[0], 1)

    def test_port_in_use(self):
        with Daemon(Daemon.samples) as daemon:
            self.refuse(1, "serve", "--listen", f"127.0.0.1:{daemon.client.port}", Daemon.samples)

    def test_ipv6(self):
        import socket

        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            self.skipTest("no IPv6 here")
        with Daemon(Daemon.samples, listen="[::1]:0") as daemon:
            self.assertEqual(daemon.client.get("/healthz").status, 200)

    def test_broken_path_is_served_with_its_error(self):
        shutil.copy(self.walk, self.folder / "fine.anim")
        (self.folder / "broken.far").write_bytes(self.far.read_bytes()[:40])
        with Daemon(self.folder / "fine.anim", self.folder / "broken.far") as daemon:
            archives = {a["name"]: a for a in daemon.client.items("/v1/archives")}
            self.assertIn("error", archives["broken.far"])
            self.assertNotIn("error", archives["fine.anim"])
            self.assertEqual(daemon.client.get("/v1/clips").json["total"], 1)
