#!/usr/bin/python3
"""faults.py POSED SAMPLES FAULTS [NAME...]: what is kept when a system call fails, or is the last one of the process.

Every call on files of the store that an upload, a deletion, a start and a reindex make, SQLite's among them, fails in
turn, then the process is killed at it in turn, then in the middle of it (tests/support/faults.c, preloaded). After a
restart every upload that was answered 201 is there, and every one that was answered 204 is gone.
"""

import contextlib
import http.client
import json
import mmap
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "support"), *sorted({str(path.parent) for path in HERE.rglob("test_*.py")})]

from contract import Contract  # noqa: E402 (the path comes first)
from daemon import Daemon  # noqa: E402
from uploads import form, zipped  # noqa: E402

FAIL, KILL, TEAR, STALL = 1, 2, 3, 4
EIO, ENOSPC = 5, 28


class Faults:
    """The page that the preloaded library looks at."""

    LAYOUT = "=qqii96sqqqqq"
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
        self.page[:] = struct.pack(self.LAYOUT, turn, 0, mode, reason, b"", 0, 0, 0, 0, 0)

    def refuse(self, turn, least):
        """That allocation among those of at least so many bytes."""
        self.page[:] = struct.pack(self.LAYOUT, 0, 0, 0, 0, b"", least, turn, 0, 0, 0)

    def bound(self, room):
        """The files of the folder may grow by that many bytes and by what others give back, but for the lists."""
        self.page[:] = struct.pack(self.LAYOUT, 0, 0, 0, 0, b"", 0, 0, 0, 1, room)

    @property
    def room(self):
        return struct.unpack_from(self.LAYOUT, self.page)[9]

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


