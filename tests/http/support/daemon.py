"""The real daemon as a child process."""

import os
import re
import select
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from client import Client

LISTENING = re.compile(r"posed: listening on http://(.+):(\d+)$")
START_SECONDS = 60
STOP_SECONDS = 30
LOG_SECONDS = 30


class Daemon:
    """Use as a context: it is stopped, and its exit status is checked, at the end."""

    binary = "posed"  # set by run.py
    contract = None

    def __init__(self, *arguments, listen="127.0.0.1:0"):
        self.arguments = [self.binary, "serve", "--listen", listen, *map(str, arguments)]
        self.log = tempfile.TemporaryFile()
        self.lines = []
        self.process = None
        self.client = None
        self.environment = None  # that of the tests

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        status = self.stop()
        if kind is None and status != 0:
            raise AssertionError(f"the daemon ended with {status}:\n{self.errors()}")

    def start(self):
        self.process = subprocess.Popen(
            self.arguments, stdout=subprocess.PIPE, stderr=self.log, stdin=subprocess.DEVNULL, text=True,
            env=self.environment,
        )
        deadline = time.monotonic() + START_SECONDS
        while True:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            line = self.process.stdout.readline() if ready else ""
            if not line:
                status = self.process.poll()
                self.kill()
                raise AssertionError(f"the daemon does not listen (exit status {status}):\n{self.errors()}")
            self.lines.append(line.rstrip("\n"))
            if found := LISTENING.match(self.lines[-1]):
                host = found.group(1).strip("[]")
                self.client = Client((host, int(found.group(2))), self.contract)
                return

    def stop(self):
        """SIGTERM; the exit status."""
        if self.process is None:
            return 0
        if self.client:
            self.client.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"SIGTERM did not end the daemon:\n{self.errors()}") from None
        self.process.stdout.close()
        self.process = None
        return status

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
        if self.process:
            self.process.wait()
            self.process.stdout.close()
            self.process = None

    def errors(self):
        """What it has written on standard error. The daemon and we share a place in the file: reading must not move it, or
        what is written meanwhile would move ours to the end."""
        return os.pread(self.log.fileno(), os.fstat(self.log.fileno()).st_size, 0).decode()

    def wait_for_log(self, pattern):
        """Until the pattern is found in what it has written: a request's line follows its answer."""
        deadline = time.monotonic() + LOG_SECONDS
        while not (found := re.search(pattern, self.errors())):
            if time.monotonic() > deadline:
                raise AssertionError(f"{pattern!r} is not in the log:\n{self.errors()}")
            time.sleep(0.02)
        return found

    def processor_seconds(self):
        """That all its threads have used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self, which="VmRSS"):
        """Held now, or (VmHWM) at most so far."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(which + ":"):
                return int(line.split()[1]) * 1024
        raise AssertionError(f"no {which}")


def run(*arguments, **options):
    """A command of the program to its end: (status, stdout, stderr)."""
    done = subprocess.run(
        [Daemon.binary, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False, **options
    )
    return done.returncode, done.stdout, done.stderr


def corpus():
    """The folder of real files, None when there is none."""
    named = os.environ.get("POSED_CORPUS")
    folder = Path(named) if named else Path(__file__).resolve().parents[3].parent / "shared" / "corpus"
    return folder if folder.is_dir() else None
