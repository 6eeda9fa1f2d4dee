"""What is kept, whatever happens to the process, the disk or a file."""

import contextlib
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest
import zipfile
from pathlib import Path

from daemon import Daemon, run
from test_hostile_uploads import keys, skill
from test_inspect import sl_anim
from uploads import IDLE, WALK, WAVE, form, sample, stored_files, zipped


def clip(number):
    """A small clip of its own."""
    return sl_anim(duration=1 + number / 1024, name=b"mTorso\0", rot_keys=0)


def find_strace(case):
    if os.environ.get("POSED_SANITIZE"):
        case.skipTest("sanitizers trace the process themselves at its end")
    return shutil.which("strace") or case.skipTest("strace is not there")


# Larger than what is kept in memory while it arrives.
LARGE = zipped([("wave.anim", sample(WAVE)), ("pad.bin", random.Random(1).randbytes(3 << 20))], method=0)


def digest(data):
    return hashlib.sha256(data).hexdigest()


class StoreCase(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="posed-store-"))
        self.data = self.folder / "data"
        self.addCleanup(shutil.rmtree, self.folder)

    def daemon(self, *arguments):
        return Daemon("--data", self.data, *arguments)

    def archives(self, daemon):
        return {archive["id"]: archive for archive in daemon.client.items("/v1/archives")}

    def assertNoStrays(self, daemon):
        """The folder holds the bytes and the note of each upload and nothing else."""
        listed = self.archives(daemon)
        found = stored_files(self.data)
        notes = {name for name in found if name.startswith("notes/")}
        self.assertEqual(notes, {f"notes/{archive}" for archive in listed})
        blobs = {name for name in found if name.startswith("blobs/")}
        self.assertEqual(len(blobs), len(listed))
        self.assertEqual(found, notes | blobs)
        for name in blobs:
            self.assertEqual(digest((self.data / name).read_bytes()), name.rpartition("/")[2])


class NoLog(StoreCase):
    """A folder called as SQLite's log is: the start names reindex, and reindex sets it aside."""

    def test(self):
        for suffix in ("-wal", "-shm", "-journal"):
            with self.subTest(suffix):
                with self.daemon() as daemon:
                    kept = daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE)).json["id"]
                log = self.data / f"catalog.db{suffix}"
                log.unlink(missing_ok=True)
                log.mkdir()
                status, _, errors = run("reindex", "--data", self.data)
                self.assertEqual((status, errors), (0, ""))
                self.assertFalse(log.is_dir())
                with self.daemon() as daemon:
                    self.assertEqual(set(self.archives(daemon)), {kept})


class NoIndex(StoreCase):
    """A folder called as the index of SQLite's log is, beside which a database can only be read: a start sets it aside."""

    def test(self):
        with self.daemon() as daemon:
            kept = daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE)).json["id"]
        (self.data / "catalog.db-shm").mkdir()
        with self.daemon() as daemon:
            reply = daemon.client.post("/v1/archives?name=walk.anim", sample(WALK))
            self.assertEqual(reply.status, 201)
            self.assertEqual(set(self.archives(daemon)), {kept, reply.json["id"]})
        self.assertTrue(any(path.name.endswith("-shm") for path in (self.data / "lost").iterdir()))


class HalfRemoved(StoreCase):
    """A removal that fails after its note is gone: the upload stays, and the next start makes its note anew."""

    def test(self):
        with self.daemon() as daemon:
            kept = daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE)).json["id"]
            with contextlib.closing(sqlite3.connect(self.data / "catalog.db", isolation_level=None)) as database:
                database.execute("BEGIN IMMEDIATE")  # for longer than the daemon waits
                self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{kept}").status, 503)
                database.execute("ROLLBACK")
            self.assertEqual(set(self.archives(daemon)), {kept})
        self.assertEqual(list((self.data / "notes").iterdir()), [])
        with self.daemon() as daemon:
            self.assertEqual(set(self.archives(daemon)), {kept})
        self.assertEqual([note.name for note in (self.data / "notes").iterdir()], [kept])
        for path in self.data.glob("catalog.db*"):
            path.unlink()
        with self.daemon() as daemon:
            self.assertEqual(set(self.archives(daemon)), {kept})


class PutBack(StoreCase):
    """A copy of an earlier time, put back in place with its times: no answer of the time after it is taken for one of now."""

    def test(self):
        copy = self.data.with_name(self.data.name + "-copy")
        self.addCleanup(shutil.rmtree, copy, ignore_errors=True)
        with self.daemon() as daemon:
            daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE))
        subprocess.run(["cp", "-a", self.data, copy], check=True)
        with self.daemon() as daemon:
            walk = daemon.client.post("/v1/archives?name=walk.anim", sample(WALK)).json["id"]
            seen = daemon.client.get("/v1/archives")["ETag"]
        subprocess.run(["cp", "-a", f"{copy}/.", self.data], check=True)
        with self.daemon() as daemon:
            self.assertIn(walk, self.archives(daemon), "its note and its bytes are there")
            self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{walk}").status, 204)
            daemon.client.post("/v1/archives?name=idle.anim", sample(IDLE))
            self.assertEqual(daemon.client.get("/v1/archives", headers={"If-None-Match": seen}).status, 200)

    def ask(self, statement):
        with contextlib.closing(sqlite3.connect(self.data / "catalog.db")) as database:
            with database:
                return database.execute(statement).fetchone()

    def test_is_not_forgotten_by_a_start_that_fails(self):
        """Nothing else tells that it is a copy: what came after it is gone again."""
        copy = self.data.with_name(self.data.name + "-copy")
        self.addCleanup(shutil.rmtree, copy, ignore_errors=True)
        with self.daemon() as daemon:
            daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE))
        subprocess.run(["cp", "-a", self.data, copy], check=True)
        with self.daemon() as daemon:
            walk = daemon.client.post("/v1/archives?name=walk.anim", sample(WALK)).json["id"]
            self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{walk}").status, 204)
        subprocess.run(["cp", "-a", f"{copy}/.", self.data], check=True)
        epoch, (version,) = self.ask("SELECT epoch FROM state"), self.ask("PRAGMA user_version")
        self.ask("PRAGMA user_version = 99")
        refused = subprocess.run(self.daemon().arguments, capture_output=True, text=True)
        self.assertIn("of version 99", refused.stderr)
        self.ask(f"PRAGMA user_version = {version}")
        with self.daemon() as daemon:
            self.assertEqual(len(self.archives(daemon)), 1)
        self.assertNotEqual(self.ask("SELECT epoch FROM state"), epoch)


