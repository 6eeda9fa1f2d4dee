"""Uploads in an object store: what is acknowledged is there, what comes back is right, whatever the store does."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from daemon import Daemon
from s3_stub import S3Stub
from uploads import IDLE, WALK, WAVE, form, sample, zipped

PATIENCE = 60  # seconds for what happens by itself


class ObjectsCase(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="posed-objects-"))
        self.data = self.folder / "data"
        self.addCleanup(shutil.rmtree, self.folder)
        self.store = S3Stub()
        self.store.start()
        self.addCleanup(self.store.stop)
        self.environment = {**os.environ, **self.store.environment}

    def place(self):
        return ["--data", self.data, "--blobs", f"s3://{self.store.bucket}/site", "--s3-endpoint", self.store.endpoint]

    def daemon(self, *arguments):
        # The time is only for what never comes: a busy machine must not run out of it.
        wanted = ["--store-timeout", "20s"] if "--store-timeout" not in arguments else []
        daemon = Daemon(*self.place(), *wanted, *arguments)
        daemon.environment = self.environment
        return daemon

    def run_posed(self, command, *arguments):
        return subprocess.run(
            [Daemon.binary, command, *map(str, [*self.place(), *arguments])],
            capture_output=True, text=True, env=self.environment, timeout=300,
        )

    def archives(self, daemon):
        return {archive["id"]: archive for archive in daemon.client.items("/v1/archives")}

    def upload(self, daemon, name, status=201):
        reply = daemon.client.post("/v1/archives", sample(name), name=name.rpartition("/")[2])
        self.assertEqual(reply.status, status, reply.text)
        if status == 503:
            self.assertGreaterEqual(int(reply["Retry-After"]), 1)
        return reply.json.get("id")

    def entry(self, daemon, archive):
        return daemon.client.get(f"/v1/archives/{archive}/entries/0")

    def assertAway(self, reply, code="store_down"):
        self.assertEqual((reply.status, reply.json["code"]), (503, code), reply.text)
        self.assertGreaterEqual(int(reply["Retry-After"]), 1)

    def empty_cache(self):
        shutil.rmtree(self.data / "blob-cache")

    def wait_for(self, what, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                self.fail(what)
            time.sleep(0.05)

    def status(self, daemon):
        reply = daemon.client.get("/readyz")
        return reply.status, reply.json["status"]

    def tearDown(self):
        self.assertEqual(self.store.problems, [], "requests that a store would not take")


class Uploads(ObjectsCase):
    def test_they_are_there_again(self):
        headers, body = form([("walk.anim", sample(WALK)), ("idle.anim", sample(IDLE))])
        with self.daemon() as daemon:
            self.upload(daemon, WAVE)
            self.assertEqual(daemon.client.post("/v1/archives", body, headers=headers).status, 201)
            many = zipped([("in.far", sample("sims-online.far"))])
            self.assertEqual(daemon.client.post("/v1/archives?name=n.zip", many).status, 201)
            before = self.archives(daemon)
            bytes_before = {name: self.entry(daemon, name).body for name in before}
        self.assertEqual(len(self.store.keys("site/blobs/")), 3)
        self.assertEqual(self.store.keys("site/notes/"), sorted(f"site/notes/{name}" for name in before))
        self.assertEqual(list((self.data / "blobs").iterdir()), [])
        self.empty_cache()
        with self.daemon() as daemon:
            self.assertEqual(self.archives(daemon), before)
            self.assertEqual({name: self.entry(daemon, name).body for name in before}, bytes_before)
            for archive in before:
                self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{archive}").status, 204)
            self.assertEqual(self.store.keys("site/notes/"), [])
            self.assertEqual(len(self.store.keys("site/blobs/")), 3, "they stay for an hour")
        with self.daemon() as daemon:
            self.assertEqual(self.archives(daemon), {})

    def half_published(self):
        """One that waits, whose note says otherwise as a kill before its row leaves it, and one that was published."""
        moderator = {"Authorization": "Bearer mod"}
        tokens = self.folder / "tokens"
        tokens.write_text("mod scopes=upload,admin\n")
        options = "--moderate", "--token-file", tokens
        with self.daemon(*options) as daemon:
            ids = [daemon.client.post("/v1/archives", sample(name), moderator, name="a.anim").json["id"] for name in (WAVE, WALK)]
            self.assertEqual(daemon.client.post(f"/v1/archives/{ids[1]}/publish", b"", moderator).status, 200)
            daemon.kill()
        key = f"site/notes/{ids[0]}"
        body, when = self.store.objects[key]
        note = json.loads(body)
        self.assertTrue(note.pop("is_waiting"))
        self.store.objects[key] = json.dumps(note).encode(), when

        def states():
            with self.daemon(*options) as daemon:
                found = [daemon.client.get(f"/v1/archives/{archive}", headers=moderator).json for archive in ids]
            self.assertEqual({archive["name"] for archive in found}, {"a.anim"})
            return [archive["state"] for archive in found]

        return states

    def test_an_unfinished_publication_does_not_take_effect(self):
        states = self.half_published()
        self.assertEqual(states(), ["waiting", "published"])
        self.assertEqual(self.run_posed("reindex").returncode, 0)
        self.assertEqual(states(), ["waiting", "published"])

    def test_an_unfinished_publication_and_a_reindex_at_once(self):
        states = self.half_published()
        self.assertEqual(self.run_posed("reindex").returncode, 0)
        self.assertEqual(states(), ["waiting", "published"])

    def test_an_unfinished_publication_and_a_lost_catalogue(self):
        """The start before has seen to it that the note says what the row said."""
        states = self.half_published()
        self.assertEqual(states(), ["waiting", "published"])
        for path in self.data.glob("catalog.db*"):
            path.unlink()
        self.assertEqual(states(), ["waiting", "published"])

    def test_known_bytes_are_not_put_again(self):
        with self.daemon() as daemon:
            self.upload(daemon, WAVE)
            put = self.store.count("PUT")
            self.upload(daemon, WAVE, 200)
            self.assertEqual(self.store.count("PUT"), put)

    def test_the_same_bytes_at_once(self):
        replies = []
        with self.daemon() as daemon:
            def take():
                replies.append(daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE)).status)
                daemon.client.close()
            threads = [threading.Thread(target=take) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(sorted(replies), [200] * 7 + [201])
            self.assertEqual(len(self.archives(daemon)), 1)
        self.assertEqual(len(self.store.keys("site/blobs/")), 1)
        self.assertEqual(len(self.store.keys("site/notes/")), 1)

    def test_refused_ones_reach_no_store(self):
        with self.daemon() as daemon:
            self.assertEqual(daemon.client.post("/v1/archives?name=x.anim", b"\1\0\0\0nothing").status // 100, 4)
        self.assertEqual(self.store.keys(), [])

    def test_a_lost_catalogue_is_made_from_notes(self):
        with self.daemon() as daemon:
            names = {self.upload(daemon, name) for name in (WALK, IDLE, WAVE)}
            before = self.archives(daemon)
            gone = names.pop()
            daemon.client.request("DELETE", f"/v1/archives/{gone}")
            del before[gone]
        shutil.rmtree(self.data)
        with self.daemon() as daemon:
            self.assertEqual(self.archives(daemon), before)

    def test_reindex(self):
        with self.daemon() as daemon:
            for name in (WALK, IDLE, WAVE):
                self.upload(daemon, name)
            before = self.archives(daemon)
        shutil.rmtree(self.data)
        self.data.mkdir()
        done = self.run_posed("reindex")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "3 uploads\n", ""))
        with self.daemon() as daemon:
            self.assertEqual(self.archives(daemon), before)
        damaged = self.store.keys("site/blobs/")[0]
        self.store.objects[damaged] = (b"other bytes", time.time())
        done = self.run_posed("reindex")
        self.assertEqual((done.returncode, done.stdout), (1, "2 uploads, 0 damaged and 0 missing ones left out, 1 that cannot be read\n"))
        self.assertIn(damaged.rpartition("/")[2], done.stderr)


    def test_parts(self):
        """What is above 64 MB goes in parts."""
        large = zipped([("wave.anim", sample(WAVE)), ("pad.bin", bytes(65 << 20))], method=zipfile.ZIP_STORED)
        with self.daemon("--max-upload", "80M", "--max-time", "300s", "--blob-cache", "0") as daemon:
            reply = daemon.client.post("/v1/archives?name=large.zip", large)
            self.assertEqual(reply.status, 201, reply.text)
            archive = reply.json["id"]
        (key,) = self.store.keys("site/blobs/")
        self.assertEqual(self.store.objects[key][0], large)
        self.assertEqual(self.store.count("PUT", "blobs/"), 2)
        with self.daemon("--max-upload", "80M", "--max-time", "300s", "--blob-cache", "0") as daemon:
            self.assertEqual(self.entry(daemon, archive).body, sample(WAVE))

    def test_migrate(self):
        with Daemon("--data", self.data) as daemon:
            for name in (WALK, IDLE, WAVE):
                self.upload(daemon, name)
            before = self.archives(daemon)
        calls = []
        self.store.fault = lambda method, key: calls.append(key) if len(calls) < 3 else "403"
        moves = ["migrate", "--from", self.data, "--to-blobs", "s3://bucket/site", "--s3-endpoint", self.store.endpoint]
        run = lambda: subprocess.run([Daemon.binary, *map(str, moves)], capture_output=True, text=True,
                                     env=self.environment)
        done = run()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"answered 403.*; what is there stays, call it again\n$")
        self.store.fault = lambda method, key: None
        done = run()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = run()
        self.assertEqual((done.returncode, done.stdout), (0, "0 uploads copied, 3 were there\n"))
        for folder in ("blobs", "notes"):
            shutil.rmtree(self.data / folder)
        with self.daemon() as daemon:
            self.assertEqual(self.archives(daemon), before)
            for archive in before.values():
                self.assertEqual(self.entry(daemon, archive["id"]).status, 200)

    def test_migrate_leaves_out_what_is_damaged(self):
        with Daemon("--data", self.data) as daemon:
            for name in (WALK, WAVE):
                self.upload(daemon, name)
        damaged, *_ = sorted((self.data / "blobs").iterdir())
        damaged.write_bytes(b"other bytes")
        done = subprocess.run(
            [Daemon.binary, "migrate", "--from", self.data, "--to-blobs", "s3://bucket/site", "--s3-endpoint",
             self.store.endpoint], capture_output=True, text=True, env=self.environment)
        self.assertEqual((done.returncode, done.stdout),
                         (1, "1 uploads copied, 0 were there, 1 damaged and 0 missing ones left out\n"))
        self.assertIn(f"(blob {damaged.name}): its bytes are damaged", done.stderr)
        self.assertEqual(len(self.store.keys("site/blobs/")), 1)

    def test_sweep(self):
        day = time.time() - 24 * 3600
        with self.daemon() as daemon:
            kept, gone = self.upload(daemon, WAVE), self.upload(daemon, WALK)
            self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{gone}").status, 204)
        done = self.run_posed("sweep")
        self.assertEqual((done.returncode, done.stdout), (0, "0 blobs removed, 0 bytes; 1 are not an hour old\n"))
        for key, (body, _) in list(self.store.objects.items()):
            self.store.objects[key] = (body, day)
        # Another one that only a note names, as after a catalogue that is older than the store.
        body = b"named by a note"
        named, note = hashlib.sha256(body).hexdigest(), "00112233445566778899aabbccddeeff"
        self.store.objects[f"site/blobs/{named}"] = (body, day)
        text = {"version": 1, "id": note, "blob": named, "name": "x"}
        self.store.objects[f"site/notes/{note}"] = (json.dumps(text).encode(), day)
        self.store.objects["site/notes/ffffffffffffffffffffffffffffffff"] = (b"{", day)
        done = self.run_posed("sweep")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "posed: a note cannot be read, and may name anything: nothing is removed\n"))
        self.assertEqual(len(self.store.keys("site/blobs/")), 3)
        del self.store.objects["site/notes/ffffffffffffffffffffffffffffffff"]
        done = self.run_posed("sweep")
        self.assertEqual((done.returncode, done.stdout), (0, f"1 blobs removed, {len(sample(WALK))} bytes\n"))
        wave = hashlib.sha256(sample(WAVE)).hexdigest()
        self.assertEqual(self.store.keys("site/blobs/"), sorted([f"site/blobs/{named}", f"site/blobs/{wave}"]))
        with self.daemon() as daemon:
            self.assertEqual(list(self.archives(daemon)), [kept])
        (self.data / "catalog.db").unlink()
        done = self.run_posed("sweep")
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no catalogue; posed reindex makes one", done.stderr)


class Faults(ObjectsCase):
    def break_on(self, fault, method, part=""):
        self.store.fault = lambda asked, key: fault if asked == method and part in key else None

    def mend(self):
        self.store.fault = lambda method, key: None

    def test_an_upload_that_is_not_kept(self):
        with self.daemon() as daemon:
            for fault in ("500", "drop", "403"):
                for part in ("blobs/", "notes/"):
                    self.break_on(fault, "PUT", part)
                    self.upload(daemon, WAVE, 503)
                    self.assertEqual(self.archives(daemon), {})
                    self.mend()
                    self.wait_for("it is not back", lambda: self.status(daemon) == (200, "ok"))
            self.upload(daemon, WAVE)

    def test_a_deletion_that_is_not_done(self):
        with self.daemon() as daemon:
            archive = self.upload(daemon, WAVE)
            self.break_on("500", "DELETE")
            reply = daemon.client.request("DELETE", f"/v1/archives/{archive}")
            self.assertAway(reply)
            self.assertEqual(self.entry(daemon, archive).body, sample(WAVE))
            self.mend()
            self.wait_for("it is not back", lambda: self.status(daemon) == (200, "ok"))
            self.assertEqual(daemon.client.request("DELETE", f"/v1/archives/{archive}").status, 204)
            self.assertEqual(self.entry(daemon, archive).status, 404)

    def test_wrong_bytes_are_never_given(self):
        with self.daemon("--blob-cache", "0") as daemon:
            archive = self.upload(daemon, WAVE)
            for fault, code in (("wrong", "corrupt_blob"), ("cut", "store_down"), ("500", "store_down")):
                self.break_on(fault, "GET", "blobs/")
                self.assertAway(self.entry(daemon, archive), code)
                self.mend()
                self.wait_for("it is not back", lambda: self.entry(daemon, archive).status == 200)
                self.assertEqual(self.entry(daemon, archive).body, sample(WAVE))

    def test_one_fault_is_not_seen(self):
        left = ["drop", "500", "cut", "wrong"]

        def fault(method, key):
            return left.pop() if method == "GET" and "blobs/" in key and left and len(left) % 2 == parity[0] else None

        parity = [0]
        with self.daemon("--blob-cache", "0") as daemon:
            archive = self.upload(daemon, WAVE)
            self.store.fault = fault
            for _ in range(4):
                self.assertEqual(self.entry(daemon, archive).body, sample(WAVE))
                parity[0] = len(left) % 2
            self.assertEqual(left, [])

    def test_away_and_back(self):
        with self.daemon() as daemon:
            kept, other = self.upload(daemon, WAVE), self.upload(daemon, WALK)
            self.empty_cache()
            self.assertEqual(self.entry(daemon, kept).body, sample(WAVE))
            self.store.stop()
            self.assertAway(self.entry(daemon, other))
            self.upload(daemon, IDLE, 503)
            self.wait_for("it is not said", lambda: self.status(daemon) == (200, "degraded"))
            self.assertEqual(self.entry(daemon, kept).body, sample(WAVE), "what is on the disk is served")
            self.assertAway(self.entry(daemon, other))
            self.assertEqual(daemon.client.metric("posed_objects_away"), 1)
            self.store.start()
            self.wait_for("it is not back", lambda: self.status(daemon) == (200, "ok"))
            self.assertEqual(self.entry(daemon, other).body, sample(WALK))
            self.upload(daemon, IDLE)

    def test_nothing_waits_for_ever(self):
        with self.daemon("--store-timeout", "200ms", "--blob-cache", "0") as daemon:
            archive = None
            while archive is None:  # 200 ms may be too short for a busy machine
                reply = daemon.client.post("/v1/archives?name=wave.anim", sample(WAVE))
                archive = reply.json.get("id")
            self.store.fault = lambda method, key: "hang"
            self.assertAway(self.entry(daemon, archive))
            self.wait_for("it is not said", lambda: self.status(daemon) == (200, "degraded"))
            self.mend()
            self.store.release.set()
            self.wait_for("it is not back", lambda: self.entry(daemon, archive).status == 200)

    def test_what_has_no_end(self):
        """A few bytes of it are read, whoever else would wait for the rest."""
        with self.daemon("--blob-cache", "0") as daemon:
            archive = self.upload(daemon, WAVE)
            for fault, method in (("refusal", "PUT"), ("body", "PUT"), ("headers", "PUT"), ("refusal", "GET"), ("body", "GET"),
                                  ("headers", "GET"), ("body", "DELETE"), ("headers", "HEAD")):
                self.store.sent = 0
                self.break_on(fault, method)
                with self.subTest(fault=fault, method=method):
                    if method == "PUT":
                        self.upload(daemon, WALK, 503)
                    elif method == "GET":
                        self.assertEqual(self.entry(daemon, archive).status, 503)
                    elif method == "DELETE":
                        self.assertAway(daemon.client.request("DELETE", f"/v1/archives/{archive}"))
                    else:
                        self.wait_for("nobody looks", lambda: self.store.sent)
                    self.assertLess(self.store.sent, 32 << 20)
                self.mend()
                self.wait_for("it is not back", lambda: self.status(daemon) == (200, "ok"))
            self.assertEqual(self.entry(daemon, archive).body, sample(WAVE))

    def test_nobody_is_followed_elsewhere(self):
        """What is signed for one store is not shown to another."""
        with S3Stub() as other, self.daemon("--blob-cache", "0") as daemon:
            archive = self.upload(daemon, WAVE)
            self.store.elsewhere = other.endpoint
            for method in ("GET", "PUT"):
                self.break_on("redirect", method)
                self.assertAway(self.entry(daemon, archive)) if method == "GET" else self.upload(daemon, WALK, 503)
                self.mend()
                self.wait_for("it is not back", lambda: self.entry(daemon, archive).status == 200)
            self.assertEqual(other.requests, [])

    def test_rights_that_have_ended(self):
        with self.daemon("--blob-cache", "0") as daemon:
            archive = self.upload(daemon, WAVE)
            self.store.fault = lambda method, key: "403"

            def is_degraded():
                self.assertAway(self.entry(daemon, archive))
                return self.status(daemon) == (200, "degraded")

            self.wait_for("it is not said", is_degraded)
            self.mend()
            self.wait_for("it is not back", lambda: self.status(daemon) == (200, "ok"))
            self.assertEqual(self.entry(daemon, archive).body, sample(WAVE))

    def test_lists_in_a_circle(self):
        with self.daemon() as daemon:
            self.upload(daemon, WAVE)
        self.store.fault = lambda method, key: "circle" if method == "GET" and not key else None
        done = self.run_posed("sweep")
        self.assertEqual(done.returncode, 1)
        self.assertIn("goes round in a circle", done.stderr)

    def test_parts_that_get_no_name(self):
        large = zipped([("wave.anim", sample(WAVE)), ("pad.bin", bytes(65 << 20))], method=zipfile.ZIP_STORED)
        with self.daemon("--max-upload", "80M", "--max-time", "300s", "--blob-cache", "0") as daemon:
            self.break_on("no etag", "PUT", "blobs/")
            reply = daemon.client.post("/v1/archives?name=large.zip", large)
            self.assertAway(reply)
            self.assertEqual((self.store.parts, self.store.keys("site/blobs/")), ({}, []), "what was begun is given up")

    def test_uploads_that_the_store_has_lost(self):
        with self.daemon("--blob-cache", "0") as daemon:
            archive = self.upload(daemon, WAVE)
            (key,) = self.store.keys("site/blobs/")
            del self.store.objects[key]
            self.assertAway(self.entry(daemon, archive), "corrupt_blob")
            self.upload(daemon, WAVE)
            self.assertEqual(self.entry(daemon, archive).body, sample(WAVE))


class Cache(ObjectsCase):
    def test_what_was_read_is_on_the_disk(self):
        with self.daemon() as daemon:
            archive = self.upload(daemon, WAVE)
            self.empty_cache()
            for _ in range(3):
                self.assertEqual(self.entry(daemon, archive).body, sample(WAVE))
            self.assertEqual(self.store.count("GET", "blobs/"), 1)
            self.assertEqual(daemon.client.metric("posed_blob_cache_misses_total"), 1)
            self.assertEqual(daemon.client.metric("posed_blob_cache_bytes"), len(sample(WAVE)))

    def test_damaged_files_are_fetched_again(self):
        with self.daemon() as daemon:
            archive = self.upload(daemon, WAVE)
            (path,) = (self.data / "blob-cache").iterdir()
            for wrong in (b"", b"something else", sample(WAVE)[:-1] + b"\0"):
                path.write_bytes(wrong)
                self.assertEqual(self.entry(daemon, archive).body, sample(WAVE))
                self.assertEqual(path.read_bytes(), sample(WAVE))
            self.assertIn("is damaged; it is fetched again", daemon.errors())

    def test_the_least_recently_used_go(self):
        sizes = {name: len(sample(name)) for name in (WALK, IDLE, WAVE)}
        limit = sum(sizes.values()) - 1
        with self.daemon("--blob-cache", limit) as daemon:
            ids = {name: self.upload(daemon, name) for name in (WALK, IDLE)}
            self.entry(daemon, ids[WALK])
            ids[WAVE] = self.upload(daemon, WAVE)
            self.assertEqual(daemon.client.metric("posed_blob_cache_evictions_total"), 1)
            self.assertEqual(daemon.client.metric("posed_blob_cache_bytes"), sizes[WALK] + sizes[WAVE])
            kept = sorted(path.stat().st_size for path in (self.data / "blob-cache").iterdir())
            self.assertEqual(kept, sorted([sizes[WALK], sizes[WAVE]]))
            for name, archive in ids.items():
                self.assertEqual(self.entry(daemon, archive).body, sample(name))
        with self.daemon("--blob-cache", 1) as daemon:
            self.wait_for("a smaller limit frees nothing", lambda: not list((self.data / "blob-cache").iterdir()))


class Misses(ObjectsCase):
    def test_a_slow_object_holds_up_no_other(self):
        """Whoever asks for it waits; it is fetched once, and what others ask for meanwhile is answered."""
        arguments = ("--catalog-cache", "0", "--cache-size", "0", "--store-timeout", "60s")
        packs = {name: zipped([(name.rpartition("/")[2], sample(name))]) for name in (WALK, WAVE)}
        slow_key = hashlib.sha256(packs[WALK]).hexdigest()
        with self.daemon(*arguments) as daemon:
            slow, other = (daemon.client.post("/v1/archives?name=a.zip", pack).json["id"] for pack in packs.values())
        self.empty_cache()
        with self.daemon(*arguments) as daemon, ThreadPoolExecutor(2) as pool:
            self.store.fault = lambda method, key: "hang" if method == "GET" and slow_key in key else None
            before = self.store.count("GET", slow_key)
            waiting = [pool.submit(self.entry, daemon, slow) for _ in range(2)]
            self.wait_for("it is asked for", lambda: self.store.count("GET", slow_key) > before)
            self.assertEqual(self.entry(daemon, other).status, 200)
            self.assertFalse(any(reply.done() for reply in waiting))
            self.store.fault = lambda method, key: None
            self.store.release.set()
            self.assertEqual([reply.result().status for reply in waiting], [200, 200])


class Options(ObjectsCase):
    def test_check(self):
        done = self.run_posed("serve", "--check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.environment["AWS_SECRET_ACCESS_KEY"] = "another/secret"
        done = self.run_posed("serve", "--check")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^posed: s3://bucket/site/, bucket: HEAD answered 403\n$")
        self.store.problems.clear()
        self.environment.update(self.store.environment)
        self.store.stop()
        done = self.run_posed("serve", "--check")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^posed: s3://bucket/site/, bucket: HEAD: .+\n$")
        self.store.start()
        self.assertFalse(self.data.exists())

    def test_credentials(self):
        for name in self.store.environment:
            del self.environment[name]
        done = self.run_posed("serve", "--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give --s3-credentials FILE", done.stderr)
        path = self.folder / "credentials"
        path.write_text(
            "# ours\n[other]\naws_access_key_id = wrong\n[default]\n"
            f"aws_access_key_id={self.store.key_id}\naws_secret_access_key = {self.store.secret}\r\nregion = x\n"
            "aws_session_token = t0ken+/=\n"
        )
        self.store.token = "t0ken+/="
        with self.daemon("--s3-credentials", path) as daemon:
            archive = self.upload(daemon, WAVE)
            self.assertEqual(self.entry(daemon, archive).body, sample(WAVE))
            log = daemon.errors()
        for secret in (self.store.secret, self.store.token):
            self.assertNotIn(secret, log)
        path.write_text("nonsense\n")
        done = self.run_posed("serve", "--check", "--s3-credentials", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn('lines of it are not "name = value"', done.stderr)

    def test_wrong_ones(self):
        for arguments, said in (
            (["--blobs", "http://bucket"], r"--blobs wants s3://BUCKET\[/PREFIX\]"),
            (["--blobs", "s3://bucket/../x"], "bucket and prefix are of letters"),
            (["--s3-endpoint", "ftp://x"], "--s3-endpoint wants http://HOST"),
            (["--s3-endpoint", "http://host/path"], "--s3-endpoint wants http://HOST"),
            (["--s3-region", "a b"], "is not the name of a region"),
        ):
            done = self.run_posed("serve", "--check", *arguments)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertRegex(done.stderr, said)
        done = subprocess.run(
            [Daemon.binary, "serve", "--blobs", "s3://bucket"], capture_output=True, text=True, env=self.environment
        )
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, re.escape("--blobs needs --data DIR"))

    def test_what_cannot_be_opened_is_not_gone(self):
        """A container needs its bytes when it is asked for, a catalogue that is made anew at the start: never 404."""
        many = zipped([("in.far", sample("sims-online.far"))])
        with self.daemon() as daemon:
            archive = daemon.client.post("/v1/archives?name=n.zip", many).json["id"]
        self.empty_cache()
        self.store.stop()
        with self.daemon("--store-timeout", "2s") as daemon:
            for target in (f"/v1/archives/{archive}", f"/v1/archives/{archive}/entries", "/v1/archives"):
                reply = daemon.client.get(target)
                self.assertEqual(reply.status, 503, reply)
            self.store.start()
            self.wait_for("it is not back", lambda: daemon.client.get(f"/v1/archives/{archive}").status == 200)
        shutil.rmtree(self.data)
        self.store.stop()
        done = self.run_posed("serve", "--listen", "127.0.0.1:0")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.store.start()
        self.store.fault = lambda method, key: "500" if "blobs/" in key else None
        done = self.run_posed("serve", "--listen", "127.0.0.1:0")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.store.fault = lambda method, key: None
        with self.daemon() as daemon:
            self.assertEqual(list(self.archives(daemon)), [archive])

    def test_a_store_that_is_away_at_the_start(self):
        with self.daemon() as daemon:
            archive = self.upload(daemon, WAVE)
        self.empty_cache()
        self.store.stop()
        with self.daemon("--store-timeout", "2s") as daemon:
            self.assertEqual(list(self.archives(daemon)), [archive])
            self.assertAway(self.entry(daemon, archive))
            self.store.start()
            self.wait_for("it is not back", lambda: self.entry(daemon, archive).status == 200)
