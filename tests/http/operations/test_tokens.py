"""Writes with a token file: who may, who may not, and a file that changes."""

import os
import signal
import tempfile
import time
import unittest
from pathlib import Path

from daemon import Daemon, run
from uploads import WALK, WAVE, sample

PATIENCE_SECONDS = 20


def bearer(token, scheme="Bearer"):
    return {"Authorization": f"{scheme} {token}"}


class TokenCase(unittest.TestCase):
    def setUp(self):
        top = tempfile.TemporaryDirectory()
        self.addCleanup(top.cleanup)
        self.file = Path(top.name, "tokens")

    def write(self, text):
        """As an operator does it: the file is never there in part."""
        new = self.file.with_suffix(".new")
        new.write_text(text)
        os.replace(new, self.file)

    def daemon(self):
        daemon = Daemon("--token-file", self.file)
        daemon.start()
        self.addCleanup(self.end, daemon)
        return daemon

    def end(self, daemon):
        self.assertEqual(daemon.stop(), 0, daemon.errors())


class Tokens(TokenCase):
    def status(self, client, headers=None, data=None):
        """What an upload gets; one that is taken is removed again with the same headers."""
        reply = client.post("/v1/archives?name=x.anim", data or sample(WAVE), headers=headers or {})
        if reply.status == 201:
            gone = client.request("DELETE", reply["Location"], headers=headers)
            self.assertEqual(gone.status, 204)
        return reply.status

    def test_several(self):
        self.write("# those of the site\nfirst-of-three\n\n  second.of~three+/=  \n#no-token\nthird\n")
        client = self.daemon().client
        for token in ("first-of-three", "second.of~three+/=", "third"):
            self.assertEqual(self.status(client, bearer(token)), 201, token)
            self.assertEqual(self.status(client, bearer(token, "bearer")), 201, token)
            for near in (token[:-1], token + "x", token.upper(), token[1:], f"{token}, third"):
                self.assertEqual(self.status(client, bearer(near)), 403, near)
        for token in ("#no-token", "no-token", "those", "x" * 5000, "first-of-three\tthird", '"third"'):
            self.assertEqual(self.status(client, bearer(token)), 403, token)
        self.assertEqual(self.status(client), 401)

    def test_two_headers_are_none(self):
        self.write("one\n")
        client = self.daemon().client
        body = sample(WAVE)
        head = b"POST /v1/archives?name=x.anim HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n" % len(body)
        for first, second in ((b"one", b"two"), (b"one", b"one")):
            answer = client.raw(head + b"Authorization: Bearer %s\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n"
                                % (first, second) + body)
            self.assertTrue(answer.startswith(b"HTTP/1.1 401 "), answer[:200])
            self.assertIn(b"\r\nWWW-Authenticate: Bearer\r\n", answer)

    def test_nobody(self):
        """A file without a token: nobody may write, this machine neither."""
        self.write("# nobody yet\n")
        client = self.daemon().client
        self.assertEqual(self.status(client), 401)
        self.assertEqual(self.status(client, bearer("x")), 403)

    def test_every_write_and_nothing_else(self):
        self.write("secret\n")
        client = self.daemon().client
        operations = [o for o in Daemon.contract.operations if "401" in o.item["responses"]]
        self.assertEqual(sorted(o.name for o in operations), ["DELETE /v1/archives/{id}", "POST /v1/archives", "POST /v1/archives/{id}/publish"])
        for operation in operations:
            path = operation.template.replace("{id}", "0" * 32)
            for headers, status in ((None, 401), (bearer("wrong"), 403)):
                reply = client.request(operation.method.upper(), path, body=b"x", headers=headers)
                self.assertEqual((reply.status, reply["WWW-Authenticate"]), (status, "Bearer" if status == 401 else None))
        self.assertEqual(client.request("DELETE", "/v1/archives/" + 32 * "0", headers=bearer("secret")).status, 404)
        for path in ("/v1/clips", "/v1/archives", "/metrics", "/readyz"):
            self.assertEqual(client.get(path).status, 200, path)
        self.assertEqual(client.post("/v1/inspect?name=x.anim", sample(WALK)).status, 200)
        self.assertEqual(client.post("/v1/poses", b'{"requests":[]}').status, 200)
        preflight = client.request("OPTIONS", "/v1/archives", check=False, headers={
            "Origin": "https://front.example", "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type"})
        self.assertEqual(preflight.status, 204)
        self.assertIn("Authorization", preflight["Access-Control-Allow-Headers"])
        self.assertIn("POST", preflight["Access-Control-Allow-Methods"])

    def test_from_anywhere(self):
        """With a token the loopback rule does not apply: a proxy or a page of another site may carry it."""
        self.write("secret\n")
        client = self.daemon().client
        elsewhere = {"Host": "poses.example", "Origin": "https://front.example", "Via": "1.1 proxy",
                     "X-Forwarded-For": "192.0.2.1", "Forwarded": "for=192.0.2.1"}
        self.assertEqual(self.status(client, elsewhere), 401)
        self.assertEqual(self.status(client, elsewhere | bearer("secret")), 201)

    def test_before_the_body(self):
        self.write("secret\n")
        client = self.daemon().client
        answer = client.raw(b"POST /v1/archives HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000000\r\n"
                            b"Expect: 100-continue\r\n\r\n", timeout=5)
        self.assertTrue(answer.startswith(b"HTTP/1.1 401 "), answer[:200])

    def test_a_token_is_in_no_log(self):
        self.write("secret-of-ann\n")
        daemon = self.daemon()
        self.status(daemon.client, bearer("secret-of-ann"))
        self.status(daemon.client, bearer("guess-of-bob"))
        daemon.stop()
        self.assertNotIn("secret-of-ann", daemon.errors())
        self.assertNotIn("guess-of-bob", daemon.errors())