class Restart(StoreCase):
    def test_everything_is_there_again(self):
        with self.daemon() as daemon:
            headers, body = form([("walk.anim", sample(WALK)), ("sub/idle.anim", sample(IDLE))])
            replies = [
                daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE)),
                daemon.client.post("/v1/archives?name=x.bin&format=far3", sample("sims-online.far")),
                daemon.client.post("/v1/archives", body, headers=headers),
                daemon.client.post("/v1/archives?name=n.zip", zipped([("in.far", sample("sims-online.far"))])),
            ]
            self.assertEqual([reply.status for reply in replies], [201] * 4)
            archives = daemon.client.items("/v1/archives")
            clips = daemon.client.items("/v1/clips")
            poses = [daemon.client.get(f"/v1/clips/{clip['id']}/pose", t="0.3").body for clip in clips]
            size = daemon.client.metric("posed_store_bytes")
        with self.daemon() as daemon:
            self.assertEqual(daemon.client.items("/v1/archives"), archives)
            self.assertEqual(daemon.client.items("/v1/clips"), clips)
            self.assertEqual(
                [daemon.client.get(f"/v1/clips/{clip['id']}/pose", t="0.3").body for clip in clips], poses
            )
            self.assertEqual(daemon.client.metric("posed_store_bytes"), size)
            for reply in replies:
                found = daemon.client.get(reply["Location"]).json
                self.assertEqual(found, reply.json)
            self.assertNoStrays(daemon)
            self.assertEqual(daemon.client.post("/v1/archives", body, headers=headers).status, 200)

    def test_strays_are_lost_for_a_day(self):
        """What no upload names is at hand for a day; what was being written goes at once."""
        with self.daemon() as daemon:
            daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE))
        stray = digest(b"unanswered")
        (self.data / "tmp" / "AbCdEf").write_bytes(b"half an upload")
        (self.data / "blobs" / stray).write_bytes(b"unanswered")
        (self.data / "notes" / ("0" * 32)).write_text('{"version":1,"id":"00')
        (self.data / "notes" / "README").write_text("of somebody")
        with self.daemon() as daemon:
            self.assertEqual(len(self.archives(daemon)), 1)
            daemon.wait_for_log(re.escape(f"blobs/{stray} belongs to no upload"))
            daemon.wait_for_log(re.escape("2 strays in lost/"))
            (self.data / "notes" / "README").unlink()
            self.assertNoStrays(daemon)
        self.assertEqual((self.data / "lost" / stray).read_bytes(), b"unanswered")
        self.assertEqual({path.name for path in (self.data / "lost").iterdir()}, {stray, "0" * 32})
        with self.daemon() as daemon:
            self.assertNotIn("lost", daemon.errors())
        self.assertEqual(len(list((self.data / "lost").iterdir())), 2)

    def test_lost_for_a_day(self):
        if os.environ.get("POSED_SANITIZE"):
            self.skipTest("a sanitizer's library has to come before faketime's")
        faketime = shutil.which("faketime") or self.skipTest("faketime is not there")
        with self.daemon():
            pass
        (self.data / "lost" / "stray").write_bytes(b"x")
        for days, left in ((0.9, True), (1.1, False)):
            command = [faketime, "-f", f"+{days}d", Daemon.binary, "reindex", "--data", self.data]
            subprocess.run(command, check=True, capture_output=True, env=os.environ | {"NO_FAKE_STAT": "1"})
            self.assertEqual((self.data / "lost" / "stray").exists(), left)

    def test_a_second_daemon_is_refused(self):
        with self.daemon() as daemon:
            status, _, errors = run("serve", "--listen", "127.0.0.1:0", "--data", self.data)
            self.assertEqual(status, 1)
            self.assertRegex(errors, r"^posed: .*data is in use by another posed \(process \d+\)\n$")
            self.assertIn(str(daemon.process.pid), errors)
            status, _, errors = run("reindex", "--data", self.data)
            self.assertEqual(status, 1)
            self.assertIn("in use", errors)
        with self.daemon():
            pass

    def test_a_folder_that_cannot_be(self):
        file = self.folder / "file"
        file.write_text("x")
        for data in (file, file / "below", self.folder / "a" / "b"):
            status, _, errors = run("serve", "--listen", "127.0.0.1:0", "--data", data)
            self.assertEqual(status, 1, errors)
            self.assertRegex(errors, r"^posed: [^\n]+\n$")

    def test_a_catalogue_of_the_future(self):
        with self.daemon():
            pass
        subprocess.run(
            ["/usr/bin/python3", "-c",
             f"import sqlite3; sqlite3.connect({str(self.data / 'catalog.db')!r}).execute('PRAGMA user_version=99')"],
            check=True,
        )  # fmt: skip
        status, _, errors = run("serve", "--listen", "127.0.0.1:0", "--data", self.data)
        self.assertEqual(status, 1)
        self.assertIn("version 99", errors)


class Damage(StoreCase):
    def corrupt(self, data):
        path = self.data / "blobs" / digest(data)
        bad = bytearray(data)
        bad[len(bad) // 2] ^= 1
        path.write_bytes(bad)
        return path

    def test_before_the_start(self):
        """A start reads no bytes: they are verified when they are read, and the same bytes again make the upload sound."""
        with self.daemon() as daemon:
            for name in (WAVE, WALK):
                daemon.client.post(f"/v1/archives?name={name[12:]}", sample(name))
        path = self.corrupt(sample(WAVE))
        with self.daemon() as daemon:
            found = {archive["name"]: archive["id"] for archive in daemon.client.items("/v1/archives")}
            self.assertEqual(set(found), {"walk.anim", "wave.anim"})
            reply = daemon.client.get(f"/v1/archives/{found['wave.anim']}/entries/0")
            self.assertEqual((reply.status, reply.json["code"]), (503, "corrupt_blob"))
            self.assertEqual(daemon.client.get(f"/v1/archives/{found['walk.anim']}/entries/0").status, 200)
            self.assertEqual(daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE)).status, 201)
            self.assertEqual(path.read_bytes(), sample(WAVE))
            self.assertEqual(daemon.client.get(f"/v1/archives/{found['wave.anim']}/entries/0").body, sample(WAVE))
        with self.daemon() as daemon:
            self.assertEqual(len(self.archives(daemon)), 2)
            self.assertNoStrays(daemon)

    def test_found_while_it_is_served(self):
        with self.daemon() as daemon:
            archive = daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE)).json
            clip_id = archive["clips"][0]["id"]
            self.corrupt(sample(WAVE))
            for target in (f"/v1/archives/{archive['id']}/entries/0", f"/v1/clips/{clip_id}/pose"):
                reply = daemon.client.get(target)
                self.assertEqual((reply.status, reply.json["code"]), (503, "corrupt_blob"), target)
            daemon.wait_for_log(re.escape("damaged"))
            self.assertEqual(daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE)).status, 201)
            reply = daemon.client.get(f"/v1/archives/{archive['id']}/entries/0")
            self.assertEqual((reply.status, reply.body), (200, sample(WAVE)))

    def test_cut_short_while_it_is_served(self):
        with self.daemon() as daemon:
            archive = daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE)).json
            os.truncate(self.data / "blobs" / digest(sample(WAVE)), 100)
            reply = daemon.client.get(f"/v1/archives/{archive['id']}/entries/0")
            self.assertEqual((reply.status, reply.json["code"]), (503, "corrupt_blob"))
            self.assertEqual(daemon.client.get("/healthz").status, 200)

    def test_missing(self):
        with self.daemon() as daemon:
            daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE))
        (self.data / "blobs" / digest(sample(WAVE))).unlink()
        with self.daemon() as daemon:
            (archive,) = daemon.client.items("/v1/archives")
            reply = daemon.client.get(f"/v1/archives/{archive['id']}/entries/0")
            self.assertEqual((reply.status, reply.json["code"]), (503, "corrupt_blob"))


