"""Archives and their entries, lists, names."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from urllib.parse import quote

from client import path_of
from daemon import Daemon
from fixture import SampleCase


class Archives(SampleCase):
    def archive(self, fmt):
        found = [a for a in self.client.items("/v1/archives") if a["format"] == fmt]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def test_what_was_loaded(self):
        folder, far = self.archive("folder"), self.archive("far3")
        self.assertEqual(folder["name"], Daemon.samples.name)
        self.assertEqual(far["name"], "sims-online.far")
        self.assertEqual(far["bytes"], (Daemon.samples / "sims-online.far").stat().st_size)
        self.assertEqual(far["entry_count"], 7)
        self.assertEqual({a["source"] for a in (folder, far)}, {"path"})

    def test_one_archive(self):
        far = self.archive("far3")
        whole = self.client.get(f"/v1/archives/{far['id']}").json
        self.assertEqual(sorted(c["name"] for c in whole["clips"]), ["a2o-idle", "a2o-walk", "a2o-wave"])
        self.assertEqual([s["name"] for s in whole["skeletons"]], ["adult"])
        self.assertEqual([m["name"] for m in whole["meshes"]], ["body.0b0d000100000009"])
        self.assertEqual(len(whole["characters"]), 2)
        self.assertEqual(whole["rejected"], [])

    def test_entries_are_the_files(self):
        far = self.archive("far3")
        entries = self.client.items(f"/v1/archives/{far['id']}/entries")
        self.assertEqual([e["index"] for e in entries], list(range(7)))
        kinds = {".anim": "clip", ".skel": "skeleton", ".mesh": "mesh", ".bnd": "character", ".apr": "character"}
        for entry in entries:
            stored = (Daemon.samples / "sims-online" / entry["name"]).read_bytes()
            raw = self.client.get(f"/v1/archives/{far['id']}/entries/{entry['index']}")
            self.assertEqual(raw.body, stored)
            self.assertEqual(entry["size"], len(stored))
            self.assertEqual(entry["kind"], kinds[Path(entry["name"]).suffix])
            self.assertTrue(raw["ETag"].startswith('"'))

    def test_entries_by_name(self):
        far = self.archive("far3")
        named = self.client.get(f"/v1/archives/{far['id']}/entries", name="a2o-wave.anim").json
        self.assertEqual([e["name"] for e in named["items"]], ["a2o-wave.anim"])
        named = self.client.get(f"/v1/archives/{far['id']}/entries", name="A2O-Wave.ANIM").json
        self.assertEqual([e["name"] for e in named["items"]], ["a2o-wave.anim"])
        none = self.client.get(f"/v1/archives/{far['id']}/entries", name="nothing").json
        self.assertEqual((none["items"], none["total"]), ([], 0))

    def test_range(self):
        far = self.archive("far3")
        path = f"/v1/archives/{far['id']}/entries/0"
        whole = self.client.get(path)
        size = len(whole.body)
        self.assertEqual(whole["Accept-Ranges"], "bytes")
        for wanted, first, last in (("bytes=0-9", 0, 9), ("bytes=5-", 5, size - 1), ("bytes=-7", size - 7, size - 1),
                                    (f"bytes=3-{size + 100}", 3, size - 1)):
            part = self.client.get(path, headers={"Range": wanted})
            self.assertEqual((part.status, part["Content-Range"]), (206, f"bytes {first}-{last}/{size}"))
            self.assertEqual(part.body, whole.body[first : last + 1])
        past = self.client.get(path, headers={"Range": f"bytes={size}-"})
        self.assertEqual((past.status, past["Content-Range"]), (416, f"bytes */{size}"))
        for ignored in ("lines=0-9", "bytes=9-3", "bytes=x-y"):
            self.assertEqual(self.client.get(path, headers={"Range": ignored}).body, whole.body)
        stale = self.client.get(path, headers={"Range": "bytes=0-9", "If-Range": '"other"'})
        self.assertEqual((stale.status, stale.body), (200, whole.body))

    def test_an_entry_that_is_not_there(self):
        far = self.archive("far3")
        self.assertEqual(self.client.get(f"/v1/archives/{far['id']}/entries/7").status, 404)
        self.assertIn(self.client.get(f"/v1/archives/{far['id']}/entries/-1").status, (400, 404))
        self.assertIn(self.client.get(f"/v1/archives/{far['id']}/entries/99999999999999999999").status, (400, 404))


class Clips(SampleCase):
    def names(self, **query):
        return [c["name"] for c in self.client.items("/v1/clips", **query)]

    def test_all(self):
        clips = self.client.items("/v1/clips")
        self.assertEqual(sorted(c["name"] for c in clips if c["format"] != "prime-anim"),
                         ["a2o-idle", "a2o-walk", "a2o-wave", "a_idle_loop_x", "a_walk_loop_x", "c_wave_x", "idle", "walk",
                          "wave"])
        # Four in each pak of Metroid Prime.
        self.assertEqual(sum(c["format"] == "prime-anim" for c in clips), 8)
        self.assertTrue(all("joints" not in c for c in clips))

    def test_same_bytes_are_one_clip(self):
        clip = self.clip("a2o-walk", "tso-anim")
        self.assertEqual(len(clip["found_in"]), 2, clip["found_in"])
        first = clip["found_in"][0]
        self.assertEqual((clip["archive"], clip["entry"]), (first["archive"], first["entry"]))

    def test_filters(self):
        self.assertEqual(sorted(self.names(q="WAVE")), ["a2o-wave", "c_wave_x", "wave"])
        self.assertEqual(self.names(name="walk"), ["walk"])
        self.assertEqual(sorted(self.names(format="sl-anim")), ["idle", "walk", "wave"])
        self.assertEqual(sorted(self.names(joint="mTorso")), ["idle", "walk", "wave"])
        self.assertEqual(sorted(self.names(min_duration=2, max_duration=3)), ["a2o-wave", "c_wave_x", "wave"])
        self.assertEqual(self.names(q="no such clip"), [])
        self.assertEqual(self.names(q="aVe"), self.names(q="wave"))
        self.assertEqual(self.names(q=""), self.names())
        self.assertEqual(self.names(q="wave" + "e" * 100), [])
        self.assertEqual(self.names(q="wave_"), self.names(q="wave"))
        self.assertEqual(self.names(q="_X"), self.names(q="_x"))
        self.assertEqual(self.names(q="a2o-wAve"), ["a2o-wave"])
        self.assertEqual(sorted(self.names(joint="b__Head__")), ["a_idle_loop_x", "a_walk_loop_x", "c_wave_x"])
        self.assertEqual(self.names(joint="#1e3"), [])
        # What a list shows of a clip finds it again, however a 32-bit float is written.
        for clip in self.client.items("/v1/clips"):
            same = self.names(min_duration=clip["duration"], max_duration=clip["duration"])
            self.assertIn(clip["name"], same, clip["duration"])
        far = [a["id"] for a in self.client.items("/v1/archives") if a["format"] == "far3"][0]
        self.assertEqual(sorted(self.names(archive=far)), ["a2o-idle", "a2o-walk", "a2o-wave"])

    def test_order(self):
        up = self.names(sort="name")
        self.assertEqual(up, sorted(up))
        self.assertEqual(self.names(sort="-name"), up[::-1])
        durations = [c["duration"] for c in self.client.items("/v1/clips", sort="-duration")]
        self.assertEqual(durations, sorted(durations, reverse=True))

    def test_pages(self):
        whole = [c["id"] for c in self.client.items("/v1/clips")]
        page, seen = self.client.get("/v1/clips", limit=4), []
        while True:
            seen += [c["id"] for c in page.json["items"]]
            self.assertEqual(page.json["total"], len(whole))
            if page.json["next"] is None:
                self.assertIsNone(page["Link"])
                break
            link = re.fullmatch(r'<([^>]+)>; rel="next"', page["Link"])
            self.assertEqual(link.group(1), page.json["next"])
            page = self.client.get(path_of(page.json["next"]))
        self.assertEqual(seen, whole)

    def test_metadata(self):
        clip = self.client.get(f"/v1/clips/{self.clip('a2o-walk', 'tso-anim')['id']}").json
        self.assertEqual((clip["format"], clip["interpolation"]), ("tso-anim", "nlerp"))
        self.assertAlmostEqual(clip["duration"], 1.067, places=3)
        self.assertEqual((clip["frame_count"], clip["loop"], clip["loop_in"]), (32, None, 0))
        self.assertEqual(clip["loop_out"], clip["duration"])
        self.assertEqual(clip["bytes"], (Daemon.samples / "sims-online" / "a2o-walk.anim").stat().st_size)
        self.assertEqual(clip["event_count"], 2)
        self.assertGreater(clip["extras"]["distance"], 1)
        pelvis = next(j for j in clip["joints"] if j["name"] == "PELVIS")
        self.assertEqual(pelvis["channels"], ["translation", "rotation"])
        self.assertEqual(clip["joint_count"], len(clip["joints"]))
        self.assertIsNotNone(clip["skeleton"])
        for link in clip["links"].values():
            target = path_of(link)
            self.assertEqual(self.client.get(target).status, 200, target)

    def test_metadata_of_second_life(self):
        clip = self.client.get(f"/v1/clips/{self.clip('walk', 'sl-anim')['id']}").json
        self.assertEqual((clip["fps"], clip["frame_count"], clip["loop"]), (None, None, True))
        self.assertEqual(clip["extras"]["base_priority"], 3)
        self.assertIsNotNone(clip["skeleton"])


class Skeletons(SampleCase):
    def test_list_and_one(self):
        items = self.client.items("/v1/skeletons")
        adult = next(s for s in items if s["format"] == "tso-skel")
        one = self.client.get(f"/v1/skeletons/{adult['id']}").json
        self.assertEqual(one["joint_count"], len(one["joints"]))
        for index, joint in enumerate(one["joints"]):
            self.assertLess(joint["parent"], index)
        native = self.client.get(f"/v1/skeletons/{adult['id']}.json", axes="native").json
        for mine, theirs in zip(one["joints"], native["joints"]):
            x, y, z = theirs["translation"]
            self.assertClose(mine["translation"], [-0.3048 * x, 0.3048 * y, 0.3048 * z], 1e-6)


class Named(SampleCase):
    def test_by_name(self):
        clip = self.clip("a2o-wave", "tso-anim")["id"]
        for rest in ("", "/pose?t=0.5&skeleton=none", "/poses?t=0,1&skeleton=none", "/keys", "/events"):
            with self.subTest(rest):
                named = self.client.get("/v1/named/sims-online.far/a2o-wave" + rest)
                direct = self.client.get(f"/v1/clips/{clip}{rest}")
                self.assertEqual((named.status, named.json), (200, direct.json))
                self.assertIn("no-cache", named["Cache-Control"])
                self.assertTrue(named["ETag"])
                self.assertTrue(named["Content-Location"].startswith(f"/v1/clips/{clip}"), named["Content-Location"])
        named = self.client.get("/v1/named/sims-online.far/a2o-wave.json")
        self.assertEqual(named.json, self.client.get(f"/v1/clips/{clip}.json").json)

    def test_archive_by_id(self):
        far = [a["id"] for a in self.client.items("/v1/archives") if a["format"] == "far3"][0]
        self.assertEqual(self.client.get(f"/v1/named/{far}/a2o-walk").status, 200)

    def test_unknown_names(self):
        for archive, clip in (("sims-online.far", "a2o-fly"), ("nothing.far", "a2o-walk")):
            self.assertEqual(self.client.get(f"/v1/named/{archive}/{clip}").status, 404)

    def test_several_of_one_name(self):
        # In the folder `walk` is one of Second Life's; a second one beside it makes the name ambiguous.
        with tempfile.TemporaryDirectory() as top:
            folder = Path(top) / "two & more"
            (folder / "a").mkdir(parents=True)
            (folder / "b").mkdir()
            shutil.copy(Daemon.samples / "second-life" / "walk.anim", folder / "a" / "walk.anim")
            shutil.copy(Daemon.samples / "second-life" / "wave.anim", folder / "b" / "walk.anim")
            with Daemon(folder) as other:
                reply = other.client.get(f"/v1/named/{quote('two & more')}/walk")
                self.assertEqual(reply.status, 409)
                self.assertEqual(len(reply.json["clips"]), 2)


class Depths(unittest.TestCase):
    def test_a_path_too_long_to_be_opened_is_listed(self):
        """1,500 folders in each other: the system opens none beyond 4,095 bytes, and the folder says where it ends."""
        wave = (Daemon.samples / "second-life/wave.anim").read_bytes()
        with tempfile.TemporaryDirectory() as top:
            Path(top, "wave.anim").write_bytes(wave)
            below = os.open(top, os.O_RDONLY)
            for _ in range(1500):
                os.mkdir("folder", dir_fd=below)
                deeper = os.open("folder", os.O_RDONLY, dir_fd=below)
                os.close(below)
                below = deeper
            os.close(below)
            with Daemon(top) as daemon:
                archive = daemon.client.items("/v1/archives")[0]["id"]
                shown = daemon.client.get(f"/v1/archives/{archive}").json
            self.assertEqual((len(shown["clips"]), shown["entry_count"], len(shown["rejected"])), (1, 2, 1))
            rejected = shown["rejected"][0]
            self.assertTrue(rejected["entry"].startswith("folder/folder/"), rejected["entry"][:40])
            self.assertEqual(rejected["error"]["code"], "unreadable")
            self.assertIn("/folder/folder: File name too long", rejected["error"]["detail"])
            subprocess.run(["rm", "-rf", f"{top}/folder"], check=True)
