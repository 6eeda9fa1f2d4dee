"""The command line for people: help, completion, suggestions, standard input, reports."""

import json
import os
import pty
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from daemon import Daemon, run


class Case(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.TemporaryDirectory()
        self.addCleanup(self.top.cleanup)
        self.folder = Path(self.top.name)
        self.walk = Daemon.samples / "second-life" / "walk.anim"
        self.online = Daemon.samples / "sims-online"


class Help(Case):
    def test_help(self):
        self.assertEqual(run("help"), run("--help"))
        self.assertEqual(run("help", "convert"), run("convert", "--help"))
        self.assertEqual(run("version"), run("--version"))

    def test_every_command_has_a_line_and_a_page(self):
        for line in run("help")[1].splitlines():
            if line.startswith("  "):
                status, text, _ = run("help", line.split()[0])
                self.assertEqual(status, 0, line)
                self.assertIn(f"usage: posed {line.split()[0]}", text)

    def test_what_may_be_standard_input(self):
        for command, operand in ("info", "FILE"), ("ls", "PATH"), ("sample", "FILE"), ("convert", "IN"), ("preview", "IN"), ("extract", "ARCHIVE"):
            self.assertIn(f"\n{operand} may be -, standard input.\n", run("help", command)[1])
        self.assertNotIn("standard input", run("help", "pack")[1])

    def test_refusals_name_options(self):
        for option in ["--no-loop"], ["--loop"], ["--ease-in", "1"]:
            status, _, errors = run("convert", *option, self.walk, self.folder / "x.glb")
            self.assertEqual((status, errors), (2, f"posed: {option[0]}: not supported by glb\n"))

    def test_the_nearest_one(self):
        for wanted, arguments in (
            ("convert", ["conv"]), ("serve", ["serv"]), ("help", ["help", "hepl"]), ("--listen", ["serve", "--listn", "x"]),
            ("glb", ["convert", "--to", "gbl", self.walk, "x"]), ("sl-anim", ["convert", "--from", "sl-amin", self.walk, "x.glb"]),
            ("a2o-walk", ["convert", "--clip", "a2o-wlak", self.online, self.folder / "x.glb"]),
            ("a2o-walk", ["sample", "--clip", "a2o-wlak", self.online]),
        ):  # fmt: skip
            with self.subTest(wanted):
                status, out, errors = run(*arguments)
                self.assertIn(status, (1, 2))
                if "help" not in arguments:
                    self.assertEqual(out, "")
                self.assertIn(f'did you mean "{wanted}"?', errors)
        self.assertNotIn("did you mean", run("xylophone")[2])

    def test_an_extension_that_is_no_format(self):
        for source in (self.walk, Daemon.samples / "sims-online.far"):
            status, _, errors = run("convert", source, "x.fbx")
            self.assertEqual(status, 2)
            self.assertIn("no format ends in .fbx; --to is one of glb", errors)


class Completion(Case):
    def complete(self, *words):
        """What bash offers for the last word."""
        script = run("completion", "bash")[1]
        ask = f'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _posed; printf "%s\\n" "${{COMPREPLY[@]}}"'
        done = subprocess.run(["bash", "-c", script + ask, "bash", "posed", *words], capture_output=True, text=True, check=True)
        return done.stdout.split()

    def test_bash(self):
        self.assertEqual(self.complete("conv"), ["convert"])
        self.assertEqual(self.complete("help", "reind"), ["reindex"])
        self.assertEqual(self.complete("completion", "f"), ["fish"])
        self.assertEqual(self.complete("convert", "--to", "gl"), ["glb", "gltf"])
        self.assertEqual(self.complete("convert", "--to", "tso"), ["tso-anim", "tso-mesh"])
        self.assertIn("sl-anim", self.complete("convert", "--from", ""))
        self.assertEqual(self.complete("sample", "--axes", "n"), ["native"])
        self.assertEqual(self.complete("convert", "--retar"), ["--retarget"])
        self.assertEqual(self.complete("convert", "wal"), [])  # readline's own: files
        self.assertIn("far1a", self.complete("pack", "--format", "f"))

    def test_every_option_is_in_every_script(self):
        options = set()
        for line in run("help")[1].splitlines():
            if line.startswith("  "):
                text = run("help", line.split()[0])[1]
                options |= {word for row in text.splitlines() if row.startswith("  -") for word in row.replace(",", " ").split()
                            if word.startswith("--")}
        self.assertGreater(len(options), 50)
        for shell in ("bash", "zsh", "fish"):
            script = run("completion", shell)[1]
            for option in options:
                self.assertIn(option if shell != "fish" else f"-l {option[2:]}", script, shell)

    def test_shells_take_them(self):
        for shell in ("bash", "zsh", "fish"):
            if not shutil.which(shell):
                continue
            script = self.folder / shell
            script.write_text(run("completion", shell)[1])
            subprocess.run([shell, "-n", script], check=True)
        self.assertEqual(run("completion", "tcsh")[0], 2)


class StandardInput(Case):
    def pipe(self, source, *arguments):
        environment = dict(os.environ, TMPDIR=str(self.folder))
        with open(source, "rb") as stream:
            return subprocess.run([Daemon.binary, *map(str, arguments)], stdin=stream, capture_output=True, check=False,
                                  env=environment, timeout=120)

    def test_commands_read_it(self):
        shown = self.pipe(self.walk, "info", "-")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertTrue(shown.stdout.startswith(b"standard input: sl-anim"), shown.stdout)
        sampled = self.pipe(self.walk, "sample", "-", "--t", "0.5")
        self.assertEqual(json.loads(sampled.stdout), json.loads(run("sample", self.walk, "--t", "0.5")[1]))
        listed = self.pipe(Daemon.samples / "sims-online.far", "ls", "-")
        self.assertIn(b"a2o-walk.anim", listed.stdout)

    def test_from_one_to_the_other(self):
        made = self.pipe(self.walk, "convert", "--to", "glb", "-", "-")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(made.stdout[:4], b"glTF")

    def test_nothing_is_left(self):
        self.pipe(self.walk, "info", "-")
        bad = self.folder / "bad"
        bad.write_bytes(b"no animation at all")
        refused = self.pipe(bad, "info", "-")
        self.assertEqual(refused.returncode, 1)
        self.assertIn(b"standard input: ", refused.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["bad"])


class Reports(Case):
    def test_one_file(self):
        out = self.folder / "walk.bvh"
        status, text, errors = run("convert", "--json", self.walk, out)
        self.assertEqual((status, errors), (0, ""))
        report = json.loads(text)
        self.assertEqual((report["made"], report["failed"], report["errors"]), (1, 0, []))
        self.assertEqual((report["files"][0]["file"], report["files"][0]["bytes"]), (str(out), out.stat().st_size))
        self.assertIn("stand_in_skeleton", [w["code"] for w in report["files"][0]["warnings"]])

    def test_a_folder(self):
        (self.folder / "in").mkdir()
        for path in self.online.iterdir():
            shutil.copy(path, self.folder / "in")
        (self.folder / "in" / "broken.anim").write_bytes((self.online / "a2o-walk.anim").read_bytes()[:300])
        status, text, errors = run("convert", "--json", "--to", "glb", self.folder / "in", self.folder / "out")
        self.assertEqual((status, errors), (1, ""))
        report = json.loads(text)
        self.assertEqual((report["made"], report["failed"]), (3, 1))
        for file in report["files"]:
            self.assertEqual(file["bytes"], (self.folder / "out" / file["file"]).stat().st_size)
        self.assertIn("broken.anim", report["errors"][0]["file"])
        self.assertIn("offset", report["errors"][0])

    def test_pack(self):
        out = self.folder / "o.zip"
        report = json.loads(run("pack", "--json", out, self.walk)[1])
        self.assertEqual(report, {"made": 1, "failed": 0, "errors": [],
                                  "files": [{"file": str(out), "bytes": out.stat().st_size, "warnings": []}]})
        status, text, _ = run("pack", "--json", out, self.folder / "nowhere")
        self.assertEqual((status, json.loads(text)["failed"]), (1, 1))

    def test_not_where_the_file_goes(self):
        self.assertEqual(run("convert", "--json", "--to", "glb", self.walk, "-")[0], 2)

    def test_quiet(self):
        self.assertEqual(run("convert", "-q", self.walk, self.folder / "a.bvh"), (0, "", ""))
        self.assertEqual(run("convert", "--quiet", "--to", "bvh", self.online, self.folder / "out"), (0, "", ""))
        self.assertIn("holds no clip", run("convert", "-q", next(self.online.glob("*.skel")), self.folder / "a.bvh")[2])

    def test_notes_are_summed_up(self):
        (self.folder / "in").mkdir()
        for k in range(5):
            shutil.copy(self.walk, self.folder / "in" / f"walk{k}.anim")
        _, out, errors = run("convert", "--to", "glb", self.folder / "in", self.folder / "out")
        self.assertEqual(out, "5 converted\n")
        self.assertEqual(errors.count("stand_in_skeleton"), 1, errors)
        self.assertIn("(5 files)", errors)

    def test_a_person_sees_lines(self):
        try:
            parent, child = pty.openpty()
        except OSError as error:  # a root without /dev/pts
            self.skipTest(f"no terminal: {error}")
        with subprocess.Popen([Daemon.binary, "sample", self.walk], stdout=child) as process:
            os.close(child)
            text = b""
            while True:
                try:
                    if not (block := os.read(parent, 65536)):
                        break
                except OSError:  # the other end is closed
                    break
                text += block
        os.close(parent)
        self.assertEqual(process.returncode, 0)
        self.assertIn(b'{\r\n  "clip"', text)
        self.assertEqual(json.loads(text), json.loads(run("sample", self.walk)[1]))


if __name__ == "__main__":
    unittest.main()
