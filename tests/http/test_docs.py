"""Every command of the documentation, word for word, each page on a fresh start. What needs a machine of its own is listed
here, with the reason; a command that is neither listed nor works is a failure. The links of all pages lead somewhere."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from contract import ROOT
from daemon import Daemon

PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/README.md", "docs/stability.md",
         "docs/catalogue.md", "docs/scale.md", "server/README.md", "lib/README.md", "api/README.md", "api/client/README.md", "tests/README.md"]
MAX_README_LINES = 160

# Begins of commands that are not run here.
NOT_RUN = {
    "./dev": "builds, installs or tests; ./dev test is what brought this test here",
    "cmake ": "tests/checks/plain_build.sh does it",
    "export PKG_CONFIG_PATH": "of what ./dev release installs",
    "cc player.c": "of what ./dev release installs",
    "posed serve --trusted-proxy": "does not end; tests of operation start it so",
    "docker ": "needs Docker; docker/check-clean-root.sh runs its steps",
    "systemctl ": "needs systemd as the first process",
}
# Forms and lists of options in the text, no commands.
FORM = re.compile(r"\bFILE|\bPATH|\bNAME|\bARCHIVE|\bOUT\b|\[URL\]|\bDIR\b|--help|^posed serve \[")


def commands_of(text):
    """Of blocks of shell, whole lines with those that continue them; then what stands in the text."""
    found = []
    for kind, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if kind == "sh":
            found += [(line, None) for line in block.replace("\\\n", "").splitlines() if line.strip()]
        elif kind == "" and block.startswith("$ "):
            lines = block.replace("\\\n", "").splitlines()
            for at, line in enumerate(lines):
                if line.startswith("$ "):
                    after = lines[at + 1:]
                    end = next((k for k, other in enumerate(after) if other.startswith("$ ")), len(after))
                    found.append((line[2:], "\n".join(after[:end])))
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    found += [(" ".join(code.split()), None) for code in re.findall(r"`([^`]+)`", prose)
              if re.match(r"(curl|posed|cp|docker|systemctl|python3) |\./dev ", code) and not FORM.search(code)]
    return found


def read(page):
    return (ROOT / page).read_text()


class Docs(unittest.TestCase):
    maxDiff = None

    def test_word_for_word(self):
        for page in PAGES:
            with self.subTest(page):
                self.run_page(page, read(page))

    def run_page(self, page, text):
        commands = [(line, output) for line, output in commands_of(text)
                    if not any(line.startswith(begin) for begin in NOT_RUN)]
        if not commands:
            return
        with tempfile.TemporaryDirectory() as top:
            self.furnish(Path(top))
            with Daemon("--data", Path(top, "data"), Daemon.samples) as daemon:
                address = f"127.0.0.1:{daemon.client.port}"
                # The port of the pages, whoever has it on this machine; and an answer of 400 or more is a failure.
                Path(top, ".curlrc").write_text(f'connect-to = "localhost:8080:{address}"\nfail-with-body\n')
                environment = os.environ | {"CURL_HOME": top, "HOME": top, "POSED_LISTEN": address, "NO_PROXY": "*",
                                            "PATH": f"{top}/bin:{os.environ['PATH']}"}
                for line, output in commands:
                    with self.subTest(f"{page}: {line}"):
                        self.run_line(line, output, top, environment)
                for code in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
                    with self.subTest(f"{page}: python"):
                        self.run_python(code, top)

    @staticmethod
    def furnish(top):
        """The folder that a reader stands in: a built tree, with `posed` installed."""
        (top / "build").mkdir()
        (top / "build" / "default").symlink_to(Path(Daemon.binary).resolve().parents[1])
        for name in ("tests", "docs"):
            (top / name).symlink_to(ROOT / name)
        (top / "bin").mkdir()
        (top / "bin" / "posed").symlink_to(Path(Daemon.binary).resolve())
        (top / "bin" / "python3").symlink_to(sys.executable)  # the one that has the tests' modules

    def run_line(self, line, output, folder, environment):
        strict = "" if output is not None else "set -eo pipefail; "
        done = subprocess.run(["bash", "-c", strict + line], cwd=folder, env=environment, capture_output=True, timeout=120,
                              check=False)
        said = done.stdout[-600:].decode(errors="replace") + done.stderr[-600:].decode(errors="replace")
        self.assertEqual(done.returncode, 0, said)
        if output:
            self.assertEqual(done.stdout.decode().strip(), output)
        for name in re.findall(r" -o (\S+)", line):
            self.assertGreater(Path(folder, name).stat().st_size, 100, name)

    def run_python(self, code, folder):
        """A piece of Python runs; one that reads what the curl lines wrote has floats of it."""
        check = "\nassert floats and len(floats) % 10 == 0" if "floats" in code else ""
        done = subprocess.run([sys.executable, "-c", code + check], cwd=folder,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_there_is_something_to_run(self):
        commands = [line for page in PAGES for line, _ in commands_of(read(page))]
        curls = [line for line in commands if "curl " in line]
        ran = [line for line in commands if not any(line.startswith(begin) for begin in NOT_RUN)]
        self.assertGreater(len(curls), 15)
        self.assertGreater(len(ran), 35)
        self.assertTrue([code for page in PAGES for code in re.findall(r"^```python$", read(page), re.MULTILINE)])
        for begin in NOT_RUN:
            self.assertTrue(any(line.startswith(begin) for line in commands), f"nobody says {begin}")

    def test_all_pages_are_listed(self):
        """Specifications of the families have checks of their own."""
        if not shutil.which("git") or not (ROOT / ".git").exists():
            self.skipTest("not a git work tree")
        tracked = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT,
                                 capture_output=True, text=True, check=True)
        pages = {page for page in tracked.stdout.split() if not page.startswith(("lib/formats/", "lib/retarget/"))}
        self.assertEqual(pages, set(PAGES))

    def test_the_front_page_is_short(self):
        self.assertLessEqual(len(read("README.md").splitlines()), MAX_README_LINES)


def anchors_of(text):
    """As the hosts of repositories make them from headings."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Links(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)\s]+)\)", read(page)):
                if re.match(r"https?:", target):
                    continue
                path, _, anchor = target.partition("#")
                file = (ROOT / page).parent / path if path else ROOT / page
                with self.subTest(f"{page}: {target}"):
                    self.assertTrue(file.exists())
                    if anchor:
                        self.assertIn(anchor, anchors_of(file.read_text()))

    def test_every_folder_is_on_the_map(self):
        """A line per folder that holds sources, and no line for a folder that is gone."""
        listed = set(re.findall(r"^\| `([\w/]+)` \|", read("docs/README.md"), re.MULTILINE)) - {"dev"}
        there = {str(path.parent.relative_to(ROOT)) for top in ("lib", "api", "server")
                 for path in (ROOT / top).rglob("*.[ch]")}
        self.assertEqual(there - listed, set(), "not in docs/README.md")
        self.assertEqual({name for name in listed if not (ROOT / name).is_dir()}, set(), "gone")

    def test_the_picture_is_fresh(self):
        done = subprocess.run([sys.executable, ROOT / "docs" / "draw.py", "--check"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
