"""Lists: words, order, cursors, facets, where and when things came."""

import json
import tempfile
import time
import unittest
from datetime import datetime, timezone
from pathlib import Path

from client import path_of
from daemon import Daemon
from fixture import SampleCase
from uploads import zipped


def bvh(frames=2, joint="Hips"):
    """A small BVH of that many frames, so that each number gives other bytes."""
    head = f"HIERARCHY\nROOT {joint}\n{{\n OFFSET 0 0 0\n CHANNELS 3 Xrotation Yrotation Zrotation\n" \
           " End Site\n {\n  OFFSET 0 1 0\n }\n}\n"
    rows = "".join(f"{i} 0 0\n" for i in range(frames))
    return f"{head}MOTION\nFrames: {frames}\nFrame Time: 0.1\n{rows}".encode()


class Words(SampleCase):
    def names(self, kind="clips", **query):
        return [c["name"] for c in self.client.items(f"/v1/{kind}", **query)]

    def test_all_words_are_found_somewhere(self):
        self.assertEqual(self.names(q="walk a2o"), ["a2o-walk"])
        self.assertEqual(self.names(q="A2O_WALK"), ["a2o-walk"])
        self.assertEqual(self.names(q="wàlk ä2o"), ["a2o-walk"])
        self.assertEqual(self.names(q="walk nothing"), [])

    def test_joints_are_found(self):
        found = self.client.items("/v1/clips", q="mtorso")
        self.assertEqual({c["format"] for c in found}, {"sl-anim"})
        self.assertEqual(sorted(self.names(q="mTorso wave")), ["wave"])

    def test_path_and_archive_are_found(self):
        self.assertEqual(sorted(self.names(q="sims online far walk")), ["a2o-walk"])
        everywhere = self.client.get("/v1/clips", limit=1).json["total"]
        self.assertEqual(len(self.names(q=Daemon.samples.name)) > 0, everywhere > 0)

    def test_a_phrase_stands_together(self):
        self.assertEqual(self.names(q='"a2o walk"'), ["a2o-walk"])
        self.assertEqual(self.names(q='"walk a2o"'), [])
        self.assertEqual(self.names(q='"a2o wal"'), [])

    def test_whole_words_come_first(self):
        with Daemon() as daemon:
            for i, name in enumerate(("sidestep.bvh", "steps.bvh", "one-step.bvh", "Step.bvh", "other.bvh")):
                self.assertEqual(daemon.client.post("/v1/archives", bvh(i + 2), name=name).status, 201)
            found = daemon.client.items("/v1/clips", q="step", limit=2)
            self.assertEqual([c["name"] for c in found], ["one-step", "Step", "steps", "sidestep"])
            found = daemon.client.items("/v1/clips", q="step", sort="name")
            self.assertEqual([c["name"] for c in found], ["Step", "one-step", "sidestep", "steps"])

    def test_did_you_mean(self):
        for kind, q, wanted in (("clips", "wlak", "walk"), ("clips", "a2o-wavee-x", "a2o-wave"),
                                ("skeletons", "adlt", "adult")):
            page = self.client.get(f"/v1/{kind}", q=q).json
            self.assertEqual(page["total"], 0, q)
            self.assertIn(wanted, page["did_you_mean"], q)
        self.assertEqual(self.client.get("/v1/clips", q="zzzzzzzzzzzz").json["did_you_mean"], [])
        self.assertNotIn("did_you_mean", self.client.get("/v1/clips", q="walk").json)

    def test_too_many_words(self):
        self.assertProblem(self.client.get("/v1/clips", q="a " * 33), 400, parameter="q")
        self.assertProblem(self.client.get("/v1/clips", q="a" * 1025), 400, parameter="q")
        self.assertEqual(self.client.get("/v1/clips", q="a" * 1024).status, 200)


