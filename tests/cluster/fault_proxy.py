"""An HTTP proxy before the object store that can be told to do harm. Requests go on as they are: they are signed with the
name by which the proxy is called."""

import contextlib
import http.client
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FAULTS = ("500", "slow", "cut", "wrong", "drop")


class FaultProxy:
    """Use as a context. fault: None or one of FAULTS, for every request from then on; part: only of keys with that in it."""

    def __init__(self, port, slow_seconds=5):
        self.target = ("127.0.0.1", port)
        self.fault = None
        self.slow_seconds = slow_seconds
        self.done = 0  # faults

    def __enter__(self):
        proxy = self

        class Bound(Handler):
            owner = proxy

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Bound)
        self.server.daemon_threads = True
        self.endpoint = "http://127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or a body waits 40 ms until the head before it is acknowledged
    owner = None
    upstream = None

    def log_message(self, *_):
        pass

    def handle(self):
        with contextlib.suppress(OSError):
            super().handle()

    def finish(self):
        with contextlib.suppress(OSError):
            super().finish()
        if self.upstream:
            self.upstream.close()

    def hang_up(self):
        self.owner.done += 1
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def ask(self, body):
        """The answer of the store; a kept connection may have been closed meanwhile."""
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("expect", "connection")}
        for last in (False, True):
            if self.upstream is None:
                self.upstream = http.client.HTTPConnection(*self.owner.target, timeout=60)
            try:
                self.upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in headers.items():
                    self.upstream.putheader(name, value)
                self.upstream.endheaders(body or None)
                reply = self.upstream.getresponse()
                return reply, reply.read()
            except (OSError, http.client.HTTPException):
                self.upstream.close()
                self.upstream = None
                if last:
                    raise

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.owner.fault
        if fault == "drop":
            self.hang_up()
            return
        if fault == "500":
            self.owner.done += 1
            self.send_response_only(500)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if fault == "slow":
            self.owner.done += 1
            time.sleep(self.owner.slow_seconds)
        try:
            reply, data = self.ask(body)
        except (OSError, http.client.HTTPException):
            self.hang_up()
            return
        is_object = self.command == "GET" and reply.status == 200 and "?" not in self.path and data
        if fault == "wrong" and is_object:
            self.owner.done += 1
            data = data[:-1] + bytes([data[-1] ^ 1])
        self.send_response_only(reply.status)
        for name, value in reply.getheaders():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, value)
        length = reply.getheader("Content-Length") if self.command == "HEAD" else str(len(data))
        if length is not None:
            self.send_header("Content-Length", length)
        self.end_headers()
        if fault == "cut" and data:
            self.wfile.write(data[: len(data) // 2])
            self.hang_up()
        else:
            self.wfile.write(data)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any
