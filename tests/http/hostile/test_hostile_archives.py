"""Archives that take long to unpack, or much memory, and those that are not taken any more."""

import bz2
import gzip
import os
import random
import socket
import struct
import tarfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from daemon import Daemon

SANITIZED = bool(os.environ.get("POSED_SANITIZE"))
SLOWER = 10 if SANITIZED else 1
PATIENCE = 120  # seconds for what takes ten at most


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
                before = daemon.processor_seconds()
                reply = daemon.client.post(path, body, name="a.tar.bz2")
                self.assertIn(reply.status, (413, 503), reply)
                if reply.status == 413:
                    self.assertEqual(reply.json["limit"], "max-time")
                else:
                    self.assertTrue(reply["Retry-After"])
                self.assertLess(daemon.processor_seconds() - before, 2 * SLOWER)

    @unittest.skipIf(SANITIZED, "a sanitizer's memory says nothing")
    def test_unpacked_bytes_have_one_budget(self):
        """While a slow one holds more than all may, the next is refused; when its client has left there is room again."""
        slow = tar_of(words(6_000_000), 20, bz2.compress)
        body = tar_of(b"HIERARCHY " * 100_000, 100, gzip.compress)
        with Daemon("--max-pending", "24M", "--max-ratio", "2000", "--max-time", "120s") as daemon:
            ask = lambda: daemon.client.post("/v1/inspect", body, name="a.tar.gz")
            self.assertEqual(ask().status, 200)
            idle = daemon.resident_bytes()
            with socket.create_connection((daemon.client.host, daemon.client.port)) as stream:
                stream.sendall(b"POST /v1/inspect?name=a.tar.bz2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                               % len(slow) + slow)
                self.wait_for(lambda: daemon.resident_bytes() - idle > len(slow) + (30 << 20))
                reply = ask()
                self.assertEqual((reply.status, reply.json.get("code")), (503, "busy"), reply)
                self.assertTrue(reply["Retry-After"])
                stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset
            self.wait_for(lambda: ask().status == 200)

    @unittest.skipIf(SANITIZED, "a sanitizer's memory says nothing")
    def test_memory_is_given_back(self):
        """Whatever large bodies needed, and whether they were read or refused: ten seconds later it is the system's."""
        many = b'{"asset":{"version":"2.0"},"nodes":[' + b",".join([b"{}"] * 900_000) + b"]}"
        keys = b'{"asset":{"version":"2.0"},"extras":{' + b",".join(b'"%d":0' % i for i in range(500_000)) + b"}}"
        with Daemon() as daemon:
            daemon.client.post("/v1/inspect", many[:40] + b"{}]}", name="a.gltf")
            idle = daemon.resident_bytes()
            for body in (many, keys):
                with ThreadPoolExecutor(4) as pool:
                    list(pool.map(lambda _, body=body: daemon.client.post("/v1/inspect", body, name="a.gltf"), range(4)))
                self.assertGreater(daemon.resident_bytes("VmHWM") - idle, 100 << 20)
                self.wait_for(lambda: daemon.resident_bytes() - idle <= 64 << 20)

    def wait_for(self, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_cpio_and_cab_are_not_taken(self):
        with Daemon() as daemon:
            for body in (b"070707 noise" * 40, b"070701" + b"0" * 200, b"MSCF\0\0\0\0" + b"\0" * 100):
                for path in ("/v1/inspect", "/v1/archives", "/v1/convert?to=glb", "/v1/archives?format=zip"):
                    self.assertEqual(daemon.client.post(path, body, name="a.bin").status, 415, path)


if __name__ == "__main__":
    unittest.main()