class Facets(SampleCase):
    def facets(self, kind="clips", **query):
        return self.client.get(f"/v1/{kind}", limit=1, **query).json["facets"]

    def test_they_count_what_the_filter_leaves(self):
        clips = self.client.items("/v1/clips")
        counted = self.facets(facets="format,loop,archive,events")
        for name in ("format", "loop"):
            found = {v["value"]: v["count"] for v in counted[name]}
            self.assertEqual(found, {value: sum(c[name] == value for c in clips) for value in {c[name] for c in clips}})
        archives = {v["value"]: v["count"] for v in counted["archive"]}
        for archive, count in archives.items():
            self.assertEqual(count, sum(any(p["archive"] == archive for p in c["found_in"]) for c in clips))
        counts = [v["count"] for v in counted["format"]]
        self.assertEqual(counts, sorted(counts, reverse=True))
        self.assertEqual(self.facets(facets="format", format="sl-anim"),
                         {"format": [{"value": "sl-anim", "count": 3}]})
        self.assertEqual(set(self.facets("skeletons", facets="format,archive")), {"format", "archive"})

    def test_events(self):
        types = {}
        for clip in self.client.items("/v1/clips", format="tso-anim"):
            events = self.client.get(f"/v1/clips/{clip['id']}/keys").json.get("events", [])
            for name in {e["type"] for e in events}:
                types[name] = types.get(name, 0) + 1
        self.assertTrue(types)
        counted = self.facets(facets="events", format="tso-anim")["events"]
        self.assertEqual({v["value"]: v["count"] for v in counted}, types)

    def test_each_value_is_a_filter(self):
        counted = self.facets(facets="loop,events")
        for name, key in (("loop", "loop"), ("events", "event")):
            self.assertTrue(counted[name])
            for value in counted[name]:
                text = value["value"] if isinstance(value["value"], str) else json.dumps(value["value"])
                found = self.client.get("/v1/clips", limit=1000, **{key: text}).json
                self.assertEqual((found["total"], len(found["items"])), (value["count"], value["count"]), (name, text))
        self.assertEqual(self.client.get("/v1/clips", event="foot").json["total"], 0)
        self.assertProblem(self.client.get("/v1/clips", loop="yes"), 400, parameter="loop")

    def test_what_cannot_be_counted(self):
        self.assertProblem(self.client.get("/v1/clips", facets="format,weight"), 400, parameter="facets")
        self.assertProblem(self.client.get("/v1/meshes", facets="loop"), 400, parameter="facets")


