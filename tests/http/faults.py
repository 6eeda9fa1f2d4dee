#!/usr/bin/python3
"""faults.py POSED SAMPLES FAULTS [NAME...]: what is kept when a system call fails, or is the last one of the process.

Every call on files of the store that an upload, a deletion, a start and a reindex make, SQLite's among them, fails in
turn, then the process is killed at it in turn, then in the middle of it (tests/support/faults.c, preloaded). After a
restart every upload that was answered 201 is there, and every one that was answered 204 is gone.
"""

import json
import mmap
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "support"), *sorted({str(path.parent) for path in HERE.rglob("test_*.py")})]

from contract import Contract  # noqa: E402 (the path comes first)
from daemon import Daemon  # noqa: E402
from uploads import zipped  # noqa: E402

FAIL, KILL, TEAR = 1, 2, 3
EIO, ENOSPC = 5, 28


class Faults:
    """The page that the preloaded library looks at."""

    LAYOUT = "=qqii96sqqq"
    library = None  # set by main

    def __init__(self, folder):
        self.folder = folder
        self.path = folder.parent / "control"
        self.path.write_bytes(bytes(struct.calcsize(self.LAYOUT)))
        with open(self.path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), 0)

    def environment(self):
        return {"LD_PRELOAD": str(self.library), "FAULT_FOLDER": str(self.folder), "FAULT_CONTROL": str(self.path)}

    def arm(self, turn, mode=FAIL, reason=EIO):
        self.page[:] = struct.pack(self.LAYOUT, turn, 0, mode, reason, b"", 0, 0, 0)

    def refuse(self, turn, least):
        """That allocation among those of at least so many bytes."""
        self.page[:] = struct.pack(self.LAYOUT, 0, 0, 0, 0, b"", least, turn, 0)

    @property
    def allocations(self):
        return struct.unpack_from(self.LAYOUT, self.page)[7]

    @property
    def count(self):
        return struct.unpack_from(self.LAYOUT, self.page)[1]

    @property
    def last(self):
        return struct.unpack_from(self.LAYOUT, self.page)[4].rstrip(b"\0").decode()


class FaultCase(unittest.TestCase):
    def setUp(self):
        from test_store import clip

        self.clip = clip
        self.top = Path(tempfile.mkdtemp(prefix="posed-faults-"))
        self.addCleanup(shutil.rmtree, self.top)
        self.data = self.top / "data"
        self.faults = Faults(self.data)
        self.number = 0
        self.kept, self.removed = set(), set()
        self.hits = set()

    def daemon(self):
        """Outside of the sandbox, which the library's own SIGKILL would not pass."""
        daemon = Daemon("--no-sandbox", "--threads", "1", "--data", self.data)
        daemon.environment = os.environ | self.faults.environment()
        return daemon

    def upload(self, daemon, large=False):
        """The status, None when the daemon is gone."""
        self.number += 1
        data = self.clip(self.number)
        if large:
            # Just above what is kept in memory while it arrives.
            data = zipped([("wave.anim", data), ("pad.bin", bytes((1 << 20) + 9_000))], method=0)
        try:
            reply = daemon.client.post("/v1/archives", data, name=f"{self.number}.{'zip' if large else 'anim'}")
        except OSError:
            return None
        if reply.status in (200, 201):
            self.kept.add(reply.json["id"])
        return reply.status

    def remove(self, daemon, archive):
        self.kept.discard(archive)
        try:
            reply = daemon.client.request("DELETE", f"/v1/archives/{archive}")
        except OSError:
            return None
        if reply.status == 204:
            self.removed.add(archive)
        return reply.status

    def verify(self, message=""):
        self.faults.arm(0)
        with self.daemon() as daemon:
            listed = {archive["id"] for archive in daemon.client.items("/v1/archives")}
        self.assertEqual(self.kept - listed, set(), f"answered 201, and gone: {message}")
        self.assertEqual(self.removed & listed, set(), f"answered 204, and there: {message}")

    def note_hit(self):
        self.hits.add(self.faults.last.split(" ")[0])


