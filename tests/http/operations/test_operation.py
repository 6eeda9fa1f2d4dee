"""What an operator relies on: systemd's protocol, the system-call filter, hosts, rates and proxies."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from email.utils import parsedate_to_datetime
from pathlib import Path

from daemon import Daemon

SANITIZED = bool(os.environ.get("POSED_SANITIZE"))


def lines_of(client, *lines, path="/v1/formats"):
    """The status line that a hand-made GET gets."""
    head = "\r\n".join((f"GET {path} HTTP/1.1", *lines, "Connection: close", "", ""))
    return client.raw(head.encode()).split(b"\r\n", 1)[0].decode()


class Sandbox(unittest.TestCase):
    @unittest.skipIf(SANITIZED, "sanitizers trace their own process at its end")
    def test_is_on(self):
        with Daemon(Daemon.samples) as daemon:
            for thread in Path(f"/proc/{daemon.process.pid}/task").iterdir():
                status = (thread / "status").read_text()
                self.assertIn("Seccomp:\t2\n", status)
                self.assertIn("NoNewPrivs:\t1\n", status)

    def test_can_be_left_off(self):
        with Daemon("--no-sandbox", Daemon.samples) as daemon:
            self.assertIn("Seccomp:\t0\n", Path(f"/proc/{daemon.process.pid}/status").read_text())


class Hosts(unittest.TestCase):
    def test_only_those_listed(self):
        with Daemon("--allowed-hosts", "poses.example,*.mods.example, [::1]", Daemon.samples) as daemon:
            for host, status in (("poses.example", 200), ("POSES.example:8080", 200), ("a.mods.example", 200),
                                 ("[::1]:8080", 200), ("mods.example", 403), ("evil.example", 403),
                                 ("poses.example.evil", 403), ("127.0.0.1", 403), ("", 403)):
                with self.subTest(host):
                    self.assertIn(f" {status} ", lines_of(daemon.client, f"Host: {host}"))
            reply = daemon.client.get("/v1/clips", headers={"Host": "evil.example"})
            self.assertEqual((reply.status, reply.json["code"]), (403, "host_not_allowed"))
            self.assertEqual(daemon.client.get("/healthz", headers={"Host": "10.1.2.3"}).status, 200)


class Clock(unittest.TestCase):
    """Somebody sets the clock of the machine while the daemon runs."""

    DAYS = (0, 40, -40, 3650, -1000)

    def setUp(self):
        if SANITIZED:
            self.skipTest("a sanitizer's library has to come before faketime's")
        self.library = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
        if not self.library:
            self.skipTest("faketime is not there")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        (self.top / "served").mkdir()
        self.set_clock(0)

    def set_clock(self, days):
        """The daemon reads the file whenever it asks for the time."""
        (self.top / "next").write_text(f"{days:+d}d\n")
        (self.top / "next").rename(self.top / "clock")

    def daemon(self):
        daemon = Daemon("--data", self.top / "data", "--rate-limit", "500/s", self.top / "served")
        daemon.environment = os.environ | {
            "LD_PRELOAD": str(self.library), "FAKETIME_TIMESTAMP_FILE": str(self.top / "clock"), "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1"}
        return daemon

    def until(self, what, wanted):
        deadline = time.monotonic() + 30
        while (found := what()) != wanted and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(found, wanted)

    def test_it_jumps(self):
        """Requests, limits, uploads and the watching of folders go on; nothing is taken for old and swept."""
        wave = (Daemon.samples / "second-life/wave.anim").read_bytes()
        kept = {}
        with self.daemon() as daemon:
            client = daemon.client
            for k, days in enumerate(self.DAYS):
                self.set_clock(days)
                reply = client.post("/v1/archives", wave[:4] + bytes([k]) + wave[5:], name=f"wave{k}.anim")
                self.assertEqual(reply.status, 201, reply.text)
                kept[reply.json["id"]] = reply.json["created"]
                shown = parsedate_to_datetime(reply["Date"]).timestamp() - time.time()
                self.assertAlmostEqual(shown / 86400, days, delta=0.5)
                (self.top / "served" / f"{k}.anim").write_bytes(wave + bytes(k))
                self.until(lambda: client.get("/v1/clips", archive=self.served(client)).json["total"], k + 1)
                for clip in reply.json["clips"]:
                    self.assertEqual(client.get(f"/v1/clips/{clip['id']}/pose", t=0.1).status, 200)
            listed = {item["id"]: item["created"] for item in client.items("/v1/archives", source="upload")}
            self.assertEqual(listed, kept)
            newest = [item["created"] for item in client.items("/v1/archives", source="upload", sort="newest")]
            self.assertEqual(newest, sorted(newest, reverse=True))
        for days in (-2000, 2000):
            self.set_clock(days)
            with self.daemon() as daemon:
                listed = {item["id"]: item["created"] for item in daemon.client.items("/v1/archives", source="upload")}
                self.assertEqual(listed, kept)
                self.assertEqual(daemon.client.get("/readyz").status, 200)
            self.assertEqual(list((self.top / "data" / "lost").iterdir()), [])

    def served(self, client):
        return next(item["id"] for item in client.items("/v1/archives") if item["source"] == "path")


class Rate(unittest.TestCase):
    def test_over_it(self):
        with Daemon("--rate-limit", "3/s", Daemon.samples) as daemon:
            replies = [daemon.client.get("/v1/formats") for _ in range(12)]
            refused = [reply for reply in replies if reply.status == 429]
            self.assertGreaterEqual(len(refused), 3)
            self.assertEqual(replies[0].status, 200)
            self.assertGreaterEqual(int(refused[0]["Retry-After"]), 1)
            self.assertEqual(refused[0].json["code"], "rate_limited")
            self.assertEqual(daemon.client.get("/readyz").status, 200)
            time.sleep(1)
            self.assertEqual(daemon.client.get("/v1/formats").status, 200)

    def test_clients_behind_a_proxy(self):
        with Daemon("--rate-limit", "1/s", "--trusted-proxy", "127.0.0.0/8", "--log", "json",
                    Daemon.samples) as daemon:
            for client in ("192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"):
                reply = daemon.client.get("/v1/formats", headers={"X-Forwarded-For": client})
                self.assertEqual(reply.status, 200)
            spoofed = [daemon.client.get("/v1/formats", headers={"X-Forwarded-For": f"10.0.0.{i}, 192.0.2.9"}).status
                       for i in range(6)]
            self.assertIn(429, spoofed)
            daemon.stop()
            clients = [json.loads(line)["client"] for line in daemon.errors().splitlines()
                       if '"path":"/v1/formats"' in line]
            self.assertEqual(clients[:4], ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"])

    def test_nobody_else_is_believed(self):
        with Daemon("--rate-limit", "1/s", Daemon.samples) as daemon:
            statuses = [daemon.client.get("/v1/formats", headers={"X-Forwarded-For": f"192.0.2.{i}"}).status
                        for i in range(6)]
            self.assertIn(429, statuses)

    def test_bad_lists(self):
        for option, value in (("--trusted-proxy", "proxy.example"), ("--trusted-proxy", "10.0.0.0/40"),
                              ("--rate-limit", "-1/s")):
            done = subprocess.run([Daemon.binary, "serve", option, value, "--check", Daemon.samples],
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(option, done.stderr)


class Metrics(unittest.TestCase):
    def test_prometheus_takes_them(self):
        with Daemon(Daemon.samples) as daemon:
            clip = daemon.client.get("/v1/clips").json["items"][0]["id"]
            for target in (f"/v1/clips/{clip}/pose", f"/v1/clips/{clip}/preview.png", "/nothing", "/v1/clips?limit=x"):
                daemon.client.get(target)
            checked = subprocess.run(["promtool", "check", "metrics"], input=daemon.client.get("/metrics").text,
                                     capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))


class Signals(unittest.TestCase):
    def test_hup_goes_on(self):
        with Daemon(Daemon.samples) as daemon:
            daemon.process.send_signal(signal.SIGHUP)
            time.sleep(0.2)
            self.assertEqual(daemon.client.get("/readyz").status, 200)


class Notices:
    """systemd's end of the notification socket."""

    def __init__(self, folder):
        self.path = f"{folder}/notify"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.socket.settimeout(20)

    def until(self, wanted):
        while True:
            text = self.socket.recv(4096).decode()
            if wanted in text.splitlines():
                return text


