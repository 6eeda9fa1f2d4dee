"""/v1/changes: what is told to whom, going on after a break, readers that do not read, and too many of them."""

import json
import socket
import struct
import unittest

from daemon import Daemon
from test_moderation import ANN, BOB, MOD, SiteCase
from uploads import WALK, WAVE, form, sample, zipped

PATIENCE_SECONDS = 90


class Feed:
    """A reader: next() is the next event, and comments are left out."""

    def __init__(self, client, headers=None, last=None, buffer=None, target="/v1/changes"):
        self.stream = socket.socket()
        if buffer:
            self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.stream.settimeout(PATIENCE_SECONDS)
        self.stream.connect((client.host, client.port))
        lines = [f"GET {target} HTTP/1.1", "Host: localhost", *(f"{name}: {value}" for name, value in (headers or {}).items())]
        if last is not None:
            lines.append(f"Last-Event-ID: {last}")
        self.stream.sendall("\r\n".join(lines + ["", ""]).encode())
        self.file = self.stream.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        self.headers = {}
        while (line := self.file.readline().decode().strip()):
            name, _, value = line.partition(": ")
            self.headers[name.lower()] = value
        self.text = b""
        self.last = None
        if self.status == 200:  # it is there once it has begun
            while b"\n\n" not in self.text:
                self.read()
            self.text = self.text.partition(b"\n\n")[2]

    def read(self):
        """One chunk; False at the end."""
        size = int(self.file.readline() or b"0", 16)
        self.text += self.file.read(size)
        self.file.readline()
        return size > 0

    def next(self):
        while True:
            while b"\n\n" not in self.text:
                if not self.read():
                    return None
            block, _, self.text = self.text.partition(b"\n\n")
            fields = dict(line.split(": ", 1) for line in block.decode().split("\n") if not line.startswith(":"))
            if "event" in fields:
                self.last = fields["id"]
                return fields["event"], json.loads(fields["data"])

    def close(self):
        self.file.close()
        self.stream.close()


class ChangesCase(SiteCase):
    def feed(self, client, *arguments, **options):
        feed = Feed(client, *arguments, **options)
        self.addCleanup(feed.close)
        return feed

    def bulk(self, client, count, prefix):
        """So many uploads of their own bytes; each is deleted, lest they cost anything."""
        for number in range(count):
            item = self.upload(client, ANN, zipped([(f"{prefix}{number}.anim", sample(WAVE))]), f"{prefix}{number}.zip")
            client.request("DELETE", "/v1/archives/" + item["id"], headers=ANN)


class Told(ChangesCase):
    def test_what_happens(self):
        client = self.daemon().client
        feed = self.feed(client)
        self.assertEqual((feed.status, feed.headers["content-type"]), (200, "text/event-stream"))
        self.assertEqual(feed.headers["cache-control"], "no-store")
        item = self.upload(client, ANN)
        kind, data = feed.next()
        self.assertRegex(data.pop("time"), "^20")
        self.assertEqual(data.pop("version"), feed.last)
        self.assertEqual((kind, data), ("archive-added", {
            "id": item["id"], "name": "wave.anim", "format": item["format"], "bytes": item["bytes"], "state": "published", "uploader": "ann"}))
        self.assertEqual(client.request("DELETE", "/v1/archives/" + item["id"], headers=ANN).status, 204)
        kind, data = feed.next()
        self.assertEqual((kind, data["id"]), ("archive-removed", item["id"]))
        self.assertNotIn("by", data)
        Daemon.contract.validate({"$ref": "#/components/schemas/Change"}, data, "a change")
        Daemon.contract.hit.add("GET /v1/changes")

    def test_to_whom(self):
        """What waits, and who did what, is for those who may know it."""
        client = self.daemon("--moderate").client
        feeds = {name: self.feed(client, who) for name, who in (("all", {}), ("ann", ANN), ("bob", BOB), ("mod", MOD))}
        item = self.upload(client, ANN)
        path = "/v1/archives/" + item["id"]
        self.assertEqual(client.post(path + "/publish", b"", headers=MOD).status, 200)
        refused = self.upload(client, ANN, sample(WALK), "walk.anim")
        client.request("DELETE", "/v1/archives/" + refused["id"], body=b'{"reason":"no"}', headers=MOD)
        client.request("DELETE", path, headers=ANN)
        whole = [("archive-added", item["id"]), ("archive-published", item["id"]), ("archive-added", refused["id"]),
                 ("archive-removed", refused["id"]), ("archive-removed", item["id"])]
        public = [whole[1], whole[4]]
        for name, feed in feeds.items():
            expected = whole if name in ("ann", "mod") else public
            found = [feed.next() for _ in expected]
            self.assertEqual([(kind, data["id"]) for kind, data in found], expected, name)
            self.assertEqual([data.get("by") for _, data in found], ["ann", "mod", "ann", "mod", "ann"] if name == "mod" else
                             len(expected) * [None])
            self.assertEqual([data["reason"] for _, data in found if "reason" in data], ["no"] if name == "mod" else [])

    def test_going_on(self):
        daemon = self.daemon()
        client = daemon.client
        feed = self.feed(client)
        first = self.upload(client, ANN)
        feed.next()
        feed.close()
        second = self.upload(client, ANN, sample(WALK), "walk.anim")
        again = self.feed(client, last=feed.last)
        self.assertEqual(again.next()[1]["id"], second["id"])
        third = self.upload(client, ANN, zipped([("w.anim", sample(WAVE))]), "w.zip")
        self.assertEqual(again.next()[1]["id"], third["id"])
        self.assertNotEqual(first["id"], second["id"])
        for last in ("", "00", 16 * "0", 16 * "f", "x" * 16, 5000 * "1", "-1", "\u00e4"):
            lost = self.feed(client, last=last.encode().decode("latin-1"))
            self.assertEqual(lost.next(), ("reset", {}), last)
            lost.close()
        whole = self.feed(client, last="0")  # from the beginning
        self.assertEqual([whole.next()[1]["id"] for _ in range(3)], [first["id"], second["id"], third["id"]])
        daemon.stop()
        daemon.start()
        lost = self.feed(daemon.client, last=again.last)
        self.assertEqual(lost.next(), ("reset", {}))
        resumed = self.feed(daemon.client, last=lost.last)
        item = self.upload(daemon.client, ANN)
        for one in (lost, resumed):
            self.assertEqual(one.next()[1]["id"], item["id"])

    def test_more_than_is_kept(self):
        client = self.daemon().client
        feed = self.feed(client)
        self.upload(client, ANN)
        feed.next()
        first = feed.last
        for part in range(19):
            self.bulk(client, 27, f"a{part}-")
            along = [feed.next()[0] for _ in range(54)]  # one that reads along has all of them
            self.assertEqual(along, 27 * ["archive-added", "archive-removed"])
        self.assertEqual(self.feed(client, last=first).next(), ("reset", {}))
        oldest = self.feed(client, last="0")  # the oldest that is kept: of 1,027, the fourth
        self.assertEqual(oldest.next()[0], "archive-added")

    def test_names_break_nothing(self):
        client = self.daemon().client
        feed = self.feed(client)
        name = "a\r\n\r\nevent: evil\rdata: x\n\u2028<script>.zip"
        headers, body = form([("w.anim", sample(WAVE)), ("v.anim", sample(WALK))])
        reply = client.post("/v1/archives", body, headers=headers | ANN, name=name)
        self.assertEqual(reply.status, 201, reply)
        kind, data = feed.next()
        self.assertEqual((kind, data["name"]), ("archive-added", reply.json["name"]))

    def test_negotiation(self):
        client = self.daemon().client
        self.assertEqual(self.feed(client, {"Accept": "text/event-stream"}).status, 200)
        self.assertEqual(client.get("/v1/changes", headers={"Accept": "application/json"}).status, 406)
        self.assertEqual(client.request("HEAD", "/v1/changes").status, 200)
        self.assertEqual(client.get("/v1/changes", since=1).status, 400)
        self.assertEqual(client.post("/v1/changes", b"").status, 405)


