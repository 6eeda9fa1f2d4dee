"""Several people in one glTF: the figure that the clip moves is described, retargeted and drawn."""

import json
import struct
import unittest

from fixture import SampleCase
from glb import Glb
from test_bound import BONES, matrix

TURN = (0.5, 0, 0, 0.8660254)


class Scene:
    """People and things, each a list of (name, parent, place) scaled, with a skin and a mesh of its own."""

    def __init__(self, root=None):
        self.glb = Glb(nodes=[], skins=[], meshes=[], animations=[])
        self.root = root
        self.tops = []
        self.nodes = {}

    def add(self, who, size=1, at=(0, 0, 0), bones=BONES, skins=1, above=None, body=True):
        nodes, first = self.glb.root["nodes"], len(self.glb.root["nodes"])
        index = {name: first + 1 + i for i, (name, _, _) in enumerate(bones)}
        top = {"name": f"Armature_{who}", "translation": list(at), "children": [first + 1]}
        nodes.append(top)
        for name, _, place in bones:
            children = [index[other] for other, parent, _ in bones if parent == name]
            nodes.append({"name": name, "translation": [size * x for x in place], **({"children": children} if children else {})})
        if above:
            nodes[above].setdefault("children", []).append(first)
        else:
            self.tops.append(first)
        self.nodes[who] = index
        joints = list(index.values())
        for part in range(skins):
            self.glb.root["skins"].append({"joints": joints[4:6] if part else joints})
            if body and not part:
                self.dress(who, index["Spine"], size, at)
        return self

    def dress(self, who, bone, size, at):
        """A box of the figure's height, all of it moved by one joint, bound where it is."""
        root, joints = self.glb.root, self.glb.root["skins"][-1]["joints"]
        corners = [(at[0] + size * x * 0.2, at[1] + size * y, at[2] + size * z * 0.2) for x in (-1, 1) for y in (0, 1.8) for z in (-1, 1)]
        faces = (0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3)
        binds = [matrix(self.place(joint)) for joint in joints]
        root["skins"][-1]["inverseBindMatrices"] = self.glb.accessor(binds)
        root["meshes"].append({"name": f"{who}-body", "primitives": [{"attributes": {
            "POSITION": self.glb.accessor(corners, min=[min(c[i] for c in corners) for i in range(3)],
                                          max=[max(c[i] for c in corners) for i in range(3)]),
            "JOINTS_0": self.glb.accessor([(joints.index(bone), 0, 0, 0)] * 8, 5121),
            "WEIGHTS_0": self.glb.accessor([(1, 0, 0, 0)] * 8)}, "indices": self.glb.accessor(faces, 5123)}]})
        root["nodes"].append({"name": f"{who}-body", "mesh": len(root["meshes"]) - 1, "skin": len(root["skins"]) - 1})
        self.tops.append(len(root["nodes"]) - 1)

    def place(self, node):
        nodes = self.glb.root["nodes"]
        at = [0, 0, 0]
        while node is not None:
            at = [a + b for a, b in zip(at, nodes[node].get("translation", (0, 0, 0)))]
            node = next((i for i, other in enumerate(nodes) if node in other.get("children", ())), None)
        return at

    def clip(self, name, moved, still=()):
        """moved and still: (who, bone); the latter have keys that change nothing."""
        times = self.glb.accessor((0, 1), min=[0], max=[1])
        turns, holds = self.glb.accessor(((0, 0, 0, 1), TURN)), self.glb.accessor(((0, 0, 0, 1), (0, 0, 0, 1)))
        targets = [(key, 0) for key in moved] + [(key, 1) for key in still]
        self.glb.root["animations"].append({
            "name": name, "samplers": [{"input": times, "output": turns}, {"input": times, "output": holds}],
            "channels": [{"sampler": sampler, "target": {"node": self.nodes[who][bone], "path": "rotation"}}
                         for (who, bone), sampler in targets]})
        return self

    def bytes(self):
        root = self.glb.root
        tops = list(self.tops)
        if self.root:
            root["nodes"].append({"name": self.root, "children": tops})
            tops = [len(root["nodes"]) - 1]
        members = {key: value for key, value in root.items() if value}
        return self.glb.of({**members, "scene": 0, "scenes": [{"nodes": tops}]})