class FullDisk(FaultCase):
    """Whoever fills the disk, deletions go through, and uploads do not take the room that these need."""

    SIZE = 8 << 20

    def fill(self, daemon):
        for _ in range(1000):
            if (status := self.upload(daemon)) != 201:
                self.assertEqual(status, 507)
                return
        self.fail("the disk is not full")

    def empty(self, daemon, count):
        for archive in list(self.kept)[:count]:
            self.assertEqual(self.remove(daemon, archive), 204, f"{len(self.removed)} removed, {self.faults.room} bytes")

    def test_by_uploads(self):
        self.faults.bound(self.SIZE)
        with self.daemon() as daemon:
            self.fill(daemon)
            count = len(self.kept)
            for _ in range(3):
                self.empty(daemon, count // 2)
                self.fill(daemon)
                self.assertGreater(len(self.kept), count // 2)
            self.empty(daemon, len(self.kept))
            self.assertEqual(self.upload(daemon), 201)
        self.verify("uploads filled the disk")

    def test_by_others(self):
        """To the last byte, again after each deletion, and before a start."""
        self.faults.bound(self.SIZE)
        with self.daemon() as daemon:
            self.fill(daemon)
            self.faults.bound(0)
            self.assertEqual(self.upload(daemon), 507)
            self.empty(daemon, 5)
            for _ in range(10):
                self.faults.bound(0)
                self.empty(daemon, 1)
            daemon.kill()
        self.faults.bound(0)
        with self.daemon() as daemon:  # after a crash
            self.empty(daemon, 5)
        self.faults.bound(0)
        with self.daemon() as daemon:  # after its stop
            self.empty(daemon, 5)
            self.faults.bound(0)
            self.assertEqual(self.upload(daemon), 507)
            self.faults.bound(self.SIZE)
            self.assertEqual(self.upload(daemon), 201)
        self.verify("others filled the disk")


class Stuck(FaultCase):
    """A call that never returns, as on a network drive that is gone, does not keep the daemon from ending."""

    def daemon(self):
        daemon = super().daemon()
        daemon.arguments += ["--max-time", "1s"]
        return daemon

    def ends_with(self, status, ask):
        daemon = self.daemon()
        daemon.start()
        self.assertEqual(self.upload(daemon), 201)
        self.faults.arm(1, STALL)
        asking = threading.Thread(target=ask, args=(daemon,))
        asking.start()
        while not self.faults.last:  # the worker is in the call
            time.sleep(0.02)
        self.assertEqual(daemon.client.get("/healthz").status, 200)
        self.assertEqual(daemon.stop(), status)
        asking.join()
        return daemon

    def test_upload(self):
        def ask(daemon):
            data = self.clip(99)
            with contextlib.suppress(OSError):
                daemon.client.post("/v1/archives", data, name="stuck.anim")

        daemon = self.ends_with(3, ask)
        self.assertRegex(daemon.errors(), r"work has not ended 10 s after --max-time; .* exit status 3\n")
        self.verify("an upload is stuck")


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


# Of Second Life's avatar, each the next one's parent.
BONES = ("mPelvis", "mTorso", "mChest", "mNeck", "mHead")


def large_bvh(joints, frames, names=None):
    """A chain that bends, so that every array of it is large."""
    names = names or [f"j{i}" for i in range(joints)]
    lines = ["HIERARCHY", f"ROOT {names[0]}", "{", "OFFSET 0 0 0", "CHANNELS 3 Xrotation Yrotation Zrotation"]
    for name in names[1:]:
        lines += [f"JOINT {name}", "{", "OFFSET 0 1 0", "CHANNELS 3 Xrotation Yrotation Zrotation"]
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
    MOST = 400
    FEW = 600  # of rows about small things: names, a small mesh
    JOINTS = 900
    FILES = Path("format-samples")  # beside the samples

    def rows_of_targets(self, targets):
        """Each format that clips become; some ask for names of their own."""
        wide, long = large_bvh(self.JOINTS, 3), large_bvh(20, 900)
        own = {"sl-anim": {"bones": large_bvh(len(BONES), 590, BONES)},
               "prime-anim": {"bones": large_bvh(50, 400, [f"joint_{i}" for i in range(50)])}}
        return {
            f"convert {name} to {to}": lambda c, n, body=body, to=to: c.post("/v1/convert", body, to=to, name="l.bvh")
            for to in targets
            for name, body in (own.get(to) or {"wide": wide, "long": long}).items()
        }

    def rows_of_names(self):
        """Texts that a file or a client chooses."""
        long = "n" * 9000
        files = [(f"{i}{'x' * 60000}.anim", self.clip(i + 1)) for i in range(3)]
        names = zipped(files, method=0)
        nested = zipped([("in.zip", names)], method=0)
        llm = (Daemon.samples.parent / self.FILES / "sl-llm/sample.llm").read_bytes()
        rows = {
            "few: convert for a long name": lambda c, n: c.post("/v1/convert", self.clip(1), to="glb", name=f"{long}.anim"),
            "few: inspect a mesh": lambda c, n: c.post("/v1/inspect", llm, name="a.llm"),
            "few: upload a mesh": lambda c, n: c.post("/v1/archives", llm, name=f"{n}.llm"),
            "few: convert a mesh": lambda c, n: c.post("/v1/convert", llm, to="glb", name="a.llm"),
            "few: upload under a long name": lambda c, n: c.post("/v1/archives", self.clip(n), name=f"{long}.anim"),
            "inspect long names": lambda c, n: c.post("/v1/inspect", names, name="n.zip"),
            "upload long names": lambda c, n: c.post("/v1/archives", names, name=f"{n}.zip"),
            "inspect nested names": lambda c, n: c.post("/v1/inspect", nested, name="n.zip"),
            "upload nested names": lambda c, n: c.post("/v1/archives", nested, name=f"{n}.zip"),
        }
        return rows

    def bodies(self):
        """Requests that bring the file along."""
        wide = large_bvh(self.JOINTS, 3)
        many = zipped([(f"folder/{i:05}.txt", b"x") for i in range(9000)] + [("wave.anim", self.clip(1))], method=0)
        clips = zipped([(f"{i}.anim", self.clip(i + 1)) for i in range(500)], method=0)
        # The answer of a refused one is the next one's, which allocates more.
        rows = {}
        for name, body in {"l.bvh": wide, "m.zip": many, "c.zip": clips, "s.skn": large_skin(3000)}.items():
            rows[f"inspect {name}"] = lambda c, n, name=name, body=body: c.post("/v1/inspect", body, name=name)
            rows[f"upload {name}"] = lambda c, n, name=name, body=body: c.post("/v1/archives", body, name=name)
        rows["convert skin"] = lambda c, n: c.post("/v1/convert", large_skin(3000), to="glb", name="s.skn")
        # Few allocations: the ZIP is made of one clip after the other.
        both = zipped([(f"{frames}.bvh", large_bvh(200, frames)) for frames in (8, 9)], method=0)
        rows["stream: convert to a zip"] = lambda c, n: c.post("/v1/convert", both, to="glb", name="b.zip", **{"as": "zip"})
        form_headers, form_body = form([(f"{i}.anim", self.clip(i + 1)) for i in range(500)])
        rows["upload a form"] = lambda c, n: c.post("/v1/archives", form_body, form_headers, name="f")
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
            "diff": lambda c, n: c.get(f"{base}/diff?with={base.rsplit('/', 1)[1]}&fps={20 + n % 30}"),
            "mesh": lambda c, n: c.get(f"/v1/meshes/{mesh}"),
            "mesh as glb": lambda c, n: c.get(f"/v1/meshes/{mesh}.glb"),
            "vertices": lambda c, n: c.get(f"/v1/meshes/{mesh}/vertices", skeleton=skeleton),
            "vertices f32": lambda c, n: c.get(f"/v1/meshes/{mesh}/vertices", skeleton=skeleton, **{"as": "f32"}),
            "clips": lambda c, n: c.get("/v1/clips", sort="name", min_duration=n / 997e3, limit=1000),
            "blend": lambda c, n: c.post(
                "/v1/poses", json.dumps({"requests": [{"layers": [{"clip": clip, "t": n / 997}] * 2}]}).encode()
            ),
        }

    def is_alive(self, daemon):
        self.faults.arm(0)
        try:
            return daemon.client.get("/healthz").status == 200
        except OSError:
            return False

    def ask_until_whole(self, daemon, name, ask):
        """Refuses each allocation of a request in turn until one is answered without: the statuses with and without."""
        client, least = daemon.client, self.FEW if name.startswith("few: ") else self.LEAST
        refused, whole = [], None
        for turn in range(1, self.MOST):
            self.number += 1
            self.faults.refuse(turn, least)
            try:
                reply = ask(client, self.number)
            except (AssertionError, ValueError) as error:
                self.wrong.append(f"{name}, allocation {turn}: {error}"[-300:])
                continue
            except (OSError, http.client.HTTPException) as error:
                # What a connection itself needs is refused by closing it, and so ends a stream that cannot go on.
                if name.startswith(("few: ", "stream: ")) and self.is_alive(daemon):
                    continue
                self.fail(f"{name}, allocation {turn}: {error}\n{daemon.errors()[-300:]}\n{self.wrong}")
            was_hit = self.faults.allocations >= turn
            self.faults.arm(0)
            if reply.status not in ((413, 503, 200, 201) if was_hit else (200, 201)):
                self.wrong.append(f"{name}, allocation {turn}: {reply.status} {reply.body[:200]}")
            if not was_hit:
                whole = reply.status
                break
            refused.append(reply.status)
        if whole is None:
            self.wrong.append(f"{name}: still refused at allocation {self.MOST}")
        if not {413, 503} & set(refused):
            self.wrong.append(f"{name}: nothing of it was refused, {len(refused)} allocations")
        return refused

    def test(self):
        self.wrong = []
        count = 0
        self.faults.arm(0)
        with self.daemon() as daemon:
            client = daemon.client
            archive = client.post("/v1/archives", large_bvh(self.JOINTS, 3), name="l.bvh").json
            clip = archive["clips"][0]["id"]
            skeleton = client.get("/v1/skeletons", archive=archive["id"]).json["items"][0]["id"]
            mesh = client.post("/v1/archives", large_skin(4000), name="l.skn").json["meshes"][0]["id"]
            many = zipped([(f"{i}.anim", self.clip(i + 1)) for i in range(900)], method=0)
            self.assertEqual(client.post("/v1/archives", many, name="many.zip").status, 201)
            targets = [to for row in client.items("/v1/formats") for to in row["targets"]]
            self.assertIn("sims1-cmx", targets)
            rows = self.requests(clip, mesh, skeleton) | self.bodies() | self.rows_of_names()
            for name, ask in (rows | self.rows_of_targets(targets)).items():
                count += len(self.ask_until_whole(daemon, name, ask))
            self.assertEqual(client.get("/healthz").status, 200)
        self.assertFalse(self.wrong, "\n".join(self.wrong))
        print(f"{count} refused", end=" ")


class MemoryOfPaths(FaultCase):
    """How many files lie in a folder does not end the daemon: what is served stays until there is memory again."""

    LEAST = 20 << 10  # more than what asking takes on a connection that is open

    def write(self, folder, name, number):
        """A clip that takes more than that to read."""
        lines = [f"{number} {i} 0" for i in range(3000)]
        head = "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 3 Xposition Yposition Zposition\n End Site\n {\n  OFFSET 0 1 0\n }\n}\n"
        text = "\n".join([f"{head}MOTION\nFrames: {len(lines)}\nFrame Time: 0.1", *lines, ""])
        (folder / f"{name}.bvh").write_text(text)

    def wait_for(self, client, name, enough=lambda: False):
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if enough():
                return 0
            reply = client.get("/v1/clips", name=name)
            if reply.status == 200 and reply.json["total"]:
                return reply.json["total"]
            time.sleep(0.1)
        self.fail(f"{name} is not served")

    def test(self):
        folder = self.top / "files"
        for i in range(40):
            (folder / f"{i:03}").mkdir(parents=True)
            for k in range(60):
                (folder / f"{i:03}" / f"{k}.txt").write_bytes(b"x")
        self.faults.arm(0)
        daemon = Daemon("--no-sandbox", "--threads", "1", folder)
        daemon.environment = os.environ | self.faults.environment()
        with daemon:
            turn = 0
            while True:
                turn += 1
                self.assertEqual(daemon.client.get("/healthz").status, 200)
                self.faults.refuse(turn, self.LEAST)
                self.write(folder, f"new{turn}", turn)
                whole = self.wait_for(daemon.client, f"new{turn}", lambda: self.faults.allocations >= turn)
                was_hit = self.faults.allocations >= turn
                self.faults.arm(0)
                if not was_hit or turn == 40:
                    break
                self.write(folder, f"after{turn}", 1000 + turn)
                self.wait_for(daemon.client, f"after{turn}")
                self.wait_for(daemon.client, f"new{turn}")
            self.assertTrue(whole or was_hit)
        self.assertGreater(turn, 2)  # a change takes little memory, the walk after a refusal more
        print(f"{turn - 1} refused", end=" ")


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    Daemon.binary, Daemon.samples, Faults.library = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]).resolve()
    Daemon.contract = Contract()
    del sys.argv[1:4]
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
