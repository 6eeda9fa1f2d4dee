"""An S3 store in memory, as strict as a real one about what is sent to it: the signature (AWS Signature Version 4, worked
out here and not by curl), the hash of the body, the order of query parameters. It can be made to misbehave."""

import contextlib
import hashlib
import hmac
import socket
import threading
import time
import urllib.parse
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape

EMPTY = hashlib.sha256(b"").hexdigest()
# (status, whether the headers end, what comes again and again)
ENDLESS = {"headers": (200, False, b"x-more: " + b"m" * 4000 + b"\r\n"), "body": (200, True, bytes(4096)),
           "refusal": (500, True, bytes(4096))}
PAGE = 7  # keys in a page of a list: continuation is what is tested


def quote(text):
    return urllib.parse.quote(text, safe="-._~")


def signature(secret, method, path, query, headers, names, region, stamp):
    """The signature of a request; headers by their lower-case names."""
    canonical = "\n".join([
        method, path, query, *(f"{name}:{' '.join(headers[name].split())}" for name in names), "", ";".join(names),
        headers["x-amz-content-sha256"],
    ])
    scope = f"{stamp[:8]}/{region}/s3/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = f"AWS4{secret}".encode()
    for word in (stamp[:8], region, "s3", "aws4_request"):
        key = hmac.new(key, word.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def signed(key_id, secret, method, host, path, query="", body=b"", region="us-east-1"):
    """The headers of a request that is signed here."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    headers = {"host": host, "x-amz-content-sha256": hashlib.sha256(body).hexdigest(), "x-amz-date": stamp}
    names = sorted(headers)
    made = signature(secret, method, path, query, headers, names, region, stamp)
    scope = f"{key_id}/{stamp[:8]}/{region}/s3/aws4_request"
    headers["Authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders={';'.join(names)}, Signature={made}"
    )
    return headers


class S3Stub:
    """Use as a context. fault(method, key) is asked before each answer: None, or "500", "403", "cut", "wrong", "drop",
    "hang" (until release is set), "redirect" (to the address in elsewhere), "no etag", "circle" (a list has
    no end), "headers", "body" and "refusal": of these
    three there is no end (until the client has gone, or release is set)."""

    key_id, secret, bucket, region = "AKIDEXAMPLE", "a/secret+key", "bucket", "us-east-1"

    def __init__(self, port=0):
        self.objects = {}  # key: (bytes, time)
        self.parts = {}
        self.requests = []
        self.fault = lambda method, key: None
        self.release = threading.Event()
        self.elsewhere = ""
        self.sent = 0  # bytes of what has no end
        self.lock = threading.Lock()
        self.token = None
        self.port = port
        self.problems = []
        self.connections = set()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        stub = self

        class Bound(Handler):
            store = stub

        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), Bound)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()

    def stop(self):
        """As if its process had ended: connections are closed as well."""
        self.release.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
        with self.lock:
            for connection in self.connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self.connections.clear()

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self):
        return {"AWS_ACCESS_KEY_ID": self.key_id, "AWS_SECRET_ACCESS_KEY": self.secret}

    def keys(self, prefix=""):
        with self.lock:
            return sorted(key for key in self.objects if key.startswith(prefix))

    def count(self, method, part=""):
        with self.lock:
            return sum(1 for asked, key in self.requests if asked == method and part in key)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store = None

    def log_message(self, *_):
        pass

    def setup(self):
        super().setup()
        with self.store.lock:
            self.store.connections.add(self.connection)

    def finish(self):
        with self.store.lock:
            self.store.connections.discard(self.connection)
        with contextlib.suppress(OSError):
            super().finish()

    def handle(self):
        with contextlib.suppress(OSError):
            super().handle()

    def answer(self, status, body=b"", headers=(), length=None):
        self.send_response_only(status)
        self.send_header("Date", formatdate(usegmt=True))
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def pour(self, status, head, piece):
        """Without an end."""
        self.close_connection = True
        self.send_response_only(status)
        with contextlib.suppress(OSError):
            self.end_headers() if head else self.flush_headers()
            while not self.store.release.is_set():
                self.wfile.write(piece)
                self.store.sent += len(piece)

    def refuse(self, status, code):
        self.answer(status, f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>no</Message></Error>".encode())

    def is_signed(self, body):
        """The signature, and what it covers, are right."""
        store = self.store
        headers = {name.lower(): value for name, value in self.headers.items()}
        path, _, query = self.path.partition("?")
        parameters = query.split("&") if query else []
        if parameters != sorted(parameters) or any("=" not in one for one in parameters):
            return False
        if headers.get("x-amz-content-sha256") != hashlib.sha256(body).hexdigest():
            return False
        if store.token and headers.get("x-amz-security-token") != store.token:
            return False
        fields = dict(
            word.strip().split("=", 1) for word in headers.get("authorization", "").partition(" ")[2].split(",") if word
        )
        names = fields.get("SignedHeaders", "").split(";")
        stamp = headers.get("x-amz-date", "")
        if not {"host", "x-amz-date", "x-amz-content-sha256"} <= set(names) or any(n not in headers for n in names):
            return False
        scope = f"{store.key_id}/{stamp[:8]}/{store.region}/s3/aws4_request"
        return fields.get("Credential") == scope and hmac.compare_digest(
            fields.get("Signature", ""),
            signature(store.secret, self.command, path, query, headers, names, store.region, stamp),
        )

    def handle_any(self):
        store = self.store
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, _, query = self.path.partition("?")
        bucket, _, key = path.lstrip("/").partition("/")
        with store.lock:
            store.requests.append((self.command, key))
        fault = store.fault(self.command, key)
        if fault == "hang":
            store.release.wait(60)
        if fault in ("drop", "hang"):
            self.close_connection = True
            return
        if fault in ENDLESS:
            self.pour(*ENDLESS[fault])
        elif fault == "redirect":
            self.answer(307, headers=[("Location", store.elsewhere + self.path)])
        elif fault == "500":
            self.refuse(500, "InternalError")
        elif fault == "403" or not self.is_signed(body):
            if fault != "403":
                store.problems.append((self.command, self.path))
            self.refuse(403, "SignatureDoesNotMatch")
        elif bucket != store.bucket:
            self.refuse(404, "NoSuchBucket")
        else:
            self.serve(key, dict(urllib.parse.parse_qsl(query, keep_blank_values=True)), body, fault)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any

    def serve(self, key, query, body, fault):
        method = self.command
        if method == "POST" or "uploadId" in query:
            self.serve_parts(key, query, body, fault)
        elif method == "PUT":
            with self.store.lock:
                self.store.objects[key] = (body, time.time())
            self.answer(200, headers=[("ETag", f'"{hashlib.md5(body).hexdigest()}"')])
        elif method == "DELETE":
            with self.store.lock:
                self.store.objects.pop(key, None)
            self.answer(204)
        elif not key and method == "HEAD":
            self.answer(200)
        elif not key:
            self.list(query, fault)
        else:
            self.send_object(key, fault)

    def send_object(self, key, fault):
        with self.store.lock:
            found = self.store.objects.get(key)
        if not found:
            self.refuse(404, "NoSuchKey")
            return
        body, written = found
        if fault == "wrong":
            body = bytes([body[0] ^ 1]) + body[1:]
        headers = [("Last-Modified", formatdate(written, usegmt=True))]
        if fault == "cut":
            self.answer(200, body[: len(body) // 2], headers, length=len(body))
            self.close_connection = True
        else:
            self.answer(200, body, headers)

    def list(self, query, fault):
        keys = self.store.keys(query.get("prefix", ""))
        token, after = query.get("continuation-token", ""), query.get("start-after", "")
        keys = [key for key in keys if key > after and (not token or f"after&{key}" > token)]
        page, more = keys[:PAGE], len(keys) > PAGE
        if fault == "circle":  # the first page again and again, as if it were the next
            page, more = self.store.keys(query.get("prefix", ""))[:1], True
        rows = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>"
            f"{time.strftime('%Y-%m-%dT%H:%M:%S.000Z', time.gmtime(self.store.objects[key][1]))}"
            f"</LastModified><Size>{len(self.store.objects[key][0])}</Size></Contents>"
            for key in page
        )
        # A real one's is base64, which may have a "+".
        next_token = ("" if len(keys) % 2 else "+=") + f"after&{page[-1]}" if more else ""
        token = f"<NextContinuationToken>{escape(next_token)}</NextContinuationToken>" if more else ""
        self.answer(200, (
            "<?xml version='1.0' encoding='UTF-8'?><ListBucketResult xmlns='http://s3.amazonaws.com/doc/2006-03-01/'>"
            f"<IsTruncated>{str(more).lower()}</IsTruncated>{token}{rows}</ListBucketResult>"
        ).encode())

    def serve_parts(self, key, query, body, fault):
        store = self.store
        if "uploads" in query:
            with store.lock:
                upload = f"id/{len(store.parts)}="  # no store has a "+" here, which curl 8.14 cannot sign
                store.parts[upload] = {}
            self.answer(200, f"<InitiateMultipartUploadResult><UploadId>{upload}</UploadId>"
                             f"</InitiateMultipartUploadResult>".encode())
        elif self.command == "PUT":
            store.parts[query["uploadId"]][int(query["partNumber"])] = body
            self.answer(200, headers=[] if fault == "no etag" else [("ETag", f'"{hashlib.md5(body).hexdigest()}"')])
        elif self.command == "DELETE":
            store.parts.pop(query["uploadId"], None)
            self.answer(204)
        else:
            parts = store.parts.pop(query["uploadId"])
            wanted = "".join(f"<Part><PartNumber>{n}</PartNumber><ETag>\"{hashlib.md5(parts[n]).hexdigest()}\"</ETag></Part>"
                             for n in sorted(parts))
            if body.decode() != f"<CompleteMultipartUpload>{wanted}</CompleteMultipartUpload>":
                self.refuse(400, "InvalidPart")
                return
            with store.lock:
                store.objects[key] = (b"".join(parts[n] for n in sorted(parts)), time.time())
            self.answer(200, b"<?xml version='1.0'?>\n   <CompleteMultipartUploadResult><ETag>x</ETag>"
                             b"</CompleteMultipartUploadResult>")
