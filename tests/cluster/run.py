#!/usr/bin/python3
"""run.py POSED SAMPLES run | test [SECONDS] | single [SECONDS]: posed on many machines, all of them here.

run leaves three replicas behind nginx, PostgreSQL with a hot standby and Swift up until Ctrl-C and prints where everything is.
test loads them while they are killed, stopped, full and lied to, and looks whether anything that was answered is not so.
single does so with one daemon that has its catalogue in a folder and its bytes in Swift."""

import contextlib
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / "http" / "support")]

import object_store  # noqa: E402 (the path comes first)
import postgres_pair  # noqa: E402
import single  # noqa: E402
import trial  # noqa: E402
from daemon import Daemon  # noqa: E402
from replicated import TOKEN, Site  # noqa: E402

SECONDS = 120
SKIPPED = 77


def leave_up(folder):
    with Site(folder) as site:
        print(f"nginx       http://{site.client.host}:{site.client.port}  (to write: -H 'Authorization: Bearer {TOKEN}')")
        for number, daemon in enumerate(site.replicas):
            print(f"posed {number}     http://{daemon.client.host}:{daemon.client.port}  process {daemon.process.pid}")
        print(f"PostgreSQL  {site.database.url}\nS3          {site.swift.endpoint}/{object_store.BUCKET} "
              f"(key {object_store.KEY_ID}, secret {object_store.SECRET})\nfiles       {folder}\nCtrl-C ends it", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            signal.pause()
    return 0


def missing():
    packages = object_store.PACKAGES + ["nginx-common", "util-linux"]
    found = [name for name in packages if not Path(f"/usr/share/doc/{name}").exists()]
    return found + ([] if postgres_pair.programs() else postgres_pair.PACKAGES)


def main():
    if len(sys.argv) < 4 or sys.argv[3] not in ("run", "test", "single"):
        raise SystemExit(__doc__)
    if packages := missing():
        print(f"SKIPPED: missing Debian packages: {' '.join(packages)}", file=sys.stderr)
        return 1 if os.environ.get("CI") else SKIPPED
    Daemon.binary = sys.argv[1]
    sample = (Path(sys.argv[2]) / "second-life" / "walk.anim").read_bytes()
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else SECONDS
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was started is stopped
    folder = Path(tempfile.mkdtemp(prefix="pc-", dir="/tmp"))  # paths of sockets are short
    folder.chmod(0o755)
    try:
        if sys.argv[3] == "run":
            return leave_up(folder)
        return (single if sys.argv[3] == "single" else trial).test(folder, seconds, sample)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
