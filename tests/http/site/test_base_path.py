"""Below a prefix of somebody else's site (--base-path), and an address of its own for metrics (--metrics-listen)."""

import json
import re
import unittest
from urllib.parse import quote, urljoin

from client import Client
from daemon import Daemon, run
from uploads import WAVE, form, sample

PREFIX = "/games/poses-1.0"
LINK = re.compile(r'(?:href|src|content)="(/[^"]*)"')


class PrefixedClient(Client):
    """Judges answers as those of the path without the prefix."""

    def request(self, method, target, body=None, headers=None, check=True, **query):
        reply = super().request(method, target, body, headers, False, **query)
        if check:
            reply.path = reply.path.removeprefix(PREFIX) or "/"
            Daemon.contract.check(reply)
        return reply


class BasePath(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--base-path", PREFIX, Daemon.samples)
        cls.daemon.start()
        address = (cls.daemon.client.host, cls.daemon.client.port)
        cls.client, cls.origin = PrefixedClient(address), "http://%s:%d" % address
        cls.clip = cls.get("/v1/clips", limit=1).json["items"][0]

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        assert cls.daemon.stop() == 0, cls.daemon.errors()

    @classmethod
    def get(cls, path, **query):
        return cls.client.get(PREFIX + path, **query)

    def assertOurs(self, link):
        """It has the prefix, and something is there."""
        path = link.removeprefix(self.origin)
        self.assertTrue(path.startswith(PREFIX + "/"), link)
        self.assertEqual(self.client.get(path, check=False).status, 200, link)

    def test_with_and_without(self):
        for path in ("/", "/healthz", "/v1/clips", "/docs", "/favicon.ico", "/client.js"):
            with self.subTest(path):
                self.assertEqual(self.get(path).status, 200)
                self.assertEqual(self.client.get(path).status, 200)  # a proxy may have taken it off
        self.assertEqual(self.client.get(PREFIX).status, 200)
        for path in (PREFIX + "x/v1/clips", PREFIX + "/games", PREFIX + PREFIX + "/v1/clips", "/games", PREFIX + "//v1/clips"):
            self.assertEqual(self.client.get(path, check=False).status, 404, path)

    def test_links_of_json(self):
        clip = self.get("/v1/clips/" + self.clip["id"]).json
        archive = self.get("/v1/archives/" + clip["archive"]).json
        for link in [*clip["links"].values(), *archive["links"].values()]:
            self.assertOurs(link)
        page = self.get("/v1/clips", limit=2)
        self.assertOurs(page.json["next"])
        self.assertIn(f"<{PREFIX}/v1/clips?", page["Link"])
        following = self.client.get(page.json["next"]).json
        self.assertNotEqual(following["items"], page.json["items"])
        reply = self.get(f"/v1/named/samples/{quote('a2o-walk')}/pose")
        self.assertOurs(reply["Content-Location"])

    def test_redirects(self):
        headers, body = form([("wave.anim", sample(WAVE))])
        reply = self.client.post(PREFIX + "/v1/archives", body, headers={**headers, "Accept": "text/html"})
        self.assertEqual(reply.status, 303, reply)
        self.assertOurs(reply["Location"])
        created = self.client.post(PREFIX + "/v1/archives", body, headers=headers)
        self.assertOurs(created["Location"])
        self.client.request("DELETE", created["Location"])

    def test_pages(self):
        pages = ("/", "/docs", "/moderation", f"/clip/{self.clip['id']}", f"/archive/{self.clip['archive']}",
                 f"/embed/{self.clip['id']}")
        for path in pages:
            plain = self.get(path)
            links = LINK.findall(plain.text)
            self.assertTrue(links, path)
            for link in links:
                self.assertOurs(link)
            for coding in ("gzip", "identity"):
                coded = self.client.get(PREFIX + path, headers={"Accept-Encoding": coding})
                self.assertEqual(coded.body, plain.body)
                again = self.client.get(PREFIX + path, headers={"If-None-Match": coded["ETag"], "Accept-Encoding": coding})
                self.assertEqual(again.status, 304)
        lost = self.client.get(PREFIX + "/nothing", headers={"Accept": "text/html"}, check=False)
        self.assertIn(f'href="{PREFIX}/"', lost.text)
        # Scripts import what lies beside them.
        script = re.search(r'src="([^"]+\.js)"', self.get("/").text).group(1)
        for part in re.findall(r'(?:from|import\()"(\./[^"]+)"', self.client.get(script).text):
            self.assertOurs(urljoin(script, part))

    def test_cards_and_feeds(self):
        head = self.get(f"/clip/{self.clip['id']}").text
        for name in ("og:url", "og:image", "twitter:image"):
            self.assertOurs(re.search(rf'"{name}" content="([^"]*)"', head).group(1).replace("&amp;", "&"))
        oembed = re.search(r'json\+oembed" href="([^"]*)"', head).group(1).replace("&amp;", "&")
        self.assertOurs(oembed)
        embedded = self.client.get(oembed.removeprefix(self.origin)).json
        for link in (embedded["thumbnail_url"], re.search('src="([^"]*)"', embedded["html"]).group(1)):
            self.assertOurs(link.replace("&amp;", "&"))
        self.assertEqual(self.get("/oembed", url=f"{self.origin}/clip/{self.clip['id']}").status, 200)
        for address in re.findall("<loc>([^<]*)</loc>", self.get("/sitemap.xml").text)[:5]:
            self.assertOurs(address)
        robots = self.get("/robots.txt").text
        self.assertIn(f"Disallow: {PREFIX}/v1/\n", robots)
        self.assertOurs(re.search("Sitemap: (.*)", robots).group(1))

    def test_description(self):
        document = self.get("/openapi.json").json
        self.assertEqual(document["servers"][0]["url"], PREFIX)
        del document["servers"]
        contract = dict(Daemon.contract.document)
        del contract["servers"]
        self.assertEqual(document, contract)

    def test_the_log_has_what_was_asked(self):
        self.get("/v1/formats", limit=3)
        self.daemon.wait_for_log(re.escape(PREFIX + "/v1/formats"))


class Refused(unittest.TestCase):
    def test_prefixes(self):
        for text in ("poses", "/poses/", "//poses", "/a//b", "/a/../b", "/.", '/"x', "/%41", "/a b", "/v1", "/v1/x", "/metrics", "/docs/x",
                     "/" + 64 * "a", "/\u00e4"):
            status, _, errors = run("serve", "--base-path", text, "--check")
            self.assertEqual((status, errors.count("\n")), (2, 1), text)
            self.assertIn("--base-path", errors)
        for text in ("/", "/poses", "/a/b", "/v1x", "/" + 63 * "a"):
            self.assertEqual(run("serve", "--base-path", text, "--check")[0], 0, text)


class Metrics(unittest.TestCase):
    def start(self, *arguments):
        daemon = Daemon("--metrics-listen", "127.0.0.1:0", *arguments, Daemon.samples)
        daemon.start()
        self.addCleanup(daemon.stop)
        host, port = daemon.wait_for_log(r"metrics are at http://([\d.]+):(\d+)/metrics").groups()
        side = Client((host, int(port)), Daemon.contract)
        self.addCleanup(side.close)
        return daemon.client, side

    def test_an_address_of_their_own(self):
        client, side = self.start("--allowed-hosts", "poses.example", "--rate-limit", "1/m")
        self.assertEqual(client.get("/metrics", headers={"Host": "poses.example"}).status, 404)
        for _ in range(5):  # neither hosts nor rates are looked at, as for the probes
            self.assertIn("posed_build_info", side.get("/metrics").text)
        for path in ("/healthz", "/readyz"):
            self.assertEqual(side.get(path).status, 200)
        for path in ("/", "/v1/clips", "/openapi.json", "/metrics/", "/v1/archives"):
            self.assertEqual(side.get(path).status, 404, path)
        self.assertEqual(side.post("/v1/archives", b"x", name="a.anim").status, 404)

    def test_beside_too_many_connections(self):
        client, side = self.start("--max-connections", "4", "--client-share", "0")
        import socket
        held = []
        for _ in range(8):
            held.append(socket.create_connection((client.host, client.port), timeout=20))
        self.addCleanup(lambda: [stream.close() for stream in held])
        self.assertEqual(side.get("/metrics").status, 200)

    def test_below_a_prefix(self):
        client, side = self.start("--base-path", "/poses")
        self.assertEqual(client.get("/poses/metrics", check=False).status, 404)
        for path in ("/metrics", "/poses/metrics"):
            self.assertEqual(side.get(path, check=False).status, 200)

    def test_an_address_in_use(self):
        _, side = self.start()
        status, _, errors = run("serve", "--listen", "127.0.0.1:0", "--metrics-listen", f"{side.host}:{side.port}")
        self.assertEqual(status, 1)
        self.assertIn(f"{side.port}: Address already in use", errors)
        self.assertEqual(run("serve", "--metrics-listen", "example.org", "--check")[0], 2)
