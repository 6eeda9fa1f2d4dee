"""Big folders: whatever changes in one, the daemon says what one says that starts then; answers follow under load; and the
first index may be killed at any moment. POSED_FOLDER_FILES, POSED_FOLDER_CHANGES, POSED_FOLDER_ROUNDS and POSED_FOLDER_KILLS
make them longer. Times are told, not judged."""

import os
import random
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from client import Client
from daemon import Daemon
from uploads import zipped

FILES = int(os.environ.get("POSED_FOLDER_FILES", "1000"))
CHANGES = int(os.environ.get("POSED_FOLDER_CHANGES", "60"))
ROUNDS = int(os.environ.get("POSED_FOLDER_ROUNDS", "5"))
KILLS = int(os.environ.get("POSED_FOLDER_KILLS", "6"))
PATIENCE_SECONDS = 120  # the promise is a second; a busy machine must not fail the test
BVH = (
    "HIERARCHY\nROOT Hips\n{{\n OFFSET 0 0 0\n CHANNELS 3 Xposition Yposition Zposition\n End Site\n {{\n"
    "  OFFSET 0 1 0\n }}\n}}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n{0} 0 0\n"
)


def bvh(number):
    return BVH.format(number).encode()


class Folder(unittest.TestCase):
    def setUp(self):
        top = tempfile.TemporaryDirectory()
        self.addCleanup(top.cleanup)
        self.top = Path(top.name)
        self.folder = self.top / "library"
        self.folder.mkdir()

    def put(self, name, data):
        """As a careful program does it: written aside, then renamed."""
        aside = self.top / "aside"
        aside.write_bytes(data)
        (self.folder / name).parent.mkdir(exist_ok=True)
        os.rename(aside, self.folder / name)


