"""GET /v1/archives/{id}.zip?to= and POST /v1/convert?as=zip: every clip of an archive in another format."""

import http.client
import io
import json
import os
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

from daemon import Daemon
from test_diff import bvh
from uploads import IDLE, UploadCase, WALK, WAVE, form, sample, stored_files, zipped


class Bundle(UploadCase):
    def fetch(self, archive, to, **options):
        reply = self.client.get(f"/v1/archives/{archive}.zip", to=to, **options)
        self.assertEqual((reply.status, reply["Content-Type"]), (200, "application/zip"), reply)
        found = zipfile.ZipFile(io.BytesIO(reply.body))
        self.assertIsNone(found.testzip())
        report = json.loads(found.read("report.json"))
        self.assertEqual(set(found.namelist()), {file["file"] for file in report["files"]} | self.seconds(found) | {"report.json"})
        return found, report

    @staticmethod
    def seconds(found):
        return {name for name in found.namelist() if name.endswith(".cfp")}

    def test_each_is_what_is_asked_for_alone(self):
        files = [("a/walk.anim", sample(WALK)), ("b/wave.anim", sample(WAVE)), ("idle.anim", sample(IDLE))]
        archive = self.upload(zipped(files), "three.zip").json
        for to, extension in (("glb", "glb"), ("bvh", "bvh"), ("json", "json"), ("sl-anim", "anim")):
            found, report = self.fetch(archive["id"], to)
            self.assertEqual((report["made"], report["failed"], report["unnamed"], report["errors"]), (3, 0, 0, []))
            for clip in archive["clips"]:
                name = next(name for name, _ in files if clip["name"] in name)
                alone = self.client.get(f"/v1/clips/{clip['id']}.{extension}", to=to, archive=archive["id"]).body
                made = found.read(f"{name[:-5]}.{extension}")
                if to == "json":  # one has the id of the file, the other is a file
                    self.assertEqual(json.loads(made)["duration"], json.loads(alone)["duration"])
                else:
                    self.assertEqual(made, alone, (to, name))

    def test_pairs(self):
        archive = self.upload(zipped([("x/walk.anim", sample(WALK)), ("y/walk.anim", sample(WAVE))]), "two.zip").json
        found, _ = self.fetch(archive["id"], "sims1-cmx")
        self.assertEqual(sorted(found.namelist()), ["report.json", "x/walk.cfp", "x/walk.cmx", "y/walk.cfp", "y/walk.cmx"])
        for folder in "xy":  # each names the file that lies beside it
            self.assertIn("walk", found.read(f"{folder}/walk.cmx").decode())
        again = self.upload(zipped([(name, found.read(name)) for name in found.namelist()]), "again.zip").json
        self.assertEqual(len(again["clips"]), 2)

    def test_what_cannot_be_is_listed(self):
        broken = sample(WALK)[:300]
        archive = self.upload(zipped([("walk.anim", sample(WALK)), ("broken.anim", broken)]), "mixed.zip").json
        _, report = self.fetch(archive["id"], "glb")
        self.assertEqual((report["made"], report["failed"]), (1, 1))
        self.assertEqual(report["errors"][0]["file"], "broken.anim")
        _, report = self.fetch(archive["id"], "sims1-cmx", strict=1)
        self.assertEqual((report["made"], report["failed"]), (0, 2))

    def test_names_stay_inside_and_apart(self):
        names = ["../up.anim", "/abs.anim", "a//b.anim", "Same.anim", "x/../../y.anim", "..", "long" * 2000 + ".anim"]
        archive = self.upload(zipped([(name, sample(path)) for name, path in zip(names, [WALK, WAVE, IDLE] * 3)]), "n.zip").json
        found, report = self.fetch(archive["id"], "bvh")
        self.assertEqual(report["made"] + report["failed"], len(archive["clips"]) + len(archive.get("rejected", [])))
        for name in found.namelist():
            self.assertFalse(name.startswith("/"), name)
            self.assertNotIn("..", name.split("/"))
            self.assertLess(len(name), 1100)
        self.assertEqual(len({name.lower() for name in found.namelist()}), len(found.namelist()))

    def test_refused_before_it_begins(self):
        archive = self.upload(sample(WALK), "walk.anim").json["id"]
        for options in ({}, {"to": "gbl"}, {"to": "tso-mesh"}, {"to": "glb", "fps": "x"}, {"to": "glb", "priority": 3},
                        {"to": "glb", "clip": "x"}, {"to": "glb", "skeleton": "0" * 32}):
            self.assertProblem(self.client.get(f"/v1/archives/{archive}.zip", **options), 400)
        self.assertProblem(self.client.get(f"/v1/archives/{'0' * 32}.zip", to="glb"), 404)

    def test_etag(self):
        archive = self.upload(sample(WALK), "walk.anim").json["id"]
        target = f"/v1/archives/{archive}.zip"
        reply = self.client.get(target, to="glb")
        self.assertEqual(self.client.get(target, to="glb", headers={"If-None-Match": reply["ETag"]}).status, 304)
        self.assertNotEqual(self.client.get(target, to="bvh")["ETag"], reply["ETag"])

    def test_whose_archive_goes_meanwhile(self):
        """It is read to its end: what it needs is held until then."""
        files = [("walk.anim", sample(WALK)), ("wave.anim", sample(WAVE))]
        archive = self.upload(zipped(files), "gone.zip").json["id"]
        with Reading(self.client, f"/v1/archives/{archive}.zip?to=bvh") as body:
            self.remove(archive)
            self.assertIsNone(zipfile.ZipFile(io.BytesIO(body.read())).testzip())


