"""Faults, each a context: it begins, what is inside runs, it ends."""

import contextlib
import os
import signal
from pathlib import Path


@contextlib.contextmanager
def proxy_fault(proxy, name):
    proxy.fault = name
    yield
    proxy.fault = None


@contextlib.contextmanager
def killed_server(swift, name):
    swift.kill(name)
    yield
    swift.start_one(name)


@contextlib.contextmanager
def stopped(swift, name):
    swift.processes[name].send_signal(signal.SIGSTOP)
    yield
    swift.processes[name].send_signal(signal.SIGCONT)


@contextlib.contextmanager
def killed_daemon(daemon):
    """Started again at the same address when it ends."""
    daemon.process.kill()
    daemon.process.wait()
    yield
    listen = f"{daemon.client.host}:{daemon.client.port}"
    daemon.arguments[daemon.arguments.index("--listen") + 1] = listen
    client = daemon.client
    daemon.process.stdout.close()
    daemon.start()
    daemon.client = client  # connections of threads are its own



@contextlib.contextmanager
def stopped_database(pair):
    """It takes connections and answers nothing."""
    name = pair.primary
    pair.signal(name, signal.SIGSTOP)
    yield
    pair.signal(name, signal.SIGCONT)


@contextlib.contextmanager
def lost_database(pair):
    """The primary is killed and its disk is gone; it ends when the standby has taken its place."""
    pair.kill(pair.primary)
    yield
    pair.promote()


@contextlib.contextmanager
def full_disk(daemon, folder):
    """The daemon has a small file system of its own at that folder: see replicated.py."""
    filler = Path(f"/proc/{daemon.process.pid}/root{folder}/filler")
    with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    assert os.statvfs(filler.parent).f_bavail == 0, "the disk is not full"
    yield
    filler.unlink()
