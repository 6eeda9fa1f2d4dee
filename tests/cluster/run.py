#!/usr/bin/python3
"""run.py POSED SAMPLES run | test [SECONDS]: posed on a real object store (OpenStack Swift with its S3 interface).

run leaves it up until Ctrl-C and prints where everything is. test uploads, reads and deletes while the store and the daemon
are killed, stopped and lie, and then looks whether anything that was answered is not so."""

import contextlib
import http.client
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / "http" / "support")]

from daemon import Daemon  # noqa: E402 (the path comes first)
from fault_proxy import FaultProxy  # noqa: E402
from object_store import KEY_ID, SECRET, Swift, missing_packages  # noqa: E402
from s3_stub import signed  # noqa: E402

BUCKET = "posed"
THREADS = 6
RECOVERY_SECONDS = 5
RIGHT = {200, 201, 204, 404, 503}


def make_bucket(endpoint):
    """Swift answers before all of it is awake."""
    host = endpoint.partition("//")[2]
    deadline = time.monotonic() + 60
    while True:
        connection = http.client.HTTPConnection(host, timeout=30)
        connection.request("PUT", f"/{BUCKET}", headers=signed(KEY_ID, SECRET, "PUT", host, f"/{BUCKET}"))
        status = connection.getresponse().status
        connection.close()
        if status in (200, 409):
            return
        if time.monotonic() > deadline:
            raise SystemExit(f"the bucket cannot be made: {status}")
        time.sleep(0.5)


def make_daemon(folder, endpoint, *arguments):
    daemon = Daemon("--data", folder, "--blobs", f"s3://{BUCKET}/site", "--s3-endpoint", endpoint, *arguments)
    daemon.environment = {**os.environ, "AWS_ACCESS_KEY_ID": KEY_ID, "AWS_SECRET_ACCESS_KEY": SECRET}
    return daemon


def make_clip(sample, number):
    """The sample with a duration of its own: other bytes, as good."""
    (duration,) = struct.unpack_from("<f", sample, 8)
    return sample[:8] + struct.pack("<f", duration + number / 65536) + sample[12:]


class Load:
    """What was answered, by threads of uploads, reads and deletions."""

    def __init__(self, daemon, sample):
        self.daemon, self.sample = daemon, sample
        self.lock = threading.Lock()
        self.there, self.leaving, self.gone = {}, set(), set()  # ids; of there: the number of the clip
        self.counts, self.wrong = {}, []
        self.number = 0
        self.ends = threading.Event()
        self.last_upload = 0.0
        self.threads = [threading.Thread(target=self.work, args=(i,)) for i in range(THREADS)]

    def complain(self, what):
        with self.lock:
            self.wrong.append(what)

    def ask(self, method, target, body=None):
        """None: the daemon was killed, or is not there."""
        try:
            reply = self.daemon.client.request(method, target, body=body, check=False)
        except Exception:  # noqa: BLE001 (whatever a connection does that is cut)
            with contextlib.suppress(Exception):
                self.daemon.client.close()
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
        reply = self.ask("POST", f"/v1/archives?name=clip{number}.anim", make_clip(self.sample, number))
        if reply is not None and reply.status in (200, 201):
            with self.lock:
                self.there[reply.json["id"]] = number
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
            elif reply is not None and reply.status == 503:
                self.leaving.discard(name)
            # Without an answer either may be so; the id stays in leaving.

    def work(self, seed):
        of_random = random.Random(seed)
        while not self.ends.is_set():
            choice = of_random.random()
            if choice < 0.4:
                self.upload()
            elif choice < 0.9:
                self.read(of_random)
            else:
                self.delete(of_random)

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
            if time.monotonic() - began > 60:
                self.complain("uploads were not taken again within a minute")
                break
            time.sleep(0.01)
        return self.last_upload - began


@contextlib.contextmanager
def proxy_fault(proxy, name):
    proxy.fault = name
    yield
    proxy.fault = None


@contextlib.contextmanager
def killed_server(swift, name):
    swift.kill(name)
    yield
    swift.start_one(name)


@contextlib.contextmanager
def stopped(swift, name):
    swift.processes[name].send_signal(signal.SIGSTOP)
    yield
    swift.processes[name].send_signal(signal.SIGCONT)


@contextlib.contextmanager
def killed_daemon(daemon):
    daemon.process.kill()
    daemon.process.wait()
    yield
    listen = f"{daemon.client.host}:{daemon.client.port}"
    daemon.arguments[daemon.arguments.index("--listen") + 1] = listen
    client = daemon.client
    daemon.process.stdout.close()
    daemon.start()
    daemon.client = client  # connections of threads are its own


