"""Watched folders: what changes on disk shows without a restart."""

import os
import shutil
import tempfile
import time
import unittest
from pathlib import Path

from daemon import Daemon

PATIENCE_SECONDS = 20  # the promise is a second; a busy machine must not fail the test


class Watch(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.TemporaryDirectory()
        self.addCleanup(self.top.cleanup)
        self.folder = Path(self.top.name) / "library"
        shutil.copytree(Daemon.samples / "second-life", self.folder)
        self.daemon = Daemon(self.folder)
        self.daemon.__enter__()
        self.addCleanup(self.daemon.__exit__, None, None, None)
        self.client = self.daemon.client

    def names(self):
        return sorted(c["name"] for c in self.client.items("/v1/clips"))

    def wait_for(self, wanted):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (found := self.names()) != wanted:
            self.assertLess(time.monotonic(), deadline, f"{found}, not {wanted}")
            time.sleep(0.05)

    def put(self, source, name):
        """As a careful program does it: written aside, then renamed."""
        aside = Path(self.top.name) / "aside"
        shutil.copy(source, aside)
        os.rename(aside, self.folder / name)

    def test_new_changed_and_removed_files(self):
        etag = self.client.get("/v1/clips")["ETag"]
        self.put(Daemon.samples / "sims-online" / "a2o-walk.anim", "new.anim")
        self.wait_for(["a2o-walk", "idle", "walk", "wave"])
        self.assertNotEqual(self.client.get("/v1/clips")["ETag"], etag)
        self.put(Daemon.samples / "sims-online" / "a2o-wave.anim", "new.anim")
        self.wait_for(["a2o-wave", "idle", "walk", "wave"])
        clip = next(c["id"] for c in self.client.items("/v1/clips") if c["name"] == "a2o-wave")
        (self.folder / "new.anim").unlink()
        self.wait_for(["idle", "walk", "wave"])
        self.assertEqual(self.client.get(f"/v1/clips/{clip}").status, 404)

    def test_new_folders_and_archives(self):
        inner = self.folder / "deeper" / "still"
        inner.mkdir(parents=True)
        shutil.copy(Daemon.samples / "sims-online" / "a2o-idle.anim", inner / "a2o-idle.anim")
        self.wait_for(["a2o-idle", "idle", "walk", "wave"])
        self.put(Daemon.samples / "sims-online.far", "more.far")
        self.wait_for(["a2o-idle", "a2o-walk", "a2o-wave", "idle", "walk", "wave"])
        self.assertIn("more.far", [a["name"] for a in self.client.items("/v1/archives")])

    def test_a_broken_file_is_listed_and_the_rest_is_served(self):
        whole = (Daemon.samples / "second-life" / "walk.anim").read_bytes()
        aside = Path(self.top.name) / "aside"
        aside.write_bytes(whole[: len(whole) // 2])
        os.rename(aside, self.folder / "broken.anim")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            archive = self.client.items("/v1/archives")[0]["id"]
            rejected = self.client.get(f"/v1/archives/{archive}").json["rejected"]
            if rejected:
                break
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.assertEqual(rejected[0]["entry"], "broken.anim")
        self.assertTrue(rejected[0]["error"]["detail"])
        self.assertEqual(self.names(), ["idle", "walk", "wave"])
