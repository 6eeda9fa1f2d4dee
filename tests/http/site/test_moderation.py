"""A site for the public: what tokens permit, and uploads that wait until somebody publishes them."""

import json
import os
import tempfile
import time
import unittest
from pathlib import Path

from daemon import Daemon
from uploads import WALK, WAVE, form, sample, zipped

PATIENCE_SECONDS = 60
EASE_IN = 25  # where it is in an .anim whose emote is empty
TOKENS = """
ann-secret name=ann scopes=upload,delete:own
bob-secret name=bob scopes=upload,delete:own
mod-secret name=mod scopes=admin
old-secret
"""


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


ANN, BOB, MOD, OLD = (bearer(f"{who}-secret") for who in ("ann", "bob", "mod", "old"))


class SiteCase(unittest.TestCase):
    def setUp(self):
        top = tempfile.TemporaryDirectory()
        self.addCleanup(top.cleanup)
        self.top = Path(top.name)

    def daemon(self, *arguments, tokens=TOKENS):
        (self.top / "tokens").write_text(tokens)
        daemon = Daemon("--token-file", self.top / "tokens", *arguments)
        daemon.start()
        self.addCleanup(self.end, daemon)
        return daemon

    def end(self, daemon):
        self.assertEqual(daemon.stop(), 0, daemon.errors())

    def upload(self, client, who, data=None, name="wave.anim", status=201):
        reply = client.post("/v1/archives", data or sample(WAVE), headers=who, name=name)
        self.assertEqual(reply.status, status, reply)
        return reply.json

    def eventually(self, holds, what):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.02)


class Scopes(SiteCase):
    def test_what_tokens_permit(self):
        client = self.daemon(tokens=TOKENS + "up-secret name=up scopes=upload\n").client
        delete = lambda item, who: client.request("DELETE", "/v1/archives/" + item["id"], headers=who)
        item = self.upload(client, ANN)
        self.assertEqual((item["uploader"], item["state"]), ("ann", "published"))
        listed = client.get("/v1/archives", source="upload").json["items"]
        self.assertEqual([(a["uploader"], a["state"]) for a in listed], [("ann", "published")])
        for who, code in ((BOB, "not_yours"), (bearer("up-secret"), "no_scope"), (bearer("x"), "wrong_token")):
            reply = delete(item, who)
            self.assertEqual((reply.status, reply.json["code"]), (403, code))
        self.assertEqual(delete(item, None).status, 401)
        self.assertEqual(delete(item, ANN).status, 204)
        for who in (OLD, MOD):  # a line as of old permits everything but moderation
            self.assertEqual(delete(self.upload(client, BOB), who).status, 204)
        item = self.upload(client, OLD)
        self.assertNotIn("uploader", item)
        publish = f"/v1/archives/{item['id']}/publish"
        self.assertEqual(client.post(publish, b"", headers=OLD).json["code"], "no_scope")
        self.assertEqual(client.post(publish, b"", headers=MOD).json["state"], "published")
        self.assertEqual(client.post(f"/v1/archives/{32 * '0'}/publish", b"", headers=MOD).status, 404)

    def test_the_name_is_in_the_log(self):
        daemon = self.daemon("--log", "json")
        self.upload(daemon.client, ANN)
        daemon.wait_for_log(r'"method":"POST".*"token":"ann"')
        self.assertNotIn("ann-secret", daemon.errors())

    def test_a_quota(self):
        size = len(sample(WAVE))
        client = self.daemon("--data", self.top / "data",
                             tokens=TOKENS + f"cy-secret name=cy quota={size + 10} scopes=upload,delete:own\n").client
        who = bearer("cy-secret")
        item = self.upload(client, who)
        reply = client.post("/v1/archives", sample(WALK), headers=who, name="walk.anim")
        self.assertEqual((reply.status, reply.json["limit"]), (507, "quota"))
        self.upload(client, who, status=200)
        self.upload(client, ANN, sample(WALK), "walk.anim")  # quotas are each holder's own
        self.assertEqual(client.request("DELETE", "/v1/archives/" + item["id"], headers=who).status, 204)
        self.upload(client, who)

    def test_a_quota_after_a_restart(self):
        tokens = TOKENS + f"cy-secret name=cy quota={len(sample(WAVE)) + 10}\n"
        daemon = self.daemon("--data", self.top / "data", tokens=tokens)
        self.upload(daemon.client, bearer("cy-secret"))
        daemon.stop()
        daemon.start()
        self.upload(daemon.client, bearer("cy-secret"), sample(WALK), "walk.anim", 507)

    def test_uploads_expire(self):
        tokens = TOKENS + "dot-secret name=dot ttl=0.00001\nlong-secret name=long ttl=2\n"
        daemon = self.daemon("--data", self.top / "data", tokens=tokens)
        item = self.upload(daemon.client, bearer("dot-secret"))
        self.assertIn("expires", item)
        kept = self.upload(daemon.client, bearer("long-secret"), sample(WALK), "walk.anim")
        path = "/v1/archives/" + item["id"]
        self.eventually(lambda: daemon.client.get(path).status == 404, "it expires")
        self.assertIn(item["id"], daemon.wait_for_log(r"the upload (\w+) has expired").group(1))
        daemon.stop()
        daemon.start()
        self.assertEqual(daemon.client.get(path).status, 404)
        self.assertEqual(daemon.client.get("/v1/archives/" + kept["id"]).json["expires"], kept["expires"])

    def test_it_expires_while_the_daemon_is_away(self):
        daemon = self.daemon("--data", self.top / "data", tokens=TOKENS + "dot-secret name=dot ttl=0.0001\n")
        item = self.upload(daemon.client, bearer("dot-secret"))
        daemon.stop()
        daemon.start()
        self.eventually(lambda: daemon.client.get("/v1/archives/" + item["id"]).status == 404, "it expires")

    def test_moderation_needs_tokens(self):
        from daemon import run
        status, _, errors = run("serve", "--moderate", "--listen", "127.0.0.1:0")
        self.assertEqual(status, 2, errors)
        self.assertIn("--token-file", errors)


