"""Uploads whose bytes are gone: they are deleted as any other, and are there again when their bytes are."""

import json
import tempfile
from pathlib import Path

from daemon import Daemon, run
from test_rest import RestCase
from test_store import clip
from uploads import IDLE, WALK, WAVE, sample, zipped

ANN, BOB, MOD = {"Authorization": "Bearer ann"}, {"Authorization": "Bearer bob"}, {"Authorization": "Bearer mod"}


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


class Unfinished(RestCase):
    """A publication of which only the note was written when the daemon was killed: nobody was told that it is done."""

    def moderated(self):
        tokens = self.aside / "tokens"
        tokens.write_text("mod scopes=upload,admin\n")
        return self.daemon("--moderate", "--token-file", tokens)

    def setUp(self):
        super().setUp()
        self.aside = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="posed-lost-")))

    def put(self, daemon, number):
        reply = daemon.client.post("/v1/archives", clip(number), MOD, name=f"clip-{number}.anim")
        self.assertEqual(reply.status, 201, reply)
        return reply.json["id"]

    def half_published(self):
        """One upload that waits, another that was published, and what a kill between note and row leaves of the first."""
        with self.moderated() as daemon:
            first, second = self.put(daemon, 1), self.put(daemon, 2)
            daemon.client.post(f"/v1/archives/{second}/publish", b"", MOD)
            daemon.kill()
        (note,) = (path for path in (self.data / "notes").iterdir() if first in path.name)
        whole = json.loads(note.read_text())
        self.assertTrue(whole.pop("is_waiting"))
        note.write_text(json.dumps(whole))
        return first, second

    def assertWaits(self, first, second):
        with self.moderated() as daemon:
            states = {key: daemon.client.get(f"/v1/archives/{key}", headers=MOD).json["state"] for key in (first, second)}
            self.assertEqual(states, {first: "waiting", second: "published"})

    def reindex(self):
        done = run("reindex", "--data", self.data)
        self.assertEqual(done[0], 0, done)

    def test_a_start_takes_it_back(self):
        first, second = self.half_published()
        self.assertWaits(first, second)
        note = next(path for path in (self.data / "notes").iterdir() if first in path.name)
        self.assertTrue(json.loads(note.read_text())["is_waiting"])
        self.reindex()
        self.assertWaits(first, second)

    def test_reindex_does_not_publish_it(self):
        first, second = self.half_published()
        self.reindex()
        self.assertWaits(first, second)

    def test_its_bytes_are_gone_as_well(self):
        """The note was whole: the upload is not forgotten because its bytes are away for a while."""
        first, second = self.half_published()
        blobs = {path: path.read_bytes() for path in (self.data / "blobs").iterdir()}
        for path in blobs:
            path.unlink()
        with self.moderated():
            pass
        for path, body in blobs.items():
            path.write_bytes(body)
        self.assertWaits(first, second)

    def test_the_catalogue_is_gone_after_the_start(self):
        first, second = self.half_published()
        self.assertWaits(first, second)
        for path in self.data.glob("catalog.db*"):
            path.unlink()
        self.assertWaits(first, second)

    def test_an_empty_state_names_reindex(self):
        with self.daemon() as daemon:
            self.upload(daemon, 1)
        self.change("DELETE FROM state")
        done = run("serve", "--data", self.data, "--listen", "127.0.0.1:0")
        self.assertEqual(done[0], 1, done)
        self.assertIn("posed reindex", done[2])
        self.reindex()
        with self.daemon() as daemon:
            self.assertEqual(len(daemon.client.items("/v1/archives")), 1)