class Reindex(StoreCase):
    def fill(self):
        with self.daemon() as daemon:
            headers, body = form([("walk.anim", sample(WALK)), ("idle.anim", sample(IDLE))])
            daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE))
            daemon.client.post("/v1/archives?name=two", body, headers=headers)
            daemon.client.post("/v1/archives?name=x.bin&format=far3", sample("sims-online.far"))
            return daemon.client.items("/v1/archives"), daemon.client.items("/v1/clips")

    def test_a_lost_catalogue(self):
        before = self.fill()
        for path in self.data.glob("catalog.db*"):
            path.unlink()
        status, out, errors = run("reindex", "--data", self.data)
        self.assertEqual((status, out, errors), (0, "3 uploads\n", ""))
        with self.daemon() as daemon:
            self.assertEqual((daemon.client.items("/v1/archives"), daemon.client.items("/v1/clips")), before)
            self.assertNoStrays(daemon)

    def test_damaged_and_missing_blobs(self):
        self.fill()
        path = self.data / "blobs" / digest(sample(WAVE))
        path.write_bytes(b"x" + path.read_bytes()[1:])
        (self.data / "blobs" / digest(sample("sims-online.far"))).unlink()
        status, out, errors = run("reindex", "--data", self.data)
        self.assertEqual((status, out), (1, "1 uploads, 1 damaged and 1 missing ones left out\n"))
        self.assertIn(f"posed: wave.anim (blob {path.name}): its bytes are damaged\n", errors)
        self.assertIn("x.bin", errors)

    def test_usage(self):
        self.assertEqual(run("reindex")[0], 2)
        self.assertEqual(run("reindex", "--data", self.data, "more")[0], 2)


