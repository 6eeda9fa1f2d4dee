"""Contents of uploads leave memory beyond --catalog-cache, and nobody sees it."""

import contextlib
import io
import json
import random
import sqlite3
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

from daemon import Daemon
from test_store import StoreCase, clip
from uploads import sample

MANY = 2000
# A clip keeps a few KB; several requests at once may hold a few hundred of them for a moment.
LIMIT, SLACK = 256 << 10, 1 << 20


class RestCase(StoreCase):
    def held(self, daemon):
        return daemon.client.metric("posed_cache_bytes", cache="catalog")

    def loaded(self, daemon):
        return daemon.client.metric("posed_cache_misses_total", cache="catalog")

    def upload(self, daemon, number):
        reply = daemon.client.post("/v1/archives", clip(number), name=f"clip-{number}.anim")
        self.assertEqual(reply.status, 201, reply)
        return reply.json["id"]

    def assertBecomes(self, is_so):
        deadline = time.monotonic() + 60
        while not is_so():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def assertBounded(self, daemon):
        """What a request held goes with one of the next."""
        def is_bounded():
            daemon.client.get("/v1/clips", limit="1", q=str(random.random()))
            return self.held(daemon) <= LIMIT
        self.assertBecomes(is_bounded)

    def change(self, statement, *values):
        with contextlib.closing(sqlite3.connect(self.data / "catalog.db")) as database:
            with database:
                database.execute(statement, values)


