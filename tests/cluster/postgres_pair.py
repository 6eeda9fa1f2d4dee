"""A PostgreSQL primary and its hot standby on sockets in one folder, as a user who is not root. The standby is made by
docker/cluster/postgres, and a commit waits for it, as there."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from object_store import Servers, free_port

PACKAGES = ["postgresql"]
SCRIPTS = Path(__file__).resolve().parents[2] / "docker" / "cluster" / "postgres"
USER = "posed"
NOBODY = 65534
WAIT_SECONDS = 300


def script(name):
    """For standard input: whom it runs as may not be allowed to read this folder (a clone below /root)."""
    return open(SCRIPTS / name, "rb")


def programs():
    """The folder of Debian's PostgreSQL, the newest; None: there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


def family(pid):
    """A process and its children: each of PostgreSQL's leads a group of its own."""
    found = [pid]
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(stat.parent.name))
    return found


class PostgresPair(Servers):
    """primary and standby are names of folders ("a", "b") and change places when the primary is lost."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.bin = programs()
        self.processes = {}
        self.ports = {}
        self.primary, self.standby = "a", "b"

    @property
    def url(self):
        ports = ",".join(str(self.ports[name]) for name in ("a", "b"))
        return (f"postgres://{USER}@/{USER}?host={self.folder},{self.folder}&port={ports}"
                "&target_session_attrs=read-write&connect_timeout=2")

    def command(self, *words):
        """As somebody else, if this is root: PostgreSQL refuses to run as root."""
        before = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.getuid() == 0 else []
        return [*before, *map(str, words)]

    def environment(self, name, **more):
        return {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "PGDATA": str(self.folder / name), "PGHOST": str(self.folder),
                "PGPORT": str(self.ports[name]), "POSTGRES_USER": USER, "POSTGRES_DB": USER, "LC_ALL": "C", **more}

    def run(self, name, *words, **options):
        return subprocess.run(self.command(*words), env=self.environment(name), cwd=self.folder, check=True, capture_output=True, text=True,
                              **options)

    def make_folder(self, name):
        shutil.rmtree(self.folder / name, ignore_errors=True)
        (self.folder / name).mkdir(mode=0o700)
        if os.getuid() == 0:
            os.chown(self.folder / name, NOBODY, NOBODY)

    def start(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        if os.getuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)
        for name in ("a", "b"):
            self.ports[name] = free_port()  # the number is that of a socket in the folder
            self.make_folder(name)
        self.run("a", "initdb", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N", "-U", USER)
        self.launch("a", "postgres", *self.options("a"))
        self.wait("a", "SELECT NOT pg_is_in_recovery()")
        self.run("a", "createdb", "-U", USER, USER)
        with script("primary.sh") as file:
            self.run("a", "sh", stdin=file)
        self.follow()

    def options(self, name):
        # Nobody pulls the plug here: fsync would only measure the disk of the machine that the tests run on.
        return ["-c", "listen_addresses=", "-c", f"unix_socket_directories={self.folder}", "-c", "fsync=off", "-p", self.ports[name]]

    def launch(self, name, *words, stdin=subprocess.DEVNULL, **more):
        with open(self.folder / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(self.command(*words), env=self.environment(name, **more), cwd=self.folder, stdin=stdin,
                                                    stdout=log, stderr=log, start_new_session=True)

    def follow(self):
        """A standby for the primary; from then on a commit waits for it."""
        self.make_folder(self.standby)
        # pg_basebackup asks the primary's port, the server has its own.
        with script("standby.sh") as file:
            self.launch(self.standby, "sh", "-s", "--", *self.options(self.standby), stdin=file, POSTGRES_PRIMARY=str(self.folder),
                        PGPORT=str(self.ports[self.primary]))
        self.wait(self.primary, "SELECT count(*) = 1 FROM pg_stat_replication WHERE state = 'streaming'")
        self.query(self.primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.query(self.primary, "SELECT pg_reload_conf()")
        self.wait(self.primary, "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'")

    def query(self, name, text, timeout=30):
        return self.run(name, "psql", "-XAtq", "-U", USER, "-d", USER, "-c", text, timeout=timeout).stdout.strip()

    def wait(self, name, condition):
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            with contextlib.suppress(subprocess.SubprocessError):
                if self.run(name, "psql", "-XAtq", "-U", USER, "-d", "postgres", "-c", condition, timeout=10).stdout == "t\n":
                    return
            if self.processes[name].poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL {name}: not {condition}:\n{(self.folder / f'{name}.log').read_text()[-2000:]}")
            time.sleep(0.05)

    def signal(self, name, number):
        for pid in family(self.processes[name].pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self, name):
        self.signal(name, signal.SIGKILL)
        self.processes[name].wait()

    def promote(self):
        """The standby takes the place of the primary, which is gone."""
        self.query(self.standby, "SELECT pg_promote()")
        self.primary, self.standby = self.standby, self.primary

    def stop(self):
        for name, process in self.processes.items():
            if process.poll() is None:
                self.signal(name, signal.SIGCONT)
                self.signal(name, signal.SIGQUIT)  # at once
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(10)
                self.kill(name)
        self.processes = {}
