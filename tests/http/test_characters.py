"""Meshes on poses, suits and appearances: the real files of The Sims, and the lints of an inspection."""

import io
import struct
import unittest
import zipfile

from daemon import corpus
from fixture import SampleCase, ServedCase


def packed(folder, pattern="*"):
    """A ZIP of the files of a folder."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path in sorted(folder.glob(pattern)):
            archive.writestr(path.name, path.read_bytes())
    return out.getvalue()


@unittest.skipUnless(corpus(), "no corpus")
class RealCharacters(ServedCase):
    @classmethod
    def serves(cls):
        return (corpus() / "sims",)

    def test_every_file_decodes(self):
        archive = self.client.items("/v1/archives")[0]
        whole = self.client.get(f"/v1/archives/{archive['id']}").json
        self.assertEqual([r["entry"] for r in whole["rejected"] if not r["entry"].endswith(".cfp")], [])
        skills = self.client.items("/v1/clips", format="sims1-cmx", limit=1000)
        self.assertEqual(sum(len(c["found_in"]) for c in skills), 35)
        without = [c for c in skills if any(w["code"] == "no_cfp" for w in c["warnings"])]
        self.assertEqual(len(skills) - len(without), 24)
        self.assertTrue(all(c["key_count"] == 0 for c in without))
        self.assertFalse([c["name"] for c in skills if any(w["code"] == "trailing_bytes" for w in c["warnings"])])
        self.assertEqual(len(self.client.items("/v1/meshes", format="sims1-skn", limit=1000)), 12)
        self.assertEqual(len(self.client.items("/v1/meshes", format="tso-mesh", limit=1000)), 21)

    def test_children_are_on_the_child(self):
        skeletons = {s["name"]: s["id"] for s in self.client.items("/v1/skeletons", format="sims1-cmx")}
        for name, who in (("c004mc_nerd", "child"), ("b001ucchd_01", "child"), ("child-censor", "child"),
                          ("b001mafit_01", "adult"), ("c001fa_mercedes", "adult")):
            suit = self.client.items("/v1/characters", name=name)[0]
            found = self.client.get(f"/v1/characters/{suit['id']}").json
            self.assertEqual(found["skeleton"], skeletons[who], name)
            for mesh in found["meshes"]:
                found = self.client.get(f"/v1/meshes/{mesh['id']}").json
                self.assertEqual(found["skeleton"], skeletons[who], mesh["name"])

    def test_vectors_of_a_walk(self):
        walk = self.client.items("/v1/clips", name="a2o-walking-loop")[0]
        self.assertClose((walk["duration"], walk["frame_count"]), (1.266, 38), 1e-6)
        pose = self.client.get(f"/v1/clips/{walk['id']}/pose", t=0.25, axes="native", space="model").json
        places = {j["name"]: j["matrix"][12:15] for j in pose["joints"]}
        self.assertClose(places["HEAD"], (-0.0239, 4.8982, 0.3522), 2e-4)
        self.assertClose(places["L_FOOT"], (-0.2585, 0.3498, -0.6867), 2e-4)
        for wrap, turn in (("clamp", (0, 0.11095, 0, -0.99383)), ("loop", (0.00115, 0.10407, 0, -0.99457))):
            found = self.client.get(f"/v1/clips/{walk['id']}/pose", t=1.26, axes="native", wrap=wrap, joints="L_LEG1")
            self.assertSameTurn(found.json["joints"][0]["rotation"], turn, 2e-4, wrap)

    def test_vertices_of_the_resting_body(self):
        mesh = self.client.items("/v1/meshes", q="b001mafit_01-PELVIS-BODY")[0]
        self.assertEqual((mesh["vertex_count"], mesh["face_count"]), (545, 606))
        rest = self.client.get(f"/v1/meshes/{mesh['id']}/vertices", axes="native").json
        self.assertEqual(len(rest["positions"]), 545)
        self.assertClose(rest["positions"][0], (-0.2978, 3.3942, -0.2703), 2e-4)
        self.assertClose(rest["normals"][0], (-0.7891, 0.2967, -0.5378), 2e-4)
        self.assertClose(rest["positions"][544], (-0.6889, 3.6453, 0.0339), 2e-4)
        mirrored = self.client.get(f"/v1/meshes/{mesh['id']}/vertices").json["positions"][0]
        self.assertClose(mirrored, (0.2978 * 0.3048, 3.3942 * 0.3048, -0.2703 * 0.3048), 2e-4)

    def test_vertices_follow_a_clip_and_faces_count_them(self):
        mesh = self.client.items("/v1/meshes", q="b001mafit_01-PELVIS-BODY")[0]
        walk = self.client.items("/v1/clips", name="a2o-walking-loop")[0]
        moved = self.client.get(f"/v1/meshes/{mesh['id']}/vertices", clip=walk["id"], t=0.25).json
        rest = self.client.get(f"/v1/meshes/{mesh['id']}/vertices").json
        self.assertNotEqual(moved["positions"], rest["positions"])
        floats = self.client.get(f"/v1/meshes/{mesh['id']}/vertices", clip=walk["id"], t=0.25, **{"as": "f32"})
        rows = struct.unpack(f"<{545 * 6}f", floats.body)
        self.assertClose(rows[:3], moved["positions"][0], 1e-6)
        self.assertClose(rows[3:6], moved["normals"][0], 1e-6)
        whole = self.client.get(f"/v1/meshes/{mesh['id']}").json
        self.assertLess(max(max(face) for face in whole["faces"]), 545)
        native = self.client.get(f"/v1/meshes/{mesh['id']}", axes="native").json
        a, b, c = native["faces"][0]
        self.assertEqual(whole["faces"][0], [a, c, b])

    def test_suits_and_appearances_find_their_meshes(self):
        characters = self.client.items("/v1/characters", limit=1000)
        found = {}
        for item in characters:
            whole = self.client.get(f"/v1/characters/{item['id']}").json
            found.setdefault(item["type"], []).append(whole)
        self.assertEqual(len(found["appearance"]), 22)
        self.assertEqual(len(found["binding"]), 22)
        for kind in ("appearance", "suit"):
            self.assertTrue(any(c["meshes"] and c["skeleton"] and c["clips"] for c in found[kind]), kind)
        nerd = next(c for c in found["suit"] if c["entry"].endswith("C004MC_nerd.cmx"))
        self.assertEqual(len(nerd["meshes"]) + len(nerd["missing"]), 2)

    def test_lints_name_what_is_missing(self):
        report = self.client.post("/v1/inspect", packed(corpus() / "sims" / "sims1"), name="sims1.zip").json
        missing = [w for w in report["warnings"] if w["code"] == "missing_mesh"]
        self.assertTrue(any("censor" in w["message"] for w in missing))
        self.assertTrue(all(w["entry"].endswith(".cmx") for w in missing))


class Unknown(SampleCase):
    def test_ids_that_are_none(self):
        for path in ("/v1/meshes/zz", "/v1/meshes/" + "0" * 32, "/v1/meshes/zz/vertices", "/v1/characters/zz"):
            self.assertProblem(self.client.get(path), 404, code="not_found")
