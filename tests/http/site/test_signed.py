"""Signed URLs: what strangers get only with a signature, who needs none, keys that change, and signatures that are none."""

import base64
import hashlib
import hmac
import re
import signal
import socket
import time
import unittest
from urllib.parse import parse_qsl, quote, urlencode

from daemon import Daemon, run
from test_moderation import ANN, SiteCase
from uploads import WAVE, sample

KEY, OTHER = "the first key of two", "another key, of old"


def signed(target, key=KEY, **more):
    """What a site does that has the key, by the words of the documentation."""
    path, _, query = target.partition("?")
    pairs = sorted([*parse_qsl(query, keep_blank_values=True), *((name, str(value)) for name, value in more.items())])
    text = path + ("?" if pairs else "") + urlencode(pairs, quote_via=quote, safe="-._~")
    digest = hmac.new(key.encode(), text.encode(), hashlib.sha256).digest()
    pairs.append(("sig", base64.urlsafe_b64encode(digest).decode().rstrip("=")))
    return path + "?" + urlencode(pairs)


class SignedCase(SiteCase):
    def signing(self, *arguments, keys=f"# old ones below\n\n{KEY}\n  {OTHER}\t\n"):
        (self.top / "keys").write_text(keys)
        daemon = self.daemon("--url-key", self.top / "keys", *arguments, Daemon.samples)
        client = daemon.client
        self.clip = client.items("/v1/clips", name="a2o-walk")[0]
        self.id = self.clip["id"]
        return daemon

    def refused(self, client, target, code, **options):
        reply = client.get(target, **options)
        self.assertEqual((reply.status, reply.json["code"]), (403, code), reply)
        self.assertIn("posed sign", reply.json["detail"])
        return reply


