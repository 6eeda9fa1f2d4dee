"""An adversary's table, repeated: damaged files, hostile forms, damaged stores, clients that are slow or leave.

What is tried is made from a seed, so that a run is like the one before. POSED_TRIALS multiplies the numbers: 1 by default,
10 is what a release wants. Nothing is timed. At the end of each kind a line says what was tried and what of it was broken.
"""

import contextlib
import json
import os
import random
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from daemon import Daemon
from fixture import SampleCase
from test_dressed import mesh as sims3_body, mesh_list, part
from test_skeletons import gltf
from uploads import IDLE, WALK, WAVE, form, sample, zipped

SCALE = float(os.environ.get("POSED_TRIALS", "1"))
PATIENCE_SECONDS = 60
LARGEST = 200_000  # bytes of a file that is mutated
ANSWERED = (200, 201)
REFUSED = (400, 404, 409, 411, 413, 414, 415, 422, 431)
TARGETS = ("glb", "gltf", "bvh", "json", "sl-anim", "tso-anim", "sims1-cmx", "sims1-bcf", "sims3-clip", "prime-anim",
           "sims1-skn", "tso-mesh", "sims3-geom", "prime-cmdl")  # fmt: skip
NUMBERS = (b"nan", b"-nan", b"inf", b"1e39", b"-1e-46", b"0", b"-1", b"4294967295", b"99999999999999999999", b"1e", b"")
WORDS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7F800000, 0x7FC00000)


def times(count):
    return max(1, round(count * SCALE))


# ------------------------------------------------------------------------------------------------------ mutants


def cut(data, chance):
    return data[: chance.randrange(len(data))]


def flip(data, chance):
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        out[chance.randrange(len(out))] ^= 1 << chance.randrange(8)
    return bytes(out)


def overwrite(data, chance):
    """A number of one to four bytes, either way round, at the beginning more often than elsewhere."""
    out = bytearray(data)
    size = chance.choice((1, 2, 4))
    at = chance.randrange(min(len(out), chance.choice((64, 512, len(out)))))
    word = (chance.choice(WORDS) & (256**size - 1)).to_bytes(size, chance.choice(("little", "big")))
    out[at : at + size] = word
    return bytes(out)


def double(data, chance):
    a, b = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:b] + data[a:b] + data[b:]


def leave_out(data, chance):
    a, b = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:a] + data[b:]


def fill(data, chance):
    a = chance.randrange(len(data))
    b = min(len(data), a + chance.choice((1, 4, 16, 256)))
    return data[:a] + bytes([chance.choice((0, 255))]) * (b - a) + data[b:]


