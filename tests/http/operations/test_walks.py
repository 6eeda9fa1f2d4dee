"""Lists while what they list comes and goes: a walk by cursors sees everything that was there throughout, once; and what a
folder holds is never answered wrongly while its files change. POSED_WALK_UPLOADS and POSED_FRESH_FILES make them longer (./dev soak), and
then print what memory the daemon has; no time is judged."""

import os
import random
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from client import Client
from daemon import Daemon

UPLOADS = int(os.environ.get("POSED_WALK_UPLOADS", "120"))
IS_LARGE = UPLOADS >= 10000
UPLOADERS = 8 if IS_LARGE else 1
PAGES = (100, 1000) if IS_LARGE else (3, 40)  # of how many items pages are
PAUSE_SECONDS = 1 if IS_LARGE else 0  # between pages, or those who walk take all of the machine
FILES = int(os.environ.get("POSED_FRESH_FILES", "48"))
PATIENCE_SECONDS = 120  # the promise is a second; a busy machine must not fail the test
WORDS = "walk run jump sit wave dance idle fall climb swim".split()
BVH = (
    "HIERARCHY\nROOT Hips\n{{\n OFFSET 0 0 0\n CHANNELS 3 Xposition Yposition Zposition\n End Site\n {{\n"
    "  OFFSET 0 1 0\n }}\n}}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n{0} 0 0\n"
)


def bvh(number):
    return BVH.format(number).encode()