class Body(UploadCase):
    """POST /v1/convert?as=zip: the same of a body."""

    def convert(self, body, to, headers=None, **options):
        reply = self.client.post("/v1/convert", body, headers=headers or {}, to=to, **{"as": "zip"}, **options)
        self.assertEqual((reply.status, reply["Content-Type"], reply["Cache-Control"]), (200, "application/zip", "no-store"), reply)
        found = zipfile.ZipFile(io.BytesIO(reply.body))
        self.assertIsNone(found.testzip())
        return found, json.loads(found.read("report.json")), reply

    def test_as_of_an_archive(self):
        files = [("a/walk.anim", sample(WALK)), ("b/wave.anim", sample(WAVE)), ("read.me", b"hello"), ("broken.anim", sample(WALK)[:300]),
                 ("again.anim", sample(WALK))]
        found, report, reply = self.convert(zipped(files), "glb", name="my clips.zip")
        self.assertIn('filename="my_clips.zip"', reply["Content-Disposition"])
        self.assertEqual(self.client.items("/v1/archives"), [])
        archive = self.upload(zipped(files), "my clips.zip").json
        stored = zipfile.ZipFile(io.BytesIO(self.client.get(f"/v1/archives/{archive['id']}.zip", to="glb").body))
        self.remove(archive["id"])
        self.assertEqual(sorted(found.namelist()), sorted(stored.namelist()))
        for name in found.namelist():
            self.assertEqual(found.read(name), stored.read(name), name)
        told = {item["file"]: item["detail"] for item in report["errors"] + report["skipped"]}
        self.assertEqual((report["made"], report["failed"], set(told) - {"again.anim"}), (len(report["files"]), 1, {"read.me", "broken.anim"}))
        self.assertEqual({file for file, _ in files}, set(told) | {name.replace(".glb", ".anim") for name in found.namelist()} - {"report.json"})

    def test_bodies_of_any_size_and_form(self):
        """What is in memory is copied for the answer, what is in a file is taken over."""
        small, large = ("walk.anim", sample(WALK)), ("noise.bin", os.urandom(3 << 20))
        for files in ([small], [small, large]):
            for headers, body in (({}, zipped(files, zipfile.ZIP_STORED)), form(files), form([("all.zip", zipped(files))])):
                found, report, _ = self.convert(body, "bvh", headers)
                self.assertEqual((set(found.namelist()), report["made"], len(report["skipped"])),
                                 ({"walk.bvh", "report.json"}, 1, len(files) - 1))
                self.assertTrue(found.read("walk.bvh").startswith(b"HIERARCHY"))
        self.assertEqual(list(stored_files(self.data)), list(self.files))

    def test_bombs(self):
        """What unpacks to too much is told and not unpacked; the rest is converted. Too many entries are refused as a whole."""
        found, report, _ = self.convert(zipped([("walk.anim", sample(WALK))] + [(f"{k}.bin", bytes(20 << 20)) for k in range(20)]), "bvh")
        self.assertEqual((set(found.namelist()), report["made"], report["failed"]), ({"walk.bvh", "report.json"}, 1, 20))
        self.assertIn("more than 200 times", report["errors"][0]["detail"])
        with Daemon("--max-entries", "10") as daemon:
            body = zipped([(f"{k}.anim", sample(WALK)) for k in range(11)])
            self.assertProblem(daemon.client.post("/v1/convert", body, to="glb", **{"as": "zip"}), 413, limit="max-entries")

    def test_each_file_within_the_limits(self):
        with Daemon("--max-output", "2K") as daemon:
            reply = daemon.client.post("/v1/convert", zipped([("walk.anim", sample(WALK))]), to="bvh", **{"as": "zip"})
            report = json.loads(zipfile.ZipFile(io.BytesIO(reply.body)).read("report.json"))
            self.assertEqual((report["made"], report["failed"]), (0, 1))
            self.assertIn("would exceed 2048 bytes", report["errors"][0]["detail"])

    def test_one_file_and_retargeting(self):
        found, report, _ = self.convert(sample(WALK), "sims1-cmx", name="walk.anim", retarget=1, strict=0)
        self.assertEqual((report["made"], sorted(found.namelist())), (1, ["report.json", "walk.cfp", "walk.cmx"]), report)

    def test_refused(self):
        body = zipped([("walk.anim", sample(WALK))])
        for options in ({}, {"to": "tso-mesh"}, {"to": "glb", "clip": "walk"}, {"to": "glb", "fps": "x"}, {"to": "glb", "skeleton": "0" * 32}):
            self.assertProblem(self.client.post("/v1/convert", body, **{"as": "zip"}, **options), 400)
        self.assertProblem(self.client.post("/v1/convert", body, to="glb", **{"as": "tar"}), 400)
        self.assertProblem(self.client.post("/v1/convert", b'{"layers":[]}', headers={"Content-Type": "application/json"}, to="glb", **{"as": "zip"}), 400)
        self.assertProblem(self.client.post("/v1/convert", b"hello", to="glb", **{"as": "zip"}), 415)
        self.assertProblem(self.client.post("/v1/convert", b"", to="glb", **{"as": "zip"}), 400)

    def test_names_stay_inside_and_apart(self):
        names = ["../up.anim", "/abs.anim", "Same.anim", "x/../../y.anim", "report.json"]
        found, _, _ = self.convert(zipped([(name, sample(path)) for name, path in zip(names, [WALK, WAVE, IDLE] * 3)]), "json")
        for name in found.namelist():
            self.assertFalse(name.startswith("/") or ".." in name.split("/"), name)
        self.assertEqual(len({name.lower() for name in found.namelist()}), len(found.namelist()))
        self.assertIn("report (2).json", found.namelist())
        self.assertIn("made", json.loads(found.read("report.json")))

    def test_a_client_that_leaves(self):
        """Of what it sent nothing stays."""
        body = zipped([(f"{k}.bvh", bvh("root", [(k + 1) * i % 90 for i in range(3000)])) for k in range(60)] + [("noise.bin", os.urandom(3 << 20))])
        for _ in range(3):
            with Reading(self.client, "/v1/convert?to=bvh&as=zip", body) as answer:
                self.assertEqual(answer.status, 200)
                self.assertTrue(answer.read(1000))
        deadline = time.monotonic() + 60
        while self.spooled():
            self.assertLess(time.monotonic(), deadline, "the files of the bodies are not closed")
            time.sleep(0.02)

    def spooled(self):
        """Files without a name that the daemon has open where bodies lie."""
        folder = Path(f"/proc/{self.daemon.process.pid}/fd")
        found = []
        for link in folder.iterdir():
            try:
                found.append(os.readlink(link))
            except FileNotFoundError:
                pass
        return [path for path in found if path.startswith(str(self.folder / "tmp")) and path.endswith("(deleted)")]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = stored_files(cls.data)


