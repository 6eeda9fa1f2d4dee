"""What the options of `posed serve` do, each seen from outside. Limits of uploads, hosts, rates, proxies, tokens and the
store have tests of their own."""

import json
import os
import re
import signal
import socket
import sqlite3
import tempfile
import time
import unittest
from pathlib import Path

from daemon import Daemon, run
from uploads import WAVE, sample, zipped

LOG_KEYS = ["time", "level", "id", "client", "method", "route", "path", "status", "bytes", "ms", "cache"]


def connect(client):
    stream = socket.create_connection((client.host, client.port), timeout=20)
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return stream


def receive_all(stream):
    """Until the other end closes; a reset is an end too."""
    received = b""
    try:
        while chunk := stream.recv(65536):
            received += chunk
    except ConnectionResetError:
        pass
    return received


def state(folder, but=()):
    """Everything below a folder but files of those names, and when it was changed."""
    return {path: (path.stat().st_mtime_ns, path.is_file() and path.read_bytes()) for path in Path(folder).rglob("*")
            if path.name not in but}


def wait_until(condition):
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "it does not come about"
        time.sleep(0.05)


class Listening(unittest.TestCase):
    def test_addresses(self):
        for listen in ("127.0.0.1:0", "127.0.0.2:0", "[::1]:0", "0.0.0.0:0"):
            with Daemon(listen=listen) as daemon:
                host = daemon.client.host
                self.assertEqual(host, listen.rsplit(":", 1)[0].strip("[]"))
                daemon.client.host = {"0.0.0.0": "127.0.0.1"}.get(host, host)
                self.assertEqual(daemon.client.get("/readyz").status, 200)
                self.assertEqual(len([line for line in daemon.lines if "listening" in line]), 1)

    def test_bad_addresses(self):
        for listen in ("127.0.0.1", "localhost:80", "127.0.0.1:70000", "::1:80", "127.0.0.1:x", ":80"):
            status, output, errors = run("serve", "--listen", listen, "--check")
            self.assertEqual((status, output), (2, ""), listen)
            self.assertIn("--listen", errors)

    def test_a_port_that_is_taken(self):
        with Daemon() as daemon:
            status, output, errors = run("serve", "--listen", f"127.0.0.1:{daemon.client.port}")
            self.assertEqual((status, output), (1, ""))
            self.assertIn(f"127.0.0.1:{daemon.client.port}", errors.splitlines()[-1])

    def test_a_missing_path_ends_the_start(self):
        status, output, errors = run("serve", "--listen", "127.0.0.1:0", Daemon.samples, "/no/such/path")
        self.assertEqual((status, output), (1, ""))
        self.assertRegex(errors, r"\Aposed: /no/such/path: [^\n]+\n\Z")

    def test_a_broken_one_does_not(self):
        with tempfile.TemporaryDirectory() as top:
            Path(top, "broken.anim").write_bytes(sample(WAVE)[:300])
            with Daemon(Path(top, "broken.anim")) as daemon:
                archive = daemon.client.items("/v1/archives")[0]
                entry = daemon.client.items(f"/v1/archives/{archive['id']}/entries")[0]
                self.assertIn("byte", entry["error"]["detail"])
                self.assertEqual(archive["error"]["status"], 422)
                self.assertEqual(archive["error"]["detail"], entry["error"]["detail"])


