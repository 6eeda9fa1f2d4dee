"""The cluster's trial: a load through nginx while replicas, stores and disks fail one after the other."""

import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import costs
from harm import full_disk, killed_daemon, killed_server, lost_database, proxy_fault, stopped, stopped_database
from load import MAX_RECOVERY_SECONDS, Load, make_clip, settled
from replicated import REPLICAS, Site

STOPPED_SECONDS = 5  # how long PostgreSQL answers nothing
ROUND_SECONDS = 200  # a longer run goes through the faults again
SAME_UPLOADS = 1000
OWN_WRITES = 10
CACHED_POSES, CACHED_ROUNDS = 600, 5


class Mixed(Load):
    weights = {"upload": 3, "read": 4, "pose": 4, "list": 1, "delete": 1}


def faults_of(site):
    """(name, least seconds, its context) in the order in which they come."""
    kinds = [("500", "S3 answers 500"), ("slow", "S3 answers after 5 s"), ("cut", "S3 cuts bodies"),
             ("wrong", "S3 sends wrong bytes"), ("drop", "S3 hangs up")]
    found = [(f"replica {i} killed (kill -9)", 0, lambda i=i: killed_daemon(site.replicas[i])) for i in (0, REPLICAS - 1)]
    found.append(("an object server of Swift killed", 0, lambda: killed_server(site.swift, "object0")))
    found += [(name, 0, lambda kind=kind: proxy_fault(site.proxy, kind)) for kind, name in kinds]
    found.append(("Swift's proxy stopped", 0, lambda: stopped(site.swift, "proxy")))
    if site.has_disks:
        found.append(("the disk of a replica full", 0, lambda: full_disk(site.replicas[1], site.disk(1))))
    found.append(("PostgreSQL stopped", STOPPED_SECONDS, lambda: stopped_database(site.database)))
    found.append(("the primary lost, the standby promoted", 0, lambda: lost_database(site.database)))
    return found


def run_faults(site, load, seconds):
    """The longest time until uploads were taken again, by fault."""
    recoveries = {}
    faults = faults_of(site)
    rounds = max(1, round(seconds / ROUND_SECONDS))
    pause = seconds / (rounds * 2 * len(faults) + 1)
    time.sleep(pause)
    for _ in range(rounds):
        for name, least, fault in faults:
            with fault():
                time.sleep(max(least, pause))
            recovery = load.recovery()
            recoveries[name] = max(recovery, recoveries.get(name, 0))
            print(f"{name}: uploads again after {recovery:.2f} s", flush=True)
            time.sleep(max(0, pause - recovery))
        site.database.follow()  # another standby for whoever is the primary now
    return recoveries


def same_bytes_at_once(site, load, sample):
    """So many uploads of the same bytes, over all replicas: one archive, and one object."""
    data = make_clip(sample, -1)

    def upload(number):
        client = site.replicas[number % REPLICAS].client
        return client.request("POST", "/v1/archives?name=same.anim", body=data, headers=site.writes, check=False)

    with ThreadPoolExecutor(12) as pool:
        replies = list(pool.map(upload, range(SAME_UPLOADS)))
    statuses = [reply.status for reply in replies]
    ids = {reply.json["id"] for reply in replies if reply.status in (200, 201)}
    if len(ids) != 1 or set(statuses) - {200, 201, 503}:
        load.complain(f"uploads of the same bytes: {len(ids)} archives, {sorted(set(statuses))}")
    listed = site.client.get("/v1/archives?q=same").json["total"]
    if listed != 1:
        load.complain(f"uploads of the same bytes: {listed} in the list")
    print(f"{SAME_UPLOADS} uploads of the same bytes at once: {len(ids)} archive, {statuses.count(201)} × 201, "
          f"{statuses.count(200)} × 200, {statuses.count(503)} × 503", flush=True)


def until(condition):
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > MAX_RECOVERY_SECONDS:
            return None
        time.sleep(0.005)
    return time.monotonic() - began


def own_writes(site, load, sample):
    """What one replica took, every other answers at once; what one deleted, no other answers for long. Seconds: (lists, deletions)"""
    listed, deleted = [], []
    for number in range(OWN_WRITES):
        one, *others = site.replicas[number % REPLICAS:] + site.replicas[:number % REPLICAS]
        reply = one.client.request("POST", "/v1/archives?name=own.anim", body=make_clip(sample, -10 - number), headers=site.writes)
        target = f"/v1/archives/{reply.json['id']}"
        for other in others:
            answer = other.client.request("GET", target, check=False)
            if answer.status != 200:
                load.complain(f"an upload is {answer.status} at another replica")
        is_listed = lambda client: target.rpartition("/")[2] in {item["id"] for item in client.get("/v1/archives?q=own").json["items"]}
        listed.append(until(lambda: all(is_listed(other.client) for other in others)))
        one.client.request("DELETE", target, headers=site.writes)
        deleted.append(until(lambda: all(other.client.request("GET", target, check=False).status == 404 for other in others)))
    if None in listed or None in deleted:
        load.complain("a change was never seen by another replica")
        return None, None
    print(f"listed by the other replicas after at most {max(listed):.3f} s, gone after at most {max(deleted):.3f} s", flush=True)
    return max(listed), max(deleted)


