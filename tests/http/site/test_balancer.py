"""Three replicas behind nginx as docker/cluster has it: who decodes, what is kept, what is asked twice and what never is."""

import os
import shutil
import struct
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from daemon import Daemon
from nginx import balancer
from test_changes import Feed
from uploads import WALK, WAVE, sample

REPLICAS = 3
CLIPS = 90


def make_clips(folder, count):
    """The walk, so many times, each with a duration of its own."""
    walk = sample(WALK)
    (duration,) = struct.unpack_from("<f", walk, 8)
    for number in range(count):
        data = walk[:8] + struct.pack("<f", duration + (number + 1) / 1024) + walk[12:]
        (folder / f"clip{number:03}.anim").write_bytes(data)


@unittest.skipIf(os.environ.get("POSED_SANITIZE"), "what it shows is no matter of memory")
class ReplicasCase(unittest.TestCase):
    """self.start() is the client of the balancer; self.replicas are behind it."""

    clips = CLIPS

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="posed-replicas-"))
        self.addCleanup(shutil.rmtree, self.folder)
        make_clips(self.folder, self.clips)

    def daemon(self, *arguments):
        daemon = Daemon(*arguments, self.folder)
        daemon.start()
        self.addCleanup(daemon.stop)
        return daemon

    def start(self, *arguments):
        self.replicas = [self.daemon(*arguments) for _ in range(REPLICAS)]
        nginx = balancer([(daemon.client.host, daemon.client.port) for daemon in self.replicas])
        self.addCleanup(nginx.stop)
        return nginx.client

    @staticmethod
    def decoded(daemons):
        """Clips decoded so far for answers, by replica."""
        return [int(daemon.client.metric("posed_decodes_total", format="sl-anim")) for daemon in daemons]

    def answered(self, route):
        return sum(int(daemon.client.metric("posed_http_requests_total", route=route)) for daemon in self.replicas)


class Balanced(ReplicasCase):
    def test_a_clip_is_decoded_on_one_replica(self):
        client = self.start()
        ids = [item["id"] for item in client.items("/v1/clips", limit=200)]
        self.assertEqual(len(ids), CLIPS)
        before = self.decoded(self.replicas)
        for clip in ids:
            for rest in ("/pose?t=0.5", "/poses?fps=1", ".json", "/plot.svg?joint=mPelvis", "/preview.svg"):
                reply = client.get(f"/v1/clips/{clip}{rest}")
                self.assertEqual(reply.status, 200, reply)
        counts = [after - first for after, first in zip(self.decoded(self.replicas), before)]
        self.assertEqual(sum(counts), CLIPS, counts)
        self.assertTrue(all(counts), counts)  # the chance of none for one of them is (2/3)^90

    def test_three_hold_three_times_as_much(self):
        size = ("--cache-size", "1M")
        one = self.daemon(*size)
        ids = [item["id"] for item in one.client.items("/v1/clips", limit=200)]
        alone = self.kept(one.client, [one], ids)
        self.assertGreater(alone, 0)
        self.assertLess(alone, CLIPS / 6, "each of three has to get more than it can keep")
        client = self.start(*size)
        together = self.kept(client, self.replicas, ids)
        self.assertAlmostEqual(together, REPLICAS * alone, delta=REPLICAS, msg=f"{alone} alone")

    def kept(self, client, daemons, ids):
        """How many clips are still decoded when all have been asked for. The latest first, or asking would drop them."""
        for clip in ids:
            client.get(f"/v1/clips/{clip}/pose?t=0")
        before = self.decoded(daemons)
        for clip in reversed(ids):
            client.get(f"/v1/clips/{clip}/pose?t=0")
        return len(ids) - (sum(self.decoded(daemons)) - sum(before))

    def test_a_dead_replica_is_not_noticed(self):
        client = self.start()
        ids = [item["id"] for item in client.items("/v1/clips", limit=200)]
        before = {clip: client.get(f"/v1/clips/{clip}/pose?t=0.5").body for clip in ids}
        self.replicas[1].process.kill()
        self.replicas[1].process.wait()
        self.addCleanup(setattr, self.replicas[1], "process", None)
        for clip in ids:
            reply = client.get(f"/v1/clips/{clip}/pose?t=0.5")
            self.assertEqual((reply.status, reply.body), (200, before[clip]), reply)
        self.assertEqual(len(client.items("/v1/clips", limit=50)), CLIPS)
        # What is posted has not been sent to the dead one, so another takes it.
        for _ in range(20):
            self.assertEqual(client.post("/v1/inspect?name=a.anim", sample(WAVE)).status, 200)

    def test_what_never_changes_is_asked_once(self):
        client = self.start()
        item = client.items("/v1/clips", limit=200)[0]
        pose = client.get(item["links"]["pose"], t=0.5)
        self.assertEqual((pose["X-Cache"], pose["Cache-Control"]), ("MISS", "no-cache"))
        self.assertEqual(client.get(item["links"]["pose"], {"If-None-Match": pose["ETag"]}, t=0.5).status, 304)
        revision = item["links"]["pose"].partition("v=")[2]
        series = client.get(f"/v1/clips/{item['id']}/poses", fps=10, v=revision)["Content-Location"]
        before = self.answered("/v1/clips/{id}/poses")
        at_once = 12
        with ThreadPoolExecutor(at_once) as pool:
            replies = list(pool.map(lambda _: client.get(series), range(at_once)))
        self.assertEqual({(reply.status, reply.body) for reply in replies}, {(200, replies[0].body)})
        self.assertEqual(self.answered("/v1/clips/{id}/poses") - before, 1)
        again = client.get(series)
        self.assertEqual((again["X-Cache"], again.body), ("HIT", replies[0].body))
        self.assertIn("immutable", again["Cache-Control"])
        self.assertEqual(self.answered("/v1/clips/{id}/poses") - before, 1)
        # Who has a copy is answered by the replica.
        self.assertEqual(client.get(series, {"If-None-Match": again["ETag"]}).status, 304)
        # Without v= the replica is asked, and answers itself that nothing has changed.
        plain = client.get(f"/v1/clips/{item['id']}/pose?t=0.5")
        self.assertIsNone(plain["X-Cache"])
        self.assertEqual(client.get(f"/v1/clips/{item['id']}/pose?t=0.5", {"If-None-Match": plain["ETag"]}).status, 304)

    def test_what_came_with_a_token_is_not_kept(self):
        client = self.start()
        pose = client.items("/v1/clips", limit=200)[0]["links"]["pose"]
        pose = client.get(pose, t=0.5)["Content-Location"]
        for _ in range(2):
            reply = client.get(pose, {"Authorization": "Bearer somebody"})
            self.assertEqual((reply.status, reply["X-Cache"]), (200, None))
        self.assertEqual([client.get(pose)["X-Cache"] for _ in range(2)], ["MISS", "HIT"])

    def test_metrics_stay_inside(self):
        client = self.start()
        self.assertEqual(client.request("GET", "/metrics", check=False).status, 404)
        for other in ("//metrics", "/%6detrics", "/./metrics", "/v1/../metrics", "/metrics/", "/metrics?a=b"):
            self.assertNotIn(b"posed_build_info", client.request("GET", other, check=False).body, other)
        self.assertEqual(client.get("/readyz").status, 200)


