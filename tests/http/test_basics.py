"""Health, metrics, formats, the contract itself, and what every path has in common."""

import json
import re

from contract import ROOT
from daemon import Daemon
from fixture import SampleCase
from uploads import WAVE, sample


class Basics(SampleCase):
    def test_health(self):
        reply = self.client.get("/healthz")
        self.assertEqual((reply.status, reply.json["status"]), (200, "ok"))
        self.assertRegex(reply.json["version"], r"^\d+\.\d+\.\d+$")
        self.assertEqual(self.client.get("/readyz").status, 200)

    def test_contract_is_served_as_it_is(self):
        committed = json.loads((ROOT / "api" / "openapi.json").read_text())
        self.assertEqual(self.client.get("/openapi.json").json, committed)

    def test_what_accept_takes(self):
        """One rule for every answer that is JSON; what the path or a parameter names is that, whatever Accept says."""
        ids = {kind: self.client.items(f"/v1/{kind}")[0]["id"] for kind in ("clips", "archives", "skeletons", "meshes")}
        clip = self.clip("a2o-walk", "tso-anim")
        paths = [f"/v1/{kind}{rest}" for kind, found in ids.items() for rest in ("", f"/{found}")]
        paths += [f"/v1/clips/{clip['id']}/{part}" for part in ("keys", "events", "pose", "poses")]
        paths += ["/v1/characters", f"/v1/archives/{ids['archives']}/entries", f"/v1/meshes/{ids['meshes']}/vertices",
                  "/v1/named/sims-online.far/a2o-walk", "/v1/named/sims-online.far/a2o-walk/keys", "/v1/formats",
                  "/v1/hash?name=x", "/v1/resolve?name=x"]
        browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
        for path in paths:
            for accept in (None, "", "*/*", browser, "application/*", "Application/JSON", "application/json;q=0.1, text/*"):
                reply = self.client.get(path, headers={} if accept is None else {"Accept": accept})
                self.assertEqual((reply.status, reply.media_type), (200, "application/json"), (path, accept))
            for accept in ("image/png", "text/html", "application/json;q=0", "application/json;q=0, text/*"):
                reply = self.client.get(path, headers={"Accept": accept})
                self.assertEqual(reply.status, 406)
                self.assertIn("application/json", reply.text)
                if "text/" in accept:
                    self.assertEqual(reply.media_type, "text/html")
                else:
                    self.assertProblem(reply, 406, code="not_acceptable")
        refused = {"Accept": "image/png"}
        for path in ("/healthz", "/openapi.json", f"/v1/clips/{clip['id']}.json", f"/v1/clips/{clip['id']}.glb", "/",
                     f"/v1/clips/{clip['id']}/preview.svg", f"/v1/clips/{clip['id']}/pose?as=json"):
            self.assertEqual(self.client.get(path, headers=refused).status, 200, path)
        archives = len(self.client.items("/v1/archives"))
        self.assertProblem(self.client.post("/v1/archives", sample(WAVE), refused, name="x.anim"), 406)
        self.assertProblem(self.client.post("/v1/inspect", sample(WAVE), refused, name="x.anim"), 406)
        self.assertProblem(self.client.post("/v1/poses", b'{"requests":[]}', refused), 406)
        self.assertEqual(len(self.client.items("/v1/archives")), archives)
        floats = self.client.get(f"/v1/meshes/{ids['meshes']}/vertices", headers={"Accept": "application/octet-stream"})
        self.assertEqual(floats.media_type, "application/octet-stream")

    def test_metrics(self):
        self.client.get("/healthz")
        self.client.get("/nothing/here")
        reply = self.client.get("/metrics")
        self.assertTrue(reply["Content-Type"].startswith("text/plain"), reply["Content-Type"])
        for line in reply.text.splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) \S+ .*|[a-z_]+(\{([a-z]+="[^"]*",?)*\})? [-+0-9.eInf]+)$')
        for name in ("posed_http_connections", "posed_queue_depth", "posed_cache_limit_bytes", "posed_build_info",
                     "posed_catalog_assets", "process_resident_memory_bytes"):
            self.assertIn("\n" + name, reply.text)
        asked = self.client.metric("posed_http_requests_total", route="/healthz", method="GET", code="200")
        self.assertGreaterEqual(asked, 1)

    def test_metrics_count_by_template(self):
        clip = self.client.get("/v1/clips").json["items"][0]["id"]
        self.client.get(f"/v1/clips/{clip}/pose")
        self.assertNotIn(clip, self.client.get("/metrics").text)
        self.assertGreaterEqual(
            self.client.metric("posed_http_requests_total", route="/v1/clips/{id}/pose", code="200"), 1
        )

    def test_formats(self):
        formats = self.client.get("/v1/formats").json
        page = self.client.get("/v1/formats", limit=4)
        self.assertEqual((page.json["items"], page.json["total"]), (formats["items"][:4], formats["total"]))
        self.assertEqual(page["Link"], f'<{page.json["next"]}>; rel="next"')
        formats = formats["items"] if isinstance(formats, dict) else formats
        known = {f["id"]: f for f in formats}
        for name in ("sl-anim", "tso-anim", "tso-skel", "far1a", "far1b", "far3", "zip"):
            self.assertIn(name, known)
            self.assertTrue(known[name]["read"] and known[name]["write"], known[name])
        self.assertTrue(known["sl-skeleton"]["read"])
        self.assertIn(".anim", known["sl-anim"]["extensions"])
        self.assertEqual(known["sl-anim"]["kinds"], ["clip"])
        self.assertEqual([known[name]["family"] for name in ("sl-anim", "tso-anim", "sims1-cmx", "sims3-clip")], ["sl", "sims", "sims", "sims3"])
        self.assertEqual((known["gltf"]["targets"], known["sims1-cfp"]["targets"]), (["glb", "gltf"], []))
        targets = {target for row in formats for target in row["targets"]}
        parameters = json.loads((ROOT / "api" / "openapi.json").read_text())["components"]["parameters"]
        meshes = {target for row in formats for target in row["mesh_targets"]}
        self.assertLessEqual({"sims1-skn", "sims1-bmf", "tso-mesh", "sims3-geom", "prime-cmdl"}, meshes)
        self.assertEqual(set(parameters["convert_to"]["schema"]["enum"]), targets)
        self.assertEqual(set(parameters["convert_target"]["schema"]["enum"]), targets | meshes)

    def test_nothing_there(self):
        for path in ("/nothing", "/v1", "/v1/", "/v1/clips/", "/v1/clips/" + 32 * "0", "/v1/archives/" + 32 * "f",
                     "/v1/skeletons/" + 32 * "0", "/v1/clips/..%2f..%2fetc%2fpasswd", "/v1/clips/xyz/pose", "//"):
            with self.subTest(path):
                self.assertEqual(self.client.get(path).status, 404)

    def test_wrong_method(self):
        clip = self.client.get("/v1/clips").json["items"][0]["id"]
        for method, path, allowed in (("POST", "/v1/clips", "GET"), ("DELETE", f"/v1/clips/{clip}/pose", "GET"),
                                      ("PUT", "/healthz", "GET"), ("GET", "/v1/inspect", "POST"),
                                      ("PATCH", "/v1/formats", "GET")):
            with self.subTest(method=method, path=path):
                reply = self.client.request(method, path)
                self.assertEqual(reply.status, 405)
                self.assertIn(allowed, re.split(r",\s*", reply["Allow"]))
                self.assertIn(f"is not a method of this path; use {allowed}", reply.json["detail"])

    def test_head_is_get_without_body(self):
        clip = self.client.get("/v1/clips").json["items"][0]["id"]
        for path in ("/healthz", "/v1/formats", "/v1/clips", f"/v1/clips/{clip}/pose?t=0.1", f"/v1/clips/{clip}/keys"):
            with self.subTest(path):
                get, head = self.client.get(path), self.client.request("HEAD", path)
                self.assertEqual((head.status, head.raw_body), (get.status, b""))
                self.assertEqual(head["Content-Length"], get["Content-Length"])
                self.assertEqual(head["ETag"], get["ETag"])

    def test_what_may_have_been_meant(self):
        clip = self.clip("a2o-walk", "tso-anim")
        for target, status, suggestions in (
                ("/v1/clips?limt=1", 400, ["limit"]),
                ("/v1/clips?format=sl_anim", 400, ["sl-anim"]),
                ("/v1/meshes?format=tso-mehs", 400, ["tso-mesh"]),
                (f"/v1/clips/{clip['id']}.anim?to=sl-anm", 400, ["sl-anim"]),
                (f"/v1/clips/{clip['id']}/pose?joints=PELVIS,HAED", 400, ["HEAD"]),
                ("/v1/named/sims-online.far/a2o-wlak/pose", 404, ["a2o-walk"]),
                ("/v1/named/sims-onlin.far/a2o-walk", 404, ["sims-online.far"]),
                (f"/v1/clips/{clip['id']}.gbl", 404, ["glb"]),
                (f"/v1/clips/{clip['id']}/pse", 404, [f"/v1/clips/{clip['id']}/pose"]),
                (f"/v1/clips/{clip['id']}/preview.pgn", 404, [f"/v1/clips/{clip['id']}/preview.png"]),
                (f"/v1/meshes/{clip['id']}/vertice", 404, [f"/v1/meshes/{clip['id']}/vertices"]),
                ("/v1/named/sims-online.far/a2o-walk/pse", 404, ["/v1/named/sims-online.far/a2o-walk/pose"]),
                ("/v1/named/sims-online.far/a2o-walk/preview.pgn", 404, ["/v1/named/sims-online.far/a2o-walk/preview.png"]),
                ("/v1/named/no-such/clip%20of%20mine/event", 404, ["/v1/named/no-such/clip%20of%20mine/events"]),
                ("/v1/named/" + 40 * "a" + "/" + 40 * "b" + "/kyes", 404, ["/v1/named/" + 40 * "a" + "/" + 40 * "b" + "/keys"]),
                ("/v1/clip", 404, ["/v1/clips"])):
            with self.subTest(target):
                reply = self.client.get(target)
                self.assertEqual(reply.status, status)
                self.assertEqual(reply.json["suggestions"][:1], suggestions)
                self.assertIn(f'did you mean "{suggestions[0]}"?', reply.json["detail"])
        reply = self.client.post("/v1/convert?to=sl-anm&name=x.anim", sample(WAVE))
        self.assertEqual(reply.json["suggestions"][:1], ["sl-anim"])
        long = f"/v1/named/{400 * 'a'}/b/"
        reply = self.client.get(long + "pse")
        self.assertEqual(reply.json["suggestions"][0], long + "pose")
        self.assertTrue(reply.json["detail"].endswith('did you mean ".../pose"?'))
        for target in (f"/v1/named/{2000 * 'a'}/b/pse", "/v1/named/a/b/c/pse", "/v1/named/a/b/vertice", "/v1/named/a/b/c/d/pse",
                       "/v1/clips?theme=1", "/v1/clips?format=nothing-like-it", "/v1/named/zzz/yyy", "/nothing-like-it"):
            self.assertNotIn("suggestions", self.client.get(target).json)

    def test_refusals_say_what_to_do(self):
        clip = self.clip("a2o-walk", "tso-anim")["id"]
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        for path in ("/v1/convert?to=glb", "/v1/inspect"):
            self.assertIn("with curl use --data-binary @FILE", self.client.post(path, b"no clip", form).json["detail"])
            self.assertNotIn("curl", self.client.post(path, b"no clip").json["detail"])
            self.assertNotIn("curl", self.client.post(path, b"no\0clip", form).json["detail"])
        self.assertEqual(self.client.get(f"/v1/clips/{clip}.glb?fps=0").json["detail"], "fps: 0 is not between 0.1 and 1000")
        self.assertEqual(self.client.get(f"/v1/clips/{clip}.glb?fps=0.1").status, 200)
        for path in ("/v1", "/v1/"):
            self.assertIn("described at /docs", self.client.get(path).json["detail"])
        for target, status, text in (
                ("/v1/formats?theme=1&sort=a", 400, "theme: unknown parameter"),
                ("/v1/clips?theme=1", 400, "theme: unknown parameter; allowed: "),
                ("/v1/archives?sort=size", 400, 'sort: "size" is not one of name, newest, bytes'),
                ("/v1/clips?format=nothing-like-it", 400, 'unknown format "nothing-like-it"; /v1/formats lists them'),
                ("/v1/clips/walk/pose", 404, 'no clip "walk"; an id has 32 hex digits; by name: /v1/named/ARCHIVE/CLIP'),
                (f"/v1/clips/{clip}/diff?with=walk", 400, 'no clip "walk"; an id has'),
                ("/v1/named/sims-online.far/a2o-walk/preview.gif", 404, "; a preview ends in .svg, .png or .webp")):
            reply = self.client.get(target)
            self.assertEqual(reply.status, status)
            self.assertIn(text, reply.json["detail"])
        self.assertTrue(self.client.get("/v1/clips/" + 32 * "0").json["detail"].endswith('0"'))
        several = (Daemon.samples / "sims-online.far").read_bytes()
        detail = self.client.post("/v1/convert?to=sl-anim", several).json["detail"]
        self.assertRegex(detail, "^clip: the file holds several clips; choose with clip=NAME, or take all with as=zip; there are: .*a2o-walk")

    def test_preflight(self):
        clip = self.client.get("/v1/clips").json["items"][0]["id"]
        reply = self.client.request(
            "OPTIONS", f"/v1/clips/{clip}/pose", check=False,
            headers={"Origin": "https://example.org", "Access-Control-Request-Method": "GET"},
        )
        self.assertEqual(reply.status, 204)
        self.assertEqual(reply["Access-Control-Allow-Origin"], "*")
        self.assertEqual(reply["Access-Control-Max-Age"], "86400")
        self.assertIn("GET", reply["Access-Control-Allow-Methods"])
        for name in ("Authorization", "Content-Type", "Content-Disposition", "If-None-Match", "Range"):
            self.assertIn(name.lower(), reply["Access-Control-Allow-Headers"].lower())

    def test_headers_of_every_answer(self):
        for path in ("/healthz", "/v1/clips", "/nothing"):
            with self.subTest(path):
                reply = self.client.get(path, headers={"Origin": "https://example.org", "X-Request-Id": "mine-42"})
                self.assertEqual(reply["X-Request-Id"], "mine-42")
                self.assertEqual(reply["Access-Control-Allow-Origin"], "*")
                exposed = reply["Access-Control-Expose-Headers"].lower()
                for name in ("ETag", "Link", "Location", "Content-Location", "Content-Disposition", "Retry-After",
                             "Server-Timing", "X-Request-Id", "Posed-Frames", "Posed-Joints", "Posed-Fps",
                             "Posed-Warning"):
                    self.assertIn(name.lower(), exposed)
                self.assertEqual(reply["Timing-Allow-Origin"], "*")
                self.assertEqual(reply["Cross-Origin-Resource-Policy"], "cross-origin")

    def test_headers_that_are_sent_are_exposed(self):
        """All that the sources send, but those that a browser reads anyway, and those that are only for it and for proxies."""
        anyway = {"cache-control", "content-type", "content-language", "content-length", "expires", "last-modified", "pragma"}
        for_browsers = {"connection", "content-encoding", "content-security-policy", "referrer-policy", "set-cookie", "vary",
                        "x-accel-buffering", "x-content-type-options", "timing-allow-origin", "cross-origin-resource-policy",
                        "transfer-encoding", "date", "server"}
        sent = set()
        for folder in ("api", "server"):
            for path in sorted((ROOT / folder).rglob("*.c")):
                text = path.read_text()
                sent |= set(re.findall(r'response_header\([^;]*?"([A-Z][A-Za-z]*(?:-[A-Za-z]+)*)",', text))
                sent |= set(re.findall(r'"(Posed-[A-Z][A-Za-z-]*)"', text))
        self.assertIn("Posed-Range", sent)
        self.assertIn("ETag", sent)
        exposed = {name.strip().lower() for name in self.client.get("/healthz")["Access-Control-Expose-Headers"].split(",")}
        hidden = {name for name in sent if not name.lower().startswith("access-control-")
                  and name.lower() not in anyway | for_browsers | exposed}
        self.assertEqual(hidden, set())

    def test_request_id_is_made_when_it_cannot_be_echoed(self):
        for given in (None, "x" * 129, "with blank"):
            headers = {"X-Request-Id": given} if given else {}
            found = self.client.get("/nothing", headers=headers)
            self.assertNotEqual(found["X-Request-Id"], given)
            self.assertEqual(found.json["request_id"], found["X-Request-Id"])

    def test_bad_parameters(self):
        clip = self.client.get("/v1/clips").json["items"][0]["id"]
        pose, poses = f"/v1/clips/{clip}/pose", f"/v1/clips/{clip}/poses"
        for target, parameter in (
            (f"{pose}?tt=1", "tt"), (f"{pose}?t=1&t=2", "t"), (f"{pose}?t=abc", "t"), (f"{pose}?t=", "t"),
            (f"{pose}?t=nan", "t"), (f"{pose}?t=inf", "t"), (f"{pose}?t=1e999", "t"), (f"{pose}?t=1,5", "t"),
            (f"{pose}?space=world", "space"), (f"{pose}?axes=maya", "axes"), (f"{pose}?wrap=bounce", "wrap"),
            (f"{pose}?skeleton=best", "skeleton"), (f"{pose}?space=model&skeleton=none", "space"),
            (f"{pose}?root=away", "root"), (f"{poses}?fps=0", "fps"), (f"{poses}?fps=-1", "fps"),
            (f"{poses}?fps=1e9", "fps"), (f"{poses}?as=xml", "as"), (f"{poses}?end=2", "end"),
            ("/v1/clips?limit=0", "limit"), ("/v1/clips?limit=1001", "limit"), ("/v1/clips?limit=ten", "limit"),
            ("/v1/clips?sort=age", "sort"), ("/v1/clips?min_duration=x", "min_duration"), ("/healthz?x=1", "x"),
            ("/v1/formats?q=sl", "q"),
        ):
            with self.subTest(target):
                self.assertProblem(self.client.get(target), 400, parameter=parameter)

    def test_bad_bytes_in_the_target(self):
        for target in (b"/v1/clips?q=%zz", b"/v1/clips?q=%ff", b"/v1/clips?q=a%00b", b"/v1/named/%ff/x"):
            with self.subTest(target):
                answer = self.client.raw(b"GET " + target + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                self.assertRegex(answer.split(b"\r\n", 1)[0], rb"^HTTP/1.1 40[04] ")
