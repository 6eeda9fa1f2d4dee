"""Every example of openapi.json, asked for on the sample library: each is answered, and as described."""

import json
import re
import unittest
from urllib.parse import quote

from daemon import Daemon
from fixture import ServedCase
from uploads import form

# Parameters that say something only beside others, and the value that a path must have for them.
TO_SL = {"ext": "anim", "to": "sl-anim"}
NUMBERED = '{"HEAD":"joint_7","mHead":"joint_7","head":"joint_7"}'  # a bone that the game has
OF_A_PATH = {"to": {"ext": "anim"}, "game": {"ext": "anim", "to": "prime-anim", "map": NUMBERED}, "axes": {"ext": "json"},
             "unit": {"ext": "bvh"}} | {
    name: TO_SL for name in ("priority", "loop", "ease_in", "ease_out")}
OF_A_BODY = {"axes": {"to": "json"}, "game": {"to": "prime-anim", "map": NUMBERED}, "unit": {"to": "bvh"}} | {
    name: {"to": "sl-anim"} for name in ("priority", "loop", "ease_in", "ease_out")}
# A mesh whose vertices are not in the space of their bones, and what is written from it.
STATIC = "611826a66e3e9a55c502d645d87f4c3f"
OF_A_MESH = {"simgeom": {"id": STATIC}, "cmdl": {"id": STATIC}, "game": {"id": STATIC, "ext": "cmdl"}}
MOVING = {name: {"motion": 1} for name in ("fps", "seconds")}
BESIDE = {"preview.svg": MOVING, "{id}.{ext}": OF_A_PATH, "{clip}.{ext}": OF_A_PATH, "convert": OF_A_BODY, "{id}.zip": OF_A_BODY}
# Parameters about a file, which a body that names clips is not.
OF_A_FILE = {"as", "clip", "format", "up", "retarget", "onto", "map_onto", "ik", "travel", "heading", "tolerance"}
# A stream that only its client ends.
ENDLESS = "/v1/changes"
# An answer needs one of them.
ONE_OF = {"/v1/resolve": ("name", "id")}


def examples_of(item):
    if "examples" in item:
        return [example["value"] for example in item["examples"].values()]
    return [item["example"]]


