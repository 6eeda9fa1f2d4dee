"""Conversions of real files: there and back through a running daemon, and what Second Life's viewer refuses."""

import unittest

from daemon import corpus
from fixture import ServedCase

# Format: its extension, and how far a component of a rotation or translation may be off. Their steps: the last bit of
# a 32-bit float (rotations of The Sims Online are brought to unit length, lengths are feet), the words of Second Life,
# and 5e-4 of a .cfp.
FAMILIES = {
    "sl-anim": ("anim", 1e-7, 1e-7),
    "tso-anim": ("anim", 5e-7, 1e-5),
    "sims1-cmx": ("cmx", 1e-3, 1e-3),
    "sims3-clip": ("clip", 1e-7, 1e-7),
}


def unit(values):
    length = sum(v * v for v in values) ** 0.5
    return [v / length for v in values] if length else values


@unittest.skipUnless(corpus(), "no corpus")
class RealClips(ServedCase):
    @classmethod
    def serves(cls):
        return (corpus(),)

    def keys(self, body, extension):
        reply = self.client.post("/v1/convert", body, to="json", name="x." + extension)
        self.assertEqual(reply.status, 200, reply)
        return reply.json

    def compare(self, found, wanted, rotation, translation, what):
        for member in ("duration", "loop", "loop_in", "loop_out", "events", "extras"):
            self.assertEqual(found[member], wanted[member], f"{what}: {member}")
        self.assertEqual([j["name"] for j in found["joints"]], [j["name"] for j in wanted["joints"]], what)
        for one, other in zip(found["joints"], wanted["joints"]):
            for part in ("translation", "rotation", "scale", "morph"):
                self.assertEqual(part in one, part in other, what)
                if part not in one:
                    continue
                self.assertEqual(one[part]["times"], other[part]["times"], what)
                for a, b in zip(one[part]["values"], other[part]["values"]):
                    if part == "rotation":
                        a, b = unit(a), unit(b)
                        if sum(x * y for x, y in zip(a, b)) < 0:
                            a = [-x for x in a]
                    step = rotation if part == "rotation" else translation
                    self.assertLessEqual(max(abs(x - y) for x, y in zip(a, b)), step, f"{what}: {one['name']} {part}")

    def test_there_and_back_again(self):
        count = 0
        for clip in self.client.items("/v1/clips", limit=1000):
            if clip["format"] not in FAMILIES or not clip["key_count"]:
                continue
            extension, rotation, translation = FAMILIES[clip["format"]]
            base = f"/v1/clips/{clip['id']}"
            wanted = self.keys(self.client.get(f"{base}.{extension}").body, extension)
            for rest in (".glb", ".glb?skeleton=none"):
                there = self.client.get(base + rest)
                self.assertEqual(there.status, 200, there)
                back = self.client.post("/v1/convert", there.body, to=clip["format"], name="x.glb")
                self.assertEqual(back.status, 200, back)
                self.compare(self.keys(back.body, extension), wanted, rotation, translation, clip["name"] + rest)
            count += 1
        self.assertGreater(count, 200)

    def test_every_game_from_every_third_clip(self):
        for clip in self.client.items("/v1/clips", limit=1000)[::3]:
            if not clip["key_count"]:
                continue
            for rest in ("anim?to=sl-anim", "anim?to=tso-anim", "anim?to=prime-anim", "clip", "cmx", "bcf"):
                reply = self.client.get(f"/v1/clips/{clip['id']}.{rest}")
                if rest == "anim?to=prime-anim" and reply.status == 422:  # that game's bones have numbers
                    self.assertEqual(reply.json["code"], "nothing_to_write", reply)
                    continue
                if clip["format"] == "bvh" and reply.status == 422:
                    # Those that Second Life's viewer would refuse, see below.
                    self.assertIn((reply.json["code"], rest), ((code, "anim?to=sl-anim") for code in ("no_joints", "bad_root")), reply)
                    continue
                self.assertEqual(reply.status, 200, f"{clip['name']} as {rest}: {reply}")

    def test_what_the_viewer_refuses(self):
        refused = []
        for path in sorted((corpus() / "sl" / "bvh").glob("*.bvh")):
            reply = self.client.post("/v1/convert", path.read_bytes(), to="sl-anim", name=path.name)
            if reply.status != 200:
                self.assertEqual(reply.status, 422, reply)
                self.assertEqual(reply.json["line"], 128)
                refused.append(path.name)
        self.assertEqual(refused, ["avatar_cross_arms.bvh"])