class Cursors(SampleCase):
    def walk(self, client, target, **query):
        while target:
            page = client.get(target, **query).json
            yield [item["id"] for item in page["items"]]
            target, query = page["next"], {}

    def test_every_order_walks_everything_once(self):
        for kind, sorts in (("clips", ("name", "-name", "duration", "-duration", "format", "newest", "-newest")),
                            ("archives", ("name", "-name", "newest", "-newest", "bytes", "-bytes"))):
            whole = [c["id"] for c in self.client.items(f"/v1/{kind}")]
            for sort in ({}, *({"sort": s} for s in sorts)):
                for limit in (1, 3, 1000):
                    seen = sum(self.walk(self.client, f"/v1/{kind}", limit=limit, **sort), [])
                    self.assertEqual(sorted(seen), sorted(whole), (kind, sort, limit))
        for kind in ("skeletons", "meshes", "characters"):
            seen = sum(self.walk(self.client, f"/v1/{kind}", limit=1), [])
            self.assertEqual(seen, [c["id"] for c in self.client.get(f"/v1/{kind}").json["items"]])

    def test_offset_still_works(self):
        whole = [c["id"] for c in self.client.items("/v1/clips", sort="name")]
        page = self.client.get("/v1/clips", sort="name", offset=3, limit=2).json
        self.assertEqual([c["id"] for c in page["items"]], whole[3:5])
        self.assertIn("cursor=", page["next"])
        following = self.client.get(path_of(page["next"])).json
        self.assertEqual([c["id"] for c in following["items"]], whole[5:7])

    def test_what_is_not_a_cursor(self):
        cursor = path_of(self.client.get("/v1/clips", limit=1, sort="name").json["next"]).split("cursor=")[1].split("&")[0]
        for bad in ("", "00", "zz" * 40, "01" * 400, cursor[:-1], "02" + cursor[2:], cursor.upper() + "A"):
            self.assertProblem(self.client.get("/v1/clips", cursor=bad, sort="name"), 400, parameter="cursor")
        self.assertProblem(self.client.get("/v1/clips", cursor=cursor, sort="duration"), 400, parameter="cursor")
        self.assertProblem(self.client.get("/v1/clips", cursor=cursor, sort="name", offset=1), 400, parameter="cursor")

    def test_others_come_and_go_meanwhile(self):
        with Daemon() as daemon:
            client = daemon.client
            archives = []

            def upload(i):
                reply = client.post("/v1/archives", bvh(i + 2), name=f"{i * 7 % 40:02}.bvh")
                self.assertIn(reply.status, (200, 201))
                archives.append(reply.json["id"])
                return reply.json["clips"][0]["id"]

            staying = {upload(i) for i in range(0, 40, 2)}
            going = list(archives)
            shared = zipped([("a.bvh", bvh(900)), ("b.bvh", bvh(2))])  # the first clip, once more
            for kind in ("clips", "archives"):
                for order in ({}, {"sort": "name"}, {"sort": "-name"}, {"sort": "newest"}):
                    seen = []
                    extra = [upload(100 + i) for i in range(10)]
                    doomed = archives[-10:]
                    for number, page in enumerate(self.walk(client, f"/v1/{kind}", limit=3, **order)):
                        seen += page
                        if doomed:
                            self.assertEqual(client.request("DELETE", f"/v1/archives/{doomed.pop()}").status, 204)
                        upload(200 + number % 7)
                        if number == 2:
                            self.assertIn(client.post("/v1/archives", shared, name="shared.zip").status, (200, 201))
                    wanted = staying if kind == "clips" else set(going)
                    self.assertEqual(sorted(s for s in seen if s in wanted), sorted(wanted), (kind, order, extra))
                    self.assertEqual(len(seen), len(set(seen)))


class Versions(unittest.TestCase):
    """Clips of one name and shape, in other bytes, are counted wherever they are in the list."""

    def files(self):
        walk = lambda value: bvh(2).replace(b"\n1 0 0", b"\n%d 0 0" % value)
        return {**{f"{folder}/walk.bvh": walk(i) for i, folder in enumerate("aqz", 5)}, "b/run.bvh": bvh(3), "c/run.bvh": bvh(4),
                **{f"{name}.bvh": walk(i) for i, name in enumerate(("ant", "stand", "zoo"), 20)}}

    def check(self, client, **counts):
        for order in ("name", "-duration", "newest"):
            seen, target, query = [], "/v1/clips", {"sort": order, "limit": 2}
            while target:
                page = client.get(target, **query).json
                seen += [(clip["name"], clip["versions"]) for clip in page["items"]]
                target, query = page["next"], {}
            self.assertEqual({(name, count) for name, count in seen}, set(counts.items()), order)

    def test_of_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, data in self.files().items():
                path = Path(folder, name)
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(data)
            with Daemon(folder) as daemon:
                self.check(daemon.client, walk=3, run=1, ant=1, stand=1, zoo=1)
                more = daemon.client.post("/v1/archives", bvh(2), name="walk.bvh").json
                self.check(daemon.client, walk=4, run=1, ant=1, stand=1, zoo=1)
                alone = daemon.client.items("/v1/clips", archive=more["id"])
                self.assertEqual([clip["versions"] for clip in alone], [4], "whatever the list is filtered by")
                self.assertEqual(daemon.client.items("/v1/clips", q="walk")[0]["versions"], 4)

    def test_of_uploads(self):
        with tempfile.TemporaryDirectory() as folder:
            with Daemon("--data", folder) as daemon:
                ids = {name: daemon.client.post("/v1/archives", data, name=name.split("/")[-1]).json["id"]
                       for name, data in self.files().items()}
                self.check(daemon.client, walk=3, run=1, ant=1, stand=1, zoo=1)
            with Daemon("--data", folder) as daemon:
                self.check(daemon.client, walk=3, run=1, ant=1, stand=1, zoo=1)
                self.assertEqual(daemon.client.request("DELETE", "/v1/archives/" + ids["q/walk.bvh"]).status, 204)
                self.check(daemon.client, walk=2, run=1, ant=1, stand=1, zoo=1)

    def test_very_many_are_counted_to_a_hundred(self):
        with Daemon() as daemon:
            bundle = zipped([(f"{i}/walk.bvh", bvh(2).replace(b"\n1 0 0", b"\n%d 0 0" % i)) for i in range(120)])
            self.assertEqual(daemon.client.post("/v1/archives", bundle, name="many.zip").status, 201)
            self.check(daemon.client, walk=100)