ARM = "LeftArm"
DOG = [("Hips", None, (0, 0.5, 0)), ("Spine", "Hips", (0, 0, 0.3)), ("Head", "Spine", (0, 0.2, 0.2)), ("Tail", "Hips", (0, 0, -0.3))]


def height(reply):
    return round(reply["hip_height"] / 0.93, 2)


class Figures(SampleCase):
    def made(self, name, scene):
        reply = self.client.post("/v1/archives", scene.bytes(), name=f"{name}.glb")
        self.assertIn(reply.status, (200, 201), reply.body[:300])
        return reply.json["skeletons"][0]["id"], {clip["name"]: clip["id"] for clip in reply.json["clips"]}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.onto = next(item["skeleton"] for item in cls.client.get("/v1/people").json["items"] if item["family"] == "sl")

    def described(self, clip):
        """The size of the person that the clip moves, and what of it drives the target."""
        reply = self.client.get(f"/v1/clips/{clip}/retarget", onto=self.onto)
        self.assertEqual(reply.status, 200, reply.body[:300])
        return height(reply.json["source"]), reply.json["driven"]

    def test_of_two_people_the_moved_one(self):
        """Names are the same, so only the skins tell who it is; sizes show who was taken."""
        for name, root, skins in (("roots", None, 1), ("one-root", "RootNode", 1), ("no-skin", None, 0), ("two-skins", "RootNode", 2)):
            with self.subTest(name):
                scene = Scene(root).add("big", skins=skins).add("small", size=0.5, at=(3, 0, 0), skins=skins)
                scene.clip("of-big", [("big", ARM)]).clip("of-small", [("small", ARM)])
                skeleton, clips = self.made(f"two-{name}", scene)
                self.assertEqual(self.described(clips["of-big"])[0], 1)
                size, driven = self.described(clips["of-small"])
                self.assertEqual(size, 0.5)
                self.assertIn("leftUpperArm", driven)
                whole = self.client.get(f"/v1/skeletons/{skeleton}/humanoid").json
                self.assertEqual(height(whole), 1)
                figures = [joint["figure"] for joint in self.client.get(f"/v1/skeletons/{skeleton}").json["joints"]]
                self.assertEqual(sorted(set(figures)), [0, 1, 2] if root and skins else [1, 2])
                keys = self.client.get(f"/v1/clips/{clips['of-small']}.json", retarget=1, onto=self.onto)
                self.assertIn("mShoulderLeft", [joint["name"] for joint in keys.json["joints"]])

    def test_of_several_the_most_moved_one(self):
        """Joints whose keys change count before those whose keys stay; of equals the first figure does."""
        everybody = [name for name, _, _ in BONES]
        scene = Scene("RootNode").add("big").add("small", size=0.5, at=(3, 0, 0)).add("third", size=0.25, at=(6, 0, 0))
        scene.clip("most", [("big", ARM), ("third", ARM), ("third", "RightArm")])
        scene.clip("changing", [("small", ARM)], [("big", bone) for bone in everybody])
        scene.clip("equal", [("third", ARM), ("small", ARM)])
        scene.clip("still", [], [("small", ARM), ("third", ARM), ("third", "RightArm")])
        _, clips = self.made("three", scene)
        for name, size in (("most", 0.25), ("changing", 0.5), ("equal", 0.5), ("still", 0.25)):
            self.assertEqual(self.described(clips[name])[0], size, name)

    def test_an_animal_before_a_person(self):
        """The animal has hips, spine and head too. A clip of it is nobody's."""
        scene = Scene("RootNode").add("dog", bones=DOG).add("small", size=0.5, at=(3, 0, 0))
        scene.clip("walk", [("dog", "Tail")]).clip("wave", [("small", ARM)])
        skeleton, clips = self.made("dog", scene)
        self.assertEqual(self.described(clips["wave"])[0], 0.5)
        self.assertEqual(height(self.client.get(f"/v1/skeletons/{skeleton}/humanoid").json), 0.5)
        self.assertProblem(self.client.get(f"/v1/clips/{clips['walk']}/retarget", onto=self.onto), 422, code="not_humanoid")
        # Onto the same file: the person is the second figure there, whose names the dog has too.
        reply = self.client.get(f"/v1/clips/{clips['wave']}.glb", retarget=1, onto=skeleton)
        self.assertEqual(reply.status, 200, reply.body[:300])
        self.assertEqual(self.moved(reply.body), {"Armature_small"})

    def test_a_robot_of_parts(self):
        """Each limb with a skin of its own below a node of none: one person, whichever limb moves."""
        scene = Scene("RootNode").add("robot", size=0.5, body=False)
        joints = scene.nodes["robot"]
        legs = {side: [f"{side}{part}" for part in ("UpLeg", "Leg", "Foot", "ToeBase")] for side in ("Left", "Right")}
        trunk = [name for name in joints if name != "Hips" and name not in legs["Left"] + legs["Right"]]
        scene.glb.root["skins"] = [{"joints": [joints[bone] for bone in bones]} for bones in (*legs.values(), trunk)]
        scene.clip("kick", [("robot", "RightUpLeg")])
        _, clips = self.made("robot", scene)
        self.assertEqual(self.described(clips["kick"])[0], 0.5)

    def test_through_json_and_glb(self):
        """Names are the same, but the clip's joints are those of the second."""
        scene = Scene("RootNode").add("big").add("small", size=0.5, at=(3, 0, 0)).clip("of-small", [("small", ARM)])
        _, clips = self.made("way", scene)
        for ending in ("json", "glb"):
            with self.subTest(ending):
                reply = self.client.get(f"/v1/clips/{clips['of-small']}.{ending}", mesh="none") if ending == "glb" else \
                    self.client.get(f"/v1/clips/{clips['of-small']}.{ending}")
                again = self.client.post("/v1/archives", reply.body, name=f"again.{ending}")
                self.assertIn(again.status, (200, 201), again.body[:300])
                self.assertEqual(self.described(again.json["clips"][0]["id"])[0], 0.5)

    def test_json_with_a_figure_that_cannot_be(self):
        scene = Scene("RootNode").add("big").add("small", at=(3, 0, 0)).clip("nod", [("big", "Head")])
        clip = self.client.get(f"/v1/clips/{self.made('json', scene)[1]['nod']}.json").json
        for figure in (-1, len(clip["skeleton"]["joints"]) + 1, 2 ** 40):
            clip["skeleton"]["joints"][3]["figure"] = figure
            reply = self.client.post("/v1/convert", json.dumps(clip).encode(), name="nod.json", to="glb")
            self.assertProblem(reply, 422, code="bad_index")

    def test_a_rider(self):
        """Whoever hangs on a joint of another is of one figure with it."""
        scene = Scene().add("big")
        scene.add("small", size=0.5, above=scene.nodes["big"]["Spine"]).clip("nod", [("small", "Head")])
        skeleton, _ = self.made("rider", scene)
        self.assertNotIn("figure", self.client.get(f"/v1/skeletons/{skeleton}").json["joints"][0])

    def moved(self, data):
        """The topmost named nodes above what the animations of a GLB move, below its root."""
        length = struct.unpack_from("<I", data, 12)[0]
        root = json.loads(data[20:20 + length])
        parents = {child: i for i, node in enumerate(root["nodes"]) for child in node.get("children", ())}
        found = set()
        for animation in root["animations"]:
            for channel in animation["channels"]:
                node = channel["target"]["node"]
                while not root["nodes"][node]["name"].startswith("Armature"):
                    node = parents[node]
                found.add(root["nodes"][node]["name"])
        return found

    def test_the_mannequin_is_the_moved_ones(self):
        scene = Scene("RootNode").add("big", body=False).add("small", size=0.5, at=(3, 0, 0), body=False)
        scene.clip("of-big", [("big", ARM)]).clip("of-small", [("small", ARM)])
        alone = Scene("RootNode").add("small", size=0.5, at=(3, 0, 0), body=False).clip("of-small", [("small", ARM)])
        _, clips = self.made("drawn", scene)
        _, others = self.made("alone", alone)
        for picture in ("preview.png", "preview.svg"):
            for mesh in ("mannequin", "bones"):
                query = {"width": 160, "height": 160, "mesh": mesh, "t": 0.5}
                got, wanted = (self.client.get(f"/v1/clips/{ids['of-small']}/{picture}", **query) for ids in (clips, others))
                self.assertEqual((got.status, got.body == wanted.body), (200, True), (picture, mesh))
        bounds = []
        for name in ("of-big", "of-small"):
            data = self.client.get(f"/v1/clips/{clips[name]}.glb", mesh="mannequin").body
            root = json.loads(data[20:20 + struct.unpack_from("<I", data, 12)[0]])
            bounds.append(root["accessors"][root["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]["max"])
        self.assertLess(bounds[0][0], 1.5)
        self.assertGreater(bounds[1][0], 2.5)

    def test_the_bodies_of_those_who_are_not_moved_are_not_drawn(self):
        def scene(*who):
            made = Scene("RootNode")
            for name, size, at in (("big", 1, 0), ("small", 0.5, 3)):
                if name in who:
                    made.add(name, size=size, at=(at, 0, 0))
            for name in who:
                made.clip(f"of-{name}", [(name, ARM)])
            return made.clip("of-all", [(name, ARM) for name in who])
        _, clips = self.made("bodies", scene("big", "small"))
        for who in ("big", "small"):
            _, others = self.made(f"body-{who}", scene(who))
            got, wanted = (self.client.get(f"/v1/clips/{ids[f'of-{who}']}/preview.png", width=160, height=160, mesh="auto")
                           for ids in (clips, others))
            self.assertEqual((got.status, got.body == wanted.body), (200, True), who)
        pictures = {name: self.client.get(f"/v1/clips/{clips[name]}/preview.png", width=160, height=160, mesh="auto").body
                    for name in clips}
        self.assertEqual(len(set(pictures.values())), 3)


class Above(SampleCase):
    """What stands above the bones, also of the person that a clip is retargeted to."""

    made = Figures.made

    def person(self, name, scale):
        scene = Scene().add("p", 1 / scale, body=False).clip("arm", [("p", ARM)])
        scene.glb.root["nodes"][0]["scale"] = [scale] * 3
        joints = scene.glb.root["skins"][0]["joints"]
        scene.glb.root["skins"][0]["inverseBindMatrices"] = scene.glb.accessor([matrix(scene.place(joint)) for joint in joints])
        return self.made(name, scene)

    def joints(self, clip, **query):
        reply = self.client.get(f"/v1/clips/{clip}.json", axes="gltf", **query)
        self.assertEqual(reply.status, 200, reply.body[:300])
        return [(joint["name"], [round(x, 4) for x in joint["translation"]]) for joint in reply.json["skeleton"]["joints"]]

    def test_json_in_metres(self):
        (metres, clips), (small, others) = self.person("metres", 1), self.person("small", 0.01)
        wanted = self.joints(clips["arm"])
        self.assertEqual(wanted[0][0], "Hips")
        self.assertEqual(self.joints(others["arm"]), wanted)
        native = self.client.get(f"/v1/clips/{others['arm']}.json").json["skeleton"]["joints"]
        self.assertEqual(native[0]["name"], "Armature_p")
        self.assertEqual(self.joints(clips["arm"], retarget=1, onto=small), self.joints(clips["arm"], retarget=1, onto=metres))
        bvh = [self.client.get(f"/v1/clips/{clips['arm']}.bvh", retarget=1, onto=onto).body for onto in (small, metres)]
        self.assertTrue(bvh[0].startswith(b"HIERARCHY\nROOT Hips\n"), bvh[0][:100])
        self.assertEqual(*bvh)


if __name__ == "__main__":
    unittest.main()
