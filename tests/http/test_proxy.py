"""A real nginx in front, and clients of IPv6: what a proxy passes on is what it meant, and whom it names pays."""

import os
import socket
import unittest

from daemon import Daemon
from nginx import Nginx
from test_hostile_http import CANARY, statuses
from test_options import connect, receive_all

CONFIGURATION = """
    upstream posed {{ server {host}:{port}; keepalive 4; }}
    server {{
        listen 127.0.0.1:{own};
        client_max_body_size 64m;
        location / {{
            proxy_pass http://posed;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Host $host;
            proxy_set_header X-Forwarded-Proto $scheme;
        }}
    }}
"""


@unittest.skipIf(os.environ.get("POSED_SANITIZE"), "what it shows is no matter of memory")
class Proxy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--trusted-proxy", "127.0.0.1", "--log", "json", Daemon.samples)
        cls.daemon.start()
        host, port = cls.daemon.client.host, cls.daemon.client.port
        cls.nginx = Nginx(lambda own, _: CONFIGURATION.format(own=own, host=host, port=port))
        cls.client = cls.nginx.client

    @classmethod
    def tearDownClass(cls):
        cls.nginx.stop()
        assert cls.daemon.stop() == 0, cls.daemon.errors()

    def talk(self, message):
        with connect(self.client) as stream:
            stream.sendall(message)
            return receive_all(stream)

    def test_it_is_the_same_through_it(self):
        self.assertEqual(self.client.get("/readyz").status, 200)
        clip = self.client.items("/v1/clips", q="idle")[0]["id"]
        for target in (f"/v1/clips/{clip}/pose?t=0.5", f"/v1/clips/{clip}/poses?fps=300&as=f32",
                       f"/v1/clips/{clip}.glb", f"/v1/clips/{clip}/preview.png"):
            self.assertEqual(self.client.get(target).body, self.daemon.client.get(target).body, target)

    def test_nothing_is_smuggled(self):
        start = b"POST /v1/inspect HTTP/1.1\r\nHost: localhost\r\n"
        inner = b"GET /v1/hash?name=smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for headers in (b"Content-Length:\r\n 60\r\n", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                        b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", b"Content-Length: 5\r\nContent-Length: 60\r\n",
                        b"Content-Length : 60\r\n", b"Content-Length: 2\x00 5\r\n", b"Transfer-Encoding:\r\n chunked\r\n",
                        b"Transfer-Encoding: xchunked\r\n", b"X: a\rContent-Length: 60\r\n", b"Content-Length: +60\r\n"):
            with self.subTest(headers):
                answer = self.talk(start + headers + b"\r\n" + inner + CANARY)
                self.assertTrue(statuses(answer), headers)
                self.assertNotIn(b"smuggled", answer)
                self.assertEqual(self.client.get("/readyz").status, 200)

    def test_the_forwarded_client_is_named(self):
        """Whoever sends X-Forwarded-For through the proxy is named by the proxy's last hop all the same."""
        answer = self.talk(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.9\r\n"
                           b"X-Request-Id: named-by-proxy\r\nConnection: close\r\n\r\n")
        self.assertEqual(statuses(answer), [200])
        self.daemon.wait_for_log(r'"id":"named-by-proxy","client":"203\.0\.113\.9"')

    def test_nobody_names_the_host(self):
        """README's lines replace what a client says of host and scheme."""
        clip = self.client.items("/v1/clips", q="idle")[0]["id"]
        forged = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https"}
        for target in ("/robots.txt", "/sitemap.xml", f"/clip/{clip}"):
            reply = self.client.get(target, headers=forged)
            self.assertNotIn(b"evil.example", reply.body, target)
            self.assertIn(b"http://127.0.0.1/", reply.body, target)

    def test_writes_do_not_pass(self):
        reply = self.client.post("/v1/archives?name=a.anim", b"x", check=False)
        self.assertEqual(reply.status, 403)


class ForwardedHosts(unittest.TestCase):
    """A trusted proxy that passes on what a client says of the host."""

    def test_only_those_listed(self):
        with Daemon("--trusted-proxy", "127.0.0.1", "--allowed-hosts", "poses.example, [::1]", Daemon.samples) as daemon:
            for host, status in (("poses.example", 200), ("POSES.example:8443", 200), ("[::1]:8443", 200),
                                 ("evil.example", 403), ("evil.example, poses.example", 403), ("poses.example.", 403),
                                 ("poses.example, evil.example", 403), ("poses.example:80, evil.example", 403),
                                 ("poses.example:evil.example", 403), ("[::1]evil.example", 403), ("[::1", 403),
                                 ("poses.example@evil.example", 403), ("https://poses.example", 403)):
                with self.subTest(host):
                    reply = daemon.client.get("/robots.txt", check=False,
                                              headers={"Host": "poses.example", "X-Forwarded-Host": host})
                    self.assertEqual(reply.status, status)
                    self.assertNotIn(b"Sitemap: http://evil", reply.body)

    def test_strangers_are_not_believed(self):
        with Daemon("--allowed-hosts", "poses.example", Daemon.samples) as daemon:
            reply = daemon.client.get("/robots.txt", headers={"Host": "poses.example", "X-Forwarded-Host": "evil.example"})
            self.assertIn(b"Sitemap: http://poses.example/sitemap.xml", reply.body)

    def test_caches_have_to_ask(self):
        """What names the origin is revalidated, and has another ETag for another origin."""
        with Daemon("--trusted-proxy", "127.0.0.1", Daemon.samples) as daemon:
            clip = daemon.client.items("/v1/clips", q="idle")[0]["id"]
            page = f"/clip/{clip}"
            for target in ("/robots.txt", "/sitemap.xml", page, f"/oembed?url=http%3A%2F%2Fa.example{page}"):
                with self.subTest(target):
                    one = daemon.client.get(target, headers={"X-Forwarded-Host": "a.example"})
                    self.assertIn("no-cache", one.headers["Cache-Control"])
                    self.assertTrue(one.headers["ETag"])
                    again = {"X-Forwarded-Host": "a.example", "If-None-Match": one.headers["ETag"]}
                    self.assertEqual(daemon.client.get(target, headers=again, check=False).status, 304)
                    other = again | {"X-Forwarded-Host": "b.example"}
                    self.assertNotEqual(daemon.client.get(target, headers=other, check=False).status, 304)


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as stream:
            stream.bind(("::1", 0))
        return True
    except OSError:
        return False


@unittest.skipUnless(has_ipv6(), "this machine has no IPv6")
class Six(unittest.TestCase):
    def test_peers(self):
        with Daemon("--log", "json", Daemon.samples, listen="[::1]:0") as daemon:
            self.assertEqual(daemon.client.get("/readyz").status, 200)
            reply = daemon.client.post("/v1/archives?name=a.txt", b"x", {"Host": "[::1]"})
            self.assertIn(reply.status, (415, 422), reply)
            daemon.wait_for_log(r'"client":"::1"')


if __name__ == "__main__":
    unittest.main()
