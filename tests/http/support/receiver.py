"""A web server that is told of changes by a webhook: it keeps what comes, checks the signature, and misbehaves on demand."""

import contextlib
import hashlib
import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATIENCE_SECONDS = 60


class Receiver:
    """Use as a context. faults: how the next requests are answered, in turn ("hang" until the end, "endless", "flood", a status
    as a number, or (status, location)); after these with 204."""

    def __init__(self, key=b"", port=0):
        self.key = key
        self.faults = []
        self.taken = []  # (headers, event) of what was answered with 2xx
        self.refused = []  # the same of the others
        self.paths = []
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        self.end = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                receiver.take(self)

            do_GET = do_PUT = do_POST

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/hook?secret=1"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.end.set()
        self.server.shutdown()
        self.server.server_close()

    def take(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        with self.lock:
            fault = self.faults.pop(0) if self.faults else 204
            self.paths.append((handler.command, handler.path))
        status, location = fault if isinstance(fault, tuple) else (fault, None)
        event = json.loads(body) if body else None
        with self.changed:
            (self.taken if status == 204 else self.refused).append((dict(handler.headers), event, body))
            self.changed.notify_all()
        with contextlib.suppress(OSError):
            self.answer(handler, status, location)

    def answer(self, handler, status, location):
        if status == "hang":
            self.end.wait()
            handler.close_connection = True
        elif status in ("endless", "flood"):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\n" if status == "endless" else b"HTTP/1.1 200 OK\r\n\r\n")
            while not self.end.is_set():
                handler.wfile.write(b"X-A: " + 1000 * b"a" + b"\r\n")
        else:
            handler.send_response(status)
            if location:
                handler.send_header("Location", location)
            handler.send_header("Content-Length", "0")
            handler.end_headers()

    def wait_for(self, count, refused=False):
        """Until so many have been taken (or refused); these."""
        until = time.monotonic() + PATIENCE_SECONDS
        with self.changed:
            while len(found := self.refused if refused else self.taken) < count:
                assert self.changed.wait(until - time.monotonic()), f"{len(found)} of {count} events came"
            return list(found)

    def verify(self, headers, body):
        """What a receiver does: the signature is of the time and the body."""
        text = headers["X-Posed-Timestamp"].encode() + b"." + body
        made = "sha256=" + hmac.new(self.key, text, hashlib.sha256).hexdigest()
        return hmac.compare_digest(made, headers["X-Posed-Signature"]) and abs(time.time() - int(headers["X-Posed-Timestamp"])) < 3600