class Examples(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(Daemon.samples)
        cls.daemon.start()
        cls.client = cls.daemon.client
        cls.contract = Daemon.contract
        cls.asked = set()

    @classmethod
    def tearDownClass(cls):
        assert cls.daemon.stop() == 0, cls.daemon.errors()

    def parameters(self, operation):
        return [self.contract.resolve(p) for p in operation.item.get("parameters", [])]

    def bodies(self, operation):
        """(headers, body) of each example of a body; one without where there is none."""
        content = self.contract.resolve(operation.item.get("requestBody", {})).get("content", {})
        for media, item in content.items():
            for example in examples_of(item):
                if media == "multipart/form-data":
                    yield form([(name, name, text.encode()) for name, text in example.items()])
                elif media == "application/json":
                    yield {"Content-Type": media}, json.dumps(example).encode()
                else:
                    yield {"Content-Type": media}, example.encode()
        if not content:
            yield {}, None

    def combinations(self, operation):
        """{(in, name): value} of the required parameters alone, then with each example of each other one."""
        parameters = self.parameters(operation)
        required = {(p["in"], p["name"]): examples_of(p)[0] for p in parameters if p.get("required")}
        onto = {("query", p["name"]): examples_of(p)[0] for p in parameters if p["name"] in ("retarget", "onto")}
        if operation.template.endswith("/retarget"):
            required.update(onto)
        if operation.template not in ONE_OF:
            yield required
        beside = BESIDE.get(operation.template.rsplit("/", 1)[1], {})
        if operation.template == "/v1/meshes/{id}.{ext}":
            beside = OF_A_MESH
        for p in parameters:
            for value in examples_of(p)[1 if p.get("required") else 0:]:
                chosen = dict(required)
                if p["name"] == "retarget" or p["description"].startswith("With `retarget=1`"):
                    chosen.update(onto)
                chosen[p["in"], p["name"]] = value
                for name, other in (beside.get(p["name"]) or beside.get(value, {})).items():
                    chosen["path" if "{%s}" % name in operation.template else "query", name] = other
                yield chosen

    def ask(self, operation, chosen, headers, body):
        target, query, headers = operation.template, [], dict(headers)
        if operation.template == "/assets/{file}":  # named by its bytes: as the page has it
            chosen = {("path", "file"): re.search(r'/assets/([^"]+)', self.client.get("/").text).group(1)}
        for (place, name), value in chosen.items():
            text = str(value)
            if place == "path":
                target = target.replace("{%s}" % name, quote(text, safe=""))
            elif place == "query":
                query.append(f"{name}={quote(text, safe='')}")
            else:
                headers[name] = text
        self.assertNotIn("{", target, operation.name)
        if body is not None and not any(name == "name" for place, name in chosen if place == "query"):
            headers.setdefault("Content-Disposition", 'attachment; filename="nod.bvh"')
        method = "HEAD" if operation.template == ENDLESS else operation.method.upper()
        reply = self.client.request(method, target + ("?" + "&".join(query) if query else ""), body=body,
                                    headers=headers)
        if operation.template == "/v1/convert" and headers.get("Content-Type") == "application/json" and any(
                name in OF_A_FILE for _, name in chosen):
            self.assertEqual((reply.status, reply.json["code"]), (400, "bad_parameter"), reply)
            return reply
        if operation.method == "post" and ("query", "retarget") in chosen:  # the bodies of the examples are no people
            self.assertEqual((reply.status, reply.json["code"]), (422, "not_humanoid"), reply)
            return reply
        self.assertIn(reply.status, (200, 201, 204), reply)
        self.asked.add(operation.name)
        return reply

    def test_all(self):
        """Uploads before deletions: the one that is deleted is the one that was uploaded."""
        order = {"post": 0, "get": 1, "delete": 2}
        count = 0
        for operation in sorted(self.contract.operations, key=lambda o: (order[o.method], o.template)):
            for chosen in self.combinations(operation):
                for headers, body in self.bodies(operation):
                    with self.subTest(operation.name, **{name: str(value)[:40] for (_, name), value in chosen.items()}):
                        reply = self.ask(operation, chosen, headers, body)
                        count += 1
                        if operation.method == "get" and operation.template != ENDLESS:
                            self.check_head(operation, reply)
        self.assertEqual(sorted(self.asked), sorted(o.name for o in self.contract.operations))
        self.assertGreater(count, 300)

    def check_head(self, operation, reply):
        """HEAD tells what GET did."""
        if operation.template in ("/metrics", "/readyz", "/healthz"):
            return
        head = self.client.request("HEAD", reply.target)
        self.assertEqual((head.status, head.raw_body, head["ETag"]), (reply.status, b"", reply["ETag"]))
        if reply["Content-Length"] and head["Content-Length"]:
            self.assertEqual(head["Content-Length"], reply["Content-Length"])

    def test_everything_has_one(self):
        for operation in self.contract.operations:
            for p in self.parameters(operation):
                self.assertTrue("example" in p or "examples" in p, f"{operation.name}: {p['name']} has no example")
                for value in examples_of(p):
                    self.contract.validate(p["schema"], value, f"{operation.name}: the example of {p['name']}")
            content = self.contract.resolve(operation.item.get("requestBody", {})).get("content", {})
            for media, item in content.items():
                self.assertTrue("example" in item or "examples" in item, f"{operation.name}: {media} has no example")
            self.assertTrue(operation.item.get("summary") or operation.item.get("description"), operation.name)


class EveryRoute(ServedCase):
    """What holds for each template of the contract, whatever it does."""

    @classmethod
    def serves(cls):
        return (Daemon.samples,)

    def targets(self):
        """(template, methods, a path of it)"""
        for template, items in Daemon.contract.document["paths"].items():
            path = template
            for item in next(iter(items.values())).get("parameters", []):
                p = Daemon.contract.resolve(item)
                if p["in"] == "path":
                    path = path.replace("{%s}" % p["name"], quote(str(examples_of(p)[0]), safe=""))
            yield template, {method.upper() for method in items}, path

    def test_wrong_methods(self):
        for template, methods, path in self.targets():
            allowed = methods | ({"HEAD"} if "GET" in methods else set()) | {"OPTIONS"}
            for method in ("GET", "POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW"):
                if method in methods:
                    continue
                with self.subTest(template, method=method):
                    reply = self.client.request(method, path, check=False)
                    self.assertEqual(reply.status, 405, reply)
                    self.assertEqual(set(re.split(r",\s*", reply["Allow"])), allowed)
                    Daemon.contract.check_problem(reply, template)

    def test_preflight(self):
        for template, methods, path in self.targets():
            with self.subTest(template):
                reply = self.client.request("OPTIONS", path, check=False, headers={
                    "Origin": "https://front.example", "Access-Control-Request-Method": next(iter(methods))})
                self.assertEqual((reply.status, reply.raw_body), (204, b""))
                self.assertEqual(reply["Access-Control-Max-Age"], "86400")
                self.assertEqual(reply["Access-Control-Allow-Origin"], "*")
                self.assertLessEqual(methods, set(re.split(r",\s*", reply["Access-Control-Allow-Methods"])))

    def test_unknown_and_repeated_parameters(self):
        for template, methods, path in self.targets():
            for method in methods - {"DELETE"}:
                operation = Daemon.contract.find(method, path)
                names = [p["name"] for p in map(Daemon.contract.resolve, operation.item.get("parameters", [])) if p["in"] == "query"]
                for query, name in [("no_such=1", "no_such")] + [(f"{n}=1&{n}=1", n) for n in names]:
                    with self.subTest(template, query=query):
                        reply = self.client.request(method, f"{path}?{query}", body=b"x" if method == "POST" else None, check=False)
                        self.assertEqual((reply.status, reply.json.get("parameter")), (400, name), reply)

    def test_ids_of_nothing(self):
        for template, methods, _ in self.targets():
            if "{id}" not in template or not template.startswith("/v1/"):
                continue
            for method in methods:
                for wrong in ("0" * 32, "xyz", "A" * 32):
                    path = template.replace("{id}", wrong).replace("{ext}", "glb").replace("{index}", "0")
                    reply = self.client.request(method, path)
                    self.assertEqual(reply.status, 404, reply)


if __name__ == "__main__":
    unittest.main()