class Moderation(SiteCase):
    def seen(self, client, who, item):
        """Everything through which the archive or its first clip could be seen; what answers 200."""
        archive, clip = item["id"], item["clips"][0]["id"]
        name = item["clips"][0]["name"]
        paths = [f"/v1/archives/{archive}", f"/v1/archives/{archive}/entries", f"/v1/archives/{archive}/entries/0",
                 f"/v1/archives/{archive}.zip?to=glb", f"/v1/clips/{clip}", f"/v1/clips/{clip}.glb",
                 f"/v1/clips/{clip}/pose", f"/v1/clips/{clip}/keys", f"/v1/clips/{clip}/preview.png",
                 f"/v1/clips/{clip}/preview.svg", f"/v1/clips?archive={archive}", f"/v1/clips/{clip}?archive={archive}",
                 f"/v1/named/{item['name']}/{name}", f"/v1/named/{archive}/{name}/preview.png",
                 f"/clip/{clip}", f"/archive/{archive}", f"/oembed?url=http%3A%2F%2Flocalhost%2Fclip%2F{clip}"]
        found = [path for path in paths if client.get(path, headers=who).status == 200]
        batch = json.dumps({"requests": [{"clip": clip, "t": 0}]}).encode()
        if "error" not in client.post("/v1/poses", batch, headers=who).json["results"][0]:
            found.append("/v1/poses")
        for path in ("/v1/archives", "/v1/clips", f"/v1/clips?q={name}", "/v1/clips?sort=newest&facets=archive",
                     "/sitemap.xml"):
            text = client.get(path, headers=who).text
            if archive in text or clip in text:
                found.append(path)
        return found

    def test_who_sees_what_waits(self):
        daemon = self.daemon("--moderate", "--data", self.top / "data")
        client = daemon.client
        item = self.upload(client, ANN)
        self.assertEqual(item["state"], "waiting")
        for restart in (False, True):
            if restart:
                daemon.stop()
                daemon.start()
                client = daemon.client
            for who in (None, BOB, OLD, bearer("wrong")):
                self.assertEqual(self.seen(client, who, item), [], who)
            whole = self.seen(client, ANN, item)
            self.assertGreaterEqual(len(whole), 20, whole)
            self.assertEqual(self.seen(client, MOD, item), whole)
        reply = client.get("/v1/clips/" + item["clips"][0]["id"] + "/preview.png?v=7", headers=ANN)
        self.assertEqual(reply["Cache-Control"], "private, no-store")
        listed = client.get("/v1/archives", headers=MOD, state="waiting").json
        self.assertEqual([(a["id"], a["uploader"], a["state"]) for a in listed["items"]], [(item["id"], "ann", "waiting")])
        self.assertEqual(client.get("/v1/archives", headers=MOD, state="published").json["total"], 0)

    def test_a_walk_through(self):
        client = self.daemon("--moderate").client
        item = self.upload(client, ANN)
        path = "/v1/archives/" + item["id"]
        self.assertEqual(client.get(path).status, 404)
        for who in (BOB, OLD):  # nobody deletes or publishes what they do not see
            self.assertEqual(client.request("DELETE", path, headers=who).status, 404)
        self.assertEqual(client.post(path + "/publish", b"", headers=ANN).status, 403)
        self.assertEqual(client.post(path + "/publish", b"").status, 401)
        published = client.post(path + "/publish", b"", headers=MOD)
        self.assertEqual((published.status, published.json["state"]), (200, "published"))
        self.assertEqual(client.get(path).json["state"], "published")
        self.assertGreaterEqual(len(self.seen(client, None, item)), 20)
        self.assertEqual(client.request("DELETE", path, headers=BOB).status, 403)
        self.assertEqual(client.request("DELETE", path, headers=ANN).status, 204)
        self.assertEqual(self.seen(client, None, item), [])

    def test_versions_that_wait_are_counted_for_who_sees_them(self):
        for arguments in ((), ("--data", self.top / "data")):
            client = self.daemon("--moderate", *arguments).client
            for value in range(3):
                data = bytearray(sample(WALK))
                data[EASE_IN] ^= value  # other bytes, of the same shape
                item = self.upload(client, ANN if value else MOD, bytes(data))
                if value < 2:
                    client.post(f"/v1/archives/{item['id']}/publish", b"", headers=MOD)
            counts = lambda who: [clip["versions"] for clip in client.get("/v1/clips", headers=who, limit=2).json["items"]]
            self.assertEqual([counts(who) for who in ({}, BOB, ANN, MOD)], [[2, 2], [2, 2], [3, 3], [3, 3]], arguments)

    def test_refused_with_a_reason(self):
        daemon = self.daemon("--moderate")
        client = daemon.client
        item = self.upload(client, ANN)
        path = "/v1/archives/" + item["id"]
        for body in (b"no", b'{"reason":1}', b'{"reason":"' + b"x" * 501 + b'"}', b"[]"):
            self.assertEqual(client.request("DELETE", path, body=body, headers=MOD).status, 400, body)
        reply = client.request("DELETE", path, body=b'{"reason":"not yours\\nto share"}', headers=MOD)
        self.assertEqual(reply.status, 204)
        self.assertEqual(self.seen(client, ANN, item), [])
        daemon.wait_for_log(item["id"] + r" is deleted by mod: not yours\\x0ato share")

    def test_the_same_file_again(self):
        client = self.daemon("--moderate").client
        item = self.upload(client, ANN)
        self.assertEqual(self.upload(client, ANN, status=200)["id"], item["id"])
        reply = client.post("/v1/archives", sample(WAVE), headers=BOB, name="b.anim")
        self.assertEqual((reply.status, reply.json["code"]), (409, "waiting"))
        self.assertNotIn("ann", reply.text)
        self.assertNotIn(item["name"], reply.text)
        client.post(f"/v1/archives/{item['id']}/publish", b"", headers=MOD)
        self.assertEqual(self.upload(client, BOB, status=200)["uploader"], "ann")

    def test_what_waits_survives_a_lost_catalogue(self):
        daemon = self.daemon("--moderate", "--data", self.top / "data")
        item = self.upload(daemon.client, ANN)
        shown = self.upload(daemon.client, BOB, sample(WALK), "walk.anim")
        daemon.client.post(f"/v1/archives/{shown['id']}/publish", b"", headers=MOD)
        daemon.stop()
        for name in os.listdir(self.top / "data"):
            if name.startswith("catalog.db"):
                (self.top / "data" / name).unlink()
        daemon.start()
        self.assertEqual(daemon.client.get("/v1/archives/" + item["id"]).status, 404)
        self.assertEqual(daemon.client.get("/v1/archives/" + item["id"], headers=ANN).json["state"], "waiting")
        self.assertEqual(daemon.client.get("/v1/archives/" + shown["id"]).json["uploader"], "bob")

    def test_many_hands(self):
        """Archives of several files, and views that change with each upload."""
        client = self.daemon("--moderate", Daemon.samples).client
        headers, body = form([("wave.anim", sample(WAVE)), ("walk.anim", sample(WALK))])
        first = client.post("/v1/archives?name=both", body, headers=headers | ANN).json
        second = self.upload(client, BOB, zipped([("w.anim", sample(WAVE) )]), "w.zip")
        ids = lambda who: {a["id"] for a in client.items("/v1/archives", source="upload", **({} if not who else {"state": "waiting"}))} \
            if not who else {a["id"] for a in client.get("/v1/archives", headers=who, state="waiting").json["items"]}
        self.assertEqual(ids(ANN), {first["id"]})
        self.assertEqual(ids(BOB), {second["id"]})
        self.assertEqual(ids(MOD), {first["id"], second["id"]})
        self.assertEqual(ids(None), set())
        client.post(f"/v1/archives/{second['id']}/publish", b"", headers=MOD)
        self.assertEqual(ids(MOD), {first["id"]})
        self.assertEqual(ids(BOB), set())
        self.assertEqual(ids(None), {second["id"]})


if __name__ == "__main__":
    unittest.main()
