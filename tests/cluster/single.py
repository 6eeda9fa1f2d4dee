"""One posed on a real object store (OpenStack Swift with its S3 interface), with its catalogue in a folder: it uploads, reads
and deletes while the store and the daemon are killed, stopped and lie, and then looks whether anything that was answered is
not so."""

import os
import shutil
import subprocess
import time

from daemon import Daemon
from fault_proxy import FaultProxy
from harm import killed_daemon, killed_server, proxy_fault, stopped
from load import Load
from object_store import BUCKET, KEY_ID, SECRET, Swift

RECOVERY_SECONDS = 5


def make_daemon(folder, endpoint, *arguments):
    daemon = Daemon("--data", folder, "--blobs", f"s3://{BUCKET}/site", "--s3-endpoint", endpoint, *arguments)
    daemon.environment = {**os.environ, "AWS_ACCESS_KEY_ID": KEY_ID, "AWS_SECRET_ACCESS_KEY": SECRET}
    return daemon


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
        swift.make_bucket()
        data = folder / "data"
        daemon = make_daemon(data, proxy.endpoint, "--blob-cache", "256K")
        with daemon:
            load = Load(daemon.client, sample)
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
            load.check(daemon.client, "as it is")
        shutil.rmtree(data / "blob-cache")
        with daemon:
            load.check(daemon.client, "without the cache")
        shutil.rmtree(data)
        data.mkdir()
        reindex(daemon, data, proxy.endpoint)
        with daemon:
            load.check(daemon.client, "from the store alone")
        print(f"{proxy.done} requests met a fault of the proxy")
    return load.report()
