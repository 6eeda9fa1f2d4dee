"""Archives that take long to unpack, or much memory, and those that are not taken any more."""

import bz2
import gzip
import random
import tarfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from daemon import Daemon


def tar_of(chunk, count, pack):
    """A TAR of one entry: the chunk count times, packed once for all."""
    head = tarfile.TarInfo("a.bvh")
    head.size = len(chunk) * count
    return pack(head.tobuf()) + pack(chunk) * count + pack(b"\0" * (1024 + -head.size % 512))


def words(size):
    """Text that is slow to unpack."""
    numbers = random.Random(1)
    known = [numbers.randbytes(6).hex().encode() + b" " for _ in range(400)]
    return b"".join(numbers.choice(known) for _ in range(size // 13))


class Archives(unittest.TestCase):
    def test_unpacking_ends_with_the_time(self):
        body = tar_of(words(6_000_000), 20, bz2.compress)
        with Daemon("--max-time", "1s") as daemon:
            for path in ("/v1/inspect", "/v1/archives", "/v1/convert?to=glb"):
                before = time.monotonic()
                reply = daemon.client.post(path, body, name="a.tar.bz2")
                self.assertIn(reply.status, (413, 503), reply)
                if reply.status == 413:
                    self.assertEqual(reply.json["limit"], "max-time")
                else:
                    self.assertTrue(reply["Retry-After"])
                self.assertLess(time.monotonic() - before, 8)

    def test_unpacked_bytes_have_one_budget(self):
        body = tar_of(b"HIERARCHY " * 100_000, 100, gzip.compress)
        with Daemon("--max-pending", "64M", "--max-ratio", "2000", "--max-time", "60s") as daemon:
            ask = lambda _: daemon.client.post("/v1/inspect", body, name="a.tar.gz")
            self.assertEqual(ask(0).status, 200)
            with ThreadPoolExecutor(4) as pool:
                replies = list(pool.map(ask, range(4)))
            for reply in replies:
                self.assertIn(reply.status, (200, 503), reply)
                if reply.status == 503:
                    self.assertEqual(reply.json["code"], "busy")
                    self.assertTrue(reply["Retry-After"])
            self.assertEqual(ask(0).status, 200)

    def test_cpio_and_cab_are_not_taken(self):
        with Daemon() as daemon:
            for body in (b"070707 noise" * 40, b"070701" + b"0" * 200, b"MSCF\0\0\0\0" + b"\0" * 100):
                for path in ("/v1/inspect", "/v1/archives", "/v1/convert?to=glb", "/v1/archives?format=zip"):
                    self.assertEqual(daemon.client.post(path, body, name="a.bin").status, 415, path)


if __name__ == "__main__":
    unittest.main()