class Systemd(unittest.TestCase):
    def test_notices_and_watchdog(self):
        with tempfile.TemporaryDirectory() as folder:
            notices = Notices(folder)
            os.environ |= {"NOTIFY_SOCKET": notices.path, "WATCHDOG_USEC": "200000"}
            try:
                with Daemon(Daemon.samples) as daemon:
                    self.assertIn("STATUS=listening on http://127.0.0.1:", notices.until("READY=1"))
                    notices.until("WATCHDOG=1")
                    notices.until("WATCHDOG=1")
                    daemon.process.send_signal(signal.SIGHUP)
                    self.assertIn("MONOTONIC_USEC=", notices.until("RELOADING=1"))
                    notices.until("READY=1")
                    daemon.stop()
                    notices.until("STOPPING=1")
            finally:
                del os.environ["NOTIFY_SOCKET"], os.environ["WATCHDOG_USEC"]
                notices.socket.close()

    def test_socket_activation(self):
        activate = shutil.which("systemd-socket-activate")
        self.assertIsNotNone(activate, "the package systemd is missing")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        process = subprocess.Popen(
            [activate, "-l", f"127.0.0.1:{port}", Daemon.binary, "serve", "--listen", "127.0.0.1:1",
             *(["--no-sandbox"] if SANITIZED else []), Daemon.samples],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            deadline = time.monotonic() + 60
            while True:
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=30) as reply:
                        self.assertEqual(reply.status, 200)
                    break
                except OSError:
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.1)
            process.send_signal(signal.SIGTERM)
            output, _ = process.communicate(timeout=30)
            self.assertIn(f"posed: listening on http://127.0.0.1:{port}", output)
            self.assertEqual(process.returncode, 0)
        finally:
            process.kill()
            process.communicate()

    def test_two_sockets_are_one_too_many(self):
        script = ("import os, socket, sys\n"
                  "for fd in (3, 4):\n"
                  "    s = socket.create_server(('127.0.0.1', 0)); os.dup2(s.fileno(), 100 + fd)\n"
                  "os.dup2(103, 3); os.dup2(104, 4)\n"
                  "os.environ.update(LISTEN_FDS='2', LISTEN_PID=str(os.getpid()))\n"
                  "os.execv(sys.argv[1], sys.argv[1:])\n")
        done = subprocess.run([sys.executable, "-c", script, Daemon.binary, "serve", Daemon.samples],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("2 sockets were passed", done.stderr)