class Catalogue(StoreCase):
    """An upload is its note and its bytes: whatever becomes of the catalogue, it stays."""

    NUMBER = 12

    def setUp(self):
        super().setUp()
        self.kept, self.removed = {}, set()

    def upload(self, daemon, number, **query):
        data = clip(number)
        if number % 3 == 0:
            headers, body = form([(f"{number}.anim", data), ("walk.anim", sample(WALK))])
            reply = daemon.client.post("/v1/archives", body, headers=headers)
        else:
            reply = daemon.client.post("/v1/archives", data, **({"name": f"{number}.anim"} | query))
        self.assertEqual(reply.status, 201, reply)
        self.kept[reply.json["id"]] = reply.json

    def remove(self, daemon, archive):
        self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{archive}").status, 204)
        del self.kept[archive]
        self.removed.add(archive)

    def fill(self, daemon, first=0):
        for number in range(first, first + self.NUMBER):
            self.upload(daemon, number)
        for archive in list(self.kept)[1::4]:
            self.remove(daemon, archive)

    def assertWhole(self, data=None, wanted=None):
        with Daemon("--data", data or self.data) as daemon:
            listed = self.archives(daemon)
            self.assertEqual(set(self.kept if wanted is None else wanted) - set(listed), set(), "answered 201, and gone")
            self.assertEqual(set(listed) & self.removed, set(), "answered 204, and there")
            for archive in list(listed)[:5]:
                self.assertEqual(daemon.client.get(f"/v1/archives/{archive}").json, self.kept[archive])
            return "".join(line for line in daemon.errors().splitlines(True) if " warning " in line)

    def spoil(self, state, earlier):
        """earlier: a copy of the folder as it was when the catalogue knew half of it."""
        catalog = self.data / "catalog.db"
        content = catalog.read_bytes()
        if state == "without its log":
            (self.data / "catalog.db-wal").unlink()
        elif state == "of yesterday":
            for path in self.data.glob("catalog.db*"):
                path.unlink()
            for path in earlier.glob("catalog.db*"):
                shutil.copy2(path, self.data)
        elif state == "of yesterday, with the log of today":
            shutil.copy2(earlier / "catalog.db", self.data)
        elif state == "gone":
            for path in self.data.glob("catalog.db*"):
                path.unlink()
        elif state == "gone, the log left":
            catalog.unlink()
        elif state == "another database":
            for path in self.data.glob("catalog.db*"):
                path.unlink()
            with contextlib.closing(sqlite3.connect(catalog)) as other:
                other.execute("CREATE TABLE upload (id TEXT)")
        elif state == "our own lists":
            for path in self.data.glob("catalog.db*"):
                path.unlink()
            for path in self.data.glob("lists.db*"):
                shutil.copy2(path, self.data / path.name.replace("lists", "catalog"))
        else:
            (self.data / "catalog.db-wal").unlink()
            spoilt = {
                "empty": b"",
                "half": content[: len(content) // 2],
                "noise": random.Random(5).randbytes(len(content)),
                "noise behind its head": content[:100] + random.Random(6).randbytes(len(content) - 100),
                "a few bytes": b"x" * 50,
                "zeros": bytes(len(content)),
            }
            catalog.write_bytes(spoilt[state])

    STATES = (
        "without its log", "of yesterday", "of yesterday, with the log of today", "gone", "gone, the log left",
        "another database", "our own lists", "empty", "half", "noise", "noise behind its head", "a few bytes", "zeros",
    )  # fmt: skip

    def states(self):
        """The folder in each state, after a SIGKILL: most of the catalogue is in the log then."""
        with self.daemon() as daemon:
            self.fill(daemon)
        with self.daemon() as daemon:
            earlier = self.folder / "earlier"
            shutil.copytree(self.data, earlier)
            self.fill(daemon, 100)
            daemon.kill()
        whole = self.folder / "whole"
        self.data.rename(whole)
        for state in self.STATES:
            with self.subTest(state):
                shutil.rmtree(self.data, ignore_errors=True)
                shutil.copytree(whole, self.data)
                self.spoil(state, earlier)
                yield state

    def test_served(self):
        for state in self.states():
            errors = self.assertWhole()
            if state not in ("without its log", "of yesterday, with the log of today"):
                self.assertIn("adopted", errors, state)
            self.assertEqual(self.assertWhole(), "", "the next start has nothing to say")

    def test_reindexed(self):
        for _ in self.states():
            status, out, errors = run("reindex", "--data", self.data)
            self.assertEqual((status, out, errors), (0, f"{len(self.kept)} uploads\n", ""))
            self.assertEqual(self.assertWhole(), "")

    def test_notes_are_lost(self):
        """Then the rows are what there is, and the notes are made anew."""
        with self.daemon() as daemon:
            self.fill(daemon)
        notes = {path.name: path.read_bytes() for path in (self.data / "notes").iterdir()}
        for name in notes:
            (self.data / "notes" / name).write_bytes(notes[name][:20])
        self.assertWhole()
        shutil.rmtree(self.data / "notes")
        self.assertIn(f"{len(notes)} notes mended", self.assertWhole())
        self.assertEqual({path.name: path.read_bytes() for path in (self.data / "notes").iterdir()}, notes)
        shutil.rmtree(self.data / "notes")
        self.assertEqual(run("reindex", "--data", self.data)[:2], (0, f"{len(notes)} uploads\n"))
        self.assertWhole()

    def test_bytes_are_away(self):
        """A disk that is not mounted for a while costs nothing."""
        with self.daemon() as daemon:
            self.fill(daemon)
        (self.data / "blobs").rename(self.folder / "away")
        for path in self.data.glob("catalog.db*"):
            path.unlink()
        self.assertIn("its bytes are missing", self.assertWhole(wanted=()))
        (self.data / "blobs").rmdir()
        (self.folder / "away").rename(self.data / "blobs")
        self.assertWhole()

    def test_names_of_all_kinds(self):
        names = ["%FF%FEx", "a%00b", "%22%5C", "%ED%A0%80", "%0A", "%E2%80%AE", "%F0%9F%98%80" * 40, "."]
        with self.daemon() as daemon:
            for number, name in enumerate(names):
                reply = daemon.client.post(f"/v1/archives?name={name}", clip(number))
                if reply.status == 201:
                    self.kept[reply.json["id"]] = reply.json
            for number, name in enumerate((b"\xff\xfe.anim", "\u00fc\u202e.anim".encode(), b"a\x01b")):
                headers, body = form([(name, clip(100 + number))])
                reply = daemon.client.post("/v1/archives", body, headers=headers)
                self.kept[reply.json["id"]] = reply.json
        self.assertGreater(len(self.kept), 6)
        for path in self.data.glob("catalog.db*"):
            path.unlink()
        self.assertWhole()

    def test_copies_made_meanwhile(self):
        """cp -a beside uploads and deletions, at any moment: all that was answered before it began is in the copy."""
        stop, lock = threading.Event(), threading.Lock()

        def work(daemon, first):
            for number in range(first, first + 10000, 3):
                if stop.is_set():
                    return
                reply = daemon.client.post("/v1/archives", clip(number), name=f"{number}.anim")
                with lock:
                    self.kept[reply.json["id"]] = reply.json
                    gone = next(iter(self.kept)) if number % 4 == 0 else None
                    going = self.kept.pop(gone, None)
                if going:
                    daemon.client.request("DELETE", f"/v1/archives/{gone}")

        with self.daemon() as daemon:
            workers = [threading.Thread(target=work, args=(daemon, first)) for first in range(3)]
            for worker in workers:
                worker.start()
            copies = []
            for number in range(8):
                time.sleep(0.1)
                while number == 7 and len(self.kept) <= 30 and any(worker.is_alive() for worker in workers):
                    time.sleep(0.05)
                with lock:
                    before = set(self.kept)
                copy = self.folder / f"copy{number}"
                subprocess.run(["cp", "-a", self.data, copy], check=False, capture_output=True)
                with lock:
                    copies.append((copy, before & set(self.kept)))
            stop.set()
            for worker in workers:
                worker.join()
        for copy, wanted in copies:
            with self.subTest(copy.name), Daemon("--data", copy) as daemon:
                self.assertEqual(wanted - set(self.archives(daemon)), set())
        self.assertGreater(len(copies[-1][1]), 10)

    def test_the_folder_is_away(self):
        with self.daemon() as daemon:
            self.fill(daemon)
            archive = next(iter(self.kept))
            away = self.folder / "away"
            self.data.rename(away)
            for _ in range(2):
                reply = daemon.client.request("DELETE", f"/v1/archives/{archive}")
                self.assertEqual((reply.status, reply.json["code"]), (503, "store_down"))
                self.assertEqual(daemon.client.post("/v1/archives?name=x.anim", clip(999)).status, 503)
                self.assertEqual(daemon.client.get("/readyz").status, 503)
                self.data.mkdir(exist_ok=True)  # another folder of that name
            self.data.rmdir()
            away.rename(self.data)
            self.assertEqual(daemon.client.get(f"/v1/archives/{archive}").status, 200)
            self.remove(daemon, archive)
            self.assertEqual(daemon.client.get("/readyz").status, 200)
        self.assertWhole()

    def test_files_that_may_not_be_read(self):
        """As a user without the right to; root has it always."""
        user = 65534
        if os.geteuid() != 0:
            self.skipTest("only root can become somebody else")
        with self.daemon() as daemon:
            self.fill(daemon)
        archive = next(iter(self.kept))
        note = self.data / "notes" / archive
        blob = self.data / "blobs" / json.loads(note.read_text())["blob"]
        for root, folders, files in os.walk(self.folder):
            for name in (".", *folders, *files):
                os.chown(Path(root, name), user, user)
        os.chmod(self.folder, 0o755)

        def other(*arguments, **options):
            return subprocess.run(
                ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *map(str, arguments)],
                capture_output=True, text=True, check=False, **options,
            )  # fmt: skip

        if other(Daemon.binary, "--version").returncode:
            self.skipTest("another user may not start the program")
        reindex = (Daemon.binary, "reindex", "--data", self.data)
        os.chown(note, 0, 0)
        os.chmod(note, 0)
        self.assertEqual(other(*reindex).stdout, f"{len(self.kept)} uploads\n")
        self.assertTrue(note.stat().st_mode & 0o400, "written anew from its row")
        for path in (note, blob):
            (self.data / "catalog.db").unlink()
            os.chown(path, 0, 0)
            os.chmod(path, 0)
            done = other(*reindex)
            self.assertEqual((done.returncode, done.stdout[-28:]), (1, "ones left out, 1 that cannot be read\n"[-28:]), done)
            self.assertIn("annot be read" if path is note else "Permission denied", done.stderr)
            self.assertTrue(path.exists())
            self.assertTrue(blob.exists(), "what an unreadable note may name stays")
            os.chown(path, user, user)
            os.chmod(path, 0o600)
            self.assertEqual(other(*reindex).stdout, f"{len(self.kept)} uploads\n")
        catalog = self.data / "catalog.db"
        os.chown(catalog, 0, 0)
        os.chmod(catalog, 0)
        done = other(Daemon.binary, "serve", "--listen", "127.0.0.1:0", "--data", self.data, timeout=60)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn(f"posed reindex --data {self.data}", done.stderr)
        self.assertEqual(other(*reindex).stdout, f"{len(self.kept)} uploads\n")
        self.assertWhole()


