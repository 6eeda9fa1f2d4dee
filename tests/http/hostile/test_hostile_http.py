"""HTTP that means harm, against the whole daemon: each message is answered or dropped as documented, what follows it on
the connection is never taken for a request, and the daemon is as large and as open afterwards as before."""

import json
import os
import re
import socket
import tempfile
import time
import unittest
from pathlib import Path
from urllib.parse import quote

from daemon import Daemon
from test_options import connect, receive_all
from uploads import WAVE, sample

# Since 1.0 libmicrohttpd closes without a word on some of what its parser refuses: docs/stability.md.
IS_SILENT = not os.environ.get("POSED_LIBMICROHTTPD", "0.9").startswith("0.9")
SANITIZED = bool(os.environ.get("POSED_SANITIZE"))
CANARY = b"GET /v1/hash?name=smuggled HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
POST = b"POST /v1/inspect?name=a.anim HTTP/1.1\r\nHost: localhost\r\n"


def statuses(answer):
    """Of all answers in what came back."""
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) [A-Z]", answer)]


class HostileCase(unittest.TestCase):
    """self.daemon with short time-outs; at the end of each test it must answer and hold no more than before."""

    FLAT = 24 << 20  # a first use of everything, spread over two loops
    OPTIONS = "--request-timeout", "2s"

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(*cls.OPTIONS, "--idle-timeout", "3s", "--log", "json", Daemon.samples)
        cls.daemon.start()
        cls.client = cls.daemon.client

    @classmethod
    def tearDownClass(cls):
        assert cls.daemon.stop() == 0, cls.daemon.errors()

    def setUp(self):
        for path in ("/v1/clips", "/metrics"):
            self.client.get(path)
        self.client.post("/v1/inspect", sample(WAVE), name="wave.anim")
        self.before = self.daemon.resident_bytes(), self.descriptors()

    def tearDown(self):
        self.assertEqual(self.client.get("/readyz").status, 200)
        self.client.close()
        deadline = time.monotonic() + 20
        while self.descriptors() > self.before[1] and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertLessEqual(self.descriptors(), self.before[1])
        if not SANITIZED:
            self.assertLess(self.daemon.resident_bytes() - self.before[0], self.FLAT)

    def descriptors(self):
        """Without the one connection of the client itself."""
        self.client.close()
        folder = f"/proc/{self.daemon.process.pid}/fd"
        deadline = time.monotonic() + 10
        while True:
            names = os.listdir(folder)
            sockets = 0
            for name in names:
                try:
                    sockets += os.readlink(f"{folder}/{name}").startswith("socket:")
                except OSError:
                    pass
            if sockets <= getattr(self, "sockets", sockets) or time.monotonic() > deadline:
                self.sockets = sockets
                return len(names)
            time.sleep(0.02)

    def send(self, *pieces, half_close=False, pause=0.0):
        """All answers that pieces get; the connection must end."""
        with connect(self.client) as stream:
            for piece in pieces:
                try:
                    stream.sendall(piece)
                except OSError:
                    break
                time.sleep(pause)
            if half_close:
                try:
                    stream.shutdown(socket.SHUT_WR)
                except OSError:
                    pass
            return receive_all(stream)


