"""What is not at hand and is asked for, removed or expires: nothing runs for ever, and nothing of others is lost."""

import json
import os
import tempfile
import uuid
from pathlib import Path

from daemon import Daemon
from test_rest import RestCase
from uploads import IDLE, WALK, sample, zipped

ANN, MODERATOR = {"Authorization": "Bearer ann"}, {"Authorization": "Bearer moderator"}


class Misses(RestCase):
    def setUp(self):
        super().setUp()
        self.top = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="posed-misses-")))

    def served(self, *options, seconds=2.6):
        tokens = self.top / "tokens"
        tokens.write_text(f"ann name=ann scopes=upload,delete:own ttl={seconds / 86400:.6f}\n"
                          "moderator name=moderator scopes=upload,delete,admin\n")
        tokens.chmod(0o600)
        return Daemon("--data", self.data, "--token-file", tokens, *options)

    def put(self, daemon, who, body, name):
        reply = daemon.client.post("/v1/archives", body, headers=who, name=name)
        self.assertEqual(reply.status, 201, reply)
        return reply.json["id"]

    def test_many_unknown_ones(self):
        """More than the table of what is known to be missing can tell apart, in one request."""
        with self.daemon() as daemon:
            self.upload(daemon, 1)
            [known] = daemon.client.items("/v1/clips")
        with self.daemon() as daemon:
            items = [{"clip": uuid.UUID(int=number * 7919).hex, "t": 0} for number in range(900)] + [{"clip": known["id"], "t": 0}]
            reply = daemon.client.post("/v1/poses", json.dumps({"requests": items}))
            self.assertEqual(reply.status, 200, reply)
            self.assertEqual(["error" in result for result in reply.json["results"]], [True] * 900 + [False])

    def test_what_is_fetched_meanwhile_leaves(self):
        """A page larger than what may be at hand."""
        with self.daemon("--catalog-cache", "16K") as daemon:
            for number in range(120):
                self.upload(daemon, number)
            self.assertEqual(len(daemon.client.get("/v1/clips", limit="120").json["items"]), 120)
        with self.daemon("--catalog-cache", "16K") as daemon:
            self.assertEqual(len(daemon.client.get("/v1/clips", limit="120").json["items"]), 120)

    def test_a_removal_that_fails(self):
        """Of one that is not at hand; beside one that is."""
        with self.served() as daemon:
            kept = self.put(daemon, MODERATOR, sample(IDLE), "idle.anim")
        # On a busy machine it may have been removed before something is in the way.
        self.assertTrue(any(self.is_in_the_way(kept, seconds) for seconds in (3, 12, 48)))

    def is_in_the_way(self, kept, seconds):
        with self.served(seconds=seconds) as daemon:
            self.put(daemon, ANN, sample(WALK), "walk.anim")
        with self.served(seconds=seconds) as daemon:
            self.assertEqual(daemon.client.get(f"/v1/archives/{kept}").status, 200)
            (self.data / "lock").rename(self.data / "lock.old")  # another folder, as if the disk were gone
            (self.data / "lock").touch()
            if "has expired and is removed" in daemon.errors():
                return False
            daemon.wait_for_log("has expired but cannot be removed")
            self.assertEqual(daemon.client.get(f"/v1/archives/{kept}").status, 200)
            self.assertEqual(len(daemon.client.items("/v1/clips", archive=kept)), 1)
        return True

    def test_one_whose_bytes_are_gone_expires(self):
        with self.served("--moderate") as daemon:
            self.put(daemon, ANN, zipped([("walk.anim", sample(WALK)), ("idle.anim", sample(IDLE))]), "two.zip")
            daemon.kill()
        for blob in (self.data / "blobs").iterdir():
            blob.unlink()
        with self.served("--moderate") as daemon:
            daemon.wait_for_log("has expired and is removed")
            self.assertEqual(daemon.client.items("/v1/archives", headers=MODERATOR), [])
            self.assertEqual(daemon.errors().count("has expired"), 1)

    def test_one_that_is_also_under_a_path_expires(self):
        """The list goes on to show that of the PATH."""
        body = zipped([("walk.anim", sample(WALK)), ("idle.anim", sample(IDLE))])
        folder = self.top / "served"
        folder.mkdir()
        (folder / "two.zip").write_bytes(body)
        with self.served() as daemon:
            archive = self.put(daemon, ANN, body, "two.zip")
        with self.served(folder) as daemon:
            daemon.wait_for_log("has expired and is removed")
            self.assertEqual(daemon.client.get(f"/v1/archives/{archive}").json["source"], "path")
            self.assertEqual(len(daemon.client.items("/v1/clips")), 2)
            self.assertEqual(daemon.errors().count("has expired"), 1)

    def test_a_body_is_there_when_its_handler_runs_again(self):
        """The skeleton that a conversion names has to be looked for; the body lies in a file meanwhile."""
        noise = os.urandom(3 << 20)
        body = zipped([("walk.anim", sample(WALK)), ("noise.bin", noise)])
        with self.daemon() as daemon:
            for _ in range(3):
                reply = daemon.client.post("/v1/convert", body, **{"as": "zip", "to": "glb", "name": "x.zip"}, skeleton=uuid.uuid4().hex)
                self.assertEqual((reply.status, reply.json["parameter"]), (400, "skeleton"))
            reply = daemon.client.post("/v1/convert", body, **{"as": "zip", "to": "glb", "name": "x.zip"})
            self.assertEqual(reply.status, 200)
