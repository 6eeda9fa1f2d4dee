"""Every command of README.md, word for word, on a fresh start. What needs a machine of its own is listed here, with the
reason; a command that is neither listed nor works is a failure."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from contract import ROOT
from daemon import Daemon

# Begins of commands that are not run here.
NOT_RUN = {
    "./dev": "builds or installs; ./dev run and ./dev test are what brought this test here",
    "export PKG_CONFIG_PATH": "of what ./dev release installs",
    "cc player.c": "of what ./dev release installs",
    "posed serve [": "a form, no command",
    "posed serve --trusted-proxy": "does not end; tests of operation start it so",
    "posed serve --help": "",
    "docker ": "needs Docker; docker/check-clean-root.sh runs its steps",
    "systemctl ": "needs systemd as the first process",
    "posed reindex --data DIR": "a form, no command",
}
FORM = re.compile(r"\bFILE|\bPATH|\bNAME|\bARCHIVE|\bOUT\b|\[URL\]|\bDIR\b")


def commands_of(text):
    """Of blocks of shell, whole lines with those that continue them; then what stands in the text."""
    found = []
    for kind, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        block = block.replace("\\\n", "")
        if kind == "sh":
            found += [(line, None) for line in block.splitlines() if line.strip()]
        elif kind == "" and block.startswith("$ "):
            lines = block.splitlines()
            for at, line in enumerate(lines):
                if line.startswith("$ "):
                    after = lines[at + 1:]
                    end = next((k for k, other in enumerate(after) if other.startswith("$ ")), len(after))
                    found.append((line[2:], "\n".join(after[:end])))
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    found += [(" ".join(code.split()), None) for code in re.findall(r"`([^`]+)`", prose)
              if re.match(r"(curl|posed|cp|docker|systemctl) |\./dev ", code) and not (FORM.search(code) and code.startswith("posed "))]
    return found


class Readme(unittest.TestCase):
    maxDiff = None

    def test_word_for_word(self):
        text = (ROOT / "README.md").read_text()
        commands = commands_of(text)
        curls = [line for line, _ in commands if "curl " in line]
        self.assertGreater(len(curls), 12)
        with tempfile.TemporaryDirectory() as top:
            build = Path(Daemon.binary).resolve().parents[1]
            Path(top, "build").mkdir()
            Path(top, "build", "default").symlink_to(build)
            Path(top, "bin").mkdir()
            Path(top, "bin", "posed").symlink_to(Path(Daemon.binary).resolve())
            with Daemon("--data", Path(top, "data"), Daemon.samples) as daemon:
                address = f"127.0.0.1:{daemon.client.port}"
                # The port of the README, whoever has it on this machine; and an answer of 400 or more is a failure.
                Path(top, ".curlrc").write_text(f'connect-to = "localhost:8080:{address}"\nfail-with-body\n')
                environment = os.environ | {"CURL_HOME": top, "HOME": top, "POSED_LISTEN": address, "NO_PROXY": "*",
                                            "PATH": f"{top}/bin:{os.environ['PATH']}"}
                ran = 0
                for line, output in commands:
                    if any(line.startswith(begin) for begin in NOT_RUN):
                        continue
                    with self.subTest(line):
                        self.run_line(line, output, top, environment)
                        ran += 1
                self.assertGreater(ran, 25)
                self.run_python(text, top)

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

    def run_python(self, text, folder):
        """The piece of Python reads what the curl lines wrote."""
        code = re.search(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL).group(1)
        done = subprocess.run(["/usr/bin/python3", "-c", code + "\nassert floats and len(floats) % 10 == 0"], cwd=folder,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_nothing_is_listed_in_vain(self):
        lines = [line for line, _ in commands_of((ROOT / "README.md").read_text())]
        for begin in NOT_RUN:
            if begin.startswith("posed serve [") or begin.endswith("DIR") or begin == "posed serve --help":
                continue
            self.assertTrue(any(line.startswith(begin) for line in lines), begin)


if __name__ == "__main__":
    unittest.main()