class Reading:
    """An answer of which the head is read first, over a connection of its own."""

    def __init__(self, client, target, body=None):
        self.connection = http.client.HTTPConnection(client.host, client.port, timeout=60)
        self.connection.request("POST" if body else "GET", target, body)
        self.answer = self.connection.getresponse()

    def __enter__(self):
        return self.answer

    def __exit__(self, *_):
        self.connection.close()


class Time(unittest.TestCase):
    def test_clips_that_fail_have_the_time_of_one(self):
        """Each has two poses that lie far apart, which are a great many at a high rate."""
        with tempfile.TemporaryDirectory() as folder:
            slow = bvh("root", [0, 90]).replace(b"Frame Time: 0.1", b"Frame Time: 4000")
            for k in range(8):
                (Path(folder) / f"{k}.bvh").write_bytes(slow.replace(b"arm", b"arm%d" % k))
            with Daemon("--max-time", "50ms", "--max-frames", "1000000000", folder) as daemon:
                archive = daemon.client.items("/v1/archives")[0]["id"]
                reply = daemon.client.get(f"/v1/archives/{archive}.zip", to="bvh", fps=250)
                report = json.loads(zipfile.ZipFile(io.BytesIO(reply.body)).read("report.json"))
                self.assertEqual((report["made"], report["failed"]), (0, 8))
                self.assertIn("not tried", report["errors"][-1]["detail"])
                self.assertNotIn("not tried", report["errors"][0]["detail"])


