"""A plain HTTP/1.1 client: every reply is checked against the contract before a test sees it."""

import gzip
import http.client
import json as jsonlib
import select
import socket
import struct
import threading
from urllib.parse import quote, urlencode, urlsplit


def reject_constant(name):
    raise AssertionError(f"{name} is no JSON")


class Reply:
    def __init__(self, method, target, status, headers, body):
        self.method = method
        self.target = target
        self.path = target.split("?", 1)[0]
        self.status = status
        self.headers = headers  # http.client.HTTPMessage: names without regard to case
        self.raw_body = body
        self.body = gzip.decompress(body) if headers.get("Content-Encoding") == "gzip" and body else body

    def __getitem__(self, header):
        return self.headers.get(header)

    @property
    def media_type(self):
        return (self["Content-Type"] or "").split(";")[0].strip()

    @property
    def is_json(self):
        return self.media_type.endswith("json")

    @property
    def text(self):
        return self.body.decode("utf-8")

    @property
    def json(self):
        """NaN and Infinity, which Python would read, are refused."""
        return jsonlib.loads(self.body, parse_constant=reject_constant)

    @property
    def floats(self):
        return struct.unpack(f"<{len(self.body) // 4}f", self.body)

    def __repr__(self):
        return f"<{self.method} {self.target} {self.status} {self.body[:300]!r}>"


def is_closed(stream):
    """Whether the daemon has closed a connection on which nothing was asked: the test was busy for longer than that may be."""
    return bool(stream and select.select([stream], [], [], 0)[0] and not stream.recv(1, socket.MSG_PEEK))


class Client:
    """Keeps a connection for each thread."""

    def __init__(self, address, contract=None):
        self.host, self.port = address
        self.contract = contract
        self.local = threading.local()

    def connection(self):
        if getattr(self.local, "connection", None) and is_closed(self.local.connection.sock):
            self.close()
        if getattr(self.local, "connection", None) is None:
            self.local.connection = http.client.HTTPConnection(self.host, self.port, timeout=180)
        return self.local.connection

    def close(self):
        if getattr(self.local, "connection", None) is not None:
            self.local.connection.close()
            self.local.connection = None

    def request(self, method, target, body=None, headers=None, check=True, **query):
        if query:
            target += ("&" if "?" in target else "?") + urlencode(query, quote_via=quote)
        connection = self.connection()
        try:
            connection.request(method, target, body=body, headers=headers or {})
            response = connection.getresponse()
            reply = Reply(method, target, response.status, response.headers, response.read())
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        if response.will_close:
            self.close()
        if check and self.contract:
            self.contract.check(reply)
        return reply

    def get(self, target, headers=None, **query):
        return self.request("GET", target, headers=headers, **query)

    def post(self, target, body, headers=None, **query):
        return self.request("POST", target, body=body, headers=headers, **query)

    def items(self, target, **query):
        """All items of a list, page by page."""
        found = []
        while target:
            page = self.get(target, **query).json
            found += page["items"]
            target, query = page["next"], {}
        assert len(found) == page["total"], f"{len(found)} items of {page['total']}"
        return found

    def metric(self, name, **labels):
        """A value of /metrics: the sum over all series with these labels."""
        total = 0.0
        for line in self.get("/metrics").text.splitlines():
            if line.startswith("#"):
                continue
            series, value = line.rsplit(" ", 1)
            found, _, text = series.partition("{")
            if found == name and all(f'{key}="{wanted}"' in text for key, wanted in labels.items()):
                total += float(value)
        return total

    def raw(self, data, timeout=10):
        """Sends bytes as they are and reads until the server closes or falls silent."""
        with socket.create_connection((self.host, self.port), timeout=timeout) as stream:
            stream.sendall(data)
            received = b""
            try:
                while chunk := stream.recv(65536):
                    received += chunk
            except socket.timeout:
                pass
            return received


def path_of(url):
    """The target of a link, which may be absolute."""
    parts = urlsplit(url)
    return parts.path + ("?" + parts.query if parts.query else "")
