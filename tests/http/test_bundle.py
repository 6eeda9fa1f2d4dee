"""GET /v1/archives/{id}.zip?to=: every clip of an archive in another format."""

import http.client
import io
import json
import os
import tempfile
import unittest
import zipfile
from pathlib import Path

from daemon import Daemon
from test_diff import bvh
from uploads import IDLE, UploadCase, WALK, WAVE, sample, zipped


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


class Reading:
    """An answer of which the head is read first, over a connection of its own."""

    def __init__(self, client, target):
        self.connection = http.client.HTTPConnection(client.host, client.port, timeout=60)
        self.connection.request("GET", target)
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
        with Daemon("--cache-size", "1M") as daemon:
            files = [(f"{k}.bvh", bvh("root", [(k + 1) * i % 90 for i in range(3000)])) for k in range(300)]
            archive = daemon.client.post("/v1/archives?name=many.zip", zipped(files)).json
            self.assertGreater(len(archive["clips"]), 250)
            before = daemon.resident_bytes()
            with Reading(daemon.client, f"/v1/archives/{archive['id']}.zip?to=bvh") as body:
                size = 0
                while block := body.read(65536):
                    size += len(block)
            self.assertGreater(size, 12 << 20)
            self.assertLess(daemon.resident_bytes() - before, size // 2)


if __name__ == "__main__":
    unittest.main()
