"""What same_output.sh compares: see there."""

import filecmp
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

# Said on purpose of one answer or one build alone.
OTHERS = {"date", "x-request-id", "server-timing", "etag", "age", "connection", "keep-alive"}
TARGETS = ["glb", "gltf", "bvh", "json"]
GAMES = ["sl-anim", "tso-anim", "prime-anim", "sims3-clip", "sims1-cmx", "sims1-bcf"]
EXTENSIONS = {
    "sl-anim": "anim",
    "tso-anim": "anim",
    "prime-anim": "anim",
    "sims3-clip": "clip",
    "sims1-cmx": "cmx",
    "sims1-bcf": "bcf",
}
MOST = int(os.environ.get("MAX_CLIPS", "0")) or 1 << 30


class Build:
    """A program, serving."""

    def __init__(self, binary, paths):
        self.binary = binary
        command = [binary, "serve", "--listen", "127.0.0.1:0", *paths]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        found = None
        while not found:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"{binary} does not listen")
            found = re.match(r"posed: listening on http://(.+):(\d+)$", line)
        self.connection = http.client.HTTPConnection(found[1], int(found[2]), timeout=120)

    def ask(self, path, body=None):
        """Status, headers and body; of what is refused the problem's code in the place of its words."""
        self.connection.request("POST" if body is not None else "GET", path, body=body)
        reply = self.connection.getresponse()
        data = reply.read()
        headers = {name.lower(): value for name, value in reply.getheaders() if name.lower() not in OTHERS}
        if reply.status >= 400:
            problem = json.loads(data) if data else {}
            return reply.status, {}, str(problem.get("code")).encode()
        if headers.get("content-type") == "application/json":
            data = re.sub(rb"([?&]v=)\d+", rb"\1", data)  # the decoder's revision, which may be raised on purpose
            headers.pop("content-length", None)
        return reply.status, headers, data

    def json(self, path):
        status, _, data = self.ask(path)
        assert status == 200, (path, status, data)
        return json.loads(data)

    def stop(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait(60)


class Comparison:
    def __init__(self, old, new):
        self.old, self.new = old, new
        self.compared = self.refused = self.different = 0

    def differ(self, what, detail):
        self.different += 1
        print(f"{what}: {detail}", flush=True)

    def ask(self, path, body=None, label=None):
        before, after = self.old.ask(path, body), self.new.ask(path, body)
        self.compared += 1
        self.refused += before[0] >= 400
        if before == after:
            return
        what = label or path
        if before[0] != after[0]:
            self.differ(what, f"status {before[0]} {before[2][:60]!r}, now {after[0]} {after[2][:60]!r}")
        elif before[1] != after[1]:
            changed = {name for name in before[1] | after[1] if before[1].get(name) != after[1].get(name)}
            self.differ(what, ", ".join(f"{n}: {before[1].get(n)}, now {after[1].get(n)}" for n in sorted(changed)))
        else:
            a, b = before[2], after[2]
            at = next((i for i in range(min(len(a), len(b))) if a[i] != b[i]), min(len(a), len(b)))
            start = max(0, at - 30)
            self.differ(what, f"from byte {at}: {a[start:at + 40]!r}, now {b[start:at + 40]!r}")

    def items(self, path):
        """All items of a list, which must be the same in both."""
        items, offset = [], 0
        while offset is not None:
            url = f"{path}?limit=1000&offset={offset}"
            self.ask(url)
            page = self.old.json(url)
            items += page["items"]
            offset = offset + len(page["items"]) if page["next"] else None
        return items

    def command(self, *arguments):
        said = []
        for build in (self.old, self.new):
            done = subprocess.run([build.binary, *arguments], capture_output=True, timeout=600, check=False)
            said.append((done.returncode, done.stdout))
        self.compared += 1
        if said[0] != said[1]:
            self.differ(" ".join(arguments), f"{said[0]!r:.300}, now {said[1]!r:.300}")

    def folders(self, *arguments):
        """A command that writes a folder, which is appended."""
        with tempfile.TemporaryDirectory() as room:
            names = []
            for build, name in ((self.old, "old"), (self.new, "new")):
                out = Path(room) / name
                command = [build.binary, *arguments, str(out)]
                subprocess.run(command, capture_output=True, timeout=1200, check=False)
                names.append({str(f.relative_to(out)) for f in out.rglob("*") if f.is_file()})
            what = " ".join(arguments)
            for name in sorted(names[0] ^ names[1]):
                self.differ(what, f"{name} is written by one of them")
            for name in sorted(names[0] & names[1]):
                self.compared += 1
                if not filecmp.cmp(Path(room) / "old" / name, Path(room) / "new" / name, shallow=False):
                    self.differ(what, f"{name} differs")


def some(items, kind=lambda item: item.get("format")):
    """No more than MOST of each kind."""
    counts = {}
    for item in items:
        counts[kind(item)] = counts.get(kind(item), 0) + 1
        if counts[kind(item)] <= MOST:
            yield item


def compare_clip(compare, clip):
    base, length = f"/v1/clips/{clip['id']}", clip["duration"]
    compare.ask(base)
    for rest in ("pose", f"pose?t={length / 3}&space=model", "keys", "keys?axes=gltf", "events", "plot.svg"):
        compare.ask(f"{base}/{rest}")
    for rest in ("pose?as=f32&axes=gltf", f"poses?t=0,{length / 2}", "poses?fps=5&as=f32&skeleton=none"):
        compare.ask(f"{base}/{rest}")
    compare.ask(f"{base}/preview.svg?t={length / 2}")
    for target in TARGETS:
        compare.ask(f"{base}.{target}")
    for rest in ("glb?fps=15", "glb?skeleton=none&bones=none", "json?axes=gltf", "gltf?strict=1"):
        compare.ask(f"{base}.{rest}")
    for target in GAMES:
        path = f"{base}.{EXTENSIONS[target]}?to={target}"
        for options in ("", "&fps=10", "&loop=1"):
            compare.ask(path + options)
    compare.ask(f"{base}.anim?to=sl-anim&priority=4&ease_in=0.1&ease_out=0.7")
    compare.ask(f"{base}.anim?to=prime-anim&game=mp2")
    joints = [joint for joint in compare.old.json(f"{base}/keys").get("joints", []) if joint.get("name")]
    if joints:
        names = quote(json.dumps({joints[0]["name"]: "renamed", "nobody": "somebody"}))
        for target in ("glb", "json", "bvh", "clip"):
            compare.ask(f"{base}.{target}?map={names}")
    if clip.get("archive") and clip.get("name"):
        named = f"/v1/named/{clip['archive']}/{quote(clip['name'], safe='')}"
        for rest in ("", "/pose", "/keys", "/events", ".glb", ".json"):
            compare.ask(named + rest)


def compare_assets(compare):
    for clip in some(compare.items("/v1/clips")):
        compare_clip(compare, clip)
    for skeleton in some(compare.items("/v1/skeletons")):
        for rest in ("", ".json", ".glb", "?axes=gltf"):
            compare.ask(f"/v1/skeletons/{skeleton['id']}{rest}")
    for mesh in some(compare.items("/v1/meshes")):
        for rest in ("", ".glb", "/vertices?as=f32", "?axes=gltf"):
            compare.ask(f"/v1/meshes/{mesh['id']}{rest}")
    for character in some(compare.items("/v1/characters")):
        for rest in ("", ".glb"):
            compare.ask(f"/v1/characters/{character['id']}{rest}")
    for archive in some(compare.items("/v1/archives"), lambda archive: archive["format"]):
        compare.ask(f"/v1/archives/{archive['id']}")
        compare.ask(f"/v1/archives/{archive['id']}/entries?limit=1000")


def compare_files(compare, files):
    for file in files:
        compare.command("info", "--json", str(file))
        if file.stat().st_size > 16 << 20:
            continue
        body, name = file.read_bytes(), quote(file.name)
        compare.ask(f"/v1/inspect?name={name}", body, f"inspect {file}")
        for target in [*TARGETS, *GAMES]:
            compare.ask(f"/v1/convert?to={target}&name={name}", body, f"convert {file} to {target}")


def main(old, new, *paths):
    files = sorted(f for path in paths for f in ([Path(path)] if Path(path).is_file() else Path(path).rglob("*")))
    files = list(some((f for f in files if f.is_file()), lambda f: f"{f.parent} {f.suffix}"))
    builds = [Build(binary, paths) for binary in (old, new)]
    compare = Comparison(*builds)
    try:
        compare_assets(compare)
        compare_files(compare, files)
        for path in [path for path in Path(paths[0]).glob("*") if len(paths) > 1]:
            for target in [*TARGETS, *GAMES]:
                compare.folders("convert", "--to", target, str(path))
    finally:
        for build in builds:
            build.stop()
    print(f"{compare.compared} compared ({compare.refused} refused by both or one), {compare.different} differ")
    return 1 if compare.different else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