def check_all(daemon, load, what):
    """Every id that was answered, against what is there now."""
    lost = wrong = back = 0
    for name, number in load.there.items():
        if name in load.leaving:
            continue
        reply = daemon.client.request("GET", f"/v1/archives/{name}/entries/0", check=False)
        for _ in range(20):
            if reply.status != 503:
                break
            time.sleep(0.5)
            reply = daemon.client.request("GET", f"/v1/archives/{name}/entries/0", check=False)
        lost += reply.status != 200
        wrong += reply.status == 200 and reply.body != make_clip(load.sample, number)
    for name in load.gone:
        back += daemon.client.request("GET", f"/v1/archives/{name}", check=False).status != 404
    print(f"{what}: {len(load.there)} uploads, {len(load.gone)} deletions; "
          f"lost {lost}, wrong bytes {wrong}, back again {back}", flush=True)
    if lost or wrong or back:
        load.complain(f"{what}: lost {lost}, wrong {wrong}, back {back}")


def reindex(daemon, data, endpoint):
    command = [Daemon.binary, "reindex", "--data", data, "--blobs", f"s3://{BUCKET}/site", "--s3-endpoint", endpoint]
    print(subprocess.run(command, env=daemon.environment, check=True, capture_output=True, text=True).stdout, end="",
          flush=True)


def make_faults(swift, proxy, daemon):
    return [
        ("an object server killed", lambda: killed_server(swift, "object0")),
        ("S3 answers 500", lambda: proxy_fault(proxy, "500")),
        ("S3 answers after 5 s", lambda: proxy_fault(proxy, "slow")),
        ("S3 cuts bodies", lambda: proxy_fault(proxy, "cut")),
        ("S3 sends wrong bytes", lambda: proxy_fault(proxy, "wrong")),
        ("S3 hangs up", lambda: proxy_fault(proxy, "drop")),
        ("Swift's proxy stopped", lambda: stopped(swift, "proxy")),
        ("posed killed", lambda: killed_daemon(daemon)),
    ]


def test(folder, seconds, sample):
    with Swift(folder / "swift") as swift, FaultProxy(swift.ports["proxy"]) as proxy:
        make_bucket(swift.endpoint)
        data = folder / "data"
        daemon = make_daemon(data, proxy.endpoint, "--blob-cache", "256K")
        with daemon:
            load = Load(daemon, sample)
            faults = make_faults(swift, proxy, daemon)
            pause = seconds / (2 * len(faults) + 1)
            with load:
                time.sleep(pause)
                for name, fault in faults:
                    with fault():
                        time.sleep(pause)
                    recovery = load.recovery()
                    print(f"{name}: uploads again after {recovery:.2f} s", flush=True)
                    if recovery > RECOVERY_SECONDS:
                        load.complain(f"{name}: uploads only after {recovery:.1f} s")
                    time.sleep(max(0, pause - recovery))
            check_all(daemon, load, "as it is")
        shutil.rmtree(data / "blob-cache")
        with daemon:
            check_all(daemon, load, "without the cache")
        shutil.rmtree(data)
        data.mkdir()
        reindex(daemon, data, proxy.endpoint)
        with daemon:
            check_all(daemon, load, "from the store alone")
        for (method, status), count in sorted(load.counts.items()):
            print(f"{method} {status}: {count}")
        print(f"{proxy.done} requests met a fault of the proxy")
    for what in load.wrong[:20]:
        print("WRONG:", what)
    print("all is well" if not load.wrong else f"{len(load.wrong)} things are wrong")
    return 1 if load.wrong else 0


def leave_up(folder):
    with Swift(folder / "swift") as swift:
        make_bucket(swift.endpoint)
        daemon = make_daemon(folder / "data", swift.endpoint)
        with daemon:
            print(f"posed  http://{daemon.client.host}:{daemon.client.port}\nS3     {swift.endpoint}/{BUCKET} "
                  f"(access key {KEY_ID}, secret {SECRET})\nfiles  {folder}\nCtrl-C ends it", flush=True)
            with contextlib.suppress(KeyboardInterrupt):
                signal.pause()


def main():
    if len(sys.argv) < 4 or sys.argv[3] not in ("run", "test"):
        raise SystemExit(__doc__)
    if missing := missing_packages():
        raise SystemExit(f"missing Debian packages: {' '.join(missing)}")
    Daemon.binary = sys.argv[1]
    sample = (Path(sys.argv[2]) / "second-life" / "walk.anim").read_bytes()
    folder = Path(tempfile.mkdtemp(prefix="posed-cluster-"))
    try:
        if sys.argv[3] == "run":
            leave_up(folder)
            return 0
        return test(folder, float(sys.argv[4]) if len(sys.argv) > 4 else 120, sample)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
