#!/usr/bin/python3
"""uploads.py POSED [COUNT...] [--csv FILE] [--plot FILE] [--keep FOLDER]: what a daemon with few uploads costs, and one
with many.

The uploads are made over HTTP, in memory (/dev/shm), so that no disk is measured. Each row is the median of many
requests (or of them the one that 99 of 100 are faster than); the last column is the ratio to the first. --plot draws the
rows of a --csv file that was measured before. --keep puts the uploads into that folder instead and leaves them there: what is
there already, by an earlier run, is not made again; put it where syncing costs nothing, or the disk is measured too.
"""

import argparse
import csv
import http.client
import json
import math
import random
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from html import escape
from pathlib import Path

WORDS = "walk run jump sit wave dance idle fall climb swim throw catch kneel turn bow clap nod point push pull".split()
BVH = (
    "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 3 Xrotation Yrotation Zrotation\n End Site\n {\n"
    "  OFFSET 0 1 0\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n%d.5 0 0\n"
)
MEASURED = 60  # requests of a kind
POSES = 400
FILLERS = 4


class Daemon:
    def __init__(self, program, data, *paths):
        begin = time.perf_counter()
        self.process = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", *(["--data", data] if data else []), *paths],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        port = int(re.search(r":(\d+)$", self.process.stdout.readline()).group(1))
        self.seconds = time.perf_counter() - begin
        self.client = http.client.HTTPConnection("127.0.0.1", port)

    def ask(self, method, target, body=None, status=200):
        self.client.request(method, target, body)
        reply = self.client.getresponse()
        text = reply.read()
        if reply.status != status:
            raise SystemExit(f"{method} {target}: {reply.status} {text[:200]}")
        return text

    def resident(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    def stop(self):
        self.client.close()
        self.process.terminate()
        self.process.wait()


def upload(daemon, number):
    chance = random.Random(number)
    name = f"{chance.choice(WORDS)}-{chance.choice(WORDS)}-{number}.bvh"
    return json.loads(daemon.ask("POST", f"/v1/archives?name={name}", (BVH % number).encode(), 201))["id"]


def fill(daemon, count):
    """That many uploads, by a few clients at once, beginning with those that are not there yet."""
    there = json.loads(daemon.ask("GET", "/v1/archives?limit=1&source=upload"))["total"]
    port = daemon.client.port

    def some(numbers):
        daemon_of_mine = Daemon.__new__(Daemon)
        daemon_of_mine.client = http.client.HTTPConnection("127.0.0.1", port)
        for number in numbers:
            upload(daemon_of_mine, number)
        daemon_of_mine.client.close()

    with ThreadPoolExecutor(FILLERS) as pool:
        list(pool.map(some, [range(there + first, count, FILLERS) for first in range(FILLERS)]))


def times_ms(action, items):
    times = []
    for item in items:
        begin = time.perf_counter()
        action(item)
        times.append((time.perf_counter() - begin) * 1e3)
    return sorted(times)


def median_ms(action, items):
    return statistics.median(times_ms(action, items))


def measure(program, count, folder, is_kept):
    """{row: figure} beside that many uploads."""
    data = Path(folder) / str(count)
    daemon = Daemon(program, data)
    fill(daemon, count)
    daemon.stop()
    starts = []
    for _ in range(3):
        daemon = Daemon(program, data)
        starts.append(daemon.seconds * 1e3)
        resident = daemon.resident()
        if len(starts) < 3:
            daemon.stop()
    new = []
    rows = {
        "start, ms": min(starts),
        "memory after the start, MB": resident,
        "upload, ms": median_ms(lambda number: new.append(upload(daemon, number)), range(count, count + MEASURED)),
    }

    clips = json.loads(daemon.ask("GET", f"/v1/clips?limit=1000&offset={count // 2 - 500 if count > 1000 else 0}"))
    known = [item["id"] for item in clips["items"]]
    daemon.stop()
    daemon = Daemon(program, data)
    poses = times_ms(
        lambda clip: daemon.ask("GET", f"/v1/clips/{clip}/pose?t=0.1"),
        random.Random(1).sample(known, min(POSES, len(known))),
    )
    rows["pose of an id that is not at hand, ms"] = statistics.median(poses)
    rows["pose of an id that is not at hand, p99, ms"] = poses[len(poses) * 99 // 100]
    # The same once more: all are at hand, and decoded.
    again = times_ms(
        lambda clip: daemon.ask("GET", f"/v1/clips/{clip}/pose?t=0.1"),
        random.Random(1).sample(known, min(POSES, len(known))),
    )
    rows["pose of an id that is at hand, p99, ms"] = again[len(again) * 99 // 100]

    def walk(sort):
        """The first, a middle and the last page: by the cursor of a page before."""
        for place, direction in (("first", ""), ("middle", ""), ("last", "-")):
            offset = count // 2 if place == "middle" else 20
            page = json.loads(daemon.ask("GET", f"/v1/clips?limit=20&offset={offset}&sort={direction}{sort}"))
            cursor = re.search(r"cursor=([0-9a-f]+)", page["next"]).group(1)
            rows[f"page by {sort}, {place}, ms"] = median_ms(
                lambda limit: daemon.ask("GET", f"/v1/clips?limit={limit}&cursor={cursor}&sort={direction}{sort}"),
                range(20, 20 + MEASURED),
            )

    def lists(target):
        # A parameter of its own, so that no answer was given before.
        return median_ms(lambda limit: daemon.ask("GET", f"{target}limit={limit}"), range(20, 20 + MEASURED))

    rows["page in the order of arrival, ms"] = lists("/v1/clips?")
    walk("name")
    walk("duration")
    rows["search for a word, ms"] = lists("/v1/clips?q=dance&")
    rows["deletion, ms"] = median_ms(lambda name: daemon.ask("DELETE", f"/v1/archives/{name}", status=204), new)
    daemon.stop()
    if not is_kept:
        shutil.rmtree(data)
    return rows


def print_rows(counts, columns):
    print(f"{'':34}" + "".join(f"{count:>12,}" for count in counts) + f"{'ratio':>9}")
    for row in columns[0]:
        figures = [column[row] for column in columns]
        print(f"{row:34}" + "".join(f"{figure:12.2f}" for figure in figures) + f"{figures[-1] / figures[0]:9.1f}")


# ------------------------------------------------------------------------------------------------------ drawing --

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 420, 70, 230, 40, 50
COLOURS = ("#1f77b4", "#d95f02", "#2ca02c", "#9467bd", "#8c564b", "#17becf", "#e377c2", "#7f7f7f")
STYLE = """
  .paper { fill: #ffffff }
  .grid { stroke: #dde3e8 }
  .line { fill: none; stroke-width: 2 }
  text { font: 13px sans-serif; fill: #22313f }
"""


def plot(counts, columns):
    """Milliseconds over uploads, both axes logarithmic."""
    left_out = re.compile(", (p99|first|last), ms$")
    rows = [row for row in columns[0] if row.endswith(", ms") and not left_out.search(row)]
    figures = [column[row] for column in columns for row in rows]
    low, high = math.floor(math.log10(min(figures))), math.ceil(math.log10(max(figures)))
    first, last = math.log10(counts[0]), math.log10(counts[-1])

    def x(count):
        return LEFT + (math.log10(count) - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def y(figure):
        return HEIGHT - BOTTOM - (math.log10(figure) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
        "<title>What a request costs beside few uploads and beside many</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text x="{LEFT}" y="24">milliseconds, by the number of uploads that are there</text>',
    ]
    for power in range(low, high + 1):
        at = y(10**power)
        out.append(f'<path class="grid" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>')
        out.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    for count in counts:
        out.append(f'<path class="grid" d="M{x(count):.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        out.append(f'<text x="{x(count):.1f}" y="{HEIGHT - BOTTOM + 22}" text-anchor="middle">{count:,}</text>')
    below = 0.0
    for row, colour in sorted(zip(rows, COLOURS), key=lambda pair: y(columns[-1][pair[0]])):
        points = " ".join(f"{x(count):.1f},{y(column[row]):.1f}" for count, column in zip(counts, columns))
        below = max(y(columns[-1][row]), below + 16)
        out.append(f'<polyline class="line" stroke="{colour}" points="{points}"/>')
        out.append(f'<text x="{WIDTH - RIGHT + 10}" y="{below + 4:.1f}" style="fill:{colour}">{escape(row[:-4])}</text>')
    return "\n".join([*out, "</svg>", ""])


def write_csv(path, counts, columns):
    with open(path, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["row", *counts])
        table.writerows([row, *(f"{column[row]:.3f}" for column in columns)] for row in columns[0])


def read_csv(path):
    with open(path, newline="") as file:
        head, *table = csv.reader(file)
    counts = [int(count) for count in head[1:]]
    return counts, [{row[0]: float(row[at]) for row in table} for at in range(1, len(head))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("posed")
    parser.add_argument("counts", nargs="*", type=int, default=[100, 10000])
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    if options.csv and options.plot:
        options.plot.write_text(plot(*read_csv(options.csv)))
        return
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="posed-bench-", dir=memory if memory.is_dir() else None) as folder:
        columns = [
            measure(options.posed, count, options.keep or folder, bool(options.keep)) for count in options.counts
        ]
    print_rows(options.counts, columns)
    if options.csv:
        write_csv(options.csv, options.counts, columns)


if __name__ == "__main__":
    main()