class Bounded(RestCase):
    def test_many(self):
        """Each upload is served from its record, in any order, while few are in memory; also after a restart."""
        with self.daemon("--catalog-cache", "256K") as daemon:
            with ThreadPoolExecutor(4) as pool:
                ids = list(pool.map(lambda number: self.upload(daemon, number), range(MANY)))
            self.assertBounded(daemon)
            self.assertGreater(daemon.client.metric("posed_cache_evictions_total", cache="catalog"), MANY // 2)
            self.assertEqual(daemon.client.metric("posed_cache_limit_bytes", cache="catalog"), LIMIT)
            self.assertEqual(daemon.client.metric("posed_catalog_assets", kind="clip"), MANY)
            clips = daemon.client.items("/v1/clips", limit="500")
            self.assertEqual(len({item["id"] for item in clips}), MANY)
            self.assertBounded(daemon)
            etag = daemon.client.get("/v1/clips", limit="1")["ETag"]
        with self.daemon("--catalog-cache", "256K") as daemon:
            self.assertLessEqual(self.held(daemon), LIMIT)
            self.assertEqual(daemon.client.metric("posed_decoded_files_total"), 0)
            self.assertEqual(daemon.client.get("/v1/clips", limit="1")["ETag"], etag)
            self.assertEqual(daemon.client.items("/v1/clips", limit="500"), clips)
            before = self.loaded(daemon)
            for number in random.Random(1).sample(range(MANY), 300):
                archive = daemon.client.get(f"/v1/archives/{ids[number]}").json
                self.assertEqual(archive["name"], f"clip-{number}.anim")
                name = f"/v1/named/clip-{number}.anim/clip-{number}"
                self.assertAlmostEqual(daemon.client.get(name).json["duration"], 1 + number / 1024, places=5)
            self.assertGreater(self.loaded(daemon), before)
            self.assertLessEqual(self.held(daemon), LIMIT + SLACK)
            self.assertBounded(daemon)

    def test_lists_are_made_again(self):
        """Rows that are lost are made of contents that are not in memory."""
        with self.daemon("--catalog-cache", "0") as daemon:
            for number in range(100):
                self.upload(daemon, number)
            clips = daemon.client.items("/v1/clips")
        for path in self.data.glob("lists.db*"):
            path.unlink()
        with self.daemon("--catalog-cache", "0") as daemon:
            self.assertEqual(daemon.client.items("/v1/clips"), clips)
            self.assertEqual(len(daemon.client.items("/v1/clips", q="clip-42")), 1)


class Same(RestCase):
    ANSWERS = (
        "/v1/archives/{archive}", "/v1/archives/{archive}/entries", "/v1/clips/{clip}", "/v1/clips/{clip}/pose?t=0.3",
        "/v1/clips/{clip}/download?as=glb", "/v1/clips?archive={archive}", "/v1/named/{name}/{clip_name}/pose?t=0.5",
        "/v1/clips?facets=archive,format", "/v1/clips?q=clp", "/v1/people", "/v1/clips?name={clip_name}",
        "/v1/clips/{clip}/pose?t=0.3&archive={archive}", "/v1/named/{name}/nothing-of-that-name", "/v1/named/nowhere/x",
    )

    def answers(self, daemon, targets):
        found = {}
        for target in targets:
            reply = daemon.client.get(target)
            body = reply.body
            if reply.media_type == "application/problem+json":
                body = json.dumps({key: value for key, value in reply.json.items() if key != "request_id"})
            found[target] = reply.status, reply["ETag"], body
        return found

    def test_answers(self):
        """Whether contents are in memory or not, and whoever asked before."""
        targets = []
        files = [(f"clip-{number}.anim", clip(number)) for number in range(8)]
        for name in ("second-life/walk.anim", "sims-online/adult.skel"):
            files.append((name.rsplit("/", 1)[1], sample(name)))
        files.append(("again.anim", clip(3)))
        with self.daemon() as daemon:
            for name, data in files:
                self.assertIn(daemon.client.post("/v1/archives", data, name=name).status, (200, 201))
            for archive in daemon.client.items("/v1/archives"):
                for item in daemon.client.items("/v1/clips", archive=archive["id"]):
                    values = {"archive": archive["id"], "name": archive["name"], "clip": item["id"],
                              "clip_name": item["name"]}
                    targets += [target.format(**values) for target in self.ANSWERS]
            targets = sorted(set(targets))
            clips = daemon.client.items("/v1/clips")
        with self.daemon() as daemon:
            wanted = self.answers(daemon, targets)
            self.assertEqual(daemon.client.metric("posed_cache_evictions_total", cache="catalog"), 0)
        for seed in range(3):
            random.Random(seed).shuffle(targets)
            with self.daemon("--catalog-cache", "0") as daemon:
                found = self.answers(daemon, targets)
                for target in targets:
                    self.assertEqual(found[target], wanted[target], target)
                self.assertGreater(self.loaded(daemon), 5)
                pages = len(files) - 1 + len(clips) + 1  # archives, clips, and the skeleton
                self.assertEqual(daemon.client.get("/sitemap.xml").text.count("<url>"), pages)

    def test_the_same_file_again_and_gone(self):
        """It is the same upload, whatever its name; when it is deleted nothing of it is answered."""
        with self.daemon("--catalog-cache", "0") as daemon:
            ids = []
            for k in range(3):
                ids.append(daemon.client.post("/v1/archives", clip(1), name=f"a{k}.anim").json["id"])
            other = daemon.client.post("/v1/archives", clip(2), name="b.anim").json["id"]
            self.assertEqual(len(set(ids)), 1) # the same bytes
            found = daemon.client.items("/v1/clips")
            self.assertEqual([item["archive"] for item in found], [ids[0], other])
            self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{ids[0]}").status, 204)
            self.assertEqual(daemon.client.get(f"/v1/clips/{found[0]['id']}").status, 404)
            self.assertEqual(daemon.client.get(f"/v1/archives/{ids[0]}").status, 404)
            self.assertEqual([item["archive"] for item in daemon.client.items("/v1/clips")], [other])


class Threads(RestCase):
    def test_many_ask_for_the_same(self):
        with self.daemon("--catalog-cache", "0", "--threads", "4") as daemon:
            archive = self.upload(daemon, 1)
            item = daemon.client.items("/v1/clips", archive=archive)[0]["id"]
            gate = threading.Barrier(16)

            def ask(_):
                gate.wait()
                reply = daemon.client.get(f"/v1/clips/{item}/pose", t="0.1")
                return reply.status, reply.body

            with ThreadPoolExecutor(16) as pool:
                answers = set(pool.map(ask, range(16)))
            self.assertEqual({status for status, _ in answers}, {200})
            self.assertEqual(len(answers), 1)

    def test_coming_and_going(self):
        """Uploads, deletions, poses and lists at once, with nothing kept in memory: no wrong answer, nothing is lost."""
        with self.daemon("--catalog-cache", "0", "--threads", "3") as daemon:
            kept = {self.upload(daemon, number): number for number in range(40)}
            clips = {item["archive"]: item["id"] for item in daemon.client.items("/v1/clips")}
            failures = []
            done = threading.Event()

            def read(seed):
                rng = random.Random(seed)
                while not done.is_set():
                    archive = rng.choice(list(kept))
                    reply = daemon.client.get(f"/v1/clips/{clips[archive]}")
                    if reply.status != 200 or abs(reply.json["duration"] - 1 - kept[archive] / 1024) > 1e-5:
                        failures.append(reply)
                    page = daemon.client.get("/v1/archives", limit="1000")
                    if page.status != 200 or not set(kept) <= {item["id"] for item in page.json["items"]}:
                        failures.append(page)

            readers = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
            for reader in readers:
                reader.start()
            for number in range(100, 160):
                archive = self.upload(daemon, number)
                self.assertEqual(daemon.client.get(f"/v1/archives/{archive}").status, 200)
                self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{archive}").status, 204)
                self.assertEqual(daemon.client.get(f"/v1/archives/{archive}").status, 404)
            done.set()
            for reader in readers:
                reader.join()
            self.assertEqual(failures, [])
            self.assertEqual(set(self.archives(daemon)), set(kept))


class Damage(RestCase):
    def test_a_record(self):
        """A damaged record costs a decoding, and is made anew."""
        with self.daemon("--catalog-cache", "0") as daemon:
            ids = [self.upload(daemon, number) for number in range(3)]
            self.assertBecomes(lambda: self.held(daemon) == 0)
            before = [daemon.client.get(f"/v1/archives/{archive}").json for archive in ids]
            self.assertBecomes(lambda: self.held(daemon) == 0)
            decoded = daemon.client.metric("posed_decoded_files_total")
            self.change("UPDATE record SET data = zeroblob(100) WHERE upload = 1")
            self.change("DELETE FROM record WHERE upload = 2")
            for _ in range(2):
                self.assertEqual([daemon.client.get(f"/v1/archives/{archive}").json for archive in ids], before)
                self.assertEqual(daemon.client.metric("posed_decoded_files_total"), decoded + 2)

    def test_a_record_and_its_bytes(self):
        """What is lost is not there and breaks no list; the same bytes bring it back."""
        with self.daemon("--catalog-cache", "0") as daemon:
            ids = [self.upload(daemon, number) for number in range(3)]
            items = daemon.client.items("/v1/clips")
            self.assertBecomes(lambda: self.held(daemon) == 0)
            self.change("DELETE FROM record WHERE upload = 2")
            blob = next(path for path in self.data.glob("blobs/**/*") if path.is_file() and path.read_bytes() == clip(1))
            blob.chmod(0o600)
            blob.write_bytes(bytes(len(clip(1))))
            self.assertEqual(daemon.client.get(f"/v1/archives/{ids[1]}").status, 404)
            self.assertEqual(daemon.client.get(f"/v1/clips/{items[1]['id']}").status, 404)
            found = daemon.client.get("/v1/clips").json["items"]
            self.assertEqual([item["id"] for item in found], [items[0]["id"], items[2]["id"]])
            daemon.wait_for_log("the upload clip-1.anim is not served")
            self.assertEqual(self.upload(daemon, 1), ids[1])
            self.assertEqual(daemon.client.get(f"/v1/archives/{ids[1]}").status, 200)
            self.assertEqual(len(daemon.client.items("/v1/clips")), 3)
            self.assertEqual(len(daemon.client.get("/v1/archives").json["items"]), 3)

    def test_rows_that_cannot_be_read(self):
        """What the lists do not tell is out of reach, and not remembered as missing."""
        with self.daemon("--catalog-cache", "0") as daemon:
            self.upload(daemon, 0)
            clip_id = daemon.client.items("/v1/clips")[0]["id"]
            self.assertBecomes(lambda: self.held(daemon) == 0)
            with contextlib.closing(sqlite3.connect(self.data / "lists.db")) as lists:
                lists.execute("ALTER TABLE place RENAME TO elsewhere")
                self.assertEqual(daemon.client.get(f"/v1/clips/{clip_id}").status, 503)
                lists.execute("ALTER TABLE elsewhere RENAME TO place")
            self.assertEqual(daemon.client.get(f"/v1/clips/{clip_id}").status, 200)

    def test_lost_but_elsewhere(self):
        """A clip that is in two uploads is there as long as one of them can be read."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as file:
            file.writestr("clip-1.anim", clip(1))
            file.writestr("clip-2.anim", clip(2))
        with self.daemon("--catalog-cache", "0") as daemon:
            self.upload(daemon, 1)
            self.assertEqual(daemon.client.post("/v1/archives?name=both.zip", packed.getvalue()).status, 201)
            items = daemon.client.items("/v1/clips")
            self.assertEqual(len(items), 2)
            self.assertBecomes(lambda: self.held(daemon) == 0)
            self.change("DELETE FROM record WHERE upload = 1")
            blob = next(path for path in self.data.glob("blobs/*") if path.read_bytes() == clip(1))
            blob.unlink()
            for item in items:
                reply = daemon.client.get(f"/v1/clips/{item['id']}/pose", t="0.1")
                self.assertEqual(reply.status, 200, reply)
            self.assertEqual([item["id"] for item in daemon.client.items("/v1/clips")], [item["id"] for item in items])

    def test_lost_and_expired(self):
        """What is lost is removed when its time has come."""
        tokens = self.folder / "tokens"
        tokens.write_text("dot-secret name=dot ttl=0.00005\n") # days
        tokens.chmod(0o600)
        with self.daemon("--catalog-cache", "0", "--token-file", tokens) as daemon:
            headers = {"Authorization": "Bearer dot-secret"}
            reply = daemon.client.post("/v1/archives", clip(1), headers=headers, name="clip-1.anim")
            self.assertEqual(reply.status, 201, reply)
            self.change("DELETE FROM record")
            for blob in self.data.glob("blobs/*"):
                blob.unlink()
            daemon.client.get(f"/v1/archives/{reply.json['id']}")
            self.assertBecomes(lambda: daemon.client.metric("posed_catalog_assets", kind="clip") == 0)
            daemon.wait_for_log("has expired and is removed")
            self.assertEqual(daemon.client.get("/v1/clips").json["items"], [])


class Moderated(RestCase):
    """Who sees what waits sees it among all others, at hand or not."""

    TARGETS = (
        "/v1/archives", "/v1/clips", "/v1/clips?sort=name", "/v1/clips?sort=-name", "/v1/clips?sort=newest",
        "/v1/clips?sort=-duration", "/v1/clips?q=clip-1", "/v1/clips?source=upload", "/v1/archives?state=waiting",
        "/v1/archives?state=published", "/v1/clips?offset=5", "/v1/clips?min_duration=1.005",
    )  # fmt: skip

    def test_lists(self):
        tokens = self.folder / "tokens"
        tokens.write_text("root-secret name=root scopes=upload,admin\ndot-secret name=dot\nsue-secret name=sue\n")
        tokens.chmod(0o600)
        options = ("--moderate", "--token-file", tokens)
        root, dot, sue = ({"Authorization": f"Bearer {name}-secret"} for name in ("root", "dot", "sue"))

        def answers(daemon):
            found = {}
            for who in (root, dot, sue, {}):
                for target in self.TARGETS:
                    items, page = [], target
                    while page:
                        separator = "&" if "?" in page else "?"
                        reply = daemon.client.get(page + ("" if "limit=" in page else separator + "limit=4"), headers=who)
                        self.assertEqual(reply.status, 200, reply)
                        items += [item["id"] for item in reply.json["items"]]
                        page = reply.json["next"]
                    self.assertEqual(len(items), len(set(items)), (target, items))
                    if "offset" not in target:
                        self.assertEqual(len(items), reply.json["total"], target)
                    found[who.get("Authorization"), target] = items
                facets = daemon.client.get("/v1/clips?limit=1&facets=format,loop", headers=who).json["facets"]
                found[who.get("Authorization"), "facets"] = facets
            return found

        with self.daemon(*options) as daemon:
            order = list(range(14))
            random.Random(5).shuffle(order)
            for at, number in enumerate(order):
                who = dot if at % 2 else sue
                reply = daemon.client.post("/v1/archives", clip(number), headers=who, name=f"clip-{number}.anim")
                self.assertEqual(reply.status, 201, reply)
                if at < 9:
                    target = f"/v1/archives/{reply.json['id']}/publish"
                    self.assertEqual(daemon.client.post(target, b"", headers=root).status, 200)
            wanted = answers(daemon)
        self.assertEqual(len(wanted["Bearer root-secret", "/v1/clips"]), 14)
        self.assertEqual(len(wanted[None, "/v1/clips"]), 9)
        self.assertGreater(len(wanted["Bearer dot-secret", "/v1/clips"]), 9)
        for cache in ("0", "64M"):
            with self.daemon(*options, "--catalog-cache", cache) as daemon:
                found = answers(daemon)
                for key, value in wanted.items():
                    self.assertEqual(found[key], value, key)


class Paths(RestCase):
    """Files of PATHs are answered alike beside a store and without one, be it the first time that they are asked for."""

    TARGETS = ("", "/pose?t=0.2", ".glb", ".bvh?fps=30", "/retarget?onto=auto", "/events", "/keys")

    def test_answers(self):
        with Daemon(Daemon.samples) as daemon:
            clips = daemon.client.items("/v1/clips")[::5]
            targets = [f"/v1/clips/{item['id']}{end}" for item in clips for end in self.TARGETS]
            wanted = {target: daemon.client.get(target) for target in targets}
        self.assertGreater(sum(reply.status == 200 for reply in wanted.values()), len(targets) // 3)
        with self.daemon(Daemon.samples, "--catalog-cache", "0") as daemon:
            for target in targets:
                reply = daemon.client.get(target)
                self.assertEqual((reply.status, reply["ETag"]), (wanted[target].status, wanted[target]["ETag"]), target)
