"""Webhooks: what is told, signed, kept and tried again; and receivers that do their worst."""

import os
import socket
import threading
import unittest

from daemon import Daemon, run
from receiver import Receiver
from test_moderation import ANN, BOB, MOD, TOKENS, SiteCase, bearer
from uploads import IDLE, WALK, WAVE, sample, zipped

KEY = "k3y of the hook"


class HookCase(SiteCase):
    def receiver(self, **options):
        receiver = Receiver(KEY.encode(), **options)
        receiver.__enter__()
        self.addCleanup(receiver.__exit__)
        return receiver

    def hooked(self, receiver, *arguments, tokens=TOKENS):
        (self.top / "key").write_text(KEY + "\nanother line\n")
        return self.daemon("--webhook", receiver.url, "--webhook-key", self.top / "key", *arguments, tokens=tokens)

    def kept(self):
        """The folder of the only address."""
        (folder,) = (self.top / "data" / "webhooks").iterdir()
        return folder

    def waiting(self, client, count):
        self.eventually(lambda: client.metric("posed_webhook_waiting") == count, f"{count} wait")


class WalkThrough(HookCase):
    def test_moderation(self):
        """Ann uploads, nobody else sees it, Bob cannot delete it, a moderator publishes, Ann deletes; each is told."""
        receiver = self.receiver()
        client = self.hooked(receiver, "--moderate", "--data", self.top / "data").client
        item = self.upload(client, ANN)
        path = "/v1/archives/" + item["id"]
        for who in (None, BOB):
            self.assertEqual(client.get(path, headers=who).status, 404)
        self.assertEqual(client.request("DELETE", path, headers=BOB).status, 404)
        self.assertEqual(client.post(path + "/publish", b"", headers=ANN).status, 403)
        self.assertEqual(client.post(path + "/publish", b"", headers=MOD).status, 200)
        self.assertEqual(client.post(path + "/publish", b"", headers=MOD).status, 200)  # is published already: nothing to tell
        self.assertEqual(client.get(path).status, 200)
        self.assertEqual(client.request("DELETE", path, headers=BOB).status, 403)
        reply = client.request("DELETE", path, body='{"reason":"my dög ate it"}'.encode(), headers=ANN)
        self.assertEqual(reply.status, 204)
        taken = receiver.wait_for(3)
        for headers, event, body in taken:
            self.assertTrue(receiver.verify(headers, body))
            self.assertEqual((headers["Content-Type"], headers["X-Posed-Delivery"]), ("application/json", event["delivery"]))
            self.assertRegex(event.pop("time"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertRegex(event.pop("delivery"), "^[0-9a-f]{16}$")
        common = {"archive": item["id"], "name": "wave.anim", "format": item["format"], "bytes": item["bytes"], "uploader": "ann"}
        self.assertEqual([event for _, event, _ in taken], [
            {"event": "upload", "state": "waiting", "by": "ann", **common},
            {"event": "publish", "state": "published", "by": "mod", **common},
            {"event": "delete", "by": "ann", "reason": "my dög ate it", **common},
        ])
        self.assertEqual(receiver.paths, 3 * [("POST", "/hook?secret=1")])
        self.waiting(client, 0)
        self.assertEqual(client.metric("posed_webhook_events_total", result="sent"), 3)
        self.assertEqual(os.listdir(self.kept()), [])

    def test_what_is_not_told(self):
        receiver = self.receiver()
        client = self.hooked(receiver).client
        item = self.upload(client, ANN)
        self.upload(client, BOB, status=200)  # is there already
        client.post("/v1/archives", b"junk", headers=ANN, name="x.anim")
        client.request("DELETE", "/v1/archives/" + item["id"], headers=BOB)
        client.request("DELETE", "/v1/archives/" + 32 * "0", headers=MOD)
        client.request("DELETE", "/v1/archives/" + item["id"], headers=ANN)
        self.assertEqual([event["event"] for _, event, _ in receiver.wait_for(2)], ["upload", "delete"])

    def test_expiry_is_told(self):
        receiver = self.receiver()
        client = self.hooked(receiver, tokens=TOKENS + "dot-secret name=dot ttl=0.00001\n").client
        self.upload(client, bearer("dot-secret"))
        event = receiver.wait_for(2)[1][1]
        self.assertEqual((event["event"], event["uploader"]), ("delete", "dot"))
        self.assertNotIn("by", event)

    def test_without_a_key(self):
        receiver = self.receiver()
        client = self.daemon("--webhook", receiver.url).client
        self.upload(client, ANN)
        self.assertNotIn("X-Posed-Signature", receiver.wait_for(1)[0][0])

    def test_names_are_only_data(self):
        receiver = self.receiver()
        client = self.hooked(receiver).client
        name = '"}\r\nX-Evil: 1\r\n\u202e<b>' + 300 * "\u00e4" + ".zip"
        self.upload(client, ANN, zipped([("wave.anim", sample(WAVE))]), name)
        headers, event, body = receiver.wait_for(1)[0]
        self.assertTrue(receiver.verify(headers, body))
        self.assertNotIn("X-Evil", headers)
        self.assertLessEqual(len(event["name"].encode()), 512)


class Several(HookCase):
    def hooked(self, *receivers):
        (self.top / "key").write_text(KEY)
        return self.daemon("--webhook", "  ".join(receiver.url for receiver in receivers), "--webhook-key", self.top / "key",
                           "--data", self.top / "data")

    def test_each_is_told_by_itself(self):
        """One that hangs holds up none of the others, and after a restart, in another order, each gets its own."""
        deaf, first, second = self.receiver(), self.receiver(), self.receiver()
        deaf.faults = ["hang"]
        daemon = self.hooked(deaf, first, second)
        item = self.upload(daemon.client, ANN)
        for receiver in (first, second):
            (headers, event, body), = receiver.wait_for(1)
            self.assertEqual((event["event"], event["archive"], receiver.verify(headers, body)), ("upload", item["id"], True))
        deaf.wait_for(1, refused=True)
        self.waiting(daemon.client, 1)
        self.assertEqual(daemon.client.metric("posed_webhook_events_total", result="sent"), 2)
        self.assertEqual(sorted(len(os.listdir(folder)) for folder in (self.top / "data" / "webhooks").iterdir()), [0, 0, 1])
        self.assertEqual(daemon.stop(), 0)
        daemon = self.hooked(second, deaf)
        self.assertEqual([event["archive"] for _, event, _ in deaf.wait_for(1)], [item["id"]])
        self.waiting(daemon.client, 0)
        walk = self.upload(daemon.client, ANN, sample(WALK), "walk.anim")
        self.assertEqual([event["archive"] for _, event, _ in second.wait_for(2)], [item["id"], walk["id"]])
        self.assertEqual([event["archive"] for _, event, _ in deaf.wait_for(2)], [item["id"], walk["id"]])
        self.assertEqual(len(first.paths), 1)


class Again(HookCase):
    def test_until_it_is_taken(self):
        receiver = self.receiver()
        receiver.faults = [500, 429, 400]
        daemon = self.hooked(receiver)
        self.upload(daemon.client, ANN)
        refused, (taken,) = receiver.wait_for(3, refused=True), receiver.wait_for(1)
        self.assertEqual({body for _, _, body in refused}, {taken[2]}, "one delivery stays one")
        self.assertTrue(receiver.verify(taken[0], taken[2]))
        self.waiting(daemon.client, 0)
        self.assertEqual(daemon.client.metric("posed_webhook_retries_total"), 3)
        daemon.wait_for_log(r"webhook: http://127.0.0.1:\d+ answers 500; it is tried again")
        self.assertNotIn("secret=1", daemon.errors())
        self.assertEqual(daemon.errors().count("tried again"), 1)

    def test_what_is_refused_holds_up_nothing(self):
        receiver = self.receiver()
        receiver.faults = [404]
        client = self.hooked(receiver).client
        first = self.upload(client, ANN)
        receiver.wait_for(1, refused=True)
        second = self.upload(client, ANN, sample(WALK), "walk.anim")
        taken = receiver.wait_for(2)
        self.assertEqual({event["archive"] for _, event, _ in taken}, {first["id"], second["id"]})

    def test_a_receiver_that_is_not_there_yet(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        receiver = Receiver(KEY.encode(), port=port)
        receiver.server.server_close()
        daemon = self.hooked(receiver)
        self.upload(daemon.client, ANN)
        daemon.wait_for_log("webhook: http://127.0.0.1:%d: .*tried again" % port)
        self.assertEqual(self.receiver(port=port).wait_for(1)[0][1]["event"], "upload")

    def test_redirects_are_not_followed(self):
        other = self.receiver()
        receiver = self.receiver()
        receiver.faults = [(status, other.url) for status in (307, 302)] + [(301, "file:///etc/passwd")]
        client = self.hooked(receiver).client
        self.upload(client, ANN)
        receiver.wait_for(1)
        self.assertEqual(other.paths, [])

    def test_after_a_restart(self):
        receiver = self.receiver()
        receiver.faults = ["hang"]
        daemon = self.hooked(receiver, "--data", self.top / "data")
        first = self.upload(daemon.client, ANN)
        receiver.wait_for(1, refused=True)
        second = self.upload(daemon.client, ANN, sample(WALK), "walk.anim")
        folder = self.kept()
        self.assertEqual(len(os.listdir(folder)), 2)
        self.assertEqual(oct(folder.stat().st_mode & 0o777), "0o700")
        daemon.kill()  # as if the machine had died
        (folder / "0000000000000001.part").write_text("half")
        (folder / "0000000000000002.json").write_text("")
        (folder / "notes.txt").write_text("somebody's")
        daemon.start()
        taken = [event for _, event, _ in receiver.wait_for(2)]
        self.assertEqual([event["archive"] for event in taken], [first["id"], second["id"]])
        self.waiting(daemon.client, 0)
        self.assertEqual(sorted(os.listdir(folder)), ["0000000000000002.json", "notes.txt"])
        third = self.upload(daemon.client, ANN, sample(IDLE), "idle.anim")
        event = receiver.wait_for(3)[2][1]
        self.assertEqual(event["archive"], third["id"])
        self.assertGreater(event["delivery"], taken[1]["delivery"])

    def test_it_stops_while_the_receiver_hangs(self):
        receiver = self.receiver()
        receiver.faults = ["hang"]
        daemon = self.hooked(receiver)
        self.upload(daemon.client, ANN)
        receiver.wait_for(1, refused=True)
        self.assertEqual(daemon.stop(), 0)


class Hostile(HookCase):
    def test_receivers_that_never_end(self):
        """Headers without end, a body without end: neither is taken for longer than it is worth."""
        for fault in ("endless", "flood"):
            receiver = self.receiver()
            receiver.faults = [fault]
            client = self.hooked(receiver).client
            self.upload(client, ANN)
            receiver.wait_for(1, refused=True)
            self.waiting(client, 0)
            self.assertEqual(client.metric("posed_webhook_events_total", result="sent"), 1, fault)

    def test_requests_do_not_wait_for_it(self):
        receiver = self.receiver()
        receiver.faults = ["hang"] + 100 * [503]
        client = self.hooked(receiver, "--data", self.top / "data").client
        item = self.upload(client, ANN)
        receiver.wait_for(1, refused=True)
        for _ in range(20):
            self.assertEqual(client.request("DELETE", "/v1/archives/" + item["id"], headers=ANN).status, 204)
            self.upload(client, ANN)
        self.assertEqual(client.metric("posed_webhook_waiting"), 41)
        self.assertEqual(len(os.listdir(self.kept())), 41)

    def test_many_at_once(self):
        receiver = self.receiver()
        client = self.hooked(receiver, "--data", self.top / "data").client
        def work(number):
            for k in range(5):
                item = self.upload(client, ANN, zipped([(f"{number}-{k}.anim", sample(WAVE))]), f"{number}-{k}.zip")
                self.assertEqual(client.request("DELETE", "/v1/archives/" + item["id"], headers=ANN).status, 204)
            client.close()
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        taken = [event for _, event, _ in receiver.wait_for(80)]
        self.assertEqual(len({event["delivery"] for event in taken}), 80)
        known = set()
        for event in taken:  # in the order in which it happened
            (known.add if event["event"] == "upload" else known.remove)(event["archive"])
        self.assertEqual(known, set())
        self.waiting(client, 0)

    def test_a_folder_that_is_none(self):
        (self.top / "data").mkdir()
        (self.top / "data" / "webhooks").write_text("a file")
        status, _, errors = run("serve", "--listen", "127.0.0.1:0", "--data", self.top / "data", "--webhook", "http://127.0.0.1:1/")
        self.assertEqual(status, 1)
        self.assertIn("webhooks: Not a directory", errors)

    def test_options(self):
        for url in ("ftp://x/", "x", "file:///etc/passwd", "http://", "http:///x", "http://a b/", "http://a  ftp://b", " ", " ".join(9 * ["http://a/"]), "https://?x", "http://\u00e4/", "http://" + 2000 * "a"):
            status, _, errors = run("serve", "--check", "--webhook", url)
            self.assertEqual((status, errors.count("\n")), (2, 1), url)
            self.assertIn("--webhook", errors)
        self.assertEqual(run("serve", "--check", "--webhook-key", "/dev/null")[0], 2)
        for text in (b"", b"\n", b"\nkey\n", 5000 * b"k"):
            (self.top / "key").write_bytes(text)
            status, _, errors = run("serve", "--check", "--webhook", "http://127.0.0.1:1/", "--webhook-key", self.top / "key")
            self.assertEqual((status, errors.count("\n")), (1, 1), text[:10])
        status, _, errors = run("serve", "--check", "--webhook", "http://127.0.0.1:1/", "--webhook-key", self.top / "none")
        self.assertEqual(status, 1)
        self.assertIn("No such file", errors)
        (self.top / "key").write_bytes(b"k\n")
        self.assertEqual(run("serve", "--check", "--webhook", " ".join(8 * ["http://a/"]))[0], 0)
        self.assertEqual(run("serve", "--check", "--webhook", "https://user:pw@[::1]:8/x?y", "--webhook-key", self.top / "key")[0], 0)


if __name__ == "__main__":
    unittest.main()