@unittest.skipIf(os.environ.get("POSED_SANITIZE"), "a sanitizer keeps what was freed")
class Memory(unittest.TestCase):
    def test_it_holds_one_file_at_a_time(self):
        """Hundreds of clips in one ZIP."""
        with Daemon("--cache-size", "1M", "--max-time", "10m") as daemon:
            files = [(f"{k}.bvh", bvh("root", [(k + 1) * i % 90 for i in range(3000)])) for k in range(300)]
            body = zipped(files)
            archive = daemon.client.post("/v1/archives?name=many.zip", body).json
            self.assertGreater(len(archive["clips"]), 250)
            for target, sent in ((f"/v1/archives/{archive['id']}.zip?to=bvh", None), ("/v1/convert?to=bvh&as=zip", body)):
                before = daemon.resident_bytes()
                with Reading(daemon.client, target, sent) as answer:
                    size = 0
                    while block := answer.read(65536):
                        size += len(block)
                self.assertGreater(size, 12 << 20)
                self.assertLess(daemon.resident_bytes() - before, size // 2)

    def test_what_clients_do_not_read_is_bounded(self):
        """The bytes that were sent, and what was found in them, stay as long as somebody reads."""
        slow = bvh("root", [0, 90]).replace(b"Frame Time: 0.1", b"Frame Time: 900")
        clips = [(f"{k}.bvh", slow.replace(b"arm", b"arm%d" % k)) for k in range(12)]  # more than sockets hold
        noise = [("noise.bin", os.urandom(3 << 20))]
        entries = [(f"{k:05}{'x' * 100}", b"") for k in range(8000)]
        with Daemon("--max-pending", "4M", "--max-time", "120s") as daemon:
            for body in (zipped(clips + noise), zipped(clips + entries)):
                target = "/v1/convert?to=bvh&fps=50&as=zip"
                with Reading(daemon.client, target, body) as first:
                    self.assertEqual(first.status, 200)
                    self.assertTrue(first.read(1000))
                    with Reading(daemon.client, target, body) as second:
                        self.assertEqual((second.status, second.getheader("Retry-After")), (503, "1"))
                    self.assertEqual(daemon.client.get("/healthz").status, 200)
                deadline = time.monotonic() + 60
                while (status := daemon.client.post(target, body).status) != 200:
                    self.assertEqual(status, 503)
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.05)


if __name__ == "__main__":
    unittest.main()