class WarmStart(StoreCase):
    """What was found out of the PATHs is not found out again, unless they changed."""

    def setUp(self):
        super().setUp()
        self.library = self.folder / "library"
        shutil.copytree(Daemon.samples, self.library)
        (self.library / "broken.anim").write_bytes(sample(WAVE)[:200])
        (self.library / "read.me").write_text("hello")
        (self.library / "nested.zip").write_bytes(zipped([("in.far", sample("sims-online.far"))]))
        (self.library / "steal.cmx").write_bytes(skill())
        shutil.copy(Daemon.samples / "sims-online.far", self.folder / "alone.far")
        self.paths = (self.library, self.folder / "alone.far", self.library / "second-life" / "wave.anim")

    def everything(self, daemon):
        """All that is served; lists are kept in the order of arrival, so what came later is not where it is when cold."""
        client = daemon.client
        lists = [sorted(client.items(target), key=lambda item: item["id"])
                 for target in ("/v1/archives", "/v1/clips", "/v1/skeletons", "/v1/meshes")]  # fmt: skip
        whole = [client.get(f"/v1/archives/{archive['id']}").json for archive in lists[0]]
        entries = [client.items(f"/v1/archives/{archive['id']}/entries") for archive in lists[0]]
        clips = [client.get(f"/v1/clips/{clip['id']}").json for clip in lists[1]]
        poses = [client.get(f"/v1/clips/{clip['id']}/pose", t="0.3").body for clip in lists[1]]
        return lists, whole, entries, clips, poses, client.get("/v1/clips")["ETag"]

    def test_the_same_as_cold(self):
        with Daemon(*self.paths) as daemon:
            cold = self.everything(daemon)
            order = [clip["id"] for clip in daemon.client.items("/v1/clips")]
        for _ in range(3):
            with self.daemon(*self.paths) as daemon:
                self.assertEqual(self.everything(daemon), cold)
                self.assertEqual([clip["id"] for clip in daemon.client.items("/v1/clips")], order)
        (self.data / "index.db").write_bytes(b"no database at all" * 1000)
        with self.daemon(*self.paths) as daemon:
            self.assertEqual(self.everything(daemon), cold)

    def test_what_changed_is_read_again(self):
        with self.daemon(self.library):
            pass
        (self.library / "second-life" / "wave.anim").write_bytes(sample(IDLE))
        (self.library / "second-life" / "walk.anim").unlink()
        (self.library / "new.anim").write_bytes(clip(5))
        (self.library / "xskill-a2o-steal.cfp").write_bytes(keys(0.5))
        with Daemon(self.library) as daemon:
            cold = self.everything(daemon)
        with self.daemon(self.library) as daemon:
            self.assertEqual(self.everything(daemon), cold)
            found = daemon.client.items("/v1/clips", name="a2o-steal")
            self.assertEqual([item["key_count"] for item in found], [2])

    def rows(self):
        with contextlib.closing(sqlite3.connect(self.data / "index.db")) as index:
            return {tuple(row) for row in index.execute("SELECT root, name FROM entry")}

    def test_what_is_gone_is_forgotten(self):
        with self.daemon(self.library, self.folder / "alone.far"):
            pass
        kept = self.rows()
        passing = self.folder / "passing"
        passing.mkdir()
        for number in range(200):
            (passing / f"{number}.anim").write_bytes(clip(number))
        with self.daemon(self.library, self.folder / "alone.far", passing):
            pass
        self.assertEqual(len(self.rows() - kept), 200)
        shutil.rmtree(passing)
        with self.daemon(self.library, self.folder / "alone.far"):
            pass
        self.assertEqual(self.rows(), kept)

    def test_files_are_not_opened(self):
        strace = find_strace(self)
        opened = []
        for _ in range(2):
            trace = self.folder / "trace"
            daemon = self.daemon(self.library)
            daemon.arguments = [strace, "-D", "-f", "-e", "trace=openat", "-o", trace, *daemon.arguments]
            try:
                daemon.start()
            except AssertionError as error:
                self.skipTest(f"strace may not trace: {error}")
            self.assertEqual(daemon.stop(), 0)
            opened.append({name for name in re.findall(r'"([^"]*\.(?:anim|skel|mesh|cmx))"', trace.read_text())})
        self.assertGreater(len(opened[0]), 5)
        self.assertEqual(opened[1], set())


# ---------------------------------------------------------------------------------------------------- no room