class AsAfterAStart(Folder):
    """Random changes, some at once; then everything that lists and pages say is compared with a daemon that starts then."""

    def change(self, chance, number):
        files = sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file())
        folders = sorted({name.split("/")[0] for name in files if "/" in name})
        loose = [name for name in files if name.endswith(".bvh")]
        name = f"{chance.choice('abcd')}{chance.randrange(3)}/clip-{chance.randrange(30)}.bvh"
        kind = chance.choice(("put", "put", "same", "drop", "rename", "folder", "container", "container", "clear"))
        if kind == "put":
            self.put(name, bvh(number))
        elif kind == "same":  # the bytes of another
            self.put(name, (self.folder / chance.choice(loose)).read_bytes())
        elif kind == "drop" and len(loose) > 5:
            (self.folder / chance.choice(files)).unlink()
        elif kind == "rename":
            os.rename(self.folder / chance.choice(loose), self.folder / f"moved-{number}.bvh")
        elif kind == "folder" and folders:
            os.rename(self.folder / chance.choice(folders), self.folder / f"f{number}")
        elif kind == "container":
            clips = [(f"in-{number}-{i}.bvh", bvh(number * 10 + i)) for i in range(3)]
            self.put(f"pack-{chance.randrange(4)}.zip", zipped([*clips, ("again.bvh", bvh(7))]))
        elif kind == "clear" and len(files) > 12:
            for gone in chance.sample(loose, 3):
                (self.folder / gone).unlink()

    def said(self, client):
        """What depends on what is there and where, but for order of arrival."""
        said = {}
        for kind in ("clips", "skeletons", "archives"):
            for item in client.items(f"/v1/{kind}?limit=1000"):
                said[kind, item["id"]] = item
                said["one", kind, item["id"]] = client.get(f"/v1/{kind}/{item['id']}").json
        for kind, archive in [key for key in said if key[0] == "archives"]:
            said["entries", archive] = client.get(f"/v1/archives/{archive}/entries?limit=1000").json
        for kind, clip in [key for key in said if key[0] == "clips"]:
            pose = client.get(f"/v1/clips/{clip}/pose", t="0.1")
            said["pose", clip] = pose.status, pose.body
        return said

    def test_random_changes(self):
        chance = random.Random(3)
        for number in range(30):
            self.put(f"{chance.choice('abcd')}0/clip-{number}.bvh", bvh(number))
        self.put("pack-0.zip", zipped([("a.bvh", bvh(7)), ("b.bvh", bvh(8))]))
        for data in ([], ["--data", self.top / "data"]):
            with self.subTest(data=bool(data)), Daemon(*data, self.folder) as daemon:
                if data:
                    for number in range(5, 9):  # some uploads have what the folder has
                        daemon.client.post(f"/v1/archives?name=up-{number}.bvh", bvh(number))
                for number in range(ROUNDS):
                    for step in range(chance.randrange(1, 6)):
                        self.change(chance, 100 + number * 10 + step)
                    self.compare(daemon.client, [] if not data else ["--data", self.top / "copy"], data)

    def listed(self, client):
        return {(clip["id"], clip["archive"], clip["entry"]) for clip in client.items("/v1/clips?limit=1000")}

    def test_changes_while_the_first_rows_are_made(self):
        """Nobody waits for the rows of all, and what changes meanwhile is in them afterwards."""
        for number in range(4 * FILES):
            self.put(f"{number % 7}/clip-{number}.bvh", bvh(number))
        chance, uploads = random.Random(9), range(90000, 90005)
        with Daemon(self.folder) as daemon:
            for number in range(5):
                daemon.client.post(f"/v1/archives?name=up-{uploads[number]}.bvh", bvh(uploads[number]))
                for step in range(10):
                    self.change(chance, 50000 + number * 10 + step)
            with Daemon(self.folder) as fresh:
                for number in uploads:
                    fresh.client.post(f"/v1/archives?name=up-{number}.bvh", bvh(number))
                wanted = self.listed(fresh.client)
            deadline = time.monotonic() + PATIENCE_SECONDS
            while (found := self.listed(daemon.client)) != wanted:
                self.assertLess(time.monotonic(), deadline, (found - wanted, wanted - found))
                time.sleep(0.1)
            self.assertEqual(daemon.client.get("/v1/clips?limit=1").json["total"], len(wanted))

    def compare(self, client, arguments, data):
        if data:
            with Daemon(*arguments, self.folder) as fresh:
                for number in range(5, 9):
                    fresh.client.post(f"/v1/archives?name=up-{number}.bvh", bvh(number))
        with Daemon(*arguments, self.folder) as fresh:
            wanted = self.said(fresh.client)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (found := self.plain(self.said(client))) != self.plain(wanted):
            if time.monotonic() > deadline:
                plain = self.plain(wanted)
                differ = {key: (found.get(key), plain.get(key)) for key in {*found, *plain} if found.get(key) != plain.get(key)}
                self.fail(f"{len(differ)} differ: {next(iter(differ.items()))}")
            time.sleep(0.1)

    def plain(self, said):
        """Without the times at which uploads came."""

        def strip(value):
            if isinstance(value, dict):
                return {key: strip(part) for key, part in value.items() if key != "created"}
            return [strip(part) for part in value] if isinstance(value, list) else value

        return {key: strip(value) for key, value in said.items()}