class Check(unittest.TestCase):
    def test_it_listens_nowhere(self):
        status, output, _ = run("serve", "--check", "--listen", "127.0.0.1:1", Daemon.samples)
        self.assertEqual((status, output), (0, ""))

    def test_what_is_wrong(self):
        for arguments, wanted in ((["--cache-size", "many"], 2), (["--no-such"], 2), (["--threads", "0"], 2),
                                  (["--idle-timeout", "1ms"], 2), (["--log", "xml"], 2), (["/no/such"], 1)):
            status, output, errors = run("serve", "--check", *arguments)
            self.assertEqual((status, output), (wanted, ""), arguments)
            self.assertTrue(errors.startswith("posed: "), errors)

    def test_it_leaves_the_store_alone(self):
        with tempfile.TemporaryDirectory() as top:
            self.assertEqual(run("serve", "--check", "--data", Path(top, "data"), Daemon.samples)[0], 0)
            self.assertFalse(Path(top, "data").exists())

    def test_a_store_that_could_not_be_opened(self):
        with tempfile.TemporaryDirectory() as top:
            Path(top, "file").write_bytes(b"")
            Path(top, "newer").mkdir()
            with sqlite3.connect(Path(top, "newer", "catalog.db")) as database:
                database.execute("PRAGMA user_version = 1000")
            database.close()
            Path(top, "blocked").mkdir()
            Path(top, "blocked", "blobs").write_bytes(b"")
            before = state(top)
            for name, wanted in (("file", "file"), ("no/data", "no"), ("newer", "1000"), ("blocked", "blobs")):
                for check in (["--check"], ["--listen", "127.0.0.1:0"]):
                    if check == ["--check"]:
                        self.assertEqual(state(top), before)
                    status, output, errors = run("serve", *check, "--data", Path(top, name), Daemon.samples)
                    self.assertEqual((status, output), (1, ""), (name, check))
                    self.assertRegex(errors, r"\Aposed: [^\n]+\n\Z")
                    self.assertIn(wanted, errors.replace(top, ""))
                before = state(top)

    def test_a_catalogue_that_will_be_made_anew(self):
        with tempfile.TemporaryDirectory() as top:
            Path(top, "junk").mkdir()
            Path(top, "junk", "catalog.db").write_bytes(b"no database at all" * 10)
            Path(top, "lost", "notes").mkdir(parents=True)
            for name in ("junk", "lost"):
                before = state(top)
                self.assertEqual(run("serve", "--check", "--data", Path(top, name), Daemon.samples)[::2], (0, ""))
                self.assertEqual(state(top), before)
                with Daemon("--data", Path(top, name)) as daemon:
                    self.assertEqual(daemon.client.get("/readyz").status, 200)

    def test_a_store_in_use_stays_as_it_is(self):
        with tempfile.TemporaryDirectory() as top:
            with Daemon("--data", Path(top, "data"), Daemon.samples) as daemon:
                self.assertEqual(daemon.client.post("/v1/archives", sample(WAVE), name="x.anim").status, 201)
                own = [f"{name}.db{end}" for name in ("index", "lists") for end in ("", "-shm", "-wal")]  # where the daemon writes when it finds the time
                before = state(top, own)
                self.assertEqual(run("serve", "--check", "--data", Path(top, "data"), Daemon.samples)[::2], (0, ""))
                self.assertEqual(state(top, own), before)
            before = state(top)
            self.assertEqual(run("serve", "--check", "--data", Path(top, "data"), Daemon.samples)[::2], (0, ""))
            self.assertEqual(state(top), before)


class Environment(unittest.TestCase):
    def test_variables_and_options(self):
        os.environ["POSED_MAX_AGE"] = "77"
        try:
            for arguments, wanted in (((), "77"), (("--max-age", "55"), "55")):
                with Daemon(*arguments, Daemon.samples) as daemon:
                    clip = daemon.client.get("/v1/clips").json["items"][0]["id"]
                    reply = daemon.client.get(f"/v1/clips/{clip}/keys")
                    self.assertEqual(reply["Cache-Control"], f"public, max-age={wanted}")
        finally:
            del os.environ["POSED_MAX_AGE"]

    def test_every_option_is_one(self):
        """--help tells each option with its variable."""
        _, text, _ = run("serve", "--help")
        options = re.findall(r"^ +(--[a-z-]+)", text, re.MULTILINE)
        self.assertGreater(len(options), 20)
        for option in options:
            self.assertIn("POSED_" + option[2:].upper().replace("-", "_"), text)


class Threads(unittest.TestCase):
    def test_loops(self):
        """A listening socket a loop."""
        for count in (1, 3):
            with Daemon("--threads", count, Daemon.samples) as daemon:
                port = f":{daemon.client.port:04X}"
                rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
                listening = [row for row in rows if row[1].endswith(port) and row[3] == "0A"]
                self.assertEqual(len(listening), count)
                self.assertEqual(daemon.client.get("/readyz").status, 200)


class Lifetimes(unittest.TestCase):
    def test_max_age_bounds_all(self):
        with Daemon("--max-age", "60", Daemon.samples) as daemon:
            clip = daemon.client.get("/v1/clips").json["items"][0]["id"]
            link = daemon.client.get(f"/v1/clips/{clip}").json["links"]["pose"]
            revision = re.search(r"[?&]v=([^&]+)", link).group(1)
            for target, wanted in ((f"/v1/clips/{clip}/keys", "public, max-age=60"),
                                   (f"/v1/clips/{clip}/keys?v={revision}", "public, max-age=60, immutable"),
                                   (f"/v1/clips/{clip}/keys?v=0", "no-cache"), ("/v1/clips", "no-cache")):
                self.assertEqual(daemon.client.get(target)["Cache-Control"], wanted, target)
            asset = re.search(r'(?:href|src)="(/assets/[^"]+)"', daemon.client.get("/").text).group(1)
            for path in ("/openapi.json", "/v1/formats", "/v1/archives", "/", "/client.js", asset):
                for age in re.findall(r"max-age=(\d+)", daemon.client.request("GET", path, check=False)["Cache-Control"] or ""):
                    self.assertLessEqual(int(age), 60, path)


