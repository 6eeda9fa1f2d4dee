"""A PostgreSQL server of one's own: made by initdb as an unprivileged user, on a Unix socket in a folder with a short name.

    python3 postgres.py COMMAND…    runs a command beside one; POSED_TEST_POSTGRES is its URL
"""

import glob
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

START_SECONDS = 60
SETTINGS = ["listen_addresses=", "fsync=off", "full_page_writes=off", "max_connections=60", "shared_buffers=16MB"]


def binaries():
    """The folder of the newest server's programs, None when there is none."""
    for name in ("pg_config",):
        if found := shutil.which(name):
            folder = subprocess.run([found, "--bindir"], capture_output=True, text=True, check=False).stdout.strip()
            if folder and Path(folder, "initdb").exists():
                return Path(folder)
    folders = [Path(name).parent for name in glob.glob("/usr/lib/postgresql/*/bin/initdb")]
    return max(folders, key=lambda folder: float(folder.parent.name), default=None)


def unprivileged():
    """The server refuses to run as root."""
    if os.geteuid():
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            pass
    raise RuntimeError("no user to run PostgreSQL as")


class Postgres:
    """Use as a context. The URL has no password: who connects is trusted."""

    def __init__(self):
        self.bin = binaries()
        self.user = unprivileged()
        self.folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
        self.process = None
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        os.chmod(self.folder, 0o755)
        self.url = f"postgres://posed@/posed?host={self.folder}"

    def _as_user(self):
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}

    def _run(self, name, *arguments, check=True):
        return subprocess.run(
            [self.bin / name, *map(str, arguments)], capture_output=True, text=True, check=check, cwd=self.folder,
            env={**os.environ, "LC_ALL": "C.UTF-8"}, **self._as_user(),
        )

    def __enter__(self):
        self._run("initdb", "-D", self.folder / "data", "-U", "posed", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
        self.start()
        self.sql("CREATE DATABASE posed", database="template1")
        return self

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        settings = [f"unix_socket_directories={self.folder}", *SETTINGS]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [self.bin / "postgres", "-D", self.folder / "data", *(word for item in settings for word in ("-c", item))],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder, start_new_session=True,
                **self._as_user(),
            )
        deadline = time.monotonic() + START_SECONDS
        while self._run("psql", "-h", self.folder, "-U", "posed", "-d", "template1", "-c", "SELECT 1", check=False).returncode:
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise AssertionError(f"PostgreSQL does not start:\n{(self.folder / 'log').read_text()}")
            time.sleep(0.05)

    def family(self):
        """Its processes: those that serve connections are its children."""
        found = [self.process.pid]
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and int(Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[1]) == self.process.pid:
                    found.append(int(name))
            except (OSError, IndexError):
                pass
        return found

    def _signal(self, number):
        for pid in self.family():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def suspend(self):
        self._signal(signal.SIGSTOP)

    def resume(self):
        self._signal(signal.SIGCONT)

    def kill(self):
        """At once, as when the power goes; what was committed is there again after start."""
        if self.process is None:
            return
        self._signal(signal.SIGKILL)
        self.process.wait()
        self.process = None

    def restart(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(START_SECONDS)
        self.start()

    def sql(self, text, database="posed"):
        """The answer's rows as texts, columns between tabs."""
        return self._run(
            "psql", "-h", self.folder, "-U", "posed", "-d", database, "-qAtX", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-c", text
        ).stdout.splitlines()


def main():
    if not binaries():
        print("SKIPPED: there is no PostgreSQL server (./dev install test)", file=sys.stderr)
        return 1 if os.environ.get("CI") else 77
    with Postgres() as server:
        return subprocess.run(sys.argv[1:], env={**os.environ, "POSED_TEST_POSTGRES": server.url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