class Requests(FaultCase):
    def prepare(self, daemon):
        """What the operation is about; may be an upload."""

    def operate(self, daemon, prepared):
        raise NotImplementedError

    def each_fails(self):
        with self.daemon() as daemon:
            for reason in (EIO, ENOSPC):
                turn = 0
                while True:
                    turn += 1
                    self.faults.arm(0)
                    prepared = self.prepare(daemon)
                    self.faults.arm(turn, FAIL, reason)
                    status = self.operate(daemon, prepared)
                    self.note_hit()
                    self.assertIn(status, (200, 201, 204, 500, 503, 507), self.faults.last)
                    last = self.faults.last
                    self.faults.arm(0)
                    self.assertEqual(self.upload(daemon), 201, f"after {last}")
                    self.assertEqual(daemon.client.get("/readyz").status, 200, f"after {last}")
                    if not last:
                        break
                self.assertGreater(turn, 5)
            daemon.kill()
        self.verify(f"{turn} calls failed")
        return turn

    def each_ends(self, mode):
        turn = 0
        while True:
            turn += 1
            self.faults.arm(0)
            daemon = self.daemon()
            daemon.start()
            prepared = self.prepare(daemon)
            self.faults.arm(turn, mode)
            status = self.operate(daemon, prepared)
            last = self.faults.last
            self.note_hit()
            self.assertEqual(status is None, bool(last), last)
            daemon.kill()
            daemon.client.close()
            self.verify(last)
            if not last:
                return turn

    def everything(self):
        turns = [self.each_fails(), self.each_ends(KILL), self.each_ends(TEAR)]
        print(f"{turns} calls: {' '.join(sorted(self.hits))}", end=" ")


class Upload(Requests):
    def operate(self, daemon, prepared):
        return self.upload(daemon)

    def test(self):
        self.everything()


class LargeUpload(Requests):
    """Its file is the body's."""

    def operate(self, daemon, prepared):
        return self.upload(daemon, large=True)

    def test(self):
        self.faults.arm(0)
        with self.daemon() as daemon:
            self.assertEqual(self.upload(daemon, large=True), 201)
        self.everything()


class Delete(Requests):
    def prepare(self, daemon):
        self.assertEqual(self.upload(daemon), 201)
        return next(iter(self.kept))

    def operate(self, daemon, prepared):
        return self.remove(daemon, prepared)

    def test(self):
        self.everything()