class Hostile(ChangesCase):
    def test_too_many_readers(self):
        client = self.daemon().client
        feeds = [self.feed(client) for _ in range(16)]
        reply = client.get("/v1/changes")
        self.assertEqual((reply.status, reply.json["code"]), (503, "too_many_readers"))
        self.assertTrue(reply["Retry-After"])
        self.assertEqual(client.get("/v1/clips").status, 200)
        feeds[3].close()  # who leaves makes room, though nothing is sent
        def has_room():
            feed = Feed(client)
            feed.close()
            return feed.status == 200
        self.eventually(has_room, "a place becomes free")

    def test_readers_that_do_not_read(self):
        """They cost no thread, and nobody waits for them."""
        client = self.daemon().client
        deaf = [self.feed(client, buffer=2048) for _ in range(12)]
        feed = self.feed(client)
        self.bulk(client, 200, "b")
        for _ in range(400):
            feed.next()
        self.assertEqual(client.get("/v1/clips").status, 200)
        self.assertEqual(len(deaf), 12)

    def test_they_hold_up_no_end(self):
        daemon = self.daemon()
        feeds = [self.feed(daemon.client) for _ in range(5)]
        self.upload(daemon.client, ANN)
        self.assertEqual(daemon.stop(), 0)
        for feed in feeds:
            self.assertEqual(feed.next()[0], "archive-added")
            self.assertIsNone(feed.next(), "the stream ends as it should")

    def test_those_that_reset_the_connection_hold_up_no_end(self):
        """The kernel tells of a reset once, and libmicrohttpd may not hear of it."""
        daemon = self.daemon()
        client = daemon.client
        readers = [socket.create_connection((client.host, client.port), timeout=PATIENCE_SECONDS) for _ in range(9)]

        def ask(reader, path, end):
            reader.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            text = b""
            while end not in text:
                text += reader.recv(4096)

        for reader in readers:
            ask(reader, "/healthz", b"}")
        self.upload(client, ANN)
        idle = readers.pop()
        self.addCleanup(idle.close)
        for reader in readers:
            ask(reader, "/v1/changes", b": posed")
        for reader in readers:
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            reader.close()
        self.assertEqual(daemon.stop(), 0)

    def test_they_are_cut_and_come_back(self):
        client = self.daemon("--idle-timeout", "1s", "--request-timeout", "1s").client
        feed = self.feed(client)  # neither timeout is for one that waits
        slow = socket.create_connection((client.host, client.port), timeout=PATIENCE_SECONDS)
        self.addCleanup(slow.close)
        slow.sendall(b"GET /v1/clips HTTP/1.1\r\nHost: x\r\n")
        while slow.recv(1000):  # 408, or closed as idle
            pass
        self.upload(client, ANN)
        self.assertEqual(feed.next()[0], "archive-added")


if __name__ == "__main__":
    unittest.main()
