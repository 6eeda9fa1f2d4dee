"""Several daemons on one PostgreSQL database and one object store: what one has done, all have done."""

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from daemon import Daemon
from postgres import Postgres, binaries
from receiver import Receiver
from s3_stub import S3Stub
from test_changes import Feed
from test_moderation import bearer
from test_store import clip, small_disk
from uploads import IDLE, WALK, WAVE, form, sample, zipped

PATIENCE = 60  # seconds for what happens by itself
SLOW = ["--store-timeout", "20s"]  # only for what never comes: a busy machine must not run out of it


@unittest.skipUnless(binaries() or os.environ.get("CI"), "there is no PostgreSQL server (./dev install test)")
class ReplicasCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = Postgres()
        cls.database.__enter__()
        cls.addClassCleanup(cls.database.__exit__, None, None, None)

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="posed-replicas-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.store = S3Stub()
        self.store.start()
        self.addCleanup(self.store.stop)
        self.environment = {**os.environ, **self.store.environment}
        self.database.sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")

    def place(self, name):
        return ["--data", self.folder / name, "--blobs", f"s3://{self.store.bucket}/site", "--s3-endpoint",
                self.store.endpoint, "--catalog", self.database.url]

    def replica(self, name, *arguments):
        wanted = [] if "--store-timeout" in arguments else SLOW
        daemon = Daemon(*self.place(name), *wanted, *arguments)
        daemon.environment = self.environment
        self.addCleanup(daemon.kill)
        daemon.start()
        return daemon

    def replicas(self, count, *arguments):
        return [self.replica(f"replica{number}", *arguments) for number in range(count)]

    def upload(self, daemon, name, status=201):
        reply = daemon.client.post("/v1/archives", sample(name), name=name.rpartition("/")[2])
        self.assertEqual(reply.status, status, reply.text)
        return reply.json.get("id")

    def delete(self, daemon, archive, status=204):
        reply = daemon.client.request("DELETE", f"/v1/archives/{archive}")
        self.assertEqual(reply.status, status, reply.text)

    def status(self, daemon, path):
        return daemon.client.get(path).status

    def ids(self, daemon):
        return {archive["id"] for archive in daemon.client.items("/v1/archives")}

    def wait_for(self, what, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                self.fail(what)
            time.sleep(0.02)

    def assertAway(self, reply):
        self.assertEqual((reply.status, reply.json["code"]), (503, "store_down"), reply.text)
        self.assertGreaterEqual(int(reply["Retry-After"]), 1)

    def metric(self, daemon, name):
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", daemon.client.get("/metrics").text, re.M))

    def tearDown(self):
        self.assertEqual(self.store.problems, [], "requests that a store would not take")


class Together(ReplicasCase):
    def test_what_is_uploaded_is_everywhere_at_once(self):
        first, second, third = self.replicas(3)
        headers, body = form([("walk.anim", sample(WALK)), ("idle.anim", sample(IDLE))])
        wanted = {self.upload(first, WAVE)}
        for daemon, reply in ((second, second.client.post("/v1/archives", body, headers=headers)),
                              (third, third.client.post("/v1/archives?name=n.zip", zipped([("in.far", sample("sims-online.far"))])))):
            self.assertEqual(reply.status, 201, reply.text)
            wanted.add(reply.json["id"])
            for other in (first, second, third):
                self.assertEqual(self.status(other, f"/v1/archives/{reply.json['id']}"), 200)
        for daemon in (first, second, third):
            self.wait_for("lists follow", lambda daemon=daemon: self.ids(daemon) == wanted)
            for archive in wanted:
                self.assertEqual(self.status(daemon, f"/v1/archives/{archive}/entries/0"), 200)
        self.assertEqual(self.store.keys("site/notes/"), [])
        for archive in wanted:
            self.delete(second, archive)
            for daemon in (first, second, third):
                self.wait_for("a deletion follows", lambda daemon=daemon, archive=archive: self.status(daemon, f"/v1/archives/{archive}") == 404)
            self.delete(first, archive, 404)
        for daemon in (first, second, third):
            self.assertEqual(self.ids(daemon), set())
            self.assertEqual(daemon.stop(), 0)

    def test_read_your_writes(self):
        """The id of an asset, of an archive, the name of a clip: at once, on the replica that has never heard of them."""
        first, second = self.replicas(2)
        for paths in (lambda archive, clip: f"/v1/clips/{clip['id']}", lambda archive, clip: f"/v1/archives/{archive}",
                      lambda archive, clip: f"/v1/named/{archive}/{clip['name']}",
                      lambda archive, clip: f"/v1/clips/{clip['id']}/pose?t=0"):
            archive = self.upload(first, WAVE)
            clip = next(clip for clip in first.client.items("/v1/clips") if clip["archive"] == archive)
            self.assertEqual(self.status(second, paths(archive, clip)), 200)
            self.delete(second, archive)
            self.assertEqual(self.status(second, paths(archive, clip)), 404)
            reply = first.client.post("/v1/archives", sample(WAVE), name="again.anim")
            self.assertEqual(reply.status, 201, "it was deleted, wherever that is known by now")
            self.delete(first, archive)

    def test_the_same_bytes_at_once(self):
        replicas = self.replicas(3)
        for name in (WAVE, WALK, IDLE):
            replies = []

            def take(daemon, name=name, replies=replies):
                reply = daemon.client.post("/v1/archives", sample(name), name="same.anim")
                replies.append((reply.status, reply.json["id"]))
                daemon.client.close()

            threads = [threading.Thread(target=take, args=(daemon,)) for daemon in replicas for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(sorted({status for status, _ in replies}), [200, 201])
            self.assertEqual([status for status, _ in replies].count(201), 1)
            self.assertEqual(len({archive for _, archive in replies}), 1)
        self.assertEqual(len(self.store.keys("site/blobs/")), 3)
        for daemon in replicas:
            self.wait_for("lists follow", lambda daemon=daemon: len(self.ids(daemon)) == 3)
        self.assertEqual(self.database.sql("SELECT count(*) FROM posed_upload"), ["3"])

    def test_restarts(self):
        first, second = self.replicas(2)
        kept, gone = self.upload(first, WAVE), self.upload(first, WALK)
        first.kill()
        self.delete(second, gone)
        late = self.upload(second, IDLE)
        first = self.replica("replica0")
        fresh = self.replica("elsewhere")
        self.assertEqual(self.ids(first), {kept, late})
        self.assertEqual(self.ids(fresh), {kept, late})
        self.assertEqual(self.metric(fresh, "posed_clip_decodes_total"), 0, "what another has indexed is not indexed again")

    def test_a_catalogue_made_anew(self):
        first, second = self.replicas(2)
        archive = self.upload(first, WAVE)
        self.assertEqual(self.status(second, f"/v1/archives/{archive}"), 200)
        self.database.sql("UPDATE posed_state SET epoch = decode(md5('x'), 'hex'), version = 5, forgotten = 0;"
                          "DELETE FROM posed_upload; DELETE FROM posed_removed")
        for daemon in (first, second):
            self.wait_for("it is compared", lambda daemon=daemon: self.status(daemon, f"/v1/archives/{archive}") == 404)
        self.upload(second, WALK)
        self.wait_for("it goes on", lambda: len(self.ids(first)) == 1)

    def test_what_was_forgotten(self):
        first, second = self.replicas(2)
        archive, kept = self.upload(first, WAVE), self.upload(first, WALK)
        self.wait_for("lists follow", lambda: len(self.ids(second)) == 2)
        second.process.send_signal(signal.SIGSTOP)
        self.delete(first, archive)
        self.database.sql("DELETE FROM posed_removed; UPDATE posed_state SET forgotten = version")
        second.process.send_signal(signal.SIGCONT)
        self.wait_for("it is compared", lambda: self.ids(second) == {kept})

    def test_two_revisions(self):
        """A record of an older program is made anew, once; one of a newer program stays."""
        first = self.replica("first")
        archives = [self.upload(first, name) for name in (WAVE, WALK, IDLE)]
        self.assertEqual(first.stop(), 0)
        revision = int(self.database.sql("SELECT max(revision) FROM posed_upload")[0])
        self.database.sql("UPDATE posed_upload SET revision = revision - 1 WHERE sequence <= (SELECT sequence FROM posed_upload"
                          " ORDER BY sequence OFFSET 1 LIMIT 1); UPDATE posed_upload SET revision = revision + 1"
                          " WHERE sequence = (SELECT max(sequence) FROM posed_upload)")
        for daemon in self.replicas(2):
            self.assertEqual(self.ids(daemon), set(archives))
            for archive in archives:
                self.assertEqual(self.status(daemon, f"/v1/archives/{archive}/entries/0"), 200)
        self.assertEqual(self.database.sql("SELECT revision FROM posed_upload ORDER BY sequence"),
                         [str(revision), str(revision), str(revision + 1)])

    def test_limits_hold_for_all(self):
        size = len(sample(WAVE))
        first, second = self.replicas(2, "--max-store", size)
        self.upload(first, WAVE)
        reply = second.client.post("/v1/archives", sample(IDLE)[:size], name="x.anim")
        self.assertIn(reply.status, (413, 422, 507), reply.text)
        self.upload(second, WALK, 507)

    def test_a_full_disk_is_of_one_machine(self):
        """Nothing of an upload has to be kept there: 503, and whoever tries again finds another machine."""
        with small_disk(self.folder / "second", 4 << 20):
            first, second = self.replica("first"), self.replica("second")
            archive = self.upload(first, WAVE)
            with contextlib.suppress(OSError), open(self.folder / "second" / "ballast", "wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
            reply = second.client.post("/v1/archives", sample(WALK), name="walk.anim")
            self.assertEqual((reply.status, reply.json["code"]), (503, "store_full"), reply.text)
            self.assertEqual(reply.headers["Retry-After"], "1")
            self.assertEqual(self.status(second, f"/v1/archives/{archive}/entries/0"), 200)
            walk = self.upload(first, WALK)
            self.assertEqual(self.status(second, f"/v1/archives/{walk}/entries/0"), 200)
            self.delete(second, archive)
            self.assertEqual(self.ids(second), {walk})
            (self.folder / "second" / "ballast").unlink()
            self.upload(second, IDLE)
            second.stop()


class Rows(ReplicasCase):
    """Lists are rows of each replica, which name the version of the database that they show."""

    def rows(self, name, query):
        with contextlib.closing(sqlite3.connect(self.folder / name / "lists.db")) as database:
            return database.execute(query).fetchall()

    def newest(self):
        return int(self.database.sql("SELECT max(version) FROM (SELECT version FROM posed_upload UNION ALL"
                                     " SELECT version FROM posed_removed) changed")[0])

    def take(self, daemon, number, name=None):
        reply = daemon.client.post("/v1/archives", clip(number), name=name or f"clip-{number}.anim")
        self.assertIn(reply.status, (200, 201), reply.text)
        return reply.json["id"]

    def test_a_start_goes_on_from_its_rows(self):
        first, second = self.replicas(2)
        gone, kept = self.take(first, 1), self.take(first, 2)
        self.wait_for("lists follow", lambda: self.ids(second) == {gone, kept})
        numbers = "SELECT number FROM archive WHERE id = x'%s'"
        number = self.rows("replica1", numbers % kept)
        second.kill()
        self.delete(first, gone)
        late = self.take(first, 3)
        second = self.replica("replica1")
        self.assertEqual(self.ids(second), {kept, late})
        self.assertEqual(self.rows("replica1", numbers % kept), number, "its row is the one that it was")
        self.assertEqual(self.rows("replica1", "SELECT version FROM state"), [(self.newest(),)])
        last = self.take(second, 4)
        self.assertEqual(self.rows("replica1", "SELECT version FROM state"), [(self.newest(),)])
        self.wait_for("so do those of the other", lambda: self.rows("replica0", "SELECT version FROM state") == [(self.newest(),)])
        self.assertEqual(self.ids(first), {kept, late, last})
        self.assertEqual(first.client.get("/v1/clips")["ETag"], second.client.get("/v1/clips")["ETag"])

    def test_nothing_stays_at_hand(self):
        """What does not fit into memory is fetched through the rows and the database, by whoever is asked."""
        first, second = self.replicas(2, "--catalog-cache", "0")
        ids = [self.take((first, second)[number % 2], number) for number in range(40)]
        for daemon in (first, second):
            self.wait_for("lists follow", lambda daemon=daemon: self.ids(daemon) == set(ids))
            self.assertEqual(len({item["id"] for item in daemon.client.items("/v1/clips", limit="7")}), 40)
            for number, archive in enumerate(ids):
                self.assertEqual(daemon.client.get(f"/v1/archives/{archive}").json["name"], f"clip-{number}.anim")
                name = f"/v1/named/clip-{number}.anim/clip-{number}"
                self.assertAlmostEqual(daemon.client.get(name).json["duration"], 1 + number / 1024, places=5)
        for archive in ids[::2]:
            self.delete(first, archive)
        for number, archive in enumerate(ids):
            self.assertEqual(self.status(second, f"/v1/archives/{archive}"), 200 if number % 2 else 404)
        self.assertEqual(self.ids(second), set(ids[1::2]))
        # The same bytes under another name, by which they were looked for before.
        self.assertEqual(self.status(second, "/v1/named/again.anim/again"), 404)
        self.take(first, 0, "again.anim")
        self.assertEqual(self.status(second, "/v1/named/again.anim/again"), 200)

    def test_a_page_asks_for_its_uploads_together(self):
        """The database may be far away: a question for each of them would take as long as all of them together."""
        first = self.replica("one", "--catalog-cache", "0")
        ids = [self.take(first, number) for number in range(20)]
        self.database.sql("ALTER SYSTEM SET log_statement = 'all'")
        self.addCleanup(lambda: (self.database.sql("ALTER SYSTEM RESET log_statement"), self.database.sql("SELECT pg_reload_conf()")))
        self.database.sql("SELECT pg_reload_conf()")
        log = self.database.folder / "log"
        self.wait_for("statements are logged", lambda: self.database.sql("SHOW log_statement") == ["all"])
        for path, most in (("/v1/archives?limit=20", 3), ("/v1/clips?limit=20", 3), (f"/v1/archives/{ids[0]}", 1)):
            before = log.stat().st_size
            self.assertEqual(first.client.get(path).status, 200)
            asked = re.findall(r"execute \w+: SELECT id, .*", log.read_bytes()[before:].decode())
            self.assertLessEqual(len(asked), most, path)
            self.assertTrue(asked or "limit" not in path, "nothing was asked, so nothing is shown")
        self.delete(first, ids[3])
        self.assertEqual(self.ids(first), {*ids[:3], *ids[4:]})

    def test_another_name_meanwhile(self):
        first, second = self.replicas(2)
        archive = self.take(first, 1)
        self.assertEqual(second.client.get(f"/v1/archives/{archive}").json["name"], "clip-1.anim")
        second.process.send_signal(signal.SIGSTOP)
        self.delete(first, archive)
        self.assertEqual(self.take(first, 1, "other.anim"), archive)
        second.process.send_signal(signal.SIGCONT)
        self.wait_for("it follows", lambda: second.client.get(f"/v1/archives/{archive}").json["name"] == "other.anim")
        self.assertEqual([item["name"] for item in second.client.items("/v1/archives")], ["other.anim"])

    def test_bytes_that_were_lost_come_back(self):
        first = self.replica("replica0")
        archive = self.upload(first, WAVE)
        saved = dict(self.store.objects)
        self.store.objects.clear()
        second = self.replica("replica1")
        self.assertEqual(self.ids(second), {archive})
        self.assertEqual(self.status(second, f"/v1/archives/{archive}"), 200, "its record says that")
        self.assertGreaterEqual(self.status(second, f"/v1/archives/{archive}/entries/0"), 400)
        self.upload(second, WAVE, 200)
        self.assertEqual(set(self.store.objects), set(saved))
        self.wait_for("they are there", lambda: self.status(second, f"/v1/archives/{archive}/entries/0") == 200)


    def test_what_was_left_out_comes_back(self):
        first = self.replica("replica0")
        archive = self.upload(first, WAVE)
        self.database.sql("UPDATE posed_upload SET data = NULL, revision = 0")
        self.store.objects.clear()
        second = self.replica("replica1")
        self.assertEqual(self.ids(second), set(), "neither its record nor its bytes can be had")
        self.upload(second, WAVE, 200)
        self.assertEqual(self.ids(second), {archive})
        self.assertEqual(self.status(second, f"/v1/archives/{archive}/entries/0"), 200)


class Away(ReplicasCase):
    TIMES = ["--store-timeout", "1s"]

    def ready(self, daemon):
        reply = daemon.client.get("/readyz")
        return reply.status, reply.json["status"]

    def check_away(self, daemon, archive):
        self.wait_for("it is away", lambda: self.ready(daemon) == (200, "degraded"))
        self.assertEqual(self.status(daemon, f"/v1/archives/{archive}"), 200)
        self.assertAway(daemon.client.get(f"/v1/archives/{'0' * 32}"))
        self.assertAway(daemon.client.post("/v1/archives", sample(WALK), name="walk.anim"))
        self.assertAway(daemon.client.request("DELETE", f"/v1/archives/{archive}"))
        self.assertEqual(self.metric(daemon, "posed_database_away"), 1)

    def check_back(self, daemon):
        self.wait_for("it is back", lambda: self.ready(daemon) == (200, "ok"))
        self.assertEqual(self.status(daemon, f"/v1/archives/{'0' * 32}"), 404)

    def test_stopped(self):
        first, second = self.replicas(2, *self.TIMES)
        archive = self.upload(first, WAVE)
        self.assertEqual(self.status(second, f"/v1/archives/{archive}"), 200)
        self.database.suspend()
        try:
            for daemon in (first, second):
                self.check_away(daemon, archive)
        finally:
            self.database.resume()
        for daemon in (first, second):
            self.check_back(daemon)
        other = self.upload(first, IDLE)
        self.assertEqual(self.status(second, f"/v1/archives/{other}"), 200)

    def test_killed(self):
        first, second = self.replicas(2, *self.TIMES)
        archive = self.upload(first, WAVE)
        self.assertEqual(self.status(second, f"/v1/archives/{archive}"), 200)
        self.database.kill()
        try:
            for daemon in (first, second):
                self.check_away(daemon, archive)
        finally:
            self.database.start()
        for daemon in (first, second):
            self.check_back(daemon)
            self.assertEqual(self.ids(daemon), {archive})
        self.delete(second, archive)
        self.wait_for("a deletion follows", lambda: self.status(first, f"/v1/archives/{archive}") == 404)

    def test_restarted(self):
        daemon = self.replica("one")
        self.upload(daemon, WAVE)
        self.database.restart()
        self.wait_for("it is there again", lambda: daemon.client.get("/readyz").json["status"] == "ok")
        self.upload(daemon, WALK)

    def use_role(self, rights):
        """The URL of a role that is not the superuser, to which no limit would apply."""
        self.database.sql(f"DROP ROLE IF EXISTS small; CREATE ROLE small LOGIN {rights}; GRANT ALL ON SCHEMA public TO small")
        self.addCleanup(self.database.sql, "REASSIGN OWNED BY small TO posed; DROP OWNED BY small; DROP ROLE small")
        self.url = f"postgres://small@/posed?host={self.database.folder}"

    def place(self, name):
        place = super().place(name)
        return place if "url" not in self.__dict__ else [*place[:-1], self.url]

    def test_few_connections(self):
        """The database grants one that listens and one for all else: they take turns."""
        self.use_role("CONNECTION LIMIT 2")
        daemon = self.replica("one")
        replies = []
        clients = 12

        def upload(number):
            replies.append(daemon.client.post("/v1/archives", clip(number), name=f"{number}.anim").status)

        threads = [threading.Thread(target=upload, args=(number,)) for number in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(replies, [201] * clients)
        self.assertEqual(self.ready(daemon), (200, "ok"))
        self.assertNotIn("is away", daemon.errors())

    def test_a_schema_that_somebody_has_changed(self):
        """Whatever is missing: 503, and no promise."""
        for harm, mend in (
            ("ALTER FUNCTION posed_add_1 RENAME TO gone", "ALTER FUNCTION gone RENAME TO posed_add_1"),
            ("ALTER TABLE posed_upload RENAME TO gone", "ALTER TABLE gone RENAME TO posed_upload"),
            ("ALTER TABLE posed_upload RENAME name TO gone", "ALTER TABLE posed_upload RENAME gone TO name"),
            ("ALTER TABLE posed_state RENAME TO gone", "ALTER TABLE gone RENAME TO posed_state"),
        ):
            with self.subTest(harm=harm):
                self.database.sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
                daemon = self.replica(f"replica{len(harm)}{len(mend)}")
                archive = self.upload(daemon, WAVE)
                self.database.sql(harm)
                self.assertAway(daemon.client.post("/v1/archives", sample(WALK), name="walk.anim"))
                self.assertEqual(self.status(daemon, f"/v1/archives/{archive}"), 200)
                unknown = daemon.client.get(f"/v1/archives/{'0' * 32}")
                if unknown.status != 404:
                    self.assertAway(unknown)
                self.database.sql(mend)
                self.wait_for("it is not back", lambda: self.ready(daemon) == (200, "ok"))
                self.upload(daemon, WALK)
                self.delete(daemon, archive)
                daemon.kill()

    def test_a_database_that_takes_no_writes(self):
        daemon = self.replica("one")
        archive = self.upload(daemon, WAVE)
        reset = lambda: self.database.sql("ALTER DATABASE posed RESET default_transaction_read_only", database="template1")
        self.addCleanup(reset)
        self.database.sql("ALTER DATABASE posed SET default_transaction_read_only = on")
        self.database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'posed'")
        self.wait_for("it is not away", lambda: self.ready(daemon) == (200, "degraded"))
        self.assertAway(daemon.client.post("/v1/archives", sample(WALK), name="walk.anim"))
        self.assertEqual(self.status(daemon, f"/v1/archives/{archive}"), 200)
        done = subprocess.run([Daemon.binary, "serve", "--listen", "127.0.0.1:0", "--check", *map(str, self.place("two"))],
                              capture_output=True, text=True, env=self.environment, timeout=300, check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("read-only", done.stderr)
        reset()
        self.wait_for("it is not back", lambda: self.ready(daemon) == (200, "ok"))
        self.upload(daemon, WALK)

    def test_not_there_at_a_start(self):
        arguments = [Daemon.binary, "serve", "--listen", "127.0.0.1:0", "--check", *map(str, self.place("one"))]

        def check(**options):
            return subprocess.run(arguments, capture_output=True, text=True, env={**self.environment, **options}, timeout=60, check=False)

        self.assertEqual((done := check()).returncode, 0, done.stderr)
        self.assertEqual(self.database.sql("SELECT to_regclass('posed_schema') IS NULL"), ["t"], "looking changes nothing")
        del arguments[-2:]
        for url in (f"postgres://posed:hush@/nowhere?host={self.database.folder}", "postgres://posed:hush@127.0.0.1:1/posed",
                    "postgres://posed@127.0.0.1:1/posed?password=hush&hush=hush", "postgres://posed:hush/x@127.0.0.1/posed", "postgres://posed:x@hush@127.0.0.1/posed"):
            with self.subTest(url=url):
                done = check(POSED_CATALOG=url)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertNotIn("hush", done.stderr)

    def test_secrets_stay_secret(self):
        """Not where another user of the machine would see them, and in no line of the log."""
        url = f"postgres://posed:hush@/posed?host={self.database.folder}"
        for command in (["serve", "--check", *self.place("one")[:-1], url], ["sweep", *self.place("one")[:-1], url],
                        ["migrate", "--from", self.folder, "--to-blobs", "s3://bucket/site", "--to-catalog=" + url],
                        ["serve", "--check", *self.place("one")[:-1], f"postgres://posed@/posed?host={self.database.folder}&password=hush"]):
            done = subprocess.run([Daemon.binary, *map(str, command)], capture_output=True, text=True, env=self.environment, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("PGPASSFILE", done.stderr)
            self.assertNotIn("hush", done.stderr)
        daemon = Daemon(*self.place("one")[:-2], *self.TIMES, "--log", "json")
        daemon.environment = {**self.environment, "POSED_CATALOG": url, "PGPASSWORD": "hush"}
        self.addCleanup(daemon.kill)
        daemon.start()
        seen = Path(f"/proc/{daemon.process.pid}/cmdline").read_bytes().decode()
        archive = self.upload(daemon, WAVE)
        self.store.fault = lambda method, key: "403"
        self.assertAway(daemon.client.post("/v1/archives", sample(WALK), name="walk.anim"))
        self.store.fault = lambda method, key: "drop"
        self.assertAway(daemon.client.post("/v1/archives", sample(WALK), name="walk.anim"))
        self.database.suspend()
        try:
            self.check_away(daemon, archive)
        finally:
            self.database.resume()
        self.database.kill()
        try:
            self.check_away(daemon, archive)
        finally:
            self.database.start()
        seen += daemon.errors() + daemon.client.get("/metrics").text + daemon.client.get("/readyz").text
        for secret in ("hush", self.store.secret, self.store.key_id):
            self.assertNotIn(secret, seen)


TOKENS = """
ann-secret name=ann scopes=upload,delete:own
bob-secret name=bob scopes=upload,delete:own quota=1
mod-secret name=mod scopes=admin
brief-secret name=brief scopes=upload,delete ttl=0.00003
"""


class Site(ReplicasCase):
    def site(self, count, *arguments):
        (self.folder / "tokens").write_text(TOKENS)
        return self.replicas(count, "--token-file", self.folder / "tokens", *arguments)

    def take(self, daemon, name, who, status=201):
        reply = daemon.client.post("/v1/archives", sample(name), name="x.anim", headers=bearer(who + "-secret"))
        self.assertEqual(reply.status, status, reply.text)
        return reply.json.get("id")

    def seen(self, daemon, archive, who=None):
        return daemon.client.get(f"/v1/archives/{archive}", headers=bearer(who + "-secret") if who else None).status

    def test_moderation_changes_and_webhooks(self):
        """What waits, waits everywhere; each reads the same changes under the same numbers; the webhook is sent once."""
        with Receiver(b"") as receiver:
            first, second = self.site(2, "--moderate", "--webhook", receiver.url)
            feeds = [Feed(daemon.client, bearer("mod-secret")) for daemon in (first, second)]
            archive = self.take(first, WAVE, "ann")
            self.assertEqual(self.seen(second, archive), 404)
            self.assertEqual(self.seen(second, archive, "bob"), 404)
            self.assertEqual(self.seen(second, archive, "ann"), 200)
            reply = second.client.post(f"/v1/archives/{archive}/publish", b"", headers=bearer("mod-secret"))
            self.assertEqual(reply.status, 200, reply.text)
            self.assertEqual(self.seen(second, archive), 200)
            self.wait_for("it is published everywhere", lambda: self.seen(first, archive) == 200)
            self.assertEqual(first.client.post(f"/v1/archives/{archive}/publish", b"", headers=bearer("mod-secret")).status, 200)
            reply = first.client.request("DELETE", f"/v1/archives/{archive}", headers=bearer("mod-secret"))
            self.assertEqual(reply.status, 204, reply.text)
            told = [[], []]
            for feed, events in zip(feeds, told, strict=True):
                while not events or events[-1][0] != "archive-removed":
                    event, data = feed.next()
                    events.append((event, feed.last, data["name"]))  # of what changed twice only the last may be told
                feed.close()
            self.assertEqual(told[0][-1], told[1][-1])
            self.wait_for("all are sent", lambda: len(receiver.taken) >= 3)
            kinds = sorted(event["event"] for _, event, _ in receiver.taken)
            self.assertEqual(kinds, ["delete", "publish", "upload"])

    def test_expiry_and_quotas(self):
        with Receiver(b"") as receiver:
            replicas = self.site(3, "--webhook", receiver.url)
            self.take(replicas[1], WALK, "bob", 507)
            archive = self.take(replicas[0], WAVE, "brief")
            for daemon in replicas:
                self.wait_for("it expires", lambda daemon=daemon: self.seen(daemon, archive) == 404)
            self.wait_for("that is told", lambda: len(receiver.taken) >= 2)
            self.assertEqual(sorted(event["event"] for _, event, _ in receiver.taken), ["delete", "upload"])
            logs = "".join(daemon.errors() for daemon in replicas)
            self.assertEqual(logs.count("has expired and is removed"), 1, logs)


class Stores(ReplicasCase):
    def run_posed(self, *arguments):
        return subprocess.run(
            [Daemon.binary, *map(str, arguments)], capture_output=True, text=True, env=self.environment, timeout=300, check=False,
        )

    def fill(self):
        """A folder with uploads, and their ids."""
        with Daemon("--data", self.folder / "old") as daemon:
            found = {self.upload(daemon, name) for name in (WAVE, WALK, IDLE)}
            headers, body = form([("walk.anim", sample(WALK)), ("idle.anim", sample(IDLE))])
            found.add(daemon.client.post("/v1/archives", body, headers=headers).json["id"])
        return found

    def move(self):
        return self.run_posed("migrate", "--from", self.folder / "old", "--to-blobs", f"s3://{self.store.bucket}/site",
                              "--s3-endpoint", self.store.endpoint, "--to-catalog", self.database.url, *SLOW)

    def test_migrate(self):
        wanted = self.fill()
        puts = []

        def fault(method, key):
            if method == "PUT":
                puts.append(key)
            return "500" if method == "PUT" and len(puts) > 2 else None

        self.store.fault = fault
        done = self.move()
        self.assertEqual(done.returncode, 1, done.stdout)
        self.store.fault = lambda method, key: None
        rows = int(self.database.sql("SELECT count(*) FROM posed_upload")[0])
        done = self.move()
        self.assertEqual((done.returncode, done.stdout), (0, f"{4 - rows} uploads copied, {rows} were there\n"), done.stderr)
        done = self.move()
        self.assertEqual((done.returncode, done.stdout), (0, "0 uploads copied, 4 were there\n"), done.stderr)
        for daemon in self.replicas(2):
            self.assertEqual(self.ids(daemon), wanted)
            for archive in wanted:
                self.assertEqual(self.status(daemon, f"/v1/archives/{archive}/entries/0"), 200)
        self.assertEqual(self.store.keys("site/notes/"), [])

    def test_reindex(self):
        """Beside a daemon: bytes are looked at, records made anew, totals counted anew."""
        daemon, = self.replicas(1)
        archives = [self.upload(daemon, name) for name in (WAVE, WALK, IDLE)]
        daemon.kill()
        reindex = ["reindex", *self.place("looking"), *SLOW]
        revision, total = self.database.sql("SELECT max(revision), (SELECT bytes FROM posed_state) FROM posed_upload")[0].split("\t")
        self.database.sql("UPDATE posed_upload SET uploader = 'ann', data = '\\x00' WHERE name = 'walk.anim';"
                          "UPDATE posed_state SET bytes = 17; INSERT INTO posed_held VALUES ('gone', 99), ('ann', 5)")
        done = self.run_posed(*reindex)
        self.assertEqual((done.returncode, done.stdout), (0, "3 uploads\n"), done.stderr)
        self.assertEqual(self.database.sql("SELECT bytes FROM posed_state"), [total])
        self.assertEqual(self.database.sql("SELECT uploader, bytes FROM posed_held ORDER BY 1"),
                         [f"ann\t{len(sample(WALK))}", "gone\t0"])
        daemon = self.replica("another")
        for archive in archives:
            self.assertEqual(self.status(daemon, f"/v1/archives/{archive}/entries/0"), 200)
        self.assertEqual(self.database.sql("SELECT DISTINCT revision FROM posed_upload WHERE length(data) > 1"), [revision])
        gone, damaged = (f"site/blobs/{hashlib.sha256(sample(name)).hexdigest()}" for name in (WAVE, WALK))
        del self.store.objects[gone]
        self.store.objects[damaged] = (b"other bytes", time.time())
        done = self.run_posed(*reindex)
        self.assertEqual((done.returncode, done.stdout), (1, "1 uploads, 1 damaged and 1 missing ones\n"), done.stderr)
        self.assertIn(f"wave.anim (blob {gone[11:]}): its bytes are missing", done.stderr)
        self.assertIn(f"walk.anim (blob {damaged[11:]}): its bytes are damaged", done.stderr)
        self.store.fault = lambda method, key: "500"
        done = self.run_posed(*reindex)
        self.assertEqual(done.returncode, 1)
        self.assertIn("call it again", done.stderr)
        self.assertEqual(self.ids(daemon), set(archives), "nothing is removed")

    def age(self):
        for key, (body, _) in list(self.store.objects.items()):
            self.store.objects[key] = (body, time.time() - 24 * 3600)

    def test_sweep(self):
        """Beside running daemons; what the background does, and what only a look at the whole store finds."""
        daemon, = self.replicas(1)
        kept, gone = self.upload(daemon, WAVE), self.upload(daemon, WALK)
        self.delete(daemon, gone)
        self.store.objects["site/blobs/" + "0" * 64] = (b"from an upload that was not finished", time.time())
        sweep = ["sweep", *self.place("sweeping"), *SLOW]
        done = self.run_posed(*sweep)
        self.assertEqual((done.returncode, done.stdout), (0, "0 blobs removed, 0 bytes; 2 are not an hour old\n"), done.stderr)
        self.age()
        self.database.sql("UPDATE posed_removed SET version = version - 7200 * 1000000000::bigint")
        self.wait_for("the background removes it", lambda: len(self.store.keys("site/blobs/")) == 2)
        self.wait_for("it is noted", lambda: self.database.sql("SELECT count(*) FROM posed_removed WHERE NOT is_swept") == ["0"])
        done = self.run_posed(*sweep)
        self.assertEqual((done.returncode, done.stdout), (0, "1 blobs removed, 36 bytes\n"), done.stderr)
        self.assertEqual(self.status(daemon, f"/v1/archives/{kept}/entries/0"), 200)
        self.upload(daemon, WALK)
        self.assertEqual(len(self.store.keys("site/blobs/")), 2)
        self.assertEqual(self.database.sql("SELECT count(*) FROM posed_sweeping"), ["0"])