class Cors(unittest.TestCase):
    def test_an_origin(self):
        with Daemon("--cors", "https://front.example", Daemon.samples) as daemon:
            for method, path in (("GET", "/v1/clips"), ("GET", "/nothing"), ("OPTIONS", "/v1/clips")):
                for origin in ("https://front.example", "https://other.example", None):
                    reply = daemon.client.request(method, path, headers={"Origin": origin} if origin else {}, check=False)
                    self.assertEqual(reply["Access-Control-Allow-Origin"], "https://front.example")
                    self.assertIn("Origin", reply["Vary"])

    def test_any(self):
        with Daemon(Daemon.samples) as daemon:
            reply = daemon.client.get("/v1/clips", headers={"Origin": "https://other.example"})
            self.assertEqual(reply["Access-Control-Allow-Origin"], "*")
            self.assertNotIn("Origin", reply["Vary"])


class Connections(unittest.TestCase):
    def test_an_idle_one_is_closed(self):
        with Daemon("--idle-timeout", "1s", Daemon.samples) as daemon:
            with connect(daemon.client) as fresh, connect(daemon.client) as used:
                used.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertIn(b"200 OK", used.recv(65536))
                self.assertEqual(receive_all(fresh), b"")
                self.assertEqual(receive_all(used), b"")

    def test_a_body_that_stops_coming(self):
        with Daemon("--idle-timeout", "1s", "--request-timeout", "2s") as daemon:
            with connect(daemon.client) as stream:
                stream.sendall(b"POST /v1/inspect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf")
                self.assertTrue(receive_all(stream).startswith(b"HTTP/1.1 408 "))

    def test_a_byte_a_second(self):
        """Neither idle nor done: what is not whole by the request timeout is dropped."""
        with Daemon("--request-timeout", "2s", "--idle-timeout", "60s", Daemon.samples) as daemon:
            starts = (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
                      b"POST /v1/inspect?name=a.anim HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n",
                      b"G")
            streams = [connect(daemon.client) for _ in starts]
            begun = time.monotonic()
            for stream, start in zip(streams, starts):
                stream.sendall(start)
            dropped = {}
            while len(dropped) < len(streams):
                self.assertLess(time.monotonic() - begun, 30, f"{len(dropped)} of {len(streams)} were dropped")
                time.sleep(1)
                for i, stream in enumerate(streams):
                    try:
                        stream.sendall(b"x")
                    except OSError:
                        dropped.setdefault(i, b"")
                        continue
                    stream.setblocking(False)
                    try:
                        data = stream.recv(65536)
                        dropped.setdefault(i, data)
                    except BlockingIOError:
                        pass
                    except OSError:
                        dropped.setdefault(i, b"")
                    stream.setblocking(True)
            for stream in streams:
                stream.close()
            for answer in filter(None, dropped.values()):
                self.assertTrue(answer.startswith(b"HTTP/1.1 408 "), answer[:100])
            self.assertTrue(any(dropped.values()), "no answer was seen")
            self.assertEqual(daemon.client.get("/readyz").status, 200)

    def test_one_too_many(self):
        with Daemon("--max-connections", "3", Daemon.samples) as daemon:
            held = []
            for _ in range(3):
                stream = connect(daemon.client)
                stream.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertIn(b" 200 ", stream.recv(65536).split(b"\r\n")[0])
                held.append(stream)
            with connect(daemon.client) as refused:
                answer = receive_all(refused)
                self.assertTrue(answer.startswith(b"HTTP/1.1 503 "), answer[:100])
                self.assertRegex(answer, rb"\r\nRetry-After: \d+\r\n")
                self.assertIn(b"application/problem+json", answer)
            held.pop().close()
            for stream in held:
                stream.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertIn(b" 200 ", stream.recv(65536).split(b"\r\n")[0])
                stream.close()
            deadline = time.monotonic() + 20
            while True:
                try:
                    # Until the closed ones are gone it is refused in words that are not /readyz's own.
                    if daemon.client.request("GET", "/readyz", check=False).status == 200:
                        break
                except OSError:
                    pass
                self.assertLess(time.monotonic(), deadline)


