#!/usr/bin/python3
"""folders.py POSED [COUNT...]: what a folder of many files costs, and a change in it, beside one of few.

The folder is in memory (/dev/shm), --data on a disk (/var/tmp): what is known of files lies in a file there, which in
/dev/shm would be memory as well. The processor is that of the whole daemon until it is quiet again, over many changes.
Memory is VmRSS (anonymous pages, those of files and shared ones) after the start beyond a daemon without a folder: with
--data of the first start, of one that finds its files known, and after some pages of a list and a pose of each clip on them.
The last column is the ratio to the first.
"""

import argparse
import itertools
import json
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from uploads import BVH, Daemon, print_rows

CHANGES = 10  # of a kind
PAGES, PAGE = 10, 100
QUIET_SECONDS = 1.0  # a file is read again once it is settled


class Served(Daemon):
    """A daemon of a folder."""

    def __init__(self, program, data, folder):
        super().__init__(program, data, *folder)

    def processor_ms(self):
        """Of all threads."""
        total = 0
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
        return total / 1e6

    def quiet_ms(self, action):
        """What an action costs until nothing happens any more."""
        before = last = self.processor_ms()
        action()
        still = time.monotonic()
        while time.monotonic() - still < QUIET_SECONDS:
            time.sleep(0.05)
            now = self.processor_ms()
            if now - last > 0.5:
                still = time.monotonic()
            last = now
        return last - before


def fill(folder, count):
    for number in range(count):
        if number % 1000 == 0:
            (folder / f"{number // 1000:04}").mkdir(parents=True)
        (folder / f"{number // 1000:04}" / f"clip-{number}.bvh").write_bytes((BVH % number).encode())


def changes(folder, aside, count):
    """What is done to files that are somewhere in the middle: {row: action}."""
    number = itertools.count(count)
    middle = folder / f"{count // 2000:04}"

    def write(path):
        aside.write_bytes((BVH % next(number)).encode())
        os.rename(aside, path)

    names = itertools.count()
    return {
        "a file is replaced": lambda: write(middle / f"clip-{count // 2}.bvh"),
        "a file comes": lambda: write(middle / f"new-{next(number)}.bvh"),
        "a file is renamed": lambda: os.rename(next(middle.glob("new-*.bvh")), middle / f"moved-{next(names)}.bvh"),
        "a file goes": lambda: next(middle.glob("moved-*.bvh")).unlink(),
    }


def use(daemon):
    """Looks at clips as a visitor does."""
    target = f"/v1/clips?limit={PAGE}"
    for _ in range(PAGES):
        page = json.loads(daemon.ask("GET", target))
        for clip in page["items"]:
            daemon.ask("GET", f"/v1/clips/{clip['id']}/pose")
        target = page.get("next") or f"/v1/clips?limit={PAGE}"


def measure(program, count, top, disk):
    """{row: figure} with a folder of that many files."""
    folder = top / "library"
    fill(folder, count)
    rows = {}

    def settled(data, *folders):
        daemon = Served(program, data, folders)
        time.sleep(2 * QUIET_SECONDS)  # everything is looked at once more
        return daemon

    def remember(row, daemon, base):
        rows[f"memory a file, {row}, bytes"] = (daemon.resident() - base) * 1024 * 1024 / count

    for kind, data in (("in memory", None), ("--data", disk / "data")):
        empty = settled(data)
        base = empty.resident()
        empty.stop()
        daemon = settled(data, folder)
        remember(kind, daemon, base)
        if data:
            for row, action in changes(folder, top / "aside", count).items():
                spent = [daemon.quiet_ms(action) for _ in range(CHANGES)]
                rows[f"{row}, ms of processor"] = sum(spent) / CHANGES
        daemon.stop()
        if data:
            daemon = settled(data, folder)
            rows["start again, ms"] = daemon.seconds * 1e3
            remember("--data, started again", daemon, base)
            use(daemon)
            remember(f"--data, {PAGES * PAGE} clips looked at", daemon, base)
            daemon.stop()
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("posed")
    parser.add_argument("counts", nargs="*", type=int, default=[1000, 100000])
    options = parser.parse_args()
    memory = Path("/dev/shm")
    columns = []
    for count in options.counts:
        with (
            tempfile.TemporaryDirectory(prefix="posed-bench-", dir=memory if memory.is_dir() else None) as top,
            tempfile.TemporaryDirectory(prefix="posed-bench-", dir="/var/tmp") as disk,
        ):
            columns.append(measure(options.posed, count, Path(top), Path(disk)))
    print_rows(options.counts, columns)


if __name__ == "__main__":
    main()
