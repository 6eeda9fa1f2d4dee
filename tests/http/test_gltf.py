"""glTF that others wrote and clip JSON, over HTTP: poses, round trips, and refusals that say where in the JSON."""

import json
import pathlib
import tempfile
import unittest

from daemon import Daemon
from fixture import SampleCase

DATA = pathlib.Path(__file__).parent.parent / "data" / "gltf"


class Gltf(SampleCase):
    def test_a_file_of_three_is_served(self):
        with Daemon(DATA / "three-skinned.glb") as daemon:
            clips = daemon.client.items("/v1/clips")
            self.assertEqual([clip["name"] for clip in clips], ["nod", "turn"])
            skeleton = daemon.client.items("/v1/skeletons")[0]["id"]
            nod = daemon.client.get(f"/v1/clips/{clips[0]['id']}").json
            self.assertEqual((nod["format"], nod["duration"], nod["skeleton"]), ("gltf", 1, skeleton))
            pose = daemon.client.get(f"/v1/clips/{nod['id']}/pose?t=0.75&space=model").json
            head = next(joint for joint in pose["joints"] if joint["name"] == "head")
            self.assertClose(head["matrix"][12:15], (0, 2.75, 0.125), 1e-5)

    def test_what_has_no_motion_is_read(self):
        for name in ("assimp-box.glb", "assimp-flag.glb", "assimp-swing.glb", "three-nodes.gltf"):
            reply = self.client.post("/v1/inspect", (DATA / name).read_bytes(), name=name)
            self.assertEqual((reply.status, reply.json["format"]), (200, "gltf"), name)
            self.assertEqual(len(reply.json["meshes"]), 1, name)

    def test_a_refusal_has_a_pointer(self):
        cycle = b'{"asset":{"version":"2.0"},"nodes":[{"children":[1]},{"children":[0]}]}'
        reply = self.client.post("/v1/inspect", cycle, name="x.gltf")
        self.assertProblem(reply, 422, format="gltf", pointer="/nodes/0/children", code="node_cycle")
        reply = self.client.post("/v1/inspect", b'{"asset":{"version":"2.0"},\n"nodes":[}', name="x.gltf")
        self.assertProblem(reply, 422, format="gltf", line=2, code="bad_json")
        reply = self.client.post("/v1/inspect", b'{"asset":{"version":"2.0"},"extensionsRequired":["X"]}', name="x.gltf")
        self.assertProblem(reply, 415, format="gltf", pointer="/extensionsRequired/0", code="extension")

    def test_clip_json_comes_back(self):
        with tempfile.TemporaryDirectory() as folder:
            for clip in self.client.items("/v1/clips"):
                for axes in ("native", "gltf"):
                    reply = self.client.get(f"/v1/clips/{clip['id']}.json?axes={axes}")
                    keys = reply.json
                    self.assertEqual(keys["axes"], axes)
                    self.assertEqual(reply.json, self.client.get(f"/v1/clips/{clip['id']}/keys?axes={axes}").json)
                    (pathlib.Path(folder) / f"{clip['id']}-{axes}.json").write_bytes(reply.body)
                self.assertProblem(self.client.get(f"/v1/clips/{clip['id']}.json?axes=up"), 400, parameter="axes")
            with Daemon(folder) as daemon:
                clips = daemon.client.items("/v1/clips")
                self.assertEqual(len(clips), 2 * len(self.client.items("/v1/clips")))
                for clip in clips:
                    self.compare(clip, daemon.client)

    def compare(self, clip, client):
        was, axes = clip["entry"].removesuffix(".json").split("-")
        before, after = self.client.get(f"/v1/clips/{was}/keys?axes={axes}").json, client.get(f"/v1/clips/{clip['id']}/keys").json
        self.assertEqual((after["format"], after["origin"]), ("json", before["format"]))
        for member in ("duration", "fps", "loop", "loop_in", "loop_out", "interpolation", "rules", "extras", "joints", "events"):
            self.assertEqual(after[member], before[member], member)
        query = "pose?t=0.4&skeleton=none&axes=gltf"
        here, there = self.client.get(f"/v1/clips/{was}/{query}").json, client.get(f"/v1/clips/{clip['id']}/{query}").json
        for a, b in zip(here["joints"], there["joints"]):
            self.assertClose(a["rotation"], b["rotation"], 1e-6)


if __name__ == "__main__":
    unittest.main()