class Folders(FaultCase):
    """A start and a reindex of a folder where everything is to be done: rows without notes, notes without rows, deleted
    ones in an older catalogue, strays, a log that was not taken in."""

    def fill(self):
        self.faults.arm(0)
        with self.daemon() as daemon:
            for _ in range(4):
                self.upload(daemon)
        earlier = self.top / "earlier"
        shutil.copytree(self.data, earlier)
        daemon = self.daemon()
        daemon.start()
        self.remove(daemon, next(iter(self.kept)))
        for _ in range(3):
            self.upload(daemon)
        daemon.kill()
        for path in self.data.glob("catalog.db*"):
            path.unlink()
        shutil.copy2(earlier / "catalog.db", self.data)
        with self.daemon() as daemon:
            self.upload(daemon)
        daemon = self.daemon()
        daemon.start()
        self.upload(daemon)
        daemon.kill()
        shutil.copy2(earlier / "catalog.db", self.data)
        rows = [path.name for path in (earlier / "notes").iterdir() if path.name in self.kept]
        (self.data / "notes" / rows[0]).unlink()
        (self.data / "notes" / rows[1]).write_text("{")
        (self.data / "blobs" / ("0" * 64)).write_bytes(b"stray")
        (self.data / "notes" / ("0" * 32)).write_text("{")
        shutil.copytree(self.data, self.top / "whole")

    def spoil(self):
        shutil.rmtree(self.data)
        shutil.copytree(self.top / "whole", self.data)

    def each(self, mode, operate):
        turn = 0
        while True:
            turn += 1
            self.spoil()
            self.faults.arm(turn, mode)
            done = operate()
            last = self.faults.last
            self.note_hit()
            if mode != FAIL:
                self.assertEqual(done, not last, last)
            self.verify(f"{last}, turn {turn}")
            if not last:
                return turn

    def everything(self, operate):
        self.fill()
        turns = [self.each(mode, operate) for mode in (FAIL, KILL, TEAR)]
        self.assertGreater(turns[0], 40)
        print(f"{turns} calls: {' '.join(sorted(self.hits))}", end=" ")

    def start(self):
        daemon = self.daemon()
        try:
            daemon.start()
        except AssertionError as error:
            self.assertIn("exit status", str(error))
            if self.faults.page[16] == FAIL:
                self.assertIn("posed: ", str(error))
            return False
        daemon.kill()
        return True

    def reindex(self):
        done = subprocess.run(
            [Daemon.binary, "reindex", "--data", self.data],
            env=os.environ | self.faults.environment(), capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertIn(done.returncode, (0, 1, -9), done)
        return done.returncode == 0

    def test_start(self):
        self.everything(self.start)

    def test_reindex(self):
        self.everything(self.reindex)


def large_bvh(joints, frames):
    """A chain that bends, so that every array of it is large."""
    lines = ["HIERARCHY", "ROOT j0", "{", "OFFSET 0 0 0", "CHANNELS 3 Xrotation Yrotation Zrotation"]
    for i in range(1, joints):
        lines += [f"JOINT j{i}", "{", "OFFSET 0 1 0", "CHANNELS 3 Xrotation Yrotation Zrotation"]
    lines += ["End Site", "{", "OFFSET 0 1 0", "}"] + ["}"] * joints
    lines += ["MOTION", f"Frames: {frames}", "Frame Time: 0.1"]
    lines += [" ".join(str((i * 7 + k) % 90 / 10) for i in range(joints * 3)) for k in range(frames)]
    return "\n".join(lines).encode()


def large_skin(vertices):
    """A skin of The Sims on one bone."""
    lines = ["large", "x", "1", "j0", str(vertices - 2)]
    lines += [f"{i} {i + 1} {i + 2}" for i in range(vertices - 2)]
    lines += ["1", f"0 0 {vertices} 0 0", str(vertices)] + ["0.5 0.5"] * vertices + ["0", str(vertices)]
    lines += [f"{i % 70} {i % 50} {i % 30} 0 0 1" for i in range(vertices)]
    return "\r\n".join(lines).encode()


class Memory(FaultCase):
    """Sizes that a file or a client chooses do not end the daemon: each large allocation of a request is refused in turn."""

    LEAST = 32 << 10
    JOINTS = 900

    # Not those that are two files in a ZIP (sims1-cmx, sims1-bcf): libarchive 3.6 writes into the block for its directory
    # without looking whether there was memory for it. sl-anim asks for the names of its own skeleton.
    TARGETS = ("glb", "gltf", "bvh", "json", "tso-anim", "sims3-clip", "prime-anim")

    def bodies(self):
        """Requests that bring the file along."""
        wide, long = large_bvh(self.JOINTS, 3), large_bvh(20, 900)
        many = zipped([(f"folder/{i:05}.txt", b"x") for i in range(9000)] + [("wave.anim", self.clip(1))], method=0)
        clips = zipped([(f"{i}.anim", self.clip(i + 1)) for i in range(500)], method=0)
        # The answer of a refused one is the next one's, which allocates more.
        rows = {
            f"convert {name} to {to}": lambda c, n, body=body, to=to: c.post("/v1/convert", body, to=to, name="l.bvh")
            for to in self.TARGETS for name, body in (("wide", wide), ("long", long))
        }  # fmt: skip
        for name, body in {"l.bvh": wide, "m.zip": many, "c.zip": clips, "s.skn": large_skin(3000)}.items():
            rows[f"inspect {name}"] = lambda c, n, name=name, body=body: c.post("/v1/inspect", body, name=name)
            rows[f"upload {name}"] = lambda c, n, name=name, body=body: c.post("/v1/archives", body, name=name)
        rows["convert skin"] = lambda c, n: c.post("/v1/convert", large_skin(3000), to="glb", name="s.skn")
        return rows

    def requests(self, clip, mesh, skeleton):
        some = ",".join(f"j{i}" for i in range(500))  # at most 512 names
        base = f"/v1/clips/{clip}"
        return {
            "pose": lambda c, n: c.get(base + "/pose", t=n / 997),
            "pose f32": lambda c, n: c.get(base + "/pose", t=n / 997, **{"as": "f32", "space": "model"}),
            "pose of joints": lambda c, n: c.get(base + "/pose", t=n / 997, joints=some),
            "poses": lambda c, n: c.get(base + "/poses", t=f"{n / 997},{n / 991}", space="model"),
            "poses f32": lambda c, n: c.get(base + "/poses", t=f"{n / 997},{n / 991}", **{"as": "f32"}),
            "many times": lambda c, n: c.post(
                "/v1/poses", json.dumps({"requests": [{"clip": clip, "t": [0.1] * 5000, "joints": ["j1"]}]}).encode()
            ),
            "keys": lambda c, n: c.get(base + "/keys"),
            "batch": lambda c, n: c.post("/v1/poses", json.dumps({"requests": [{"clip": clip, "t": [n / 997, 0]}]}).encode()),
            "glb": lambda c, n: c.get(base + ".glb"),
            "bvh": lambda c, n: c.get(base + ".bvh"),
            "picture": lambda c, n: c.get(base + "/preview.svg", t=n / 997),
            "png": lambda c, n: c.get(base + "/preview.png", t=n / 997),
            "webp": lambda c, n: c.get(base + "/preview.webp", background=f"#{n:06x}"),
            "plot": lambda c, n: c.get(base + "/plot.svg"),
            "mesh": lambda c, n: c.get(f"/v1/meshes/{mesh}"),
            "mesh as glb": lambda c, n: c.get(f"/v1/meshes/{mesh}.glb"),
            "vertices": lambda c, n: c.get(f"/v1/meshes/{mesh}/vertices", skeleton=skeleton),
            "vertices f32": lambda c, n: c.get(f"/v1/meshes/{mesh}/vertices", skeleton=skeleton, **{"as": "f32"}),
            "clips": lambda c, n: c.get("/v1/clips", sort="name", min_duration=n / 997e3, limit=1000),
            "blend": lambda c, n: c.post(
                "/v1/poses", json.dumps({"requests": [{"layers": [{"clip": clip, "t": n / 997}] * 2}]}).encode()
            ),
        }

    def test(self):
        refused, answers, wrong = 0, {}, []
        self.faults.arm(0)
        with self.daemon() as daemon:
            client = daemon.client
            archive = client.post("/v1/archives", large_bvh(self.JOINTS, 3), name="l.bvh").json
            clip = archive["clips"][0]["id"]
            skeleton = client.get("/v1/skeletons", archive=archive["id"]).json["items"][0]["id"]
            mesh = client.post("/v1/archives", large_skin(4000), name="l.skn").json["meshes"][0]["id"]
            number = 0
            for name, ask in (self.requests(clip, mesh, skeleton) | self.bodies()).items():
                turn = 0
                while True:
                    turn, number = turn + 1, number + 1
                    self.faults.refuse(turn, self.LEAST)
                    try:
                        reply = ask(client, number)
                    except (AssertionError, ValueError) as error:
                        wrong.append(f"{name}, allocation {turn}: {error}"[:300])
                        continue
                    except OSError as error:
                        self.fail(f"{name}, allocation {turn}: {error}\n{daemon.errors()[-300:]}\n{wrong}")
                    was_hit = self.faults.allocations >= turn
                    self.faults.arm(0)
                    answers.setdefault(name, set()).add(reply.status)
                    expected = (413, 503, 507, 200, 201) if was_hit else (200, 201, 422)
                    if reply.status not in expected:
                        wrong.append(f"{name}, allocation {turn}: {reply.body[:200]}")
                    if not was_hit or turn > 200:
                        break
                    refused += 1
            self.assertEqual(client.get("/healthz").status, 200)
        self.assertFalse(wrong, "\n".join(wrong))
        print(f"{refused} refused: {answers}", end=" ")
        self.assertGreater(refused, 20)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    Daemon.binary, Daemon.samples, Faults.library = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]).resolve()
    Daemon.contract = Contract()
    del sys.argv[1:4]
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