def renumber(data, chance):
    """Of a text: a number becomes another one, or none."""
    found = list(re.finditer(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", data))
    if not found:
        return overwrite(data, chance)
    one = chance.choice(found)
    return data[: one.start()] + chance.choice(NUMBERS) + data[one.end() :]


def relay(data, chance):
    """Of a text: lines are doubled, swapped or gone."""
    lines = data.split(b"\n")
    i, k = chance.randrange(len(lines)), chance.randrange(len(lines))
    how = chance.randrange(3)
    if how == 0:
        lines.insert(i, lines[k])
    elif how == 1:
        lines[i], lines[k] = lines[k], lines[i]
    else:
        del lines[i]
    return b"\n".join(lines)


def rename(data, chance):
    """A word becomes as long a word of odd letters, or another one of the file."""
    words = list(re.finditer(rb"[A-Za-z_]{4,}", data))
    if not words:
        return flip(data, chance)
    one = chance.choice(words)
    odd = (b"<script>", b"../../..", b"\xff\xfe\xfd\xfc", b"%00%2f%n", b'"\\\r\n\t{}', b"\xe2\x80\xae\xcc\x81")
    new = chance.choice((chance.choice(words)[0], (chance.choice(odd) * 40)[: len(one[0])]))
    return data[: one.start()] + new + data[one.end() :]


MUTATIONS = (cut, flip, flip, overwrite, overwrite, double, leave_out, fill, renumber, relay, rename)


def files_to_damage():
    """Of each format that can be made, by name."""
    folders = (Daemon.samples, Daemon.samples.parent / "format-samples")
    paths = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
    return [path for path in paths if 0 < path.stat().st_size <= LARGEST]


class Trial(unittest.TestCase):
    """Counts what is tried; a broken one is kept with what it was made of."""

    arguments = ()

    def setUp(self):
        self.tried = self.requests = self.taken = 0
        self.broken = []
        self.folder = Path(tempfile.mkdtemp(prefix="posed-trials-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def tell(self, what):
        print(f"{what}: {self.tried} tried, {self.requests} requests, {self.taken} taken, broken {len(self.broken)}", end=" ")
        self.assertFalse(self.broken, "\n".join(self.broken))

    def ask(self, client, what, method, target, body=None, headers=None, allowed=ANSWERED + REFUSED, **query):
        """The reply, None when there was none: what answers neither well nor with a refusal is broken."""
        self.requests += 1
        try:
            reply = client.request(method, target, body=body, headers=headers, **query)
            if reply.is_json and reply.body:
                reply.json  # strict: no NaN
        except (OSError, AssertionError, ValueError) as error:
            self.broken.append(f"{what}: {method} {target} {query}: {error!r:.300}")
            return None
        if reply.status not in allowed:
            self.broken.append(f"{what}: {reply!r:.300} {query}")
        return reply


class Mutants(Trial):
    """Damaged files through inspection, conversion and upload, and what is made of those that are taken."""

    def test(self):
        paths = files_to_damage()
        self.assertGreater(len(paths), 60)
        each = times(6)
        with Daemon("--data", self.folder / "data") as daemon:
            for path in paths:
                data = path.read_bytes()
                for number in range(each):
                    chance = random.Random(f"{path.name} {number}")
                    mutant = data
                    for _ in range(chance.choice((1, 1, 1, 3))):
                        mutant = chance.choice(MUTATIONS)(mutant, chance) or b"\0"
                    self.tried += 1
                    self.try_one(daemon.client, f"{path.name}, mutant {number}", path.name, mutant, chance)
            self.assertEqual(daemon.client.get("/readyz").status, 200)
            self.assertEqual(daemon.client.get("/v1/archives").json["total"], 0)
        self.tell(f"mutants of {len(paths)} files")

    def try_one(self, client, what, name, mutant, chance):
        how = chance.randrange(3)
        if how == 0:
            self.ask(client, what, "POST", "/v1/inspect", mutant, name=name)
        elif how == 1:
            self.ask(client, what, "POST", "/v1/convert", mutant, name=name, to=chance.choice(TARGETS))
        made = self.ask(client, what, "POST", "/v1/archives", mutant, name=name) if how or chance.random() < 0.3 else None
        if not made or made.status not in ANSWERED:
            return
        self.taken += 1
        archive = made.json
        for clip in archive["clips"][:2]:
            base = f"/v1/clips/{clip['id']}"
            for rest, query in (("/pose", {"t": 0.4}), ("/poses", {"t": "0,0.3,9", "as": "f32"}), ("/preview.svg", {"t": 0.1}),
                                (f".{chance.choice(('glb', 'bvh', 'json'))}", {}), ("/keys", {}), ("", {})):  # fmt: skip
                if chance.random() < 0.5:
                    self.ask(client, what, "GET", base + rest, **query)
        for kind, endings in (("skeletons", ("", ".glb", "/humanoid")), ("meshes", ("", ".glb", "/vertices")),
                              ("characters", ("", ".glb"))):  # fmt: skip
            for item in archive.get(kind, [])[:1]:
                self.ask(client, what, "GET", f"/v1/{kind}/{item['id']}{chance.choice(endings)}")
        self.ask(client, what, "DELETE", f"/v1/archives/{archive['id']}", allowed=(204,))


class DamagedBodies(Trial):
    """A body in an archive with one file of it damaged: its clips are drawn and written with whoever is still there."""

    def bodies(self):
        """Of each family: files of a clip, a skeleton, a character with its meshes, and pictures."""
        online = [(path.name, path.read_bytes()) for path in sorted((Daemon.samples / "sims-online").iterdir())]
        texture = (Daemon.samples.parent / "format-samples" / "sims3-dds" / "sample.dds").read_bytes()
        bones = [(name, (0, i / 10, 0)) for i, name in enumerate(("b__ROOT_bind__", "b__Pelvis__", "b__Spine0__", "b__Head__"))]
        dressed = [("sims-3.package", sample("sims-3.package")),
                   ("afBodyTest_lod1_0x00000000000000A1.simgeom", sims3_body(bones, "body_m")),
                   ("736884F1-00000001-00000000008C9DFC.vpxy", mesh_list(((1, (0xA1,)),))),
                   ("afBodyTest.casp", part("afBodyTest", 0x2130)), ("body_m.dds", texture)]
        return online, dressed, [("prime.pak", sample("metroid-prime-1.pak"))]

    def test(self):
        with Daemon() as daemon:
            for files in self.bodies():
                for number in range(times(20)):
                    chance = random.Random(f"body {files[0][0]} {number}")
                    names, contents = map(list, zip(*files))
                    at = chance.randrange(len(contents)) if number else None
                    if at is not None:
                        contents[at] = chance.choice(MUTATIONS)(contents[at], chance) or b"\0"
                    self.tried += 1
                    self.draw(daemon.client, f"{names[at or 0]}, body {number}", zipped(list(zip(names, contents))), chance, at is None)
            self.assertEqual(daemon.client.get("/readyz").status, 200)
        self.tell("damaged bodies")

    def draw(self, client, what, archive, chance, whole):
        made = self.ask(client, what, "POST", "/v1/archives", archive, name="body.zip")
        if not made or made.status not in ANSWERED:
            return
        self.taken += 1
        for clip in made.json["clips"][:2]:
            for rest, query in (("preview.png", {"t": 0.1, "angle": chance.choice(("front", "top"))}),
                                ("preview.webp", {"width": 32, "height": 32})):  # fmt: skip
                self.ask(client, what, "GET", f"/v1/clips/{clip['id']}/{rest}", mesh="auto", archive=made.json["id"], **query)
            self.ask(client, what, "GET", f"/v1/clips/{clip['id']}.glb", mesh="auto", archive=made.json["id"])
        if whole:  # it is a body that is drawn
            path, scope = f"/v1/clips/{made.json['clips'][0]['id']}/preview.png", made.json["id"]
            drawn = {client.get(path, mesh=mesh, archive=scope).body for mesh in ("auto", "bones")}
            self.assertEqual(len(drawn), 2, what)
        for item in made.json.get("characters", [])[:3]:
            self.ask(client, what, "GET", f"/v1/characters/{item['id']}", archive=made.json["id"])
        self.ask(client, what, "DELETE", f"/v1/archives/{made.json['id']}", allowed=(204,))


# -------------------------------------------------------------------------------------------------------- forms


def hostile_form(chance):
    """(headers, body) of a form with something wrong, or odd, about it."""
    boundary = chance.choice(("b", "----b0undary", "x" * 70, "'()+_,-./:=?", "b b"))
    names = ("walk.anim", "a/../b.anim", "..", "", "a\0b", "n" * 3000, 'q".anim', "ü.anim", None)
    files = [(chance.choice(("walk.anim", "wave.anim", chance.choice(names))),
              chance.choice((sample(WALK), sample(WAVE), b"", b"\r\n--b", b"x" * 5000)))
             for _ in range(chance.choice((0, 1, 2, 2, 40)))]  # fmt: skip
    headers, body = form(files, boundary)
    how = chance.randrange(10)
    if how == 0:
        body = body[: chance.randrange(len(body) + 1)]
    elif how == 1:
        headers["Content-Type"] = chance.choice(("multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=other",
                                                 f'multipart/form-data; boundary="{boundary}', "multipart/mixed; boundary=b"))  # fmt: skip
    elif how == 2:
        body = body.replace(b"\r\n", chance.choice((b"\n", b"\r", b"\r\n\r\n")))
    elif how == 3:
        body = body.replace(b"Content-Disposition", chance.choice((b"content-disposition ", b"X" * 9000, b"", b"\0")))
    elif how == 4:
        body = body + body
    elif how == 5:
        body = chance.randbytes(chance.choice((0, 1, 300))) + body
    elif how == 6:
        body = body.replace(b'name="file"', chance.choice((b"", b'name="', b'name="file"; name="x"', b"name*=UTF-8''%ff%00")))
    elif how == 7 and body:
        body = flip(body, chance)
    elif how == 8:
        body = body.replace(b"--\r\n", b"", 1)
    return headers, body


class Forms(Trial):
    def test(self):
        with Daemon("--data", self.folder / "data") as daemon:
            for number in range(times(150)):
                chance = random.Random(f"form {number}")
                headers, body = hostile_form(chance)
                target = chance.choice(("/v1/archives", "/v1/inspect", "/v1/convert"))
                query = {"to": "glb"} if target == "/v1/convert" else {}
                self.tried += 1
                reply = self.ask(daemon.client, f"form {number}", "POST", target, body, headers, **query)
                self.taken += bool(reply and reply.status in ANSWERED)
            self.assertEqual(daemon.client.get("/readyz").status, 200)
        self.tell("forms")


# ------------------------------------------------------------------------------------------------------- stores


class Stores(Trial):
    """Whatever happens to files of a store while the daemon is not there: it starts, or names reindex, after which it starts;
    and an upload whose bytes and note are whole is there."""

    def fill(self, data):
        """{archive: (its note, its blob)}."""
        kept = {}
        with Daemon("--data", data) as daemon:
            for number, body in enumerate((sample(WALK), sample(WAVE), sample(IDLE), zipped([("in.anim", sample(WALK))]))):
                before = {path.name for path in (data / "blobs").iterdir()}
                archive = daemon.client.post("/v1/archives", body, name=f"{number}.{'zip' if number == 3 else 'anim'}").json["id"]
                [blob] = {path.name for path in (data / "blobs").iterdir()} - before
                kept[archive] = (f"notes/{archive}", f"blobs/{blob}")
            daemon.kill()  # with what is not yet in catalog.db itself
        return kept

    def damage(self, data, chance):
        """The names of what was damaged."""
        paths = sorted(path for path in data.rglob("*") if path.is_file())
        hit = set()
        for path in chance.sample(paths, chance.choice((1, 1, 2, 3))):
            how = chance.randrange(6)
            bytes_ = path.read_bytes()
            if how == 0:
                path.unlink()
            elif how == 1:
                path.write_bytes(b"")
            elif how == 2 and bytes_:
                path.write_bytes(cut(bytes_, chance))
            elif how == 3:
                path.write_bytes(chance.randbytes(len(bytes_)))
            elif how == 4 and bytes_:
                path.write_bytes(flip(bytes_, chance))
            else:
                path.unlink()
                path.mkdir()
            hit.add(str(path.relative_to(data)))
        return hit

    def test(self):
        whole = self.folder / "whole"
        kept = self.fill(whole)
        for number in range(times(20)):
            chance = random.Random(f"store {number}")
            data = self.folder / "data"
            shutil.copytree(whole, data)
            hit = self.damage(data, chance)
            self.tried += 1
            self.try_one(f"store {number}, {sorted(hit)}", data, {one for one, files in kept.items() if not hit & set(files)})
            shutil.rmtree(data)
        self.tell("stores")

    def try_one(self, what, data, wanted):
        daemon = Daemon("--data", data)
        try:
            try:
                daemon.start()
            except AssertionError as refusal:
                if f"{data}/lock: Is a directory" in str(refusal):  # said in so many words; nobody but its owner removes it
                    (data / "lock").rmdir()
                elif "reindex" not in str(refusal):
                    self.broken.append(f"{what}: {refusal}")
                    return
                done = subprocess.run([Daemon.binary, "reindex", "--data", data], capture_output=True, text=True, check=False)
                if done.returncode not in (0, 1):
                    self.broken.append(f"{what}: {done}")
                daemon.start()
            self.taken += 1
            listed = {archive["id"] for archive in daemon.client.items("/v1/archives")}
            if wanted - listed:
                self.broken.append(f"{what}: {wanted - listed} gone")
            # A folder where its bytes belong is not taken away for an upload: 503, and nothing is acknowledged.
            stands = any(path.is_dir() for path in (data / "blobs").iterdir())
            self.ask(daemon.client, what, "POST", "/v1/archives", sample(WALK), name="again.anim",
                     allowed=(*ANSWERED, 503) if stands else ANSWERED)  # fmt: skip
            status = daemon.stop()
            if status:
                self.broken.append(f"{what}: ended with {status}")
        except AssertionError as error:
            self.broken.append(f"{what}: {error}")
        finally:
            daemon.kill()


# ------------------------------------------------------------------------------------------------------ clients


class Clients(SampleCase, Trial):
    """Clients that are slow, leave, or never read: others are served, and nothing of them stays."""

    def connect(self):
        return socket.create_connection((self.client.host, self.client.port), timeout=PATIENCE_SECONDS)

    @staticmethod
    def reset(stream):
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        stream.close()

    def request(self, chance):
        clip = self.clip("walk", "sl-anim")["id"] if not hasattr(self, "walk") else self.walk
        self.walk = clip
        host = b"\r\nHost: localhost\r\n"
        targets = (f"/v1/clips/{clip}/pose?t={chance.random()}", f"/v1/clips/{clip}/poses?fps=240&space=model", "/v1/clips?limit=1000",
                   f"/v1/clips/{clip}.gltf", f"/v1/clips/{clip}/preview.png?t={chance.random()}", "/healthz", "/openapi.json")  # fmt: skip
        if chance.random() < 0.7:
            return f"GET {chance.choice(targets)} HTTP/1.1".encode() + host + b"\r\n"
        body = sample(WALK)
        length = str(len(body)).encode()
        return b"POST /v1/inspect?name=a.anim HTTP/1.1" + host + b"Content-Length: " + length + b"\r\n\r\n" + body

    def misbehave(self, chance, held):
        stream, data = self.connect(), self.request(chance)
        how = chance.randrange(7)
        with contextlib.suppress(OSError):
            if how == 0:  # leaves in the middle of what it says
                stream.sendall(data[: chance.randrange(len(data))])
                self.reset(stream) if chance.random() < 0.5 else stream.close()
            elif how == 1:  # asks and leaves
                stream.sendall(data)
                self.reset(stream)
            elif how == 2:  # reads a little and leaves
                stream.sendall(data)
                stream.recv(chance.choice((1, 100)))
                self.reset(stream)
            elif how == 3:  # asks often, at once, and reads nothing
                stream.sendall(data * chance.choice((2, 20)))
                held.append(stream)
            elif how == 4:  # says half and waits
                stream.sendall(data[: len(data) // 2])
                held.append(stream)
            elif how == 5:  # byte by byte
                for at in range(min(len(data), 200)):
                    stream.sendall(data[at : at + 1])
                held.append(stream)
            else:  # says that it is done, and waits for the answer
                stream.sendall(data)
                stream.shutdown(socket.SHUT_WR)
                while stream.recv(1 << 16):
                    pass
                stream.close()
        self.tried += 1

    def test(self):
        held = []
        for number in range(times(120)):
            self.misbehave(random.Random(f"client {number}"), held)
            if number % 10 == 0:
                self.ask(self.client, f"beside client {number}", "GET", "/healthz", allowed=(200,))
                self.ask(self.client, f"beside client {number}", "GET", f"/v1/clips/{self.walk}/pose", t=number / 997, allowed=(200,))
        for stream in held:
            stream.close()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (left := self.client.metric("posed_http_connections")) > 1:
            if time.monotonic() > deadline:
                self.broken.append(f"{left} connections stay")
                break
            time.sleep(0.1)
        self.tell("clients")


# ------------------------------------------------------------------------------------- files that others bring


def vrm(extension, chance):
    """A person as VRM has one, with bones that are odd now and then."""
    document = json.loads(gltf(1))
    odd = chance.choice((0, -1, 99, "0", None, 1e30, True))
    node = chance.choice((0, 1, odd))
    bones = {"hips": {"node": node}, chance.choice(("head", "neck", "x" * 300, "")): {"node": chance.choice((1, odd))}}
    if extension == "VRM":
        human = {"humanBones": [{"bone": name, **bone} for name, bone in bones.items()]}
    else:
        human = {"humanBones": chance.choice((bones, list(bones), None, 7))}
    document["extensionsUsed"] = [extension]
    document["extensions"] = {extension: {"specVersion": "1.0", "humanoid": human}}
    return json.dumps(document).encode()


def sims3pack(chance):
    data = (Daemon.samples.parent / "format-samples" / "sims3pack" / "sample.sims3pack").read_bytes()
    for _ in range(chance.choice((0, 1, 2))):
        data = chance.choice((flip, overwrite, renumber, cut))(data, chance) or b"\0"
    return data


class Brought(Trial):
    """VRM and .sims3pack by the requests that a person makes."""

    def test(self):
        with Daemon("--data", self.folder / "data") as daemon:
            for number in range(times(20)):
                chance = random.Random(f"brought {number}")
                if number % 4 == 3:
                    name, body = "a.sims3pack", sims3pack(chance)
                else:
                    kind = ("VRMC_vrm", "VRMC_vrm_animation", "VRM")[number % 4]
                    name, body = ("a.vrma" if kind == "VRMC_vrm_animation" else "a.vrm"), vrm(kind, chance)
                self.tried += 1
                what = f"brought {number}, {name}"
                self.ask(daemon.client, what, "POST", "/v1/inspect", body, name=name)
                made = self.ask(daemon.client, what, "POST", "/v1/archives", body, name=name)
                if not made or made.status not in ANSWERED:
                    continue
                self.taken += 1
                archive = made.json
                self.ask(daemon.client, what, "GET", f"/v1/archives/{archive['id']}/entries", allowed=(200,))
                for clip in archive["clips"][:2]:
                    for rest in ("", "/pose", "/preview.svg", ".glb"):
                        self.ask(daemon.client, what, "GET", f"/v1/clips/{clip['id']}{rest}")
                self.ask(daemon.client, what, "DELETE", f"/v1/archives/{archive['id']}", allowed=(204,))
            self.assertEqual(daemon.client.get("/readyz").status, 200)
        self.tell("VRM and packs")


if __name__ == "__main__":
    unittest.main()