class Signatures(SignedCase):
    def test_bodies_are_refused_before_they_are_sent(self):
        client = self.signing().client
        for target in ("/v1/convert?to=glb", "/v1/convert?to=glb&sig=x", "/v1/inspect", "/v1/poses"):
            head = f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000000\r\nExpect: 100-continue\r\n"
            for headers, answered in (("", 403), (f"Authorization: {ANN['Authorization']}\r\n", 100)):
                with socket.create_connection((client.host, client.port), timeout=90) as stream:
                    stream.sendall((head + headers + "\r\n").encode())
                    self.assertEqual(int(stream.recv(12)[-3:]), answered, (target, headers))
        body = sample(WAVE)
        self.assertEqual(client.post("/v1/convert?to=glb", body).status, 403)
        self.assertEqual(client.post(signed("/v1/convert?to=glb"), body).status, 200)
        self.assertEqual(client.post("/v1/convert?to=glb", body, headers=ANN).status, 200)

    def test_what_needs_one(self):
        client = self.signing().client
        dear = [f"/v1/clips/{self.id}{rest}" for rest in (
            "/poses", "/poses?fps=60", "/preview.png", "/preview.svg?width=300", "/preview.webp", "/plot.svg?joint=HEAD", ".glb",
            ".bvh?fps=10", f"/diff?with={self.id}")] + [f"/v1/archives/{self.clip['archive']}.zip?to=json",
            "/v1/named/samples/a2o-walk/preview.png?t=0.5"]
        for target in dear:
            with self.subTest(target):
                self.refused(client, target, "needs_signature")
                self.assertEqual(client.get(signed(target)).status, 200)
                self.assertEqual(client.get(signed(target, OTHER)).status, 200)
                self.assertEqual(client.get(target, headers=ANN).status, 200)
        for target in ("/", "/v1/clips", f"/v1/clips/{self.id}", f"/v1/clips/{self.id}/pose?t=0.5", f"/v1/clips/{self.id}/keys",
                       "/openapi.json", f"/clip/{self.id}"):
            self.assertEqual(client.get(target).status, 200, target)
        body = '{"requests":[{"clip":"%s","t":0}]}' % self.id
        self.assertEqual(client.post("/v1/poses", body).json["code"], "needs_signature")
        self.assertEqual(client.post("/v1/poses", body, headers=ANN).status, 200)
        for path in ("/v1/inspect?name=a.anim", "/v1/convert?name=a.anim&to=glb"):
            self.assertEqual(client.post(path, sample(WAVE)).json["code"], "needs_signature")
            self.assertEqual(client.post(path, sample(WAVE), headers=ANN).status, 200)

    def test_answers_are_the_same(self):
        client = self.signing().client
        target = f"/v1/clips/{self.id}/poses?as=json&fps=10"
        own, other = client.get(target, headers=ANN), client.get(signed(target, exp=int(time.time()) + 1000))
        self.assertEqual((own.body, own["ETag"], own["Content-Location"]), (other.body, other["ETag"], other["Content-Location"]))
        self.assertNotIn("sig", own["Content-Location"] or "")
        again = client.get(signed(target), headers={"If-None-Match": own["ETag"]})
        self.assertEqual(again.status, 304)

    def test_what_is_signed(self):
        """The path and every parameter, in any order; a name with everything that URLs escape."""
        client = self.signing().client
        target = signed(f"/v1/clips/{self.id}/poses?fps=10&as=json&joints=HEAD,PELVIS")
        path, _, query = target.partition("?")
        pairs = query.split("&")
        self.assertEqual(client.get(path + "?" + "&".join(reversed(pairs))).status, 200)
        self.assertEqual(client.get(target.replace("HEAD%2CPELVIS", "HEAD,PELVIS")).status, 200)
        for changed in (target.replace("fps=10", "fps=11"), target + "&end=1", target.replace("fps=10&", ""), target.replace("/poses", "/diff"),
                        target + "&exp=99999999999", target.replace("json", "f32"), target[:-1] + ("A" if target[-1] != "A" else "Q")):
            self.assertNotEqual(changed, target)
            self.refused(client, changed, "wrong_signature")
        odd = f"/v1/clips/{self.id}/preview.png?" + urlencode({"character": "ä &=+%?~\n", "width": 64})
        self.assertEqual(client.get(signed(odd)).status, 400)  # the value is none, but the signature is

    def test_they_expire(self):
        client = self.signing().client
        target, now = f"/v1/clips/{self.id}.glb", int(time.time())
        self.assertEqual(client.get(signed(target, exp=now + 3600)).status, 200)
        self.refused(client, signed(target, exp=now - 10), "signature_expired")
        for exp in ("0", "-1", "x", "", " 99999999999", "99999999999x", "1" * 40):
            reply = client.get(signed(target, exp=exp))
            self.assertEqual(reply.status, 200 if exp == "1" * 40 else 403, exp)  # for ever is for ever

    def test_what_is_none(self):
        client = self.signing().client
        target = f"/v1/clips/{self.id}.glb"
        for text in ("", "x", 43 * "A", 44 * "A", 5000 * "A", "%00", "=" * 43, "../", "%F0%9F%92%A9"):
            reply = client.get(f"{target}?sig={text}")
            self.assertIn(reply.status, (400, 403), text)
        self.refused(client, signed(target, "a key that is none of them"), "wrong_signature")
        self.refused(client, target + "?exp=99999999999", "needs_signature")
        good = signed(target).partition("sig=")[2]
        self.assertIn(client.get(f"{target}?sig={good}&sig={good}").status, (400, 403))

    def test_keys_change(self):
        daemon = self.signing()
        target = f"/v1/clips/{self.id}.json"
        old, new = signed(target), signed(target, "a new key, longer yet")
        self.refused(daemon.client, new, "wrong_signature")
        (self.top / "keys").write_text(f"a new key, longer yet\n{KEY}\n")
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for_log("keys of URLs read again")
        for one in (old, new):
            self.assertEqual(daemon.client.get(one).status, 200)
        (self.top / "keys").write_text(1100 * "k")
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for_log("keys of URLs stay as they were")
        self.assertEqual(daemon.client.get(new).status, 200)
        (self.top / "keys").write_text("a new key, longer yet\n")
        daemon.process.send_signal(signal.SIGHUP)
        self.eventually(lambda: daemon.client.get(old).status == 403, "the old key is gone")

    def test_without_keys_they_are_nothing(self):
        client = self.daemon(Daemon.samples).client
        clip = client.items("/v1/clips", name="a2o-walk")[0]["id"]
        self.assertEqual(client.get(signed(f"/v1/clips/{clip}.json", exp=1)).status, 200)
        self.assertNotIn("Set-Cookie", client.get("/").headers)

    def test_key_files(self):
        for text in ("", "# none\n", 1100 * "k", 17 * "0123456789abcdef\n"):
            (self.top / "keys").write_text(text)
            status, _, errors = run("serve", "--check", "--url-key", self.top / "keys")
            self.assertEqual((status, errors.count("\n")), (1, 1), text[:20])
        self.assertEqual(run("serve", "--check", "--url-key", self.top / "none")[0], 1)

    def test_key_files_without_end(self):
        (self.top / "lines").write_text("# none\n" * 5000 + KEY)
        for path in ("/dev/zero", "/dev/urandom", "/proc/kmsg-none", self.top / "lines", self.top):
            for words in (("serve", "--check"), ("sign", "/x")):
                status, _, errors = run(words[0], "--url-key", path, *words[1:])
                self.assertEqual((status, errors.count("\n")), (1, 1), (path, errors))
                self.assertIn(str(path), errors)

    def test_a_short_key_signs_and_the_log_says_that_it_is_short(self):
        daemon = self.signing(keys=f"{KEY}\nshort\n")
        daemon.wait_for_log("shorter than 16 characters")
        target = f"/v1/clips/{self.id}.json"
        self.assertEqual(daemon.client.get(signed(target, "short")).status, 200)
        self.refused(daemon.client, signed(target, "other"), "wrong_signature")

    def test_programs_on_the_same_machine_are_strangers_too(self):
        """A proxy may look like one; and who tries the address at home sees what others will see."""
        (self.top / "keys").write_text(KEY)
        with Daemon("--url-key", self.top / "keys", Daemon.samples) as daemon:
            client = daemon.client
            clip = client.items("/v1/clips", name="a2o-walk")[0]["id"]
            for target in (f"/v1/clips/{clip}/poses", f"/v1/clips/{clip}/preview.png", f"/v1/clips/{clip}.glb"):
                self.refused(client, target, "needs_signature")
                self.assertEqual(client.get(signed(target)).status, 200)
            self.assertEqual(client.post("/v1/convert?name=a.anim&to=glb", sample(WAVE)).json["code"], "needs_signature")
            upload = client.post("/v1/archives?name=a.anim", sample(WAVE))
            self.assertEqual(upload.status, 201)  # writes have a rule of their own


