"""Uploads, reads, deletions and lists by many threads, and whether what was answered is so."""

import contextlib
import http.client
import random
import struct
import threading
import time

THREADS = 6
MAX_RECOVERY_SECONDS = 60
RIGHT = {200, 201, 204, 304, 404, 503}
CLIP = "clip"  # begins the names of what is uploaded


def make_clip(sample, number):
    """The sample with a duration of its own: other bytes, as good."""
    (duration,) = struct.unpack_from("<f", sample, 8)
    return sample[:8] + struct.pack("<f", duration + number / 65536) + sample[12:]


class Load:
    """Use as a context: the threads run meanwhile. wrong says what must not be. weights: how often each of its methods."""

    weights = {"upload": 4, "read": 5, "delete": 1}

    def __init__(self, client, sample, headers=None):
        """headers: of what writes."""
        self.client, self.sample, self.headers = client, sample, headers or {}
        self.lock = threading.Lock()
        self.there, self.leaving, self.gone = {}, set(), set()  # ids; of there: the number of the clip
        self.counts, self.wrong, self.unanswered = {}, [], 0
        self.clips = {}  # the clip of an id in there
        self.number = 0
        self.ends = threading.Event()
        self.last_upload = 0.0
        self.threads = [threading.Thread(target=self.work, args=(i,)) for i in range(THREADS)]

    def complain(self, what):
        with self.lock:
            self.wrong.append(what)

    def ask(self, method, target, body=None):
        """None: there was no answer."""
        headers = self.headers if method != "GET" else None
        try:
            reply = self.client.request(method, target, body=body, headers=headers, check=False)
        except Exception:  # noqa: BLE001 (whatever a connection does that is cut)
            with contextlib.suppress(Exception):
                self.client.close()
            with self.lock:
                self.unanswered += 1
            time.sleep(0.02)
            return None
        with self.lock:
            key = (method, reply.status)
            self.counts[key] = self.counts.get(key, 0) + 1
        if reply.status not in RIGHT:
            self.complain(f"{method} {target}: {reply.status} {reply.text[:200]}")
        if reply.status == 503 and not reply["Retry-After"]:
            self.complain(f"{method} {target}: 503 without Retry-After")
        return reply

    def upload(self):
        with self.lock:
            self.number += 1
            number = self.number
        reply = self.ask("POST", f"/v1/archives?name={CLIP}{number}.anim", make_clip(self.sample, number))
        if reply is not None and reply.status in (200, 201):
            with self.lock:
                self.there[reply.json["id"]] = number
                self.clips[reply.json["id"]] = reply.json["clips"][0]["id"]
                self.last_upload = time.monotonic()
        elif reply is not None and reply.status == 503:
            time.sleep(0.05)

    def pick(self, of_random):
        with self.lock:
            ids = [name for name in self.there if name not in self.leaving]
            return of_random.choice(ids) if ids else None

    def read(self, of_random):
        name = self.pick(of_random)
        reply = name and self.ask("GET", f"/v1/archives/{name}/entries/0")
        if not reply:
            return
        with self.lock:
            is_leaving, number = name in self.leaving or name in self.gone, self.there.get(name)
        if reply.status == 404 and not is_leaving:
            self.complain(f"{name} was answered 201 and is not there")
        if reply.status == 200 and number and reply.body != make_clip(self.sample, number):
            self.complain(f"{name}: wrong bytes")

    def pose(self, of_random):
        name = self.pick(of_random)
        reply = name and self.ask("GET", f"/v1/clips/{self.clips[name]}/pose?t=0.5")
        if not reply:
            return
        with self.lock:
            is_leaving = name in self.leaving or name in self.gone
        if reply.status == 404 and not is_leaving:
            self.complain(f"the clip of {name} is not there")
        if reply.status == 200 and reply.json["clip"] != self.clips[name]:
            self.complain(f"{name}: the pose of another clip")

    def list(self, of_random):
        reply = self.ask("GET", f"/v1/archives?source=upload&limit={of_random.randint(1, 50)}")
        if reply is not None and reply.status == 404:
            self.complain("a list is not there")

    def delete(self, of_random):
        name = self.pick(of_random)
        if not name:
            return
        with self.lock:
            if name in self.leaving:
                return
            self.leaving.add(name)
        reply = self.ask("DELETE", f"/v1/archives/{name}")
        with self.lock:
            if reply is not None and reply.status == 204:
                self.gone.add(name)
                del self.there[name]
        if reply is not None and reply.status == 404:
            self.complain(f"{name} was answered 201 and is not there to be deleted")
        # With 503 or no answer either may be so; the id stays in leaving.

    def work(self, seed):
        of_random = random.Random(seed)
        names, weights = list(self.weights), list(self.weights.values())
        while not self.ends.is_set():
            name = of_random.choices(names, weights)[0]
            if name == "upload":
                self.upload()
            else:
                getattr(self, name)(of_random)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        for thread in self.threads:
            thread.join()

    def recovery(self):
        """Seconds until an upload is taken again."""
        began = time.monotonic()
        while self.last_upload < began:
            if time.monotonic() - began > MAX_RECOVERY_SECONDS:
                self.complain("uploads were not taken again")
                break
            time.sleep(0.01)
        return self.last_upload - began



    def check(self, client, what):
        """Every id that was answered, against what that client is told now. (lost, wrong, back again)"""
        lost = wrong = back = 0
        for name, number in self.there.items():
            if name in self.leaving:
                continue
            reply = settled(client, f"/v1/archives/{name}/entries/0")
            lost += reply.status != 200
            wrong += reply.status == 200 and reply.body != make_clip(self.sample, number)
        for name in self.gone:
            back += settled(client, f"/v1/archives/{name}").status != 404
        print(f"{what}: {len(self.there)} uploads, {len(self.gone)} deletions; "
              f"lost {lost}, wrong bytes {wrong}, back again {back}", flush=True)
        if lost or wrong or back:
            self.complain(f"{what}: lost {lost}, wrong {wrong}, back {back}")
        return lost, wrong, back

    def report(self):
        """0: all is well."""
        for (method, status), count in sorted(self.counts.items()):
            print(f"{method} {status}: {count}")
        for what in self.wrong[:20]:
            print("WRONG:", what)
        print("all is well" if not self.wrong else f"{len(self.wrong)} things are wrong", flush=True)
        return 1 if self.wrong else 0


def settled(client, target):
    """The answer when it is no longer 503."""
    deadline = time.monotonic() + MAX_RECOVERY_SECONDS
    while True:
        try:
            reply = client.request("GET", target, check=False)
        except (OSError, http.client.HTTPException):  # the connection is of before a restart; the next is a new one
            reply = client.request("GET", target, check=False)
        if reply.status != 503 or time.monotonic() > deadline:
            return reply
        time.sleep(0.2)