def rate_of_poses(client, clips, load):
    began = time.monotonic()
    for number in range(CACHED_POSES):
        reply = client.request("GET", f"/v1/clips/{clips[number % len(clips)]}/pose?t=0.5", check=False)
        if reply.status != 200:
            load.complain(f"a cached pose is {reply.status}: {reply.text[:200]}")
            break
    return CACHED_POSES / (time.monotonic() - began)


def cached_poses(site, load):
    """Poses a second of a replica that has the clips, before and while both stores are dead."""
    client = site.replicas[0].client
    clips = [load.clips[name] for name in load.there if name not in load.leaving][:20]
    for clip in clips:
        settled(client, f"/v1/clips/{clip}/pose?t=0.5")
    rates = []
    for _ in range(CACHED_ROUNDS):  # in turn: others may use this machine
        before = rate_of_poses(client, clips, load)
        with proxy_fault(site.proxy, "drop"), stopped_database(site.database):
            rates.append((before, rate_of_poses(client, clips, load)))
        settled(client, f"/v1/clips/{'0' * 32}")  # it is back
    before, meanwhile = (statistics.median(one) for one in zip(*rates))
    ratio = statistics.median(dead / alive for alive, dead in rates)
    print(f"cached poses of one connection: {before:.0f} a second, {meanwhile:.0f} while both stores are dead; of the same round "
          f"{ratio:.2f} times", flush=True)
    return 1, ratio


def restart_with_empty_disks(site):
    for number, daemon in enumerate(site.replicas):
        with killed_daemon(daemon):
            for file in sorted(site.disk(number).rglob("*"), reverse=True):
                file.rmdir() if file.is_dir() else file.unlink()


def sizes(site, load):
    """What an upload takes in the stores."""
    database = site.database
    used = int(database.query(database.primary, "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c "
                                                "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' "
                                                "AND n.nspname NOT IN ('pg_catalog', 'information_schema')"))
    print(f"PostgreSQL: {used} bytes for {len(load.there)} uploads and {len(load.gone)} deletions, with indexes and what vacuum will free")


def show(load, recoveries, checks, cached, seen, spent):
    wrong_answers = sum(count for (_, status), count in load.counts.items() if status not in (200, 201, 204, 304, 404, 503))
    bare = sum("without Retry-After" in what for what in load.wrong)
    print("\n| must show | goal | here |\n| --- | --- | --- |")
    print(f"| uploads answered 201 and missing · deletions answered 204 and still there · wrong bytes | 0 · 0 · 0 | "
          f"{sum(one[0] for one in checks)} · {sum(one[2] for one in checks)} · {sum(one[1] for one in checks)} |")
    print(f"| answers other than 2xx/304/404/503; 503 without Retry-After | 0 · 0 | {wrong_answers} · {bare} |")
    print(f"| recovery of uploads after each fault | ≤ 5 s | at most {max(recoveries.values()):.2f} s |")
    print(f"| cached poses while PostgreSQL and S3 are dead | as fast | {cached[1] / cached[0]:.2f} × |")
    print(f"| a pose neither decoded nor on the disk | ≤ local + 1.5 × S3 GET | {spent.pose_ms:.1f} ms; local {spent.local_ms:.1f} ms, "
          f"GET {spent.get_ms:.1f} ms |")
    print(f"| upload → 201 beside a commit and a PUT | ≤ 1.2 × | {spent.upload_ms / (spent.put_ms + spent.commit_ms):.2f} × "
          f"({spent.upload_ms:.1f} ms; PUT {spent.put_ms:.1f} ms, commit {spent.commit_ms:.1f} ms) |")
    if seen[0] is not None:
        print(f"| another replica lists an upload; answers 404 to what was deleted | ≤ 1 s | {seen[0]:.3f} s; {seen[1]:.3f} s |")
    print("\n| fault | uploads again after its end |\n| --- | --- |")
    for name, seconds in recoveries.items():
        print(f"| {name} | {seconds:.2f} s |")
    print(flush=True)


def test(folder, seconds, sample):
    with Site(folder) as site:
        if not site.has_disks:
            print("SKIPPED: no replica has a disk of its own here (unshare): none is full")
        load = Mixed(site.client, sample, site.writes)
        same_bytes_at_once(site, load, sample)
        seen = own_writes(site, load, sample)
        spent = costs.Costs(site, sample)
        spent.upload()
        with load:
            recoveries = run_faults(site, load, seconds)
        cached = cached_poses(site, load)
        checks = [load.check(site.client, "through nginx")]
        sizes(site, load)
        restart_with_empty_disks(site)
        spent.pose(load)
        checks += [load.check(one.client, f"replica {number}, started with an empty disk") for number, one in enumerate(site.replicas)]
        show(load, recoveries, checks, cached, seen, spent)
        print(f"{load.number} uploads begun, {load.unanswered} requests without an answer, {site.proxy.done} met a fault of the proxy")
        if load.unanswered:
            load.complain(f"{load.unanswered} requests were not answered")
    return load.report()