class WhereAndWhen(SampleCase):
    def test_source(self):
        with Daemon(Daemon.samples) as daemon:
            client = daemon.client
            before = client.get("/v1/clips").json["total"]
            reply = client.post("/v1/archives", bvh(7), name="mine.bvh").json
            mine = [c["id"] for c in client.items("/v1/clips", source="upload")]
            self.assertEqual(mine, [reply["clips"][0]["id"]])
            self.assertEqual(len(client.items("/v1/clips", source="path")), before)
            self.assertEqual([a["id"] for a in client.items("/v1/archives", source="upload")], [reply["id"]])
            self.assertNotIn(reply["id"], [a["id"] for a in client.items("/v1/archives", source="path")])
            self.assertEqual([a["name"] for a in client.items("/v1/archives", q="MINE")], ["mine.bvh"])
            self.assertEqual([s["name"] for s in client.items("/v1/skeletons", source="upload", q="hips")],
                             [s["name"] for s in client.items("/v1/skeletons", source="upload")])
            self.assertProblem(client.get("/v1/clips", source="moon"), 400, parameter="source")

    def test_created_and_newest(self):
        with tempfile.TemporaryDirectory() as folder, Daemon("--data", folder) as daemon:
            client, begun = daemon.client, datetime.now(timezone.utc)
            for i in range(3):
                client.post("/v1/archives", bvh(i + 2), name=f"{i}.bvh")
                time.sleep(0.005)
            for kind in ("clips", "archives"):
                newest = client.items(f"/v1/{kind}", sort="newest")
                times = [datetime.fromisoformat(item["created"].replace("Z", "+00:00")) for item in newest]
                self.assertEqual(times, sorted(times, reverse=True))
                self.assertGreaterEqual((times[-1] - begun).total_seconds(), -0.01)
                self.assertEqual([item["id"] for item in client.items(f"/v1/{kind}", sort="-newest")],
                                 [item["id"] for item in newest][::-1])
            kept = [(a["id"], a["created"]) for a in client.items("/v1/archives")]
            self.assertEqual(daemon.stop(), 0)
            with Daemon("--data", folder) as again:
                self.assertEqual([(a["id"], a["created"]) for a in again.client.items("/v1/archives")], kept)

    def test_a_path_is_as_old_as_its_file(self):
        far = Daemon.samples / "sims-online.far"
        found = [a for a in self.client.items("/v1/archives") if a["format"] == "far3"][0]
        written = datetime.fromtimestamp(far.stat().st_mtime_ns // 1000000 / 1000, timezone.utc)
        created = datetime.fromisoformat(found["created"].replace("Z", "+00:00"))
        self.assertAlmostEqual((created - written).total_seconds(), 0, delta=0.01)

    def test_a_list_keeps_its_tag_until_it_changes(self):
        with Daemon() as daemon:
            client = daemon.client
            first = client.get("/v1/clips")["ETag"]
            archive = client.post("/v1/archives", bvh(3), name="a.bvh").json["id"]
            second = client.get("/v1/clips")["ETag"]
            self.assertNotEqual(first, second)
            self.assertEqual(client.get("/v1/clips", headers={"If-None-Match": second}).status, 304)
            self.assertEqual(client.request("DELETE", f"/v1/archives/{archive}").status, 204)
            self.assertNotEqual(client.get("/v1/clips")["ETag"], second)