class Limits(unittest.TestCase):
    def test_frames(self):
        with Daemon("--max-frames", "10", Daemon.samples) as daemon:
            clip = daemon.client.get("/v1/clips").json["items"][0]["id"]
            reply = daemon.client.get(f"/v1/clips/{clip}/poses?fps=1000")
            self.assertEqual((reply.status, reply.json["limit"]), (400, "max-frames"))
            self.assertEqual(daemon.client.get(f"/v1/clips/{clip}/poses?t=0,0.1,0.2").status, 200)

    def test_cache_size(self):
        with Daemon("--cache-size", "1M", Daemon.samples) as daemon:
            sizes = [daemon.client.metric("posed_cache_limit_bytes", cache=cache) for cache in ("clips", "replies")]
            self.assertEqual(sum(sizes), 1 << 20)
            self.assertEqual(daemon.client.metric("posed_cache_limit_bytes", cache="catalog"), 64 << 20)

    def test_entries_unpacked_ratio(self):
        many = zipped([(f"{k}.anim", b"x") for k in range(30)])
        large = zipped([("a.anim", os.urandom(300_000))])
        dense = zipped([("a.anim", bytes(3_000_000))])
        with Daemon("--max-entries", "20", "--max-unpacked", "200000", "--max-ratio", "50") as daemon:
            for name, data, limit in (("many.zip", many, "max-entries"), ("large.zip", large, "max-unpacked")):
                reply = daemon.client.post("/v1/inspect", data, name=name)
                self.assertEqual((reply.status, reply.json["limit"]), (413, limit), reply)
        with Daemon("--max-ratio", "50") as daemon:
            reply = daemon.client.post("/v1/inspect", dense, name="dense.zip")
            found = reply.json if reply.status == 413 else reply.json["rejected"][0]["error"]
            self.assertEqual(found["limit"], "max-ratio", reply)

    def test_a_path_over_its_bound_keeps_what_was_listed(self):
        clip = (Daemon.samples / "second-life/walk.anim").read_bytes()
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for k in range(4):
                (folder / f"m{k}.anim").write_bytes(clip)
            (folder / "z.zip").write_bytes(zipped([("in.anim", clip)]))

            def entries(client):
                lists = [client.items(f"/v1/archives/{a['id']}/entries") for a in client.items("/v1/archives")]
                return {e["name"] for one in lists for e in one}

            known = {"m0.anim", "m1.anim", "m2.anim", "m3.anim", "in.anim"}
            with Daemon("--max-path-entries", "6", "--max-entries", "1", folder) as daemon:
                client = daemon.client
                self.assertEqual(entries(client), known)
                self.assertNotIn("warnings", client.get("/readyz").json)
                for k in range(5):
                    (folder / f"a{k}.anim").write_bytes(clip)
                wait_until(lambda: client.get("/readyz").json.get("warnings"))
                wait_until(lambda: len(entries(client) - known) == 1)
                self.assertLessEqual(known, entries(client))
                self.assertEqual(client.metric("posed_catalog_paths_over_limit"), 1)
                (folder / "m0.anim").unlink()
                for k in range(5):
                    (folder / f"a{k}.anim").unlink()
                wait_until(lambda: not client.get("/readyz").json.get("warnings"))
                self.assertEqual(entries(client), known - {"m0.anim"})
                daemon.wait_for_log(re.escape("--max-path-entries"))
            for k in range(5):
                (folder / f"a{k}.anim").write_bytes(clip)
            with Daemon("--max-path-entries", "3", folder) as daemon: # over it from the start
                self.assertEqual(len(entries(daemon.client)), 3)
                self.assertTrue(daemon.client.get("/readyz").json["warnings"])

    def test_time(self):
        """Work on one request ends after --max-time."""
        suits = b"// suits\nversion 300\n0\n%d\n" % 60000 + b"a\n0\n0\n0\n" * 60000 + b"0\n"
        body = zipped([(f"{k}.cmx", suits) for k in range(40)])
        with Daemon("--max-time", "20ms", "--max-ratio", "1000") as daemon:
            for _ in range(100):
                reply = daemon.client.post("/v1/inspect", body, name="x.zip")
                if reply.status != 503: # on a busy machine it has waited that long before it began
                    break
            self.assertEqual((reply.status, reply.json["limit"]), (413, "max-time"), reply)