class Fresh(Folder):
    """One file after the other is replaced, renamed or deleted while clients ask for all of them."""

    def setUp(self):
        super().setUp()
        self.done = threading.Event()
        self.lock = threading.Lock()
        self.wrong, self.by_id, self.asked = [], {}, 0

    def ask_on(self, daemon, seed):
        """An id is for ever that of the same bytes."""
        client, chance = Client((daemon.client.host, daemon.client.port)), random.Random(seed)
        try:
            while not self.done.is_set():
                reply = client.get(f"/v1/named/library/clip-{chance.randrange(FILES)}/pose", t="0.1")
                twin = reply.headers.get("Content-Location")
                bodies = [reply.body] if reply.status == 200 else []
                if twin and (again := client.get(twin)).status == 200:
                    bodies.append(again.body)
                with self.lock:
                    self.asked += 1
                    known = [self.by_id.setdefault(twin, body) for body in bodies if twin]
                # What is being replaced is neither the old nor the new one for a moment.
                if reply.status not in (200, 400, 404) or known != bodies[: len(known)]:
                    self.wrong.append(repr(reply))
        except Exception as error:  # of a thread: the test tells
            self.wrong.append(repr(error))

    def pose(self, client, name):
        reply = client.get(f"/v1/named/library/{name}/pose", t="0.1")
        return reply.body if reply.status == 200 else None

    def wait_for(self, what):
        begin = time.monotonic()
        while not what():
            self.assertLess(time.monotonic(), begin + PATIENCE_SECONDS)
            time.sleep(0.01)
        return time.monotonic() - begin

    def test_answers_follow(self):
        for number in range(FILES):
            self.put(f"{number // 1000:03}/clip-{number}.bvh", bvh(number))
        with Daemon("--log", "json", self.folder) as daemon:
            asking = [threading.Thread(target=self.ask_on, args=(daemon, seed)) for seed in range(3)]
            for thread in asking:
                thread.start()
            try:
                delays = self.change(daemon.client)
            finally:
                self.done.set()
                for thread in asking:
                    thread.join()
        self.assertEqual(self.wrong, [])
        print(f"{CHANGES} of {FILES} files, {self.asked} requests beside them: shown after {max(delays):.2f} s at most")

    def change(self, client):
        delays = []
        for turn, number in enumerate(random.Random(2).sample(range(FILES), CHANGES)):
            name = f"clip-{number}"
            path = self.folder / f"{number // 1000:03}" / f"{name}.bvh"
            was = self.pose(client, name)
            self.assertIsNotNone(was)
            if turn % 3 == 0:
                self.put(path.relative_to(self.folder), bvh(FILES + number))
                delays.append(self.wait_for(lambda: self.pose(client, name) not in (None, was)))
            elif turn % 3 == 1:
                os.rename(path, path.with_name(f"other-{number}.bvh"))
                delays.append(self.wait_for(lambda: self.pose(client, name) is None and self.pose(client, f"other-{number}") == was))
            else:
                path.unlink()
                delays.append(self.wait_for(lambda: self.pose(client, name) is None))
        gone = sum(turn % 3 == 2 for turn in range(CHANGES))
        self.assertEqual(client.get("/v1/clips?limit=1").json["total"], FILES - gone)
        return delays


class Killed(Folder):
    """While a folder is indexed for the first time, or what was found is put into the lists."""

    def test_at_any_moment(self):
        chance = random.Random(5)
        for number in range(FILES):
            self.put(f"{number % 7}/clip-{number}.bvh", bvh(number))
        arguments = ["--data", self.top / "data", self.folder]
        begin = time.monotonic()
        with Daemon("--data", self.top / "other", self.folder):
            whole = time.monotonic() - begin
        for _ in range(KILLS):
            begun = subprocess.Popen(
                [Daemon.binary, "serve", "--listen", "127.0.0.1:0", *map(str, arguments)],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
            )  # fmt: skip
            time.sleep(chance.random() * whole)
            begun.kill()
            begun.wait()
        for _ in range(2):
            with Daemon(*arguments) as daemon:
                clips = daemon.client.items("/v1/clips?limit=1000")
                self.assertEqual(sorted(clip["name"] for clip in clips), sorted(f"clip-{n}" for n in range(FILES)))
                self.assertEqual(len({clip["id"] for clip in clips}), FILES)
                self.assertEqual(daemon.client.get("/v1/clips?limit=1").json["total"], FILES)
                archives = daemon.client.items("/v1/archives")
                self.assertEqual([archive["entry_count"] for archive in archives], [FILES])
                entries = daemon.client.items(f"/v1/archives/{archives[0]['id']}/entries?limit=1000")
                self.assertEqual(len({entry["name"] for entry in entries}), FILES)


if __name__ == "__main__":
    unittest.main()
