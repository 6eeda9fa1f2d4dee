#!/usr/bin/python3
"""flame.py BUILD SAMPLES OUT: where the time goes in a cached pose over HTTP and in a clip written as GLB, as flame graphs:
OUT/flame-pose.svg and OUT/flame-glb.svg. Needs Linux perf. A box is a function, as wide as the share of samples in which it
runs or waits for what it calls, which stands on it.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from html import escape
from pathlib import Path

SECONDS, HERTZ = 5, 499
WIDTH, ROW, MARGIN, LEAST = 1200, 18, 10, 0.6  # pixels; narrower boxes are left out
KINDS = [  # the first whose pattern is in the file's name
    ("ours", r"posed|libpose", "#f6c667"),
    ("HTTP", r"libmicrohttpd|libuv", "#9bc9e8"),
    ("kernel", r"kernel|vdso|unknown", "#d3b3d8"),
    ("libraries", r"", "#b9d8a0"),
]


def record(work, *target):
    """Samples of that process or command: [(function, file), ...] from the outside in, for each."""
    data = work / "perf.data"
    subprocess.run(
        ["perf", "record", "-q", "-F", str(HERTZ), "--call-graph", "dwarf,8192", "-o", data, *target],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    text = subprocess.run(
        ["perf", "script", "-i", data, "-F", "ip,sym,dso"], check=True, capture_output=True, text=True, errors="replace"
    ).stdout
    stacks = []
    for block in text.split("\n\n"):
        found = re.findall(r"^\s*[0-9a-f]+ (.+?)(?:\+0x[0-9a-f]+)? \((.*)\)$", block, re.M)
        stack = []
        for name, file in reversed(found):  # what is inlined lies in the file of what it is in
            stack.append((name, stack[-1][1] if file == "inlined" and stack else file))
        if stack:
            stacks.append(stack)
    return stacks


def cached_pose(build, samples, work):
    daemon = subprocess.Popen(
        [build / "server/posed", "serve", "--listen", "127.0.0.1:0", "--threads", "1", "--client-share", "0", samples],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        port = re.search(r":(\d+)$", daemon.stdout.readline()).group(1)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/clips?q=walk&limit=1") as answer:
            clip = json.load(answer)["items"][0]["id"]
        targets = [f"/v1/clips/{clip}/pose?t={i / 50}&as=f32" for i in range(20)]
        load = subprocess.Popen(
            [build / "tests/bench/posed-load", port, str(2 * SECONDS + 2), "8", "0", *targets], stdout=subprocess.DEVNULL
        )
        time.sleep(1)
        stacks = record(work, "-p", str(daemon.pid), "--", "sleep", str(SECONDS))
        load.wait()
        return stacks
    finally:
        daemon.terminate()
        daemon.wait()


def clip_to_glb(build, _samples, work):
    stacks = record(work, build / "tests/bench/posed-bench", "gltf")
    inner = []
    for stack in stacks:  # from the call on that the bench makes
        at = next((i for i, (name, _) in enumerate(stack) if name == "pose_encode"), None)
        if at is not None:
            inner.append(stack[at:])
    return inner


def tree_of(stacks):
    root = {"count": 0, "file": "", "calls": {}}
    for stack in stacks:
        node = root
        node["count"] += 1
        for name, file in stack:
            node = node["calls"].setdefault(name, {"count": 0, "file": file, "calls": {}})
            node["count"] += 1
    return root


def depth_of(node, scale):
    inner = [depth_of(call, scale) for call in node["calls"].values() if call["count"] * scale >= LEAST]
    return 1 + max(inner, default=0)


def color_of(file):
    return next(color for _, pattern, color in KINDS if re.search(pattern, Path(file).name))


def boxes(node, x, level, scale, height, total):
    out = []
    for name, call in sorted(node["calls"].items()):
        width = call["count"] * scale
        if width >= LEAST:
            y = height - MARGIN - (level + 1) * ROW
            share = 100 * call["count"] / total
            letters = int((width - 4) / 6.6)
            text = f'<text x="{x + 3:.1f}" y="{y + 13}">{escape(name[:letters])}</text>' if letters > 2 else ""
            out.append(
                f'<g><title>{escape(name)}, {share:.1f} %</title><rect x="{x:.1f}" y="{y}" width="{max(width - 0.4, 0.2):.1f}"'
                f' height="{ROW - 1}" fill="{color_of(call["file"])}"/>{text}</g>'
            )
            out += boxes(call, x, level + 1, scale, height, total)
        x += width
    return out


def draw(title, stacks):
    root = tree_of(stacks)
    scale = (WIDTH - 2 * MARGIN) / root["count"]
    height = (depth_of(root, scale) - 1) * ROW + MARGIN
    legend = "".join(
        f'<rect x="{MARGIN + 110 * i}" y="32" width="12" height="12" fill="{color}"/>'
        f'<text x="{MARGIN + 110 * i + 17}" y="42">{kind}</text>'
        for i, (kind, _, color) in enumerate(KINDS)
    )
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height + 3 * ROW}" font-family="monospace" font-size="11">',
        f'<rect width="{WIDTH}" height="{height + 3 * ROW}" fill="#ffffff"/>',
        f'<text x="{MARGIN}" y="22" font-size="15" font-weight="bold">{escape(title)}, {root["count"]} samples</text>',
        legend,
        *boxes(root, MARGIN, 0, scale, height + 3 * ROW, root["count"]),
        "</svg>\n",
    ])  # fmt: skip


def main(build, samples, out):
    graphs = [
        ("flame-pose.svg", "A cached pose over HTTP", cached_pose),
        ("flame-glb.svg", "Clips of 60 joints by 300 frames as GLB", clip_to_glb),
    ]
    with tempfile.TemporaryDirectory() as work:
        for file, title, measure in graphs:
            stacks = measure(Path(build).resolve(), Path(samples).resolve(), Path(work))
            if not stacks:
                sys.exit(f"flame.py: perf took no samples of {title.lower()}")
            (Path(out) / file).write_text(draw(title, stacks))
            print(Path(out) / file, len(stacks), "samples")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
