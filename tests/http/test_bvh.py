"""BVH over HTTP: the end of a clip, units, which way is up."""

import tempfile
import unittest
from pathlib import Path

from daemon import Daemon


def bvh(frames, seconds, root="body", length=1):
    """A root that goes along X by those places, and a joint as far above it."""
    rows = "".join(f"{x} 0 0 0 0 0 0 0 0\n" for x in frames)
    return (
        f"HIERARCHY\nROOT {root}\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
        f"Yrotation\nJOINT head\n{{\nOFFSET 0 {length} 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        f"End Site\n{{\nOFFSET 0 {length} 0\n}}\n}}\n}}\nMOTION\nFrames: {len(frames)}\nFrame Time: {seconds}\n{rows}"
    )


class Bvh(unittest.TestCase):
    def served(self, **texts):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in texts.items():
            (Path(folder.name) / f"{name}.bvh").write_text(text)
        daemon = Daemon(folder.name)
        daemon.__enter__()
        self.addCleanup(daemon.__exit__, None, None, None)
        return daemon.client

    def test_the_printed_duration_is_the_end(self):
        """Whatever t is rounded to: to 1e-6 by posed, to a 32-bit float by who prints it."""
        client = self.served(x=bvh((0, 1e6), "0.3333334"), y=bvh((0, 1e6), "20.0333333"))
        for clip in client.items("/v1/clips"):
            for t in (clip["duration"], round(clip["duration"], 6), clip["duration"] + 1e-6, 1e6):
                pose = client.get(f"/v1/clips/{clip['id']}/pose", t=t).json
                self.assertEqual(pose["joints"][0]["translation"][0], 1e6, (clip["duration"], t))
                self.assertEqual(pose["t"], clip["duration"])
            poses = client.get(f"/v1/clips/{clip['id']}/poses", t=f"0,{clip['duration']}").json["poses"]
            self.assertEqual(poses[-1]["translation"][0][0], 1e6)

    def test_units_of_what_is_written(self):
        client = self.served(x=bvh((0, 1), 1), y=bvh((0, 1), 1, "hip"))
        lengths = {}
        for clip in client.items("/v1/clips"):
            for query in ({}, {"unit": "cm"}, {"unit": "inch"}, {"unit": "cm", "fps": 1}):
                text = client.get(f"/v1/clips/{clip['id']}.bvh", **query).text
                lengths[clip["name"], *query.values()] = round(float(text.split("JOINT head")[1].split()[3]), 2)
        wanted = {("x",): 1, ("x", "cm"): 100, ("x", "inch"): 39.37, ("x", "cm", 1): 100}
        self.assertEqual(lengths, wanted | {("y", *query): 1 for (_, *query) in wanted})
        text = client.post("/v1/convert?to=bvh&unit=cm", bvh((0, 1), 1).encode()).text
        self.assertIn("OFFSET 0 100 0", text)
        for path in (f"/v1/clips/{clip['id']}.bvh?unit=ft", f"/v1/clips/{clip['id']}.json?unit=cm"):
            self.assertEqual(client.get(path).status, 400, path)