class Framing(HostileCase):
    """Where a body ends must not be a matter of opinion."""

    def no_second_answer(self, message, wanted):
        answer = self.send(message + CANARY)
        found = statuses(answer)
        self.assertTrue(found and found[0] in wanted, (message, answer[:300]))
        self.assertNotIn(200, found, (message, answer[:300]))
        self.assertNotIn(b"smuggled", answer, message)

    def test_smuggling(self):
        body = b"0\r\n\r\n"
        for headers, wanted in (
            (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", {400}),
            (b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", {400}),
            (b"Content-Length: 5\r\nContent-Length: 6\r\n", {400}),
            (b"Content-Length: 5\r\nContent-Length: 5\r\n", {400}),
            (b"Content-Length: 5, 5\r\n", {400}),
            (b"Content-Length: +5\r\n", {400}),
            (b"Content-Length: -5\r\n", {400}),
            (b"Content-Length: 0x5\r\n", {400}),
            (b"Content-Length: 5 5\r\n", {400}),
            (b"Content-Length:\r\n", {400}),
            (b"Content-Length : 5\r\n", {400}),
            (b"Transfer-Encoding : chunked\r\n", {400}),
            (b"Transfer-Encoding: xchunked\r\n", {400, 501}),
            (b"Transfer-Encoding: chunked, identity\r\n", {400, 501}),
            (b"Transfer-Encoding: identity, chunked\r\n", {400, 501}),
            (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", {400, 501}),
            (b"Transfer-Encoding: \x0bchunked\r\n", {400, 501}),
            (b"Content-Length: 18446744073709551621\r\n", {400, 413}),
        ):
            with self.subTest(headers):
                self.no_second_answer(POST + headers + b"\r\n" + body, wanted)

    def test_lines_that_are_not_what_they_seem(self):
        """Folded, with a NUL or with a bare CR: 400 and the end, whatever the header."""
        for headers in (
            b"Content-Length:\r\n 60\r\n",
            b"Content-Length: 2\r\n 5\r\n",
            b"Content-Length: 2\x00 5\r\n",
            b"Origin:\r\n http://evil.example\r\nContent-Length: 0\r\n",
            b"Via: a\r\n\tb\r\nX: y\r\nContent-Length: 0\r\n",
            b"Content-Length: 0\r\nX-Request-Id: abc\x00def\r\n",
            b"Content-Length: 0\r\nX-Request-Id: abc\x00\r\n",
            b"X: a\rContent-Length: 5\r\n",
            b"X: a\r\r\nContent-Length: 0\r\n",
            b"X\x00Y: z\r\nContent-Length: 0\r\n",
            b"Content-Length: 0\nX: y\r\n",
        ):
            with self.subTest(headers):
                answer = self.send(POST + headers + b"\r\n" + CANARY)
                self.assertEqual(statuses(answer), [400], answer[:300])
                self.assertEqual(answer.count(b"HTTP/1.1 "), 1)

    def test_names_that_are_no_names(self):
        """Also of the first header, which another server may drop or join with the request line."""
        for header in (b" Transfer-Encoding: chunked", b"\tOrigin: http://evil.example", b" Via: a", b" : x", b" Host: a",
                       b"X Y: z", b"X\tY: z", b"X\x01Y: z", b"X\x7fY: z", b"X\x0bY: z", b"X(Y): z", b"X[]: z", b"X\xc3\xa9: z",
                       b'"X": z', b"X,Y: z", b"Content-Length\x0b: 5", b"\x0cTransfer-Encoding: chunked", b": z"):
            for headers in (header + b"\r\nHost: localhost\r\n", b"Host: localhost\r\n" + header + b"\r\n"):
                if headers.startswith(b"Host") and header[:1] in b" \t":
                    continue  # a fold
                with self.subTest(headers):
                    answer = self.send(b"GET /healthz HTTP/1.1\r\n" + headers + b"\r\n" + CANARY)
                    self.assertEqual(statuses(answer), [400], answer[:300])

    def test_names_that_are_fine(self):
        answer = self.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n!#$%&'*+-.^_`|~09: x\r\n\r\n" + CANARY)
        self.assertEqual(statuses(answer), [200, 200])

    def test_blanks_of_the_request_line(self):
        """400 and the end, or the end alone where the HTTP library finds no words in it."""
        for line, answers in ((b"GET\t/healthz HTTP/1.1", [400]), (b"GET /healthz\tHTTP/1.1", [400]),
                              (b"GET /healthz HTTP/1.1\t", [400]), (b"GET  /healthz HTTP/1.1", [400]),
                              (b"GET /healthz  HTTP/1.1", [400]), (b"GET /healthz HTTP/1.1 ", [400]),
                              (b"GET /healthz x HTTP/1.1", [400]), (b"\tGET /healthz HTTP/1.1", [400]),
                              (b"G\x01T /healthz HTTP/1.1", [400]), (b"G(T) /healthz HTTP/1.1", [400]),
                              (b"GET\x0b/healthz HTTP/1.1", [400]), (b"\x0cGET /healthz HTTP/1.1", [400]),
                              (b"GET\t/healthz\tHTTP/1.1", []), (b" GET /healthz HTTP/1.1", []), (b"GET", [])):
            with self.subTest(line):
                answer = self.send(line + b"\r\nHost: localhost\r\n\r\n" + CANARY)
                self.assertIn(statuses(answer), (answers, [] if IS_SILENT else answers), answer[:300])

    def test_lines_of_chunks_end_in_crlf(self):
        head = POST + b"Transfer-Encoding: chunked\r\n\r\n"
        for chunks in (b"2;a\nab\r\n0\r\n\r\n", b"2\nab\r\n0\r\n\r\n", b"2\r\nab\n2\r\ncd\r\n0\r\n\r\n",
                       b"2\r\nab\r\n2\ncd\r\n0\r\n\r\n", b"2;a=\"\n\"\nab\r\n0\r\n\r\n", b"2\nab\n0\n\n",
                       b"2\r\nab\r\n00002;x=y\ncd\r\n0\r\n\r\n"):
            with self.subTest(chunks):
                answer = self.send(head + chunks + CANARY)
                self.assertEqual(statuses(answer), [] if IS_SILENT and not answer else [400], answer[:300])

    def test_chunks_that_are_fine(self):
        """Whatever bytes a chunk ends with, and however it arrives."""
        body = sample(WAVE)
        for size in (1, 7, 64, len(body)):
            pieces = [body[at:at + size] for at in range(0, len(body), size)]
            pieces[:0] = [b"\n", b"a\n", b"\r\n", b"2\n", b"f\n\r\n"]
            whole = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
            head = POST.replace(b"inspect?name=a.anim", b"hash?name=a") + b"Transfer-Encoding: chunked\r\n\r\n"
            refused = POST.replace(b"a.anim", b"a.unknown") + b"Transfer-Encoding: chunked\r\n\r\n"
            cut = len(whole) // 3
            for start in (head, refused):
                with self.subTest((size, start)):
                    answer = self.send(start, whole[:cut], whole[cut:cut + 1], whole[cut + 1:] + CANARY, pause=0.02)
                    found = statuses(answer)
                    self.assertEqual(found[1:], [200], answer[:300])
                    self.assertNotEqual(found[0], 400, answer[:300])

    def test_lines_that_are_fine(self):
        answer = self.send(b"GET /healthz HTTP/1.1\r\nHost:localhost\r\nX:   y  \r\nEmpty:\r\nTab:\t\r\n\r\n" + CANARY)
        self.assertEqual(statuses(answer), [200, 200])

    def test_no_length_closes(self):
        answer = self.send(POST + b"\r\n" + CANARY)
        self.assertEqual(statuses(answer), [411])
        self.assertRegex(answer, rb"(?i)\r\nConnection: close\r\n")

    def test_one_head(self):
        """Also where the HTTP library refuses by itself; and the body is as long as it says."""
        cookies = b"; ".join(b"c%d=%d" % (i, i) for i in range(1200))
        for headers, status in ((b"Content-Length: +2\r\n", 400), (b"Content-Length: 0x2\r\n", 400),
                                (b"Content-Length: \r\n", 400), (b"Content-Length: " + b"9" * 30 + b"\r\n", 413),
                                (b"Content-Length: 0\r\nCookie: " + cookies + b"\r\n", 431)):
            with self.subTest(headers[:40]):
                answer = self.send(POST + headers + b"\r\n" + CANARY)
                self.assertEqual(answer.count(b"HTTP/1.1 "), 1, answer[:600])
                self.assertEqual(statuses(answer), [status])
                head, body = answer.split(b"\r\n\r\n", 1)
                self.assertEqual(int(re.search(rb"(?i)content-length: (\d+)", head).group(1)), len(body))
                self.assertEqual(json.loads(body)["status"], status)

    def test_expect_without_a_body(self):
        """What follows is the next request and no body, so nothing is asked for."""
        answer = self.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\r\n" + CANARY)
        self.assertEqual(statuses(answer), [200, 200])

    def test_a_head_with_a_body(self):
        """A body that a GET should not have is read as one and is no request."""
        inner = CANARY
        answer = self.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(inner) + inner
                           + b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        self.assertEqual(statuses(answer), [200, 200])
        self.assertNotIn(b"smuggled", answer)

    def test_broken_chunks(self):
        start = POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
        for rest in (b"x\r\n", b"-1\r\nx\r\n", b"5\r\nhelloX", b"5;\r\nhello world\r\n", b"ffffffffffffffff\r\n",
                     b"10000000000000000\r\n", b"5\nhelloGET", b"\r\n\r\n", b"0x5\r\nhello\r\n", b" 5\r\nhello\r\n",
                     b"5 \x00\r\nhello\r\n"):
            with self.subTest(rest):
                answer = self.send(start + rest, half_close=True)
                self.assertFalse({200, 201} & set(statuses(answer)), answer[:300])
                self.assertNotIn(b'"format"', answer)

    def test_chunks_that_end_in_the_middle(self):
        for rest in (b"", b"5", b"5\r\n", b"5\r\nhel", b"5\r\nhello", b"5\r\nhello\r\n", b"0\r\n"):
            with self.subTest(rest):
                answer = self.send(POST + b"Transfer-Encoding: chunked\r\n\r\n" + rest, half_close=True)
                self.assertFalse({200, 201, 415, 422} & set(statuses(answer)), answer[:300])

    def test_a_length_that_lies(self):
        for body, half in ((b"short", True), (b"", True), (b"short", False)):
            begun = time.monotonic()
            answer = self.send(POST + b"Content-Length: 100\r\n\r\n" + body, half_close=half)
            self.assertIn(statuses(answer), ([], [400], [408]), answer[:300])
            self.assertLess(time.monotonic() - begun, 20)
        # Shorter than what is sent: the rest is another request, or none.
        answer = self.send(POST + b"Content-Length: 5\r\n\r\nhello trailing rubbish\r\n\r\n")
        self.assertEqual(statuses(answer)[0], 415)
        self.assertNotIn(200, statuses(answer))

    def test_no_length_at_all(self):
        for target in (b"/v1/archives", b"/v1/inspect", b"/v1/convert?to=glb", b"/v1/poses"):
            message = b"POST " + target + b" HTTP/1.1\r\nHost: localhost\r\n"
            for length, status in ((b"", 411), (b"Content-Length: 0\r\n", 400)):
                answer = self.send(message + length + b"Connection: close\r\n\r\n")
                self.assertEqual(statuses(answer), [status], answer[:200])

    def test_more_than_any_body_may_have(self):
        for length in (b"68719476736", b"9223372036854775807"):
            answer = self.send(POST + b"Content-Length: " + length + b"\r\nExpect: 100-continue\r\n\r\n")
            self.assertEqual(statuses(answer), [413], answer[:300])

    def test_lines(self):
        for line in (b"GET", b"GET /", b"GET / HTTP/9.9", b"GET / FTP/1.1", b"\x00\x01\x02", b"GET\t/",
                     b"GET * HTTP/1.1", b"CONNECT example.org:443 HTTP/1.1", b"GET healthz HTTP/1.1",
                     b"GET //evil.example/%2e%2e HTTP/1.1", b"PRI * HTTP/2.0", b"\x16\x03\x01\x02\x00\x01\x00"):
            with self.subTest(line):
                answer = self.send(line + b"\r\nHost: localhost\r\nConnection: close\r\n\r\n", half_close=True)
                self.assertNotIn(200, statuses(answer), answer[:200])

    def test_a_nul_does_not_cut_the_target(self):
        for target in (b"/v1/clips\0x", b"/v1/clips?limit=1\0&nothing=1", b"/\0", b"\0/", b"/v1/clips?\0",
                       b"http://localhost/v1/clips\0"):
            with self.subTest(target):
                answer = self.send(b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                self.assertEqual(statuses(answer), [] if IS_SILENT else [400], answer[:200])
                self.assertEqual(b"application/problem+json" in answer, not IS_SILENT)

    def test_hosts(self):
        for hosts in (b"", b"Host: a\r\nHost: b\r\n", b"Host: a\r\nHost: a\r\n"):
            answer = self.send(b"GET /healthz HTTP/1.1\r\n" + hosts + b"\r\n" + CANARY)
            self.assertEqual(statuses(answer), [400], hosts)
            self.assertIn(b"application/problem+json", answer)


class LongLines(HostileCase):
    """With more time for a request than it takes to see that nothing of it is read any more."""

    OPTIONS = "--request-timeout", "8s"

    def test_a_line_of_a_chunk_that_never_ends(self):
        """It fills the connection's memory; whoever else is on the same loop is served, and this one ends."""
        for first in (b"", b"5\r\nhello\r\n"):
            head = POST + b"Transfer-Encoding: chunked\r\n\r\n" + first + b"1;"
            streams = []
            for size in (40_000, *range(32_400 - len(head), 32_800 - len(head), 16)):
                streams.append(connect(self.client))
                streams[-1].sendall(head + b"a" * size)
            for _ in range(8):
                self.client.close()
                self.assertEqual(self.client.post("/v1/inspect", sample(WAVE), name="wave.anim").status, 200)
            found = [statuses(receive_all(stream)) for stream in streams]
            self.client.close()  # it has been idle for too long
            self.assertEqual(found[0], [] if IS_SILENT else [400])
            # Around the size of the memory: whether there is room for more decides.
            self.assertTrue(all(status in ([400], [408]) or IS_SILENT and not status for status in found), found)


class Sizes(HostileCase):
    def test_headers(self):
        for count, size in ((1, 40_000), (400, 200), (5000, 10), (1, 200_000)):
            with self.subTest(count=count, size=size):
                head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                answer = self.send(head + b"".join(b"X-%d: %s\r\n" % (k, b"x" * size) for k in range(count)) + b"\r\n")
                self.assertIn(statuses(answer), ([431], []), answer[:200])
        answer = self.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: %s\r\n\r\n" % (b"x" * 12000))
        self.assertEqual(statuses(answer), [200])

    def test_targets(self):
        for path in (b"/v1/clips?q=" + b"a" * 40_000, b"/" + b"a" * 40_000, b"/" * 40_000, b"/v1/named/" + b"%41" * 12_000 + b"/x"):
            answer = self.send(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.assertTrue(set(statuses(answer)) <= {414, 431, 404}, answer[:200])
        for path in (b"/v1/clips?q=" + b"a" * 8000, b"/v1/clips?" + b"&".join(b"a%d=1" % k for k in range(900)),
                     b"/" + b"/".join([b"a"] * 2000)):
            answer = self.send(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.assertIn(statuses(answer), ([200], [400], [404]), answer[:200])

    def test_what_hardly_fits(self):
        """Around the size of a connection's memory, where there is room for the request and none for an answer."""
        head = b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        for what, refusal, message in (
            ("target", 414, lambda size: b"GET /v1/clips?name=" + b"a" * size + head + b"\r\n"),
            ("header", 431, lambda size: b"GET /v1/clips" + head + b"X: " + b"a" * size + b"\r\n\r\n"),
            ("headers", 431, lambda size: b"GET /v1/clips" + head + b"X-A: b\r\n" * (size // 72) + b"\r\n"),
            ("cookies", 431, lambda size: b"GET /v1/clips" + head + b"Cookie: " + b"a=b; " * (size // 76) + b"\r\n\r\n"),
        ):
            found = set()
            for size in range(24_000, 34_000, 250):
                with self.subTest(what, size=size):
                    answer = self.send(message(size))
                    self.assertIn(set(statuses(answer)), ({200}, {414}, {431}), answer[:200])
                    found |= set(statuses(answer))
            self.assertLessEqual({200, refusal}, found, what)

    def test_pipelining(self):
        """Every answer, in order, also with bodies and refusals in between."""
        count = 60
        body = sample(WAVE)
        message = b""
        for k in range(count):
            message += b"GET /v1/hash?name=n%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % k
            message += b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
            if k % 10 == 0:
                message += POST + b"Content-Length: %d\r\n\r\n" % len(body) + body
        answer = self.send(message + b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        found = statuses(answer)
        wanted = [status for k in range(count) for status in ((200, 404, 200) if k % 10 == 0 else (200, 404))] + [200]
        self.assertEqual(found, wanted)
        places = [answer.index(b'"name":"n%d"' % k) for k in range(count)]
        self.assertEqual(places, sorted(places))

    def test_pipelining_without_reading(self):
        """A client that asks and never reads is held back, not buffered for."""
        request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200
        streams = [connect(self.client) for _ in range(8)]
        for stream in streams:
            stream.setblocking(False)
            try:
                for _ in range(50):
                    stream.send(request)
            except OSError:
                pass
        time.sleep(0.5)
        if not SANITIZED:
            self.assertLess(self.daemon.resident_bytes() - self.before[0], 64 << 20)
        for stream in streams:
            stream.close()


class Slow(HostileCase):
    def test_slowloris(self):
        """Heads that never end, 300 at once: all dropped, and others are served all the while."""
        streams = [connect(self.client) for _ in range(300)]
        for stream in streams:
            stream.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
        begun, asked = time.monotonic(), 0
        alive = set(range(len(streams)))
        while alive:
            self.assertLess(time.monotonic() - begun, 30, f"{len(alive)} are still there")
            for k in list(alive):
                streams[k].setblocking(False)
                try:
                    streams[k].send(b"X-a: b\r\n")
                    data = streams[k].recv(4096)
                    self.assertTrue(not data or data.startswith(b"HTTP/1.1 408 "), data[:80])
                    alive.discard(k)
                except BlockingIOError:
                    pass
                except OSError:
                    alive.discard(k)
            self.assertEqual(self.client.get("/v1/formats").status, 200)
            asked += 1
            time.sleep(0.2)
        self.assertGreater(asked, 3)
        for stream in streams:
            stream.close()

    def test_an_answer_that_nobody_reads(self):
        """A slow reader costs its connection and nothing else."""
        clip = self.client.items("/v1/clips", name="walk", format="sl-anim")[0]["id"]
        streams = []
        for _ in range(20):
            stream = socket.socket()
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stream.settimeout(20)
            stream.connect((self.client.host, self.client.port))
            stream.sendall(b"GET /v1/clips/%s/poses?fps=5000&as=ndjson HTTP/1.1\r\nHost: localhost\r\n\r\n" % clip.encode())
            streams.append(stream)
        for _ in range(5):
            self.assertEqual(self.client.get(f"/v1/clips/{clip}/pose").status, 200)
            time.sleep(0.1)
        for stream in streams:
            stream.close()

    def test_connections_that_come_and_go(self):
        for k in range(500):
            with connect(self.client) as stream:
                if k % 3:
                    stream.sendall((b"G", b"GET /v1/clips HTTP/1.1\r\nHost: a\r\n\r\n")[k % 2])


class Targets(HostileCase):
    def ask(self, target):
        """(status, body) of a target that is sent as it stands."""
        answer = self.send(b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        head, _, body = answer.partition(b"\r\n\r\n")
        return (statuses(head) or [0])[0], body

    def test_bytes_that_are_no_text(self):
        for target in (b"/v1/clips?q=%ff", b"/v1/clips?q=%c0%80", b"/v1/clips?q=%ed%a0%80", b"/v1/clips?q=%f4%90%80%80",
                       b"/v1/clips?q=%e2%82", b"/v1/clips?q=%", b"/v1/clips?q=%4", b"/v1/clips?q=%zz", b"/v1/clips?q=a%00b",
                       b"/v1/clips?%00=1", b"/v1/clips/%00", b"/v1/named/%00/x", b"/v1/named/samples/a%00b",
                       b"/v1/named/%ff/x", b"/v1/named/samples/%c0%af", b"/v1/archives/%ff/entries",
                       b"/v1/clips?q=\xff\xfe", b"/v1/named/\xff/x"):
            status, body = self.ask(target)
            self.assertEqual(status, 400, (target, body))
            self.assertTrue(json.loads(body)["detail"].isprintable(), target)

    def test_raw_text_is_taken(self):
        """Some clients send UTF-8 as it is."""
        status, body = self.ask("/v1/clips?name=wälk".encode())
        self.assertEqual((status, json.loads(body)["total"]), (200, 0))
        raw, encoded, plain = (json.loads(self.ask(target)[1])["total"]
                               for target in ("/v1/clips?q=wälk".encode(), b"/v1/clips?q=w%C3%A4lk", b"/v1/clips?q=walk"))
        self.assertEqual((raw, encoded), (plain, plain))

    def test_slashes_stay_in_their_segment(self):
        clip = self.client.get("/v1/clips").json["items"][0]["id"].encode()
        for target in (b"/v1%2fclips", b"/v1/clips%2f" + clip, b"/v1/clips/" + clip + b"%2fpose", b"/v1/clips/%2e%2e/formats",
                       b"/v1/clips/../formats", b"/v1/./clips", b"/v1/clips/" + clip + b"%2f..%2fpose", b"/%2e%2e/%2e%2e/etc/passwd",
                       b"/v1/clips/" + clip + b"%00/pose", b"/healthz/", b"/healthz%00", b"/healthz%2f", b"//healthz"):
            status, _ = self.ask(target)
            self.assertIn(status, (400, 404), target)
        self.assertEqual(self.ask(b"/v1/clips/" + b"%%%02x" % clip[0] + clip[1:])[0], 200)

    def test_a_name_with_a_slash(self):
        """An archive below a folder is called by its path: one segment, with %2F in it."""
        archives = [a["name"] for a in self.client.items("/v1/archives") if "/" in a["name"]]
        if not archives:
            archives = [a["name"] for a in self.client.items("/v1/archives") if a["format"] == "far3"]
        self.assertTrue(archives)
        for name in archives:
            archive = next(a for a in self.client.items("/v1/archives") if a["name"] == name)
            clips = self.client.items("/v1/clips", archive=archive["id"])
            for clip in clips[:1]:
                names = [c["name"] for c in clips]
                wanted = 200 if names.count(clip["name"]) == 1 else 409
                for spelled in (quote(name, safe=""), quote(name, safe="").lower()):
                    reply = self.client.get(f"/v1/named/{spelled}/{quote(clip['name'], safe='')}")
                    if spelled.lower() == spelled or name == name.lower():
                        self.assertEqual(reply.status, wanted, reply)


class Names(unittest.TestCase):
    """Names from files reach no header, page or log line unescaped."""

    NAMES = ("a\r\nX-Injected: 1\r\n.anim", "b\nSet-Cookie: x=y.anim", 'quo"te;x=\\.anim', "<script>alert(1)</script>.anim",
             "wälk €.anim", "per%0d%0acent.anim", "tab\t.anim", "del\x7f.anim", "nel\u0085.anim", "sep\u2028.anim",
             " blank .anim", "x" * 240 + ".anim", "_;filename=evil.anim", "'a'; drop.anim")

    def check_headers(self, reply, what):
        for name, value in reply.headers.items():
            self.assertNotIn(name.lower(), ("x-injected", "set-cookie"), what)
            self.assertTrue(all(" " <= c != "\x7f" for c in value.replace("\t", " ")), (what, name, value))
            self.assertNotIn("\x85", value.encode("latin-1").decode("utf-8", "replace"), (what, name, value))

    def test_in_folders(self):
        with tempfile.TemporaryDirectory() as top:
            folder = Path(top, "lib\r\nX-Injected: 2")
            folder.mkdir()
            for k, name in enumerate(self.NAMES):
                wave = sample(WAVE)
                Path(folder, name.replace("/", "_")).write_bytes(wave[:4] + bytes([k % 6]) + wave[5:] + bytes(k // 6))
            with Daemon("--log", "json", folder) as daemon:
                clips = daemon.client.items("/v1/clips")
                self.assertGreaterEqual(len(clips), 6)
                archive = daemon.client.items("/v1/archives")[0]
                entries = daemon.client.items(f"/v1/archives/{archive['id']}/entries")
                self.assertEqual(sorted(e["name"] for e in entries), sorted(n.replace("/", "_") for n in self.NAMES))
                for entry in entries:
                    reply = daemon.client.get(f"/v1/archives/{archive['id']}/entries/{entry['index']}")
                    self.assertEqual(reply.status, 200)
                    self.check_headers(reply, entry["name"])
                for clip in clips:
                    base = f"/v1/clips/{clip['id']}"
                    paths = [base, base + ".json", base + ".glb", base + ".bvh", base + ".anim", base + "/pose", base + "/preview.svg",
                             f"/v1/named/{archive['id']}/{quote(clip['name'], safe='')}/pose"]
                    for path in paths:
                        reply = daemon.client.request("GET", path, check=False)
                        self.assertIn(reply.status, (200, 404, 400, 409), reply)
                        self.check_headers(reply, (clip["name"], path))
                    svg = daemon.client.get(base + "/preview.svg")
                    self.assertNotIn("<script", svg.text)
                for target in ("/v1/clips?q=" + quote("\r\nX-Injected: 3"), "/v1/named/" + quote("\r\nX: y", safe="") + "/a",
                               "/v1/clips?limit=1&q=" + quote("a\nb")):
                    self.check_headers(daemon.client.get(target), target)
                daemon.stop()
                for line in daemon.errors().splitlines():
                    json.loads(line)

    def test_in_uploads(self):
        with Daemon() as daemon:
            for name in self.NAMES:
                reply = daemon.client.post("/v1/archives", sample(WAVE), name=name)
                self.assertIn(reply.status, (200, 201), reply)
                self.check_headers(reply, name)
                shown = daemon.client.get(reply["Location"])
                self.check_headers(shown, name)
                raw = daemon.client.get(reply["Location"] + "/entries/0")
                self.check_headers(raw, name)
                self.assertEqual(daemon.client.request("DELETE", reply["Location"]).status, 204)
            daemon.stop()
            self.assertNotIn("\nX-Injected", daemon.errors())


if __name__ == "__main__":
    unittest.main()