class Told(ReplicasCase):
    clips = 1

    def test_events_are_not_held_back(self):
        (self.folder / "tokens").write_text("a-token-of-somebody\n")
        client = self.start("--token-file", self.folder / "tokens")
        feed = Feed(client)
        self.addCleanup(feed.close)
        self.assertEqual(feed.status, 200)
        token = {"Authorization": "Bearer a-token-of-somebody"}
        for daemon in self.replicas:  # one of them is behind the feed; the connection stays open
            self.assertEqual(daemon.client.post("/v1/archives?name=w.anim", sample(WAVE), token).status, 201)
        self.assertEqual(feed.next()[0], "archive-added")

    def test_uploads_come_through(self):
        (self.folder / "tokens").write_text("a-token-of-somebody\n")
        client = self.start("--token-file", self.folder / "tokens")
        token = {"Authorization": "Bearer a-token-of-somebody"}
        large = sample(WAVE) + bytes(3 << 20)
        self.assertIn(client.post("/v1/archives?name=w.bin", large, token).status, (415, 422))
        self.assertEqual(client.post("/v1/archives?name=w.anim", sample(WAVE), token).status, 201)


class Deaf(BaseHTTPRequestHandler):
    """Takes a request, counts it, and hangs up."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_any(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with self.server.lock:
            self.server.asked.append(self.command)
        self.close_connection = True

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = handle_any


@unittest.skipIf(os.environ.get("POSED_SANITIZE"), "nothing of posed runs here")
class Repeated(unittest.TestCase):
    """Replicas that die with each request: how often is it sent?"""

    def setUp(self):
        self.servers = []
        for _ in range(REPLICAS):
            server = ThreadingHTTPServer(("127.0.0.1", 0), Deaf)
            server.daemon_threads = True
            server.lock, server.asked = threading.Lock(), []
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.servers.append(server)
            self.addCleanup(server.server_close)
            self.addCleanup(server.shutdown)
        nginx = balancer([server.server_address for server in self.servers])
        self.addCleanup(nginx.stop)
        self.client = nginx.client

    def asked(self):
        return [command for server in self.servers for command in server.asked]

    def ask(self, method, target, body=None):
        reply = self.client.request(method, target, body=body, check=False)
        self.assertEqual(reply.status, 503, reply)
        self.assertTrue(reply["Retry-After"])
        self.assertEqual(reply.media_type, "application/problem+json")
        self.assertEqual(reply.json["status"], 503)

    def test_an_upload_is_sent_once(self):
        self.ask("POST", "/v1/archives?name=a.anim", b"bytes")
        self.assertEqual(self.asked(), ["POST"])

    def test_a_deletion_is_sent_once(self):
        self.ask("DELETE", "/v1/archives/" + 32 * "0")
        self.assertEqual(self.asked(), ["DELETE"])

    def test_what_nobody_knows_is_sent_once(self):
        self.ask("PUT", "/v1/archives/" + 32 * "0", b"bytes")
        self.ask("PATCH", "/v1/archives/" + 32 * "1", b"bytes")
        self.assertEqual(self.asked().count("PUT") + self.asked().count("PATCH"), len(self.asked()))
        self.assertLessEqual(len(self.asked()), 2)

    def test_a_read_is_sent_twice_and_no_more(self):
        self.ask("GET", "/v1/clips/" + 32 * "0" + "/pose")
        self.assertEqual(self.asked(), ["GET", "GET"])


if __name__ == "__main__":
    unittest.main()
