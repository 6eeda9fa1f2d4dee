"""What the tests of uploads share: bodies of forms, hostile archives, a daemon with an empty store."""

import io
import os
import shutil
import tempfile
import unittest
import uuid
import zipfile
from pathlib import Path

from daemon import Daemon


def form(files, boundary=None):
    """(headers, body) of a form; files: (file name or None, bytes) or (field, file name, bytes)."""
    boundary = boundary or uuid.uuid4().hex
    body = b""
    for file in files:
        field, name, data = file if len(file) == 3 else ("file", *file)
        body += f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"'.encode()
        if name is not None:
            body += b'; filename="' + (name if isinstance(name, bytes) else name.encode()) + b'"'
        body += b"\r\nContent-Type: application/octet-stream\r\n\r\n" + data + b"\r\n"
    body += f"--{boundary}--\r\n".encode()
    return {"Content-Type": f"multipart/form-data; boundary={boundary}"}, body


def zipped(files, method=zipfile.ZIP_DEFLATED):
    """A ZIP of (name, bytes); names may repeat."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            archive.writestr(info, data)
    return out.getvalue()


def sample(name):
    return (Daemon.samples / name).read_bytes()


WAVE, WALK, IDLE = "second-life/wave.anim", "second-life/walk.anim", "second-life/idle.anim"


class UploadCase(unittest.TestCase):
    """self.client talks to a daemon without PATHs and with a store of its own."""

    arguments = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="posed-store-"))
        cls.data = cls.folder / "data"
        cls.daemon = Daemon("--data", cls.data, *cls.arguments)
        cls.daemon.start()
        cls.client = cls.daemon.client

    @classmethod
    def tearDownClass(cls):
        status = cls.daemon.stop()
        shutil.rmtree(cls.folder)
        assert status == 0, f"the daemon ended with {status}:\n{cls.daemon.errors()}"

    def upload(self, data, name="file.anim", **query):
        return self.client.post("/v1/archives", data, name=name, **query)

    def upload_form(self, files, **query):
        headers, body = form(files)
        return self.client.post("/v1/archives", body, headers=headers, **query)

    def remove(self, archive_id):
        self.assertEqual(self.client.request("DELETE", f"/v1/archives/{archive_id}").status, 204)

    def remove_all(self):
        for archive in self.client.items("/v1/archives"):
            self.remove(archive["id"])

    def assertProblem(self, reply, status, **members):
        self.assertEqual(reply.status, status, reply)
        for name, value in members.items():
            self.assertEqual(reply.json.get(name), value, reply.text)


def stored_files(data):
    """Every file of a store but the databases', the lock, pictures and what is lost: paths below the folder."""
    found = set()
    for folder, _, names in os.walk(data):
        for name in names:
            path = Path(folder, name).relative_to(data)
            if not str(path).startswith(("catalog.db", "index.db", "lists.db", "lost/", "picture-cache/")) and str(path) not in ("lock", "reserve"):
                found.add(str(path))
    return found
