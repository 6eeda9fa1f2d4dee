"""Pictures on the disk of --data: there again after a restart, never trusted, bounded."""

import os
import resource
import shutil
import tempfile
import threading
import time
import unittest
from pathlib import Path

from daemon import Daemon

PICTURE = "/v1/named/samples/a2o-walk/preview.png?width=64&height=64"
BLOCK = 4096


class KeptPictures(unittest.TestCase):
    def setUp(self):
        self.data = Path(tempfile.mkdtemp(prefix="posed-pictures-"))
        self.addCleanup(shutil.rmtree, self.data)
        self.folder = self.data / "picture-cache"

    def daemon(self, *arguments):
        return Daemon("--data", self.data, *arguments, Daemon.samples)

    def count(self, daemon, what):
        return daemon.client.metric(f"posed_picture_cache_{what}")

    def picture(self, daemon, path=PICTURE):
        reply = daemon.client.get(path)
        self.assertEqual(reply.status, 200, reply)
        return reply.body

    def files(self):
        return sorted(self.folder.iterdir()) if self.folder.exists() else []

    def test_a_restart_does_not_draw_again(self):
        with self.daemon() as daemon:
            self.assertEqual(self.files(), [], "no folder before the first picture")
            drawn = daemon.client.get(PICTURE)
            self.assertEqual(self.picture(daemon), drawn.body)
            self.assertEqual((self.count(daemon, "hits_total"), self.count(daemon, "misses_total")), (0, 1))
            self.assertEqual(self.count(daemon, "bytes"), -(-self.files()[0].stat().st_size // BLOCK) * BLOCK)
        with self.daemon() as daemon:
            again = daemon.client.get(PICTURE)
            self.assertEqual((again.body, again["ETag"]), (drawn.body, drawn["ETag"]))
            self.assertEqual(again["Posed-Warning"], drawn["Posed-Warning"])
            self.assertEqual((self.count(daemon, "hits_total"), self.count(daemon, "misses_total")), (1, 0))
            # The memory of this process comes first.
            self.picture(daemon)
            self.assertEqual(self.count(daemon, "hits_total"), 1)
            self.assertNotEqual(self.picture(daemon, PICTURE + "&angle=front"), drawn.body)
            self.assertEqual(self.count(daemon, "misses_total"), 1)
            self.assertEqual(len(self.files()), 2)

    def test_warnings_are_kept(self):
        path = "/v1/clips/{}/preview.png?width=64&onto={}&retarget=1"
        with self.daemon() as daemon:
            skeletons = daemon.client.items("/v1/skeletons")[:4]
            clips = daemon.client.items("/v1/clips")[:12]
            asked = {path.format(clip["id"], skeleton["id"]) for clip in clips for skeleton in skeletons}
            first = {each: daemon.client.get(each) for each in asked}
            drawn = {each: reply for each, reply in first.items() if reply.status == 200}
        with self.daemon() as daemon:
            for each, reply in drawn.items():
                again = daemon.client.get(each)
                self.assertEqual((again.body, again["Posed-Warning"]), (reply.body, reply["Posed-Warning"]))
            self.assertEqual(self.count(daemon, "misses_total"), 0)
        self.assertTrue(any(reply["Posed-Warning"] for reply in drawn.values()), "none of them has a warning")

    def test_damage_is_seen(self):
        with self.daemon() as daemon:
            drawn = self.picture(daemon)
        (path,) = self.files()
        sound = path.read_bytes()
        other = self.data / "other"
        with self.daemon() as daemon:
            self.picture(daemon, PICTURE + "&angle=front")
        (other,) = [each for each in self.files() if each != path]
        wrongs = [b"", b"something else", sound[:-1], sound + b"\0", sound[:70] + bytes([sound[70] ^ 1]) + sound[71:],
                  sound[31:], bytes(len(sound)), other.read_bytes()]
        for number, wrong in enumerate(wrongs):
            path.write_bytes(wrong)
            with self.daemon() as daemon:
                self.assertEqual(self.picture(daemon), drawn, f"wrong {number}")
                self.assertEqual(self.count(daemon, "damaged_total"), 1, f"wrong {number}")
                self.assertIn("is damaged; the picture is drawn again", daemon.errors())
            self.assertEqual(path.read_bytes(), sound)

    def test_what_is_in_the_way(self):
        with self.daemon() as daemon:
            drawn = self.picture(daemon)
        (path,) = self.files()
        path.unlink()
        path.mkdir()
        with self.daemon() as daemon:
            self.assertEqual(self.picture(daemon), drawn)
            self.assertEqual(self.count(daemon, "failures_total"), 1)
        shutil.rmtree(self.folder)
        self.folder.write_text("a file where the folder should be")
        with self.daemon() as daemon:
            self.assertEqual(self.picture(daemon), drawn)
            self.assertEqual(self.picture(daemon, PICTURE + "&angle=front")[:4], drawn[:4])
            self.assertEqual(self.count(daemon, "failures_total"), 2)
            self.assertEqual(daemon.errors().count("pictures cannot be kept in"), 1)

    def test_the_folder_may_be_emptied(self):
        with self.daemon() as daemon:
            drawn = self.picture(daemon)
            shutil.rmtree(self.folder)
            self.assertEqual(self.picture(daemon), drawn)
            self.picture(daemon, PICTURE + "&angle=front")
            self.assertEqual(len(self.files()), 1)

    def test_a_full_disk_costs_nothing_but_drawing(self):
        with self.daemon() as daemon:
            resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
            drawn = self.picture(daemon)
            self.assertEqual(self.count(daemon, "failures_total"), 1)
            self.assertEqual(self.files(), [], "nothing half written is left")
            resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
            self.picture(daemon, PICTURE + "&angle=front")
            self.assertEqual(len(self.files()), 1)
        with self.daemon() as daemon:
            self.assertEqual(self.picture(daemon), drawn)

    def test_what_a_crash_left_is_swept(self):
        self.folder.mkdir()
        (self.folder / "new-7").write_bytes(b"half of a picture")
        (self.folder / "README").write_text("not ours")
        with self.daemon() as daemon:
            self.picture(daemon)
        names = [path.name for path in self.files()]
        self.assertNotIn("new-7", names)
        self.assertIn("README", names)
        self.assertEqual(len(names), 2)

    def test_two_at_once_draw_once(self):
        bodies = []
        with self.daemon() as daemon:
            def ask():
                bodies.append(self.picture(daemon))
                daemon.client.close()
            threads = [threading.Thread(target=ask) for _ in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(len(bodies), 6)
            self.assertEqual(len(set(bodies)), 1)
            self.assertEqual(self.count(daemon, "misses_total"), 1)
            self.assertEqual(len(self.files()), 1)

    def test_the_bound_holds(self):
        sizes = [16 + 8 * i for i in range(8)]
        path = "/v1/named/samples/a2o-walk/preview.png?width={}&height=16"
        with self.daemon("--picture-cache", 4 * BLOCK) as daemon:
            for size in sizes:
                before = set(self.files())
                self.picture(daemon, path.format(size))
                [newest] = set(self.files()) - before
                self.assertLessEqual(self.count(daemon, "bytes"), 4 * BLOCK)
            self.assertEqual(len(self.files()), 4)
            self.assertEqual(self.count(daemon, "evictions_total"), 4)
            # One that is larger than all room is not kept, and nothing goes for it.
            self.picture(daemon, "/v1/named/samples/a2o-walk/preview.png?width=900&height=900&background=white")
            self.assertEqual(len(self.files()), 4)
        os.utime(newest, (time.time() + 1,) * 2)  # two may have been drawn within one tick of the file system's clock
        with self.daemon("--picture-cache", 2 * BLOCK) as daemon:
            self.picture(daemon, path.format(sizes[-1]))
            self.assertEqual(self.count(daemon, "hits_total"), 1, "the last one stays")
            self.assertEqual(len(self.files()), 2)
        with self.daemon("--picture-cache", "0") as daemon:
            self.picture(daemon)
            self.assertEqual(len(self.files()), 2)
            self.assertNotIn("posed_picture_cache", daemon.client.get("/metrics").text)
