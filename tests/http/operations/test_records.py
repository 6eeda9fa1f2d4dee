"""What indexing has made of an upload is kept beside its row: a start reads it and decodes nothing."""

import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

from daemon import Daemon
from test_store import StoreCase, clip
from uploads import WALK, WAVE, form, sample, zipped

BEFORE = Path(__file__).resolve().parents[1] / "data" / "store-1"
KINDS = ("clips", "skeletons", "meshes", "characters", "images")


def small_files(folder):
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size < 1 << 20]


class RecordCase(StoreCase):
    def decoded(self, daemon):
        return daemon.client.metric("posed_decoded_files_total")

    def everything(self, daemon):
        """What is listed, each item by itself, and the entries of archives."""
        client = daemon.client
        found = {"archives": client.items("/v1/archives")}
        for archive in found["archives"]:
            found[archive["id"]] = client.get(f"/v1/archives/{archive['id']}").json
            found[archive["id"], "entries"] = client.items(f"/v1/archives/{archive['id']}/entries")
        for kind in KINDS:
            found[kind] = client.items(f"/v1/{kind}")
        return found

    def change(self, statement, *values):
        with contextlib.closing(sqlite3.connect(self.data / "catalog.db")) as database:
            with database:
                database.execute(statement, values)

    def count(self, condition="1"):
        with contextlib.closing(sqlite3.connect(self.data / "catalog.db")) as database:
            return database.execute(f"SELECT count(*) FROM record WHERE {condition}").fetchone()[0]

    def assertServed(self, wanted, decodes):
        with self.daemon() as daemon:
            self.assertEqual(self.everything(daemon), wanted)
            self.assertEqual(self.decoded(daemon) > 0, decodes)

    def assertBecomes(self, is_so):
        deadline = time.monotonic() + 30
        while not is_so():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def fill(self):
        """An upload each of the kinds that records know: a file, parts, linked entries, containers in containers."""
        walk, skeleton = sample(WALK), sample("sims-online/adult.skel")
        headers, body = form([("walk.anim", walk), ("sub/adult.skel", skeleton)])
        of_one, one = form([("only.anim", sample(WAVE))])
        inner = zipped([("walk.anim", walk), ("adult.skel", skeleton)])
        with self.daemon() as daemon:
            for reply in (
                daemon.client.post("/v1/archives?name=x.bin&format=sl-anim", walk),
                daemon.client.post("/v1/archives", body, headers=headers),
                daemon.client.post("/v1/archives", one, headers=of_one),
                daemon.client.post("/v1/archives?name=prime.pak", sample("metroid-prime-1.pak")),
                daemon.client.post("/v1/archives?name=sims.package", sample("sims-3.package")),
                daemon.client.post("/v1/archives?name=n.zip", zipped([("a.zip", inner), ("b.far", sample("sims-online.far"))])),
            ):
                self.assertEqual(reply.status, 201, reply)
            return self.everything(daemon)