class Pages(SignedCase):
    def cookie(self, reply):
        name, _, value = reply["Set-Cookie"].partition(";")[0].partition("=")
        self.assertEqual(name, "posed_pass")
        return {"Cookie": f"other=1; {name}={value}; posed_passe=2"}

    def test_the_page_shows_what_it_shows(self):
        client = self.signing().client
        target = f"/v1/clips/{self.id}/preview.png"
        for path in ("/", f"/clip/{self.id}", f"/embed/{self.id}", "/moderation"):
            reply = client.get(path)
            self.assertRegex(reply["Set-Cookie"], r"Path=/; Max-Age=43200; HttpOnly; SameSite=Lax$")
            self.assertEqual(client.get(target, headers=self.cookie(reply)).status, 200)
            again = client.get(path, headers={"If-None-Match": reply["ETag"]})
            self.assertTrue(again["Set-Cookie"])
        good = self.cookie(client.get("/"))["Cookie"]
        for bad in (good.replace("posed_pass=1", "posed_pass=2"), good.replace("posed_pass=", "posed_pass="[:-1] + "x="),
                    "posed_pass=99999999999." + 43 * "A", "posed_pass=", "posed_pass=1", "posed_pass=99999999999.", "posed_pass"):
            self.refused(client, target, "needs_signature", headers={"Cookie": bad})

    def test_behind_tls_and_a_prefix(self):
        client = self.signing("--trusted-proxy", "127.0.0.1", "--base-path", "/poses").client
        reply = client.request("GET", "/poses/", headers={"X-Forwarded-Proto": "https"}, check=False)
        self.assertRegex(reply["Set-Cookie"], r"Path=/poses/; .*SameSite=None; Secure; Partitioned$")

    def test_cards_are_signed(self):
        """Who fetches the picture of a pasted link has no page."""
        client = self.signing().client
        page = client.get(f"/clip/{self.id}").text
        picture = re.search(r'og:image" content="http://[^/]*([^"]*)"', page).group(1).replace("&amp;", "&")
        self.assertIn("sig=", picture)
        self.assertEqual(client.get(picture).status, 200)
        reply = client.get("/oembed", url=f"http://localhost/clip/{self.id}").json
        self.assertEqual(client.get(re.sub("^http://[^/]*", "", reply["thumbnail_url"])).status, 200)

    def test_cards_sign_one_picture_for_a_month(self):
        """Whatever is asked of oEmbed; SECURITY.md says so. Nothing of the signed address can be changed."""
        client = self.signing().client
        page = client.get(f"/clip/{self.id}").text
        targets = {re.search(r'og:image" content="http://[^/]*([^"]*)"', page).group(1).replace("&amp;", "&")}
        for more in ({}, {"maxwidth": 200, "maxheight": 130}, {"maxwidth": 2000}):
            reply = client.get("/oembed", url=f"http://localhost/clip/{self.id}?t=0.5&angle=30", **more).json
            targets.add(re.sub("^http://[^/]*", "", reply["thumbnail_url"]))
        self.assertEqual(len(targets), 1)
        path, _, query = targets.pop().partition("?")
        pairs = dict(parse_qsl(query))
        self.assertEqual((path, pairs["width"], pairs["height"]), (f"/v1/clips/{self.id}/preview.png", "1200", "630"))
        self.assertEqual(set(pairs), {"width", "height", "exp", "sig"})
        days = (int(pairs["exp"]) - time.time()) / 86400
        self.assertTrue(31 <= days <= 32, days)
        for change in ({"width": "1201"}, {"height": "629"}, {"t": "0.5"}, {"angle": "30"}, {"exp": str(int(pairs["exp"]) + 1)}):
            self.refused(client, path + "?" + urlencode(pairs | change), "wrong_signature")


