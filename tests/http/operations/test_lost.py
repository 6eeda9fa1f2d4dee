"""Uploads whose bytes are gone: they are deleted as any other, and are there again when their bytes are."""

import tempfile
from pathlib import Path

from daemon import Daemon
from test_rest import RestCase
from uploads import IDLE, WALK, WAVE, sample, zipped

ANN, BOB = {"Authorization": "Bearer ann"}, {"Authorization": "Bearer bob"}


class Lost(RestCase):
    def setUp(self):
        super().setUp()
        self.aside = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="posed-lost-")))
        self.body = zipped([("walk.anim", sample(WALK)), ("idle.anim", sample(IDLE))])

    def put(self, daemon, body, name, **options):
        reply = daemon.client.post("/v1/archives", body, name=name, **options)
        self.assertEqual(reply.status, 201, reply)
        return reply.json["id"]

    def two(self):
        """One whose bytes are taken away, and another; the ids, and the clips of the first."""
        with self.daemon() as daemon:
            lost = self.put(daemon, self.body, "two.zip")
            clips = [item["id"] for item in daemon.client.items("/v1/clips", archive=lost)]
            before = set((self.data / "blobs").iterdir())
            kept = self.put(daemon, sample(WAVE), "wave.anim")
        (self.blob,) = before
        self.take_away()
        return lost, kept, clips

    def take_away(self):
        self.blob.rename(self.aside / self.blob.name)

    def put_back(self):
        (self.aside / self.blob.name).rename(self.blob)

    def forget_lists(self):
        for path in self.data.glob("lists.db*"):
            path.unlink()

    def listed(self, daemon):
        return {item["id"] for item in daemon.client.items("/v1/archives")}

    def test_it_is_deleted(self):
        """Whether the lists have it still, or were made without it."""
        for are_made_anew in (False, True):
            lost, kept, _ = self.two()
            if are_made_anew:
                self.forget_lists()
            with self.daemon() as daemon:
                self.assertEqual(daemon.client.get(f"/v1/archives/{lost}").status, 404)
                self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{lost}").status, 204)
                self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{lost}").status, 404)
                self.assertEqual(self.listed(daemon), {kept})
            self.put_back()
            with self.daemon() as daemon:
                self.assertEqual(self.listed(daemon), {kept})
                self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{kept}").status, 204)

    def test_only_by_its_owner(self):
        tokens = self.aside / "tokens"
        tokens.write_text("ann name=ann scopes=upload,delete:own\nbob name=bob scopes=upload,delete:own\n")
        tokens.chmod(0o600)
        with Daemon("--data", self.data, "--token-file", tokens) as daemon:
            lost = self.put(daemon, self.body, "two.zip", headers=ANN)
        (self.blob,) = (self.data / "blobs").iterdir()
        self.take_away()
        with Daemon("--data", self.data, "--token-file", tokens) as daemon:
            self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{lost}", headers=BOB).status, 403)
            self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{lost}", headers=ANN).status, 204)

    def test_it_is_served_again(self):
        """What was asked for while it was lost is not remembered as missing."""
        lost, _, clips = self.two()
        targets = [f"/v1/archives/{lost}", *(f"/v1/clips/{clip}/pose" for clip in clips)]
        with self.daemon() as daemon:
            self.assertEqual({daemon.client.get(target).status for target in targets}, {404})
            self.put_back()
            for target in targets:
                self.assertBecomes(lambda: daemon.client.get(target).status == 200)
            self.assertEqual(daemon.errors().count("is not served"), 1)

    def test_it_is_listed_again(self):
        """Lists that were made without it: while the daemon runs, and at the next start."""
        lost, kept, clips = self.two()
        for is_running in (True, False):
            self.forget_lists()
            with self.daemon() as daemon:
                self.assertEqual(self.listed(daemon), {kept})
                tag = daemon.client.get("/v1/clips").headers["ETag"]
                if is_running:
                    self.put_back()
                    self.assertBecomes(lambda: self.listed(daemon) == {lost, kept})
                    self.assertNotEqual(daemon.client.get("/v1/clips").headers["ETag"], tag)
            if not is_running:
                self.put_back()
            with self.daemon() as daemon:
                self.assertEqual(self.listed(daemon), {lost, kept})
                self.assertLessEqual(set(clips), {item["id"] for item in daemon.client.items("/v1/clips")})
                self.assertEqual(daemon.client.get(f"/v1/clips/{clips[0]}/pose").status, 200)
            if is_running:
                self.take_away()