class Walks(unittest.TestCase):
    """Some upload and delete, others walk; each by another order or filter."""

    QUERIES = ("", "sort=name&", "sort=-newest&", "q=walk&", "source=upload&sort=duration&")

    def setUp(self):
        self.lock = threading.Lock()
        self.there, self.leaving = {}, set()  # clip: its name; those whose deletion has begun
        self.done = threading.Event()
        self.wrong, self.walks, self.memory = [], 0, []

    def change(self, daemon, first):
        client = Client((daemon.client.host, daemon.client.port)) if IS_LARGE else daemon.client
        chance = random.Random(first)
        archives, order = {}, []
        for number in range(first, UPLOADS, UPLOADERS):
            if number % (UPLOADS // 10) == 0:
                self.memory.append(daemon.resident_bytes() >> 20)
            name = f"{chance.choice(WORDS)}-{number}"
            archive = client.post(f"/v1/archives?name={name}.bvh", bvh(number)).json
            clip = archive["clips"][0]["id"]
            archives[clip] = archive["id"]
            order.append(clip)
            with self.lock:
                self.there[clip] = name
            if chance.random() < 0.5:
                place = chance.randrange(len(order))
                order[place], order[-1] = order[-1], order[place]
                clip = order.pop()
                with self.lock:
                    self.leaving.add(clip)
                    del self.there[clip]
                reply = client.request("DELETE", f"/v1/archives/{archives.pop(clip)}")
                self.assertEqual(reply.status, 204, reply)
        return archives

    def walk(self, client, query, limit):
        with self.lock:
            before = dict(self.there)
        seen, target = [], f"/v1/clips?{query}limit={limit}"
        while target:
            page = client.get(target).json
            seen += [clip["id"] for clip in page["items"]]
            target = page["next"]
            time.sleep(PAUSE_SECONDS)
        with self.lock:
            throughout = {clip for clip, name in before.items() if clip not in self.leaving and
                          ("q=walk" not in query or "walk" in name)}  # fmt: skip
            self.walks += 1
        if len(seen) != len(set(seen)):
            self.wrong.append(f"{query}: something is seen twice")
        if throughout - set(seen):
            self.wrong.append(f"{query}: {len(throughout - set(seen))} of {len(throughout)} are not seen")

    def walk_on(self, daemon, number):
        client = Client((daemon.client.host, daemon.client.port))
        chance = random.Random(number)
        try:
            while not self.done.is_set():
                self.walk(client, self.QUERIES[number % len(self.QUERIES)], chance.randrange(*PAGES))
        except Exception as error:  # of a thread: the test tells
            self.wrong.append(repr(error))

    def run_on(self, *arguments):
        with Daemon(*arguments) as daemon:
            walkers = [threading.Thread(target=self.walk_on, args=(daemon, i)) for i in range(len(self.QUERIES))]
            for walker in walkers:
                walker.start()
            try:
                with ThreadPoolExecutor(UPLOADERS) as pool:
                    left = [clip for own in pool.map(lambda first: self.change(daemon, first), range(UPLOADERS)) for clip in own]
            finally:
                self.done.set()
                for walker in walkers:
                    walker.join()
            self.assertEqual(self.wrong, [])
            self.assertGreater(self.walks, 0)
            if IS_LARGE:
                self.assertNoMemoryKept(daemon, len(left))
            self.assertEqual({clip["id"] for clip in daemon.client.items("/v1/clips")}, set(left))
            return [clip["id"] for clip in daemon.client.items("/v1/clips")]

    def assertNoMemoryKept(self, daemon, left):
        """Memory grows with the caches, and not with what has come and gone."""
        end = daemon.resident_bytes() >> 20
        print(f"{UPLOADS} uploads, {left} left, {self.walks} walks, MiB:", *self.memory, "at the end", end)
        if self.is_kept_on_disk:
            self.assertLess(end, self.memory[5] * 1.25)

    is_kept_on_disk = False

    def test_in_memory(self):
        self.run_on()

    def test_on_a_disk(self):
        self.is_kept_on_disk = True
        with tempfile.TemporaryDirectory() as top:
            # A cache that is full before half of the uploads are there: what grows after that is kept by mistake.
            order = self.run_on("--data", top, "--catalog-cache", "8M")
            with Daemon("--data", top) as daemon:
                self.assertEqual([clip["id"] for clip in daemon.client.items("/v1/clips")], order)


class Fresh(unittest.TestCase):
    """Files are replaced, renamed and deleted while clients ask for all of them by name and by id."""

    def setUp(self):
        top = tempfile.TemporaryDirectory()
        self.addCleanup(top.cleanup)
        self.folder = Path(top.name, "library")
        self.aside = Path(top.name, "aside")
        self.folder.mkdir()
        self.done = threading.Event()
        self.lock = threading.Lock()
        self.wrong, self.by_id = [], {}

    def put(self, name, number):
        self.aside.write_bytes(bvh(number))
        os.rename(self.aside, self.folder / f"{name}.bvh")

    def ask_on(self, daemon):
        """An id is for ever that of the same bytes."""
        client = Client((daemon.client.host, daemon.client.port))
        try:
            while not self.done.is_set():
                for clip in client.get("/v1/clips?limit=1000").json["items"]:
                    reply = client.get(f"/v1/clips/{clip['id']}/pose", t="0.1")
                    with self.lock:
                        known = self.by_id.setdefault(clip["id"], reply.body) if reply.status == 200 else None
                    if reply.status not in (200, 404) or (known and known != reply.body):
                        self.wrong.append(repr(reply))
        except Exception as error:  # of a thread: the test tells
            self.wrong.append(repr(error))

    def pose(self, client, name):
        reply = client.get(f"/v1/named/library/{name}/pose", t="0.1")
        return reply.body if reply.status == 200 else None

    def wait_for(self, what):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (found := what()) is not True:
            self.assertLess(time.monotonic(), deadline, found)
            time.sleep(0.05)

    def test_named_answers_follow(self):
        for number in range(FILES):
            self.put(f"clip-{number}", number)
        with Daemon(self.folder) as daemon:
            asking = [threading.Thread(target=self.ask_on, args=(daemon,)) for _ in range(2)]
            for thread in asking:
                thread.start()
            try:
                self.change(daemon.client)
            finally:
                self.done.set()
                for thread in asking:
                    thread.join()
        self.assertEqual(self.wrong, [])

    def change(self, client):
        first = {number: self.pose(client, f"clip-{number}") for number in range(FILES)}
        self.assertEqual(len(set(first.values())), FILES)
        for number in range(0, FILES, 4):
            self.put(f"clip-{number}", FILES + number)
            os.rename(self.folder / f"clip-{number + 1}.bvh", self.folder / f"other-{number + 1}.bvh")
            (self.folder / f"clip-{number + 2}.bvh").unlink()
        for number in range(0, FILES, 4):
            self.wait_for(lambda n=number: self.pose(client, f"clip-{n}") not in (None, first[n]) or f"clip-{n}")
            self.wait_for(lambda n=number: self.pose(client, f"clip-{n + 1}") is None or f"clip-{n + 1}")
            self.wait_for(lambda n=number: self.pose(client, f"other-{n + 1}") == first[n + 1] or f"other-{n + 1}")
            self.wait_for(lambda n=number: self.pose(client, f"clip-{n + 2}") is None or f"clip-{n + 2}")
            self.assertEqual(self.pose(client, f"clip-{number + 3}"), first[number + 3])
        self.assertEqual(len(client.items("/v1/clips")), FILES - FILES // 4)


if __name__ == "__main__":
    unittest.main()