class Reload(TokenCase):
    def hang_up(self, daemon, saying):
        """SIGHUP, and what the log says of it."""
        before = daemon.errors().count(saying)
        daemon.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while daemon.errors().count(saying) == before:
            self.assertLess(time.monotonic(), deadline, daemon.errors())
            time.sleep(0.02)

    def status(self, client, token):
        return client.request("DELETE", "/v1/archives/" + 32 * "0", headers=bearer(token)).status

    def test_a_token_goes_and_another_comes(self):
        self.write("old\nkept\n")
        daemon = self.daemon()
        self.assertEqual([self.status(daemon.client, t) for t in ("old", "kept", "new")], [404, 404, 403])
        self.write("kept\nnew\n")
        self.assertEqual([self.status(daemon.client, t) for t in ("old", "kept", "new")], [404, 404, 403])
        self.hang_up(daemon, "tokens read again")
        self.assertEqual([self.status(daemon.client, t) for t in ("old", "kept", "new")], [403, 404, 404])

    def test_a_bad_file_changes_nothing(self):
        self.write("old\n")
        daemon = self.daemon()
        self.write("two words\n")
        self.hang_up(daemon, "the tokens stay as they were")
        self.assertIn("line 1", daemon.errors())
        self.assertEqual([self.status(daemon.client, t) for t in ("old", "two")], [404, 403])
        self.file.unlink()
        self.hang_up(daemon, "the tokens stay as they were")
        self.assertEqual(self.status(daemon.client, "old"), 404)
        self.write("new\n")
        self.hang_up(daemon, "tokens read again")
        self.assertEqual([self.status(daemon.client, t) for t in ("old", "new")], [403, 404])

    def test_under_load(self):
        """Reading anew never lets a request fall between the old tokens and the new ones."""
        self.write("kept\nold\n")
        daemon = self.daemon()
        for k in range(20):
            self.write(f"other-{k}\nkept\n")
            daemon.process.send_signal(signal.SIGHUP)
            self.assertEqual([self.status(daemon.client, "kept") for _ in range(10)], [404] * 10)


class Start(TokenCase):
    def refused(self, *saying):
        for more in ((), ("--check",)):
            status, output, errors = run("serve", "--listen", "127.0.0.1:0", "--token-file", self.file, *more)
            self.assertEqual((status, output), (1, ""))
            self.assertEqual(len(errors.splitlines()), 1, errors)
            self.assertTrue(errors.startswith(f"posed: {self.file}: "), errors)
            for word in saying:
                self.assertIn(word, errors)

    def test_no_file(self):
        self.refused("No such file")

    def test_bad_lines(self):
        self.write("good\ntwo words\n")
        self.refused("line 2")
        self.write("t\u00f6ken\n")
        self.refused("line 1")

    def test_a_folder(self):
        self.file.mkdir()
        self.refused()

    def test_by_the_environment(self):
        self.write("secret\n")
        os.environ["POSED_TOKEN_FILE"] = str(self.file)
        try:
            with Daemon() as daemon:
                self.assertEqual(daemon.client.request("DELETE", "/v1/archives/" + 32 * "0").status, 401)
        finally:
            del os.environ["POSED_TOKEN_FILE"]


if __name__ == "__main__":
    unittest.main()