class Restart(RecordCase):
    def test_nothing_is_decoded_again(self):
        folders = [Daemon.samples, Daemon.samples.parent / "format-samples"]
        with self.daemon() as daemon:
            for path in (path for folder in folders for path in small_files(folder)):
                daemon.client.post("/v1/archives", path.read_bytes(), name=path.name)
            self.assertGreater(len(self.archives(daemon)), 50)
            before = self.everything(daemon)
        with self.daemon() as daemon:
            self.assertEqual(self.decoded(daemon), 0)
            self.assertEqual(self.everything(daemon), before)
            for item in before["clips"]:
                reply = daemon.client.get(f"/v1/clips/{item['id']}/pose", t="0.1")
                self.assertIn(reply.status, (200, 409, 422), reply)

    def test_answers_are_the_same(self):
        self.fill()
        targets = []
        with self.daemon() as daemon:
            for kind in ("clips", "skeletons", "meshes", "characters"):
                targets += [f"/v1/{kind}/{item['id']}" for item in daemon.client.items(f"/v1/{kind}")]
            targets += [f"{target}/pose?t=0.2" for target in targets if "/clips/" in target]
            first = [daemon.client.get(target).body for target in targets]
        self.change("DELETE FROM record")
        with self.daemon() as daemon:
            self.assertEqual([daemon.client.get(target).body for target in targets], first)

    def test_of_another_decoder(self):
        before = self.fill()
        self.change("UPDATE record SET revision = revision - 100")
        self.assertServed(before, decodes=True)
        self.assertServed(before, decodes=False)

    def test_a_copy(self):
        """Other files with the same bytes: they are verified, and nothing is decoded."""
        before = self.fill()
        copy = self.folder / "copy"
        shutil.copytree(self.data, copy)
        shutil.rmtree(self.data)
        copy.rename(self.data)
        self.assertServed(before, decodes=False)
        self.assertServed(before, decodes=False)

    def test_damaged(self):
        before = self.fill()
        with contextlib.closing(sqlite3.connect(self.data / "catalog.db")) as database:
            whole = database.execute("SELECT upload, data FROM record").fetchall()
        chance = random.Random(3)
        for spoil in (
            lambda data: b"x",
            lambda data: data[: len(data) // 2],
            lambda data: data + b"\0",
            lambda data: chance.randbytes(len(data)),
            lambda data: data[: len(data) // 3] + bytes([data[len(data) // 3] ^ 1]) + data[len(data) // 3 + 1 :],
        ):
            for upload, data in whole:
                self.change("UPDATE record SET data = ? WHERE upload = ?", spoil(data), upload)
            self.assertServed(before, decodes=True)
        self.assertServed(before, decodes=False)

    def test_gone_with_the_upload(self):
        before = self.fill()
        self.assertEqual(self.count(), 6)
        with self.daemon() as daemon:
            for archive in before["archives"][:2]:
                self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{archive['id']}").status, 204)
        self.assertEqual(self.count(), 4)
        self.assertEqual(self.count("upload NOT IN (SELECT sequence FROM upload)"), 0)

    def fill_with_companion(self):
        """A clip whose keys lie in a PATH: the PATH, and two contents for the file there."""
        path = self.folder / "path"
        path.mkdir()
        model = {
            "asset": {"version": "2.0"},
            "buffers": [{"uri": "keys.bin", "byteLength": 32}],
            "bufferViews": [{"buffer": 0, "byteLength": 8}, {"buffer": 0, "byteOffset": 8, "byteLength": 24}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},
                {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3"},
            ],
            "nodes": [{"name": "hip"}],
            "animations": [
                {"samplers": [{"input": 0, "output": 1}],
                 "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}
            ],
        }  # fmt: skip
        keys = [bytes(4) + b"\0\0\x80\x3f" + bytes([number]) * 24 for number in (1, 2)]
        (path / "keys.bin").write_bytes(keys[0])
        with self.daemon(path) as daemon:
            reply = daemon.client.post("/v1/archives?name=a.gltf", json.dumps(model).encode())
            self.assertEqual(reply.status, 201, reply)
            return path, keys, daemon.client.items("/v1/clips")

    def test_companions_of_a_path(self):
        """Such a clip is what the PATH makes of it, whether it was decoded before or not."""
        path, keys, first = self.fill_with_companion()
        self.assertEqual(len(first), 1)
        with self.daemon(path) as daemon:
            self.assertEqual(self.decoded(daemon), 0)
            self.assertEqual(daemon.client.items("/v1/clips"), first)
        (path / "keys.bin").write_bytes(keys[1])
        with self.daemon(path) as daemon:
            self.assertNotEqual(daemon.client.items("/v1/clips")[0]["id"], first[0]["id"])
        with self.daemon() as daemon:
            self.assertEqual(daemon.client.items("/v1/clips"), [])

    def test_companions_that_change_later(self):
        path, keys, first = self.fill_with_companion()
        with self.daemon(path) as daemon:
            (path / "keys.bin").write_bytes(keys[1])
            shown = ([], [first[0]["id"]])  # nothing while the file may still be being written
            self.assertBecomes(lambda: [clip["id"] for clip in daemon.client.items("/v1/clips")] not in shown)


class Resting(RecordCase):
    """Memory holds the record of an upload of one file; its bytes are read when they are asked for."""

    FILES = 80

    def held(self, daemon):
        """How many mappings and descriptors of files of the store, or in memory."""
        process = Path("/proc") / str(daemon.process.pid)
        mapped = (process / "maps").read_text().splitlines()
        opened = []
        for link in (process / "fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # it was closed meanwhile
                opened.append(os.readlink(link))
        return sum(str(self.data) in line or "memfd:" in line for line in mapped + opened)

    def assertLittleHeld(self, daemon, before):
        self.assertLess(self.held(daemon), before + self.FILES // 2)

    def upload_many(self, daemon):
        before = self.held(daemon)
        for number in range(self.FILES):
            self.assertEqual(daemon.client.post("/v1/archives?name=a.anim", clip(number)).status, 201)
        self.assertLittleHeld(daemon, before)
        return before

    def test_neither_mappings_nor_descriptors(self):
        """The kernel allows a process 65,530 mappings: uploads must not use them up."""
        with Daemon() as daemon:
            self.upload_many(daemon)
        with self.daemon() as daemon:
            before = self.upload_many(daemon)
        with self.daemon() as daemon:
            self.assertEqual(len(self.archives(daemon)), self.FILES)
            self.assertLittleHeld(daemon, before)

    def test_bytes_are_read(self):
        files = {"x.anim": sample(WALK), "only.anim": sample(WAVE)}
        headers, body = form([("only.anim", files["only.anim"])])
        with self.daemon() as daemon:
            daemon.client.post("/v1/archives?name=x.anim", files["x.anim"])
            daemon.client.post("/v1/archives", body, headers=headers)
            self.assertBytes(daemon, files)
        with self.daemon() as daemon:
            self.assertBytes(daemon, files)

    def assertBytes(self, daemon, files):
        found = {
            archive["name"]: daemon.client.get(f"/v1/archives/{archive['id']}/entries/0").body
            for archive in daemon.client.items("/v1/archives")
        }
        self.assertEqual(found, files)

    def test_gone_while_it_is_served(self):
        for restarted in (False, True):
            with self.daemon() as daemon:
                archive = daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE)).json
                if restarted:
                    daemon.stop()
                    daemon.start()
                for path in (self.data / "blobs").iterdir():
                    path.unlink()
                reply = daemon.client.get(f"/v1/archives/{archive['id']}/entries/0")
                self.assertEqual((reply.status, reply.json["code"]), (503, "corrupt_blob"))
                self.assertNotIn(str(self.data), reply.text)
                self.assertEqual(daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE)).status, 201)
                reply = daemon.client.get(f"/v1/archives/{archive['id']}/entries/0")
                self.assertEqual((reply.status, reply.body), (200, sample(WAVE)))

    def test_changed_behind_its_back(self):
        """A record spares reading the bytes at the start, not verifying them before they are used."""
        with self.daemon() as daemon:
            archive = daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE)).json
        (path,) = (self.data / "blobs").iterdir()
        stamp = path.stat()
        with open(path, "r+b") as file:
            file.seek(stamp.st_size // 2)
            file.write(bytes([sample(WAVE)[stamp.st_size // 2] ^ 1]))
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        with self.daemon() as daemon:
            for target in (f"/v1/archives/{archive['id']}/entries/0", f"/v1/clips/{archive['clips'][0]['id']}/pose"):
                reply = daemon.client.get(target)
                self.assertEqual((reply.status, reply.json["code"]), (503, "corrupt_blob"), target)


class TakeOver(RecordCase):
    """tests/http/data/store-1 is a --data folder as the release before records left it."""

    def setUp(self):
        super().setUp()
        shutil.copytree(BEFORE, self.data)
        self.lists = json.loads((self.data / "lists.json").read_text())
        (self.data / "lists.json").unlink()

    def assertTakenOver(self, daemon, lists):
        for kind, wanted in lists.items():
            found = daemon.client.items(f"/v1/{kind}")
            self.assertEqual([{key: item[key] for key in old} for item, old in zip(found, wanted)], wanted)
            self.assertEqual(len(found), len(wanted))

    def test_of_the_release_before(self):
        for decodes in (True, False):
            with self.daemon() as daemon:
                self.assertEqual(self.decoded(daemon) > 0, decodes)
                self.assertTakenOver(daemon, self.lists)
                self.assertNoStrays(daemon)
        self.assertEqual(self.count(), len(self.lists["archives"]))

    def test_killed_meanwhile(self):
        rounds = int(os.environ.get("POSED_CRASH_ROUNDS", "12"))
        with self.daemon() as daemon:
            for number in range(40):
                self.assertEqual(daemon.client.post("/v1/archives?name=a.anim", clip(number)).status, 201)
            wanted = self.everything(daemon)
        old = self.folder / "old"
        self.data.rename(old)
        for number in range(rounds):
            shutil.rmtree(self.data, ignore_errors=True)
            shutil.copytree(old, self.data)
            # As the release before has left it.
            self.change("DROP TABLE record")
            self.change("PRAGMA user_version = 1")
            process = subprocess.Popen(
                Daemon("--data", self.data).arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            time.sleep(0.004 * number)
            process.send_signal(signal.SIGKILL)
            process.wait()
            with self.daemon() as daemon:
                self.assertEqual(self.everything(daemon), wanted, number)

    def test_killed_again_and_again(self):
        """The same folder, at any moments: what one start has left half done another one finishes."""
        rounds = int(os.environ.get("POSED_CRASH_ROUNDS", "12"))
        chance = random.Random(rounds)
        for number in range(rounds):
            process = subprocess.Popen(
                Daemon("--data", self.data).arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            time.sleep(chance.uniform(0.001, 0.05))
            process.send_signal(signal.SIGKILL)
            process.wait()
            if number % 4 == 3:
                with self.daemon() as daemon:
                    self.assertTakenOver(daemon, self.lists)
                    self.assertNoStrays(daemon)
                shutil.rmtree(self.data)
                shutil.copytree(BEFORE, self.data)
                (self.data / "lists.json").unlink()