@contextlib.contextmanager
def small_disk(folder, size):
    """A file system of so many bytes; SkipTest where none may be mounted."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True, check=False
    )
    if done.returncode:
        raise unittest.SkipTest(f"no file system can be mounted: {done.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


class FullDisk(StoreCase):
    BLOCK = 4096

    def fill_but(self, blocks):
        """Leaves so many blocks of the disk."""
        status = os.statvfs(self.data)
        free = status.f_bavail * status.f_frsize // self.BLOCK
        if free > blocks:
            with open(self.data / "ballast", "ab") as file:
                file.write(bytes((free - blocks) * self.BLOCK))

    def test_at_every_write(self):
        """Room for 0, 1, 2 … blocks more, until an upload fits: each write of it is the one that fails."""
        with small_disk(self.data, 4 << 20), self.daemon() as daemon:
            self.assertEqual(daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE)).status, 201)
            before, files = self.archives(daemon), stored_files(self.data)
            statuses = []
            for blocks in range(64):
                self.fill_but(blocks)
                reply = daemon.client.post("/v1/archives?name=walk.anim", sample(WALK))
                statuses.append(reply.status)
                if reply.status == 201:
                    break
                self.assertEqual(reply.status, 507, reply)
                (self.data / "ballast").unlink()
                self.assertEqual(self.archives(daemon), before)
                self.assertEqual(stored_files(self.data), files)
                self.assertEqual(daemon.client.get("/readyz").status, 200)
            print(f"{statuses.count(507)} levels of a full disk", end=" ")
            self.assertGreaterEqual(statuses.count(507), 4)
            self.assertEqual(statuses[-1], 201)
            (self.data / "ballast").unlink()
            self.assertNoStrays(daemon)
            clip_id = reply.json["clips"][0]["id"]
            self.assertEqual(daemon.client.get(f"/v1/clips/{clip_id}/pose").status, 200)

    def test_large_bodies(self):
        """Those that do not even fit the spool."""
        with small_disk(self.data, 4 << 20), self.daemon() as daemon:
            data = zipped([(f"{i}.anim", sample(WAVE) + bytes([i])) for i in range(220)], method=0)
            for body in (data + data, data + data + data):
                reply = daemon.client.post("/v1/archives?name=big.zip", body)
                self.assertEqual(reply.status, 507, reply)
                self.assertEqual(stored_files(self.data), set())
            # It takes most of the disk, and is written once.
            self.assertEqual(daemon.client.post("/v1/archives?name=big.zip", data).status, 201)
            self.assertNoStrays(daemon)

    def test_delete_makes_room(self):
        """On a disk that uploads have filled; faults.py does the same where nothing may be mounted."""
        for size in (3, 4, 6):
            with self.subTest(size), small_disk(self.data, size << 20):
                with self.daemon() as daemon:
                    kept = self.upload_until_full(daemon, clip)
                    self.remove_all(daemon, kept[:20])
                    again = self.upload_until_full(daemon, lambda number: clip(500 + number))
                    self.fill_but(0)
                    self.remove_all(daemon, again)
                self.fill_but(0)
                with self.daemon() as daemon:
                    self.remove_all(daemon, kept[20:])
                    (self.data / "ballast").unlink()
                    self.assertNoStrays(daemon)
                    self.assertEqual(daemon.client.post("/v1/archives?name=walk.anim", sample(WALK)).status, 201)
            self.data.rmdir()

    def test_delete_of_what_is_large(self):
        """An upload with a large record, one that waits, and events that are to be kept as well."""
        tokens = self.folder / "tokens"
        tokens.write_text("token-of-ann-00000000 name=ann scopes=upload,admin,delete\n")
        tokens.chmod(0o600)
        arguments = "--token-file", tokens, "--moderate", "--webhook", "http://127.0.0.1:9/"
        ann = {"Authorization": "Bearer token-of-ann-00000000"}
        with small_disk(self.data, 16 << 20), self.daemon(*arguments) as daemon:
            large = zipped([(f"{i}.anim", clip(i)) for i in range(2000)], method=8)
            reply = daemon.client.post("/v1/archives?name=large.zip", large, headers=ann)
            kept = [reply.json["id"]]
            self.assertEqual(daemon.client.post(f"/v1/archives/{kept[0]}/publish", b"", headers=ann).status, 200)
            kept += self.upload_until_full(daemon, lambda number: clip(5000 + number), ann, most=40)
            self.fill_but(0)
            self.remove_all(daemon, kept, ann)

    def upload_until_full(self, daemon, body, headers=None, most=1000):
        kept = []
        for number in range(most):
            reply = daemon.client.post(f"/v1/archives?name={number}.anim", body(number), headers=headers)
            if reply.status == 507:
                break
            self.assertEqual(reply.status, 201)
            kept.append(reply.json["id"])
        self.assertGreater(len(kept), 3)
        return kept

    def remove_all(self, daemon, kept, headers=None):
        found = [daemon.client.request("DELETE", f"/v1/archives/{archive}", headers=headers).status for archive in kept]
        self.assertEqual(found, [204] * len(kept))

    def test_readiness_tells(self):
        """Also when somebody else takes the room, and when inodes are what lacks; then it is ok again."""
        def ready(status):
            reply = daemon.client.get("/readyz")
            self.assertEqual((reply.status, reply.json["status"]), (200, status))
            self.assertEqual("disk" in reply.json.get("reason", ""), status == "degraded")
        with small_disk(self.data, "4m,nr_inodes=60"), self.daemon() as daemon:
            ready("ok")
            for blocks in (0, 3):
                self.fill_but(blocks)
                ready("degraded")
                self.assertEqual(daemon.client.post("/v1/archives?name=walk.anim", sample(WALK)).status, 507)
                ready("degraded")
                (self.data / "ballast").unlink()
                ready("ok")
            fillers = []
            with contextlib.suppress(OSError):
                for number in range(60):
                    (self.data / f"filler-{number}").touch()
                    fillers.append(self.data / f"filler-{number}")
            ready("degraded")
            for path in fillers:
                path.unlink()
            ready("ok")
            self.assertEqual(daemon.client.post("/v1/archives?name=walk.anim", sample(WALK)).status, 201)
            ready("ok")

    def test_files_of_a_bounded_size(self):
        """The limit of the process on files, where nothing may be mounted."""
        with self.daemon() as daemon:
            limit = (600_000, resource.RLIM_INFINITY)
            resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, limit)
            data = zipped([(f"{i}.anim", sample(WAVE) + bytes([i])) for i in range(60)], method=0)
            self.assertEqual(daemon.client.post("/v1/archives?name=big.zip", data).status, 507)
            self.assertEqual(stored_files(self.data), set())
            self.assertEqual(daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE)).status, 201)
            resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
            self.assertEqual(daemon.client.post("/v1/archives?name=big.zip", data).status, 201)
            self.assertNoStrays(daemon)

    def test_room_that_cannot_be_held(self):
        """Something else is called so, or the process may not write files as large: uploads and deletions go on without."""
        def folder(path):
            path.mkdir()

        def link(path):
            path.symlink_to(self.folder / "elsewhere")

        def sparse(path):
            path.touch()
            os.truncate(path, 1 << 30)

        for number, make in enumerate((folder, link, sparse)):
            self.data = self.folder / f"data-{number}"
            self.data.mkdir(mode=0o700)
            make(self.data / "reserve")
            with self.subTest(make.__name__), self.daemon() as daemon:
                self.assertEqual(daemon.client.get("/readyz").json["status"], "ok")
                reply = daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE))
                self.assertEqual(reply.status, 201)
                self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{reply.json['id']}").status, 204)
                self.assertEqual("no room is kept" in daemon.errors(), make is not sparse)
            self.assertFalse((self.folder / "elsewhere").exists())

    def test_max_store(self):
        with self.daemon("--max-store", str(len(sample(WAVE)) + 100)) as daemon:
            archive = daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE)).json
            reply = daemon.client.post("/v1/archives?name=walk.anim", sample(WALK))
            self.assertEqual((reply.status, reply.json["limit"]), (507, "max-store"))
            self.assertEqual(daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE)).status, 200)
            self.assertNoStrays(daemon)
            daemon.client.request("DELETE", f"/v1/archives/{archive['id']}")
            self.assertEqual(daemon.client.post("/v1/archives?name=walk.anim", sample(WALK)).status, 201)


# ------------------------------------------------------------------------------------------------------ order


CALL = re.compile(r"^\d+ +(\w+)\((.*)$")


class Order(StoreCase):
    """Data before name before answer, as the system calls of one upload have it."""

    def test_small(self):
        self.follow(sample(WAVE), "wave.anim")

    def test_large(self):
        """The file that the body was spooled to gets a name, and no byte is written again."""
        calls = self.follow(LARGE, "large.zip")
        linked = next(at for at, call in enumerate(calls) if call[0] == "linkat")
        spooled = [at for at, call in enumerate(calls) if call[0] == "write" and "data/tmp/" in call[1]]
        self.assertGreater(len([at for at in spooled if at < linked]), 10)
        self.assertEqual(len([at for at in spooled if at > linked]), 1, "only the note")

    def follow(self, data, name):
        strace = find_strace(self)
        trace = self.folder / "trace"
        daemon = self.daemon("--threads", "1")
        daemon.arguments = [
            strace, "-D", "-f", "-y", "-s", "40", "-o", trace,
            "-e", "trace=write,pwrite64,writev,sendto,sendmsg,fsync,fdatasync,linkat,rename,renameat,renameat2,unlink",
            *daemon.arguments,
        ]  # fmt: skip
        try:
            daemon.start()
        except AssertionError as error:
            self.skipTest(f"strace may not trace: {error}")
        self.assertEqual(daemon.client.post(f"/v1/archives?name={name}", data).status, 201)
        self.assertEqual(daemon.stop(), 0)
        deadline = time.monotonic() + 10
        while "+++ exited" not in trace.read_text() and time.monotonic() < deadline:
            time.sleep(0.02)
        return self.check(trace.read_text().splitlines(), data)

    def check(self, lines, data):
        calls = [found.groups() for line in lines if (found := CALL.match(line)) and "unfinished" not in line]
        name = f"blobs/{digest(data)}"

        def after(start, wanted, *parts):
            for at in range(start + 1, len(calls)):
                if re.fullmatch(wanted, calls[at][0]) and all(part in calls[at][1] for part in parts):
                    return at
            self.fail(f"no {wanted} of {parts} after call {start}: {calls[start:start + 40]}")

        sync, rename = "fsync|fdatasync", "rename(at2?)?"
        written = after(-1, "write", "data/tmp/")
        synced = after(written, sync, "data/tmp/")
        named = after(synced, rename, name)
        self.assertIn("data/tmp/", calls[named][1])
        lasting = after(named, sync, "data/blobs>")
        note = after(lasting, "write", "data/tmp/")
        note_named = after(after(note, sync, "data/tmp/"), rename, "data/notes/")
        note_lasting = after(note_named, sync, "data/notes>")
        row = after(note_lasting, "pwrite64", "catalog.db-wal")
        row_lasting = after(row, sync, "catalog.db-wal")
        answered = after(row_lasting, "sendto|sendmsg|writev", "HTTP/1.1 201")
        earlier = [at for at in range(answered) if "HTTP/1.1 201" in calls[at][1]]
        self.assertEqual(earlier, [])
        for at in range(written, named):
            self.assertFalse(re.fullmatch(rename, calls[at][0]) and name in calls[at][1])
        return calls


class Written(StoreCase):
    """Bytes go to the disk once."""

    def written(self, daemon, data, **query):
        before = daemon.client.metric("posed_written_bytes_total")
        self.assertEqual(daemon.client.post("/v1/archives", data, **query).status, 201)
        note = max((self.data / "notes").iterdir(), key=lambda path: path.stat().st_mtime_ns)
        return daemon.client.metric("posed_written_bytes_total") - before - note.stat().st_size

    def test_once(self):
        with self.daemon() as daemon:
            for data, name in ((sample(WAVE), "wave.anim"), (LARGE, "large.zip")):
                self.assertEqual(self.written(daemon, data, name=name), len(data))
            self.assertNoStrays(daemon)
        with self.daemon() as daemon:
            self.assertEqual(len(self.archives(daemon)), 2)

    def written_form(self, daemon, files, path="/v1/archives", **query):
        """The answer to a form, and how many bytes were written for it but its note."""
        headers, body = form(files)
        before = daemon.client.metric("posed_written_bytes_total")
        reply = daemon.client.post(path, body, headers=headers, **query)
        self.assertIn(reply.status, (200, 201), reply)
        if reply.status == 201:
            before += (self.data / "notes" / reply.json["id"]).stat().st_size
        return reply, daemon.client.metric("posed_written_bytes_total") - before

    def blob(self):
        return max((self.data / "blobs").iterdir(), key=lambda path: path.stat().st_mtime_ns)

    def test_the_file_of_a_form_once(self):
        with self.daemon() as daemon:
            for name, data in (("wave.anim", sample(WAVE)), ("large.zip", LARGE)):
                reply, written = self.written_form(daemon, [(name, data)])
                self.assertLess(written, len(data) + 512)
                self.assertEqual(written, self.blob().stat().st_size)
                self.assertEqual(self.blob().name, digest(self.blob().read_bytes()))
                self.assertEqual(reply.json["bytes"], len(data))
                again = daemon.client.post("/v1/archives", data, name=name)
                self.assertEqual((again.status, again.json), (200, reply.json))
            known, _ = self.written_form(daemon, [("large.zip", LARGE)])
            self.assertEqual((known.status, known.json), (200, reply.json))
            self.assertNoStrays(daemon)
        with self.daemon() as daemon:
            served = daemon.client.get(f"/v1/archives/{reply.json['id']}").json
            self.assertEqual(served, reply.json)
            entry = daemon.client.get(f"/v1/archives/{reply.json['id']}/entries/0")
            self.assertEqual(entry.body, sample(WAVE))

    def test_the_files_of_a_form_once(self):
        """Whatever their order and size, they are one archive: a ZIP, which other programs open."""
        pad = random.Random(2).randbytes(1 << 20)
        files = [("pad.bin", pad), ("wave.anim", sample(WAVE)), ("pad.bin", pad[::-1]), ("empty.txt", b""),
                 ("more.bin", pad[1:])]
        total = sum(len(data) for _, data in files)
        with self.daemon() as daemon:
            reply, written = self.written_form(daemon, files)
            self.assertLess(written, total + 1024)
            blob = self.blob()
            self.assertEqual((written, blob.name), (blob.stat().st_size, digest(blob.read_bytes())))
            with zipfile.ZipFile(blob) as archive:
                self.assertIsNone(archive.testzip())
                self.assertEqual(sorted((info.filename, archive.read(info)) for info in archive.infolist()), sorted(files))
            again, _ = self.written_form(daemon, files[::-1])
            self.assertEqual((again.status, again.json), (200, reply.json))
            self.assertNoStrays(daemon)
        with self.daemon() as daemon:
            archive = f"/v1/archives/{reply.json['id']}"
            self.assertEqual(daemon.client.get(archive).json, reply.json)
            entries = daemon.client.items(f"{archive}/entries")
            bodies = [(e["name"], daemon.client.get(f"{archive}/entries/{e['index']}").body) for e in entries]
            self.assertEqual(bodies, sorted(files))
            self.assertEqual(daemon.client.request("DELETE", archive).status, 204)
            self.assertNoStrays(daemon)
            self.assertEqual(stored_files(self.data), set())

    def test_what_is_not_kept_is_written_once(self):
        """Bodies of inspect and convert: one that fits into memory not at all, others once; and each file in them is decoded once."""
        pad = ("pad.bin", random.Random(3).randbytes(2 << 20))
        with self.daemon() as daemon:
            for path, query in (("/v1/inspect", {}), ("/v1/convert", {"to": "bvh"})):
                for files, count, most in (
                    ([("wave.anim", sample(WAVE))], 1, 0),
                    ([("wave.anim", sample(WAVE)), pad], 2, len(sample(WAVE)) + len(pad[1]) + 1024),
                    ([("large.zip", LARGE)], 2, len(LARGE) + 512),
                ):
                    with self.subTest(path=path, files=[name for name, _ in files]):
                        before = daemon.client.metric("posed_decoded_files_total")
                        _, written = self.written_form(daemon, files, path, **query)
                        self.assertLessEqual(written, most)
                        self.assertEqual(daemon.client.metric("posed_decoded_files_total") - before, count)
                before = daemon.client.metric("posed_written_bytes_total")
                self.assertEqual(daemon.client.post(path, LARGE, name="large.zip", **query).status, 200)
                self.assertEqual(daemon.client.metric("posed_written_bytes_total") - before, len(LARGE))
            self.assertEqual(stored_files(self.data), set())

    def test_the_file_of_a_form_in_memory(self):
        with Daemon() as daemon:
            headers, body = form([("large.zip", LARGE)])
            before = daemon.client.metric("posed_written_bytes_total")
            archive = daemon.client.post("/v1/archives", body, headers=headers).json
            self.assertLess(daemon.client.metric("posed_written_bytes_total") - before, len(LARGE) + 512)
            reply = daemon.client.get(f"/v1/archives/{archive['id']}/entries/0")
            self.assertEqual(reply.body, sample(WAVE))

    def test_small_files_of_a_large_form_in_memory(self):
        """The store copies what is small: nothing may point into the file that the form was written to."""
        headers, body = form([("wave.anim", sample(WAVE)), ("walk.anim", sample(WALK))])
        with Daemon() as daemon:
            large = daemon.client.post("/v1/archives", b"x" * (2 << 20) + b"\r\n" + body, headers=headers)
            small = daemon.client.post("/v1/archives", body, headers=headers)
            self.assertEqual((large.status, small.status), (201, 200))
            self.assertEqual(large.json, small.json)

    def test_known_and_refused_leave_nothing(self):
        with self.daemon() as daemon:
            self.assertEqual(daemon.client.post("/v1/archives?name=large.zip", LARGE).status, 201)
            before = daemon.client.metric("process_open_fds")
            self.assertEqual(daemon.client.post("/v1/archives?name=large.zip", LARGE).status, 200)
            broken = daemon.client.post("/v1/archives?name=large.bin", LARGE[len(LARGE) // 4 : -1])
            self.assertIn(broken.status, (415, 422), broken)
            self.assertNoStrays(daemon)
            self.assertLessEqual(daemon.client.metric("process_open_fds"), before)

    def test_in_memory(self):
        with Daemon() as daemon:
            before = daemon.client.metric("posed_written_bytes_total")
            archive = daemon.client.post("/v1/archives?name=large.zip", LARGE).json
            self.assertEqual(daemon.client.metric("posed_written_bytes_total") - before, len(LARGE))
            reply = daemon.client.get(f"/v1/archives/{archive['id']}/entries/0")
            self.assertEqual(reply.body, sample(WAVE))


# ------------------------------------------------------------------------------------------------------ crash


class Crash(StoreCase):
    """Uploads and removals while the process is killed: POSED_CRASH_ROUNDS rounds, 100 unless it says otherwise."""

    CLIENTS = 3

    def setUp(self):
        super().setUp()
        self.random = random.Random(7)
        self.lock = threading.Lock()
        self.number = 0
        self.kept = {}  # id: clip id, answered 201
        self.removed = set()  # answered 204
        self.doubtful = set()  # neither: asked for, and not answered
        self.blobs_of_doubt = set()

    def next_number(self):
        with self.lock:
            self.number += 1
            return self.number

    def work(self, client, give_up):
        while not give_up.is_set():
            number = self.next_number()
            try:
                if number % 5 == 0:
                    self.remove_one(client)
                else:
                    self.upload_one(client, number)
            except Exception:  # the daemon is gone; verify() tells what it owes
                return

    def upload_one(self, client, number):
        data = clip(number)
        if number % 3 == 0:
            data = zipped([("a.anim", data), ("pad.bin", self.random.randbytes(200_000))])
        with self.lock:
            self.blobs_of_doubt.add(digest(data))
        reply = client.post("/v1/archives", data, name=f"{number}.anim")
        if reply.status != 201:
            raise RuntimeError(reply)
        with self.lock:
            self.kept[reply.json["id"]] = reply.json["clips"][0]["id"]

    def remove_one(self, client):
        with self.lock:
            if not self.kept:
                return
            archive = next(iter(self.kept))
            del self.kept[archive]
            self.doubtful.add(archive)
        reply = client.request("DELETE", f"/v1/archives/{archive}")
        if reply.status == 204:
            with self.lock:
                self.doubtful.discard(archive)
                self.removed.add(archive)

    def round(self):
        daemon = self.daemon("--threads", "1")
        daemon.start()
        self.verify(daemon)
        give_up = threading.Event()
        workers = [threading.Thread(target=self.work, args=(daemon.client, give_up)) for _ in range(self.CLIENTS)]
        for worker in workers:
            worker.start()
        time.sleep(self.random.uniform(0.0, 0.08))
        daemon.process.send_signal(signal.SIGKILL)
        daemon.process.wait()
        give_up.set()
        for worker in workers:
            worker.join()
        daemon.kill()
        daemon.client.close()

    def verify(self, daemon):
        """What was answered is as it was answered; what was not is whole or not there; nothing else is."""
        listed = self.archives(daemon)
        missing = self.kept.keys() - listed.keys()
        self.assertEqual(missing, set(), "answered 201, and gone")
        self.assertEqual(self.removed & listed.keys(), set(), "answered 204, and there")
        self.assertNoStrays(daemon)
        for archive in listed.keys() - self.kept.keys():
            # Kept, and the answer lost: whole, or it would not be listed. It may stay or be removed from now on.
            found = daemon.client.get(f"/v1/archives/{archive}").json
            self.kept[archive] = found["clips"][0]["id"]
            self.doubtful.discard(archive)
        found = {name.rpartition("/")[2] for name in stored_files(self.data) if name.startswith("blobs/")}
        self.assertLessEqual(found, self.blobs_of_doubt, "bytes that nobody sent")
        self.removed |= self.doubtful
        self.doubtful = set()
        for clip_id in self.random.sample(sorted(self.kept.values()), min(10, len(self.kept))):
            self.assertEqual(daemon.client.get(f"/v1/clips/{clip_id}/pose").status, 200)
        # So that the rounds stay short.
        while len(self.kept) > 60:
            archive, _ = self.kept.popitem()
            self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{archive}").status, 204)
            self.removed.add(archive)

    def test_rounds(self):
        usual = "10" if os.environ.get("POSED_SANITIZE") else "100"
        rounds = int(os.environ.get("POSED_CRASH_ROUNDS", usual))
        begun = time.monotonic()
        for _ in range(rounds):
            self.round()
        with self.daemon() as daemon:
            self.verify(daemon)
            for clip_id in self.kept.values():
                self.assertEqual(daemon.client.get(f"/v1/clips/{clip_id}/pose").status, 200)
        answered = len(self.kept) + len(self.removed)
        print(f"{rounds} rounds, {answered} uploads answered, {time.monotonic() - begun:.0f} s", end=" ")
        self.assertGreater(answered, 0)