class Drain(unittest.TestCase):
    def test_the_delay(self):
        """/readyz says that the end is near while everything is still answered; then the listener closes."""
        daemon = Daemon("--drain-delay", "2s", Daemon.samples)
        with daemon:
            self.assertEqual(daemon.client.get("/readyz").status, 200)
            begun = time.monotonic()
            daemon.process.send_signal(signal.SIGTERM)
            deadline = begun + 20
            while (reply := daemon.client.get("/readyz")).status == 200:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            self.assertEqual((reply.status, reply.json["status"]), (503, "draining"))
            self.assertTrue(reply["Retry-After"])
            self.assertEqual(daemon.client.get("/healthz").status, 200)
            self.assertEqual(daemon.client.get("/v1/clips").status, 200)
            with connect(daemon.client) as fresh:
                fresh.sendall(b"GET /v1/formats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                self.assertIn(b" 200 ", receive_all(fresh).split(b"\r\n")[0])
            daemon.client.close()
            self.assertEqual(daemon.process.wait(30), 0)
            self.assertGreaterEqual(time.monotonic() - begun, 2)

    def test_a_second_signal_and_sigint(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with Daemon(Daemon.samples) as daemon:
                daemon.process.send_signal(number)
                self.assertEqual(daemon.process.wait(30), 0)


class Logs(unittest.TestCase):
    def lines(self, kind, ask):
        with Daemon("--log", kind, Daemon.samples) as daemon:
            wanted = ask(daemon.client)
            daemon.stop()
            return daemon.errors().splitlines(), wanted

    def test_json(self):
        def ask(client):
            clip = client.get("/v1/clips").json["items"][0]["id"]
            client.get(f"/v1/clips/{clip}/pose?t=0.5&skeleton=none", headers={"X-Request-Id": "mine-1"})
            client.get(f"/v1/clips/{clip}/pose?t=0.5&skeleton=none", headers={"X-Request-Id": "mine-2"})
            client.get("/nothing%0a%22here", headers={"X-Request-Id": 'quo"te'})
            client.request("PUT", "/healthz", headers={"X-Request-Id": "mine-4"})
            return clip

        lines, clip = self.lines("json", ask)
        records = [json.loads(line) for line in lines]
        requests = {r["id"]: r for r in records if r.get("id")}
        for record in requests.values():
            self.assertEqual(list(record), LOG_KEYS)
        second = requests["mine-2"]
        self.assertEqual((second["client"], second["method"], second["route"], second["path"], second["status"]),
                         ("127.0.0.1", "GET", "/v1/clips/{id}/pose", f"/v1/clips/{clip}/pose", 200))
        self.assertEqual((requests["mine-1"]["level"], second["cache"]), ("info", "hit"))
        self.assertGreater(second["bytes"], 100)
        self.assertIsInstance(second["ms"], (int, float))
        self.assertRegex(second["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(requests['quo"te']["status"], 404)
        self.assertEqual(requests['quo"te']["path"], "/nothing%0a%22here")
        self.assertEqual((requests["mine-4"]["status"], requests["mine-4"]["method"]), (405, "PUT"))

    def test_text(self):
        def ask(client):
            client.get("/v1/formats", headers={"X-Request-Id": "mine-1"})
            client.get("/v1/formats", headers={"X-Request-Id": "mine-2"})

        lines, _ = self.lines("text", ask)
        self.assertEqual([len([line for line in lines if f"mine-{k}" in line]) for k in (1, 2)], [1, 1])


class Timing(unittest.TestCase):
    def test_server_timing(self):
        with Daemon(Daemon.samples) as daemon:
            clip = daemon.client.items("/v1/clips", name="a2o-walk")[0]["id"]
            for target in (f"/v1/clips/{clip}/pose?skeleton=none", f"/v1/clips/{clip}/keys"):
                timing = daemon.client.get(target)["Server-Timing"]
                self.assertRegex(timing, r"^cache;desc=(hit|miss)(, (decode|sample|write);dur=\d+(\.\d+)?)*$")
            for target in ("/v1/clips", "/v1/formats", "/healthz", "/nothing"):  # no cache is asked there
                timing = daemon.client.get(target).headers.get("Server-Timing")
                if timing is not None:
                    self.assertRegex(timing, r"^(decode|sample|write);dur=\d+(\.\d+)?(, (sample|write);dur=\d+(\.\d+)?)*$")
            again = daemon.client.get(f"/v1/clips/{clip}/pose?skeleton=none&t=0.3")["Server-Timing"]
            self.assertIn("cache;desc=hit", again)
            self.assertIn("sample;dur=", again)


if __name__ == "__main__":
    unittest.main()