class Command(SignedCase):
    def test_sign(self):
        client = self.signing().client
        address = f"http://{client.host}:{client.port}"
        targets = [f"/v1/clips/{self.id}.glb?fps=30", f"{address}/v1/clips/{self.id}/preview.png?width=100&height=50",
                   "https://poses.example/v1/named/samples/a2o-walk/poses?as=json&joints=HEAD,PELVIS"]
        for options in ([], ["--expires", "1h"]):
            status, out, errors = run("sign", "--url-key", self.top / "keys", *options, *targets)
            self.assertEqual((status, errors), (0, ""))
            lines = out.splitlines()
            self.assertEqual([line.partition("sig=")[0].rstrip("?&").partition("&exp")[0] for line in lines], targets)
            for line in lines:
                self.assertEqual("exp=" in line, bool(options))
                self.assertEqual(client.get(re.sub("^https?://[^/]*", "", line)).status, 200, line)
        out = run("sign", "--url-key", self.top / "keys", targets[0])[1].strip()
        self.assertEqual(out, signed(targets[0]).replace("%2C", ","))
        based = run("sign", "--url-key", self.top / "keys", "--base-path", "/poses", "https://x.example/poses" + targets[0])[1].strip()
        self.assertEqual(based, "https://x.example/poses" + out)
        about = "/oembed?url=http://h.example/clip/" + self.id  # the address in the query is none of the target's
        self.assertEqual(run("sign", "--url-key", self.top / "keys", about)[1].partition("?")[0], "/oembed")
        self.assertIn("sig=" + signed(about).partition("sig=")[2], run("sign", "--url-key", self.top / "keys", about)[1])

    def test_refusals(self):
        (self.top / "keys").write_text(KEY)
        for words, code in ((["/x"], 2), (["--url-key", self.top / "keys"], 2), (["--url-key", self.top / "none", "/x"], 1),
                            (["--url-key", self.top / "keys", "x"], 1), (["--url-key", self.top / "keys", "/x?sig=1"], 1),
                            *[(["--url-key", self.top / "keys", target], 1) for target in (
                                "/x?a=1&a=1", "/x?a=1&b=2&a=3", "/x?a=1&%61=2", "/x?a&a", "/x?a=1\n", "/x\ny?a=1", "/x\r", "/x y",
                                "/x?a=\x7f", "/x\t", "https://h.example\n/x", "https://h .example/x", "/x\x01")],
                            (["--url-key", self.top / "keys", "--expires", "1h", "/x?exp=5"], 1),
                            (["--url-key", self.top / "keys", "/x?a=%zz"], 1), (["--url-key", self.top / "keys", "/" + 5000 * "x"], 1),
                            (["--url-key", self.top / "keys", "--base-path", "x", "/x"], 2)):
            status, out, errors = run("sign", *words)
            self.assertEqual((status, out, errors.count("\n")), (code, "", 1), words)


if __name__ == "__main__":
    unittest.main()
