"""archive=: the same bytes have one id wherever they lie, and what they need is that of the archive they are asked for in."""

import base64
import json
import struct
import zlib

import sims3_files as sims3
from daemon import Daemon
from test_skeletons import PEOPLE, still
from uploads import UploadCase, zipped


def png(red):
    """One pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(bytes([0, red, 0, 0]))) + chunk(b"IEND", b""))


SKELETON = """// Character File.
version 300
1
adult
1
PELVIS
NULL
0
| 0 3 0 |
| 0 0 0 1 |
1
1
0
0
0
0
0
"""
SUIT = """// Character File.
version 300
0
1
b001ma
0
0
1
PELVIS
body
0
0
0
"""
SKIN = """body
skin
1
PELVIS
1
0 1 2
1
0 0 3 -1 0
3
0 0
1 0
0 1
0
3
0 0 0 0 0 1
1 0 0 0 0 1
0 1 0 0 0 1
"""


def glb_json(data):
    return json.loads(data[20:20 + struct.unpack_from("<I", data, 12)[0]])


def red_of(data):
    """The red of the one pixel of the first picture of a GLB."""
    whole = glb_json(data)
    image = whole["images"][0]
    if "uri" in image:
        return red_of_png(base64.b64decode(image["uri"].split(",")[1]))
    view = whole["bufferViews"][image["bufferView"]]
    begin = 28 + struct.unpack_from("<I", data, 12)[0] + view.get("byteOffset", 0)
    return red_of_png(data[begin:begin + view["byteLength"]])


def red_of_png(data):
    at = data.index(b"IDAT")
    return zlib.decompress(data[at + 4:at + 4 + struct.unpack_from(">I", data, at - 4)[0]])[1]


class Recolours(UploadCase):
    def test_a_recolour_shows_its_own_texture(self):
        archives = {}
        for red in (10, 200):
            files = [("adult-skeleton.cmx", SKELETON.encode()), ("suit.cmx", SUIT.encode()),
                     ("body.skn", SKIN.encode()), ("skin.png", png(red))]
            reply = self.client.post("/v1/archives", zipped(files), name=f"{red}.zip")
            self.assertEqual(reply.status, 201, reply.text)
            archives[red] = reply.json
        ids = {kind: {a[kind][0]["id"] for a in archives.values()} for kind in ("characters", "meshes")}
        self.assertEqual({kind: len(found) for kind, found in ids.items()}, {"characters": 1, "meshes": 1})
        for red, archive in archives.items():
            own = archive["id"]
            for kind in ("characters", "meshes"):
                item = archive[kind][0]
                self.assertEqual(item["archive"], own)
                model = self.client.get(f"/v1/{kind}/{item['id']}.glb", archive=own)
                self.assertEqual(red_of(model.body), red, f"{kind} of {red}")
                for path in (f"/v1/{kind}/{item['id']}?archive={own}", f"/v1/{kind}?archive={own}"):
                    shown = self.client.get(path).json
                    shown = shown["items"][0] if "items" in shown else shown
                    self.assertEqual(shown["archive"], own)
            first = self.client.get(f"/v1/characters/{archive['characters'][0]['id']}.glb")
            self.assertEqual(red_of(first.body), 10)

    def test_whole_characters_may_be_cached(self):
        """Without the scope, or with a part that may come from elsewhere, what else is loaded may change it."""
        whole = [("adult-skeleton.cmx", SKELETON.encode()), ("suit.cmx", SUIT.encode()), ("body.skn", SKIN.encode()),
                 ("skin.png", png(30))]
        for missing in (None, "skin.png", "body.skn", "adult-skeleton.cmx"):
            files = [file for file in whole if file[0] != missing]
            archive = self.client.post("/v1/archives", zipped(files), name=f"without {missing}.zip").json
            path = f"/v1/characters/{archive['characters'][0]['id']}.glb"
            scoped = self.client.get(path, archive=archive["id"])
            wanted = "no-cache" if missing in ("body.skn", "adult-skeleton.cmx") else "public, max-age=3600"
            self.assertEqual(scoped["Cache-Control"], wanted, missing)
            again = self.client.get(path, archive=archive["id"], headers={"If-None-Match": scoped["ETag"]})
            self.assertEqual(again.status, 304, missing)
            self.assertEqual(self.client.get(path)["Cache-Control"], "no-cache", missing)


class Clips(UploadCase):
    def setUp(self):
        self.archives = []
        dance = sims3.clip("dance", [still(bone) for bone in PEOPLE])
        for length in (1, 2):
            rig = sims3.rig("rig", [(name, i - 1, (0, length, 0)) for i, name in enumerate(PEOPLE)])
            reply = self.client.post("/v1/archives", zipped([("dance.clip", dance), ("a.rig", rig)]), name=f"{length}.zip")
            self.assertEqual(reply.status, 201 if reply.status == 201 else 200)
            self.archives.append(reply.json)
        self.clip = self.archives[0]["clips"][0]["id"]
        self.assertEqual(self.clip, self.archives[1]["clips"][0]["id"])

    def test_each_archive_has_its_own_skeleton(self):
        for length, archive in enumerate(self.archives, 1):
            own, rig = archive["id"], archive["skeletons"][0]["id"]
            scope = {"archive": own}
            metadata = self.client.get(f"/v1/clips/{self.clip}", **scope).json
            self.assertEqual((metadata["skeleton"], metadata["archive"]), (rig, own))
            listed = self.client.get("/v1/clips", **scope).json["items"][0]
            self.assertEqual((listed["skeleton"], listed["archive"]), (rig, own))
            for link in (*metadata["links"].values(), *listed["links"].values()):
                self.assertIn(f"archive={own}", link)
                self.assertEqual(self.client.get(link).status, 200, link)
            pose = self.client.get(f"/v1/clips/{self.clip}/pose", **scope)
            self.assertEqual((pose.json["skeleton"], pose.json["joints"][1]["translation"][1]), (rig, length))
            self.assertEqual(self.client.get(f"/v1/clips/{self.clip}/poses", **scope).json["skeleton"], rig)
            nodes = glb_json(self.client.get(f"/v1/clips/{self.clip}.glb", **scope).body)["nodes"]
            self.assertEqual(next(n for n in nodes if n.get("name") == PEOPLE[1])["translation"][1], length)
            for rest in ("keys", "events", "preview.svg", "plot.svg"):
                reply = self.client.get(f"/v1/clips/{self.clip}/{rest}", **scope, **({"joint": PEOPLE[1]} if "plot" in rest else {}))
                self.assertEqual(reply.status, 200, rest)
            skeleton = self.client.get(f"/v1/skeletons/{rig}", **scope).json
            self.assertEqual(skeleton["archive"], own)
            self.assertEqual(self.client.get(f"/clip/{self.clip}", **scope).status, 200)
        # Without it the first of found_in counts.
        self.assertEqual(self.client.get(f"/v1/clips/{self.clip}").json["archive"], self.archives[0]["id"])

    def test_items_of_a_batch(self):
        asked = [{"clip": self.clip, "t": 0, "archive": archive["id"]} for archive in self.archives]
        asked.append({"layers": [{"clip": self.clip, "archive": self.archives[1]["id"]}]})
        asked.append({"clip": self.clip, "archive": "0" * 32})
        *results, refused = self.client.post("/v1/poses", json.dumps({"requests": asked}).encode()).json["results"]
        rigs = [archive["skeletons"][0]["id"] for archive in self.archives]
        self.assertEqual([result["skeleton"] for result in results], [*rigs, rigs[1]])
        self.assertEqual((refused["error"]["status"], refused["error"]["parameter"]), (400, "archive"))

    def test_what_is_not_in_it_is_refused(self):
        other = self.client.post("/v1/archives", sims3.clip("other", []), name="other.clip").json["id"]
        rig = self.archives[0]["skeletons"][0]["id"]
        for path in (f"/v1/clips/{self.clip}", f"/v1/clips/{self.clip}/pose", f"/v1/clips/{self.clip}.glb",
                     f"/v1/clips/{self.clip}/keys", f"/v1/clips/{self.clip}/preview.png", f"/v1/skeletons/{rig}",
                     f"/v1/skeletons/{rig}.glb"):
            for archive in (other, "0" * 32, "x"):
                reply = self.client.get(path, archive=archive)
                self.assertEqual((reply.status, reply.json["parameter"]), (400, "archive"), path)

    def test_how_long_it_may_be_kept(self):
        revision = self.client.get(f"/v1/clips/{self.clip}").json["links"]["pose"].split("v=")[1]
        for archive in self.archives:
            for rest in ("/pose", ".glb", "/preview.svg"):
                path = f"/v1/clips/{self.clip}{rest}"
                bones = {} if rest == "/pose" else {"mesh": "bones"}
                self.assertEqual(self.client.get(path)["Cache-Control"], "no-cache", rest)
                kept = self.client.get(path, archive=archive["id"], **bones)
                self.assertEqual(kept["Cache-Control"], "public, max-age=3600", rest)
                self.assertIn("immutable",
                              self.client.get(path, archive=archive["id"], v=revision, **bones)["Cache-Control"])
                if bones:  # a body may come from a PATH
                    self.assertEqual(self.client.get(path, archive=archive["id"])["Cache-Control"], "no-cache", rest)
        tags = {self.client.get(f"/v1/clips/{self.clip}/pose", archive=a["id"])["ETag"] for a in self.archives}
        self.assertEqual(len(tags), 2)

    def test_by_name_it_is_that_archive(self):
        for length, archive in enumerate(self.archives, 1):
            named = self.client.get(f"/v1/named/{archive['name']}/dance/pose").json
            self.assertEqual(named["joints"][1]["translation"][1], length)


class Folder(UploadCase):
    def test_a_folder_may_change(self):
        """The id of a folder is that of its path: what it holds may be another thing tomorrow."""
        import pathlib
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            rig = sims3.rig("rig", [(name, i - 1, (0, 1, 0)) for i, name in enumerate(PEOPLE)])
            (pathlib.Path(folder) / "a.rig").write_bytes(rig)
            (pathlib.Path(folder) / "dance.clip").write_bytes(sims3.clip("dance", [still(bone) for bone in PEOPLE]))
            with Daemon(folder) as daemon:
                clip = daemon.client.items("/v1/clips")[0]
                reply = daemon.client.get(f"/v1/clips/{clip['id']}/pose", archive=clip["archive"])
                self.assertEqual((reply.status, reply["Cache-Control"]), (200, "no-cache"))
