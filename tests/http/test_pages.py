"""The documents of the web page and what they load: types, policies, caching. The browser's tests look at them."""

import re

from fixture import SampleCase


class Pages(SampleCase):
    def test_documents(self):
        clip = self.client.get("/v1/clips").json["items"][0]["id"]
        for path, framed in (("/", "'none'"), (f"/clip/{clip}", "'none'"), ("/docs", "'none'"), ("/moderation", "'none'"), (f"/embed/{clip}", "*"),
                             ("/?q=walk&sort=-duration", "'none'")):
            with self.subTest(path):
                reply = self.client.get(path)
                self.assertEqual((reply.status, reply.media_type), (200, "text/html"))
                policy = reply["Content-Security-Policy"]
                self.assertIn("default-src 'none'", policy)
                self.assertIn("script-src 'self'", policy)
                self.assertTrue(policy.endswith(f"frame-ancestors {framed}"), policy)
                own = f"http://{self.client.host}:{self.client.port}/"
                self.assertNotIn("http:", reply.text.replace("http://www.w3.org/2000/svg", "").replace(own, "/"))
                self.assertNotIn("https:", reply.text)

    def test_what_they_load(self):
        for path in ("/", "/docs", "/moderation"):
            links = re.findall(r'(?:href|src)="(/assets/[^"]+)"', self.client.get(path).text)
            self.assertGreaterEqual(len(links), 2)
            for link in links:
                plain = self.client.get(link)
                self.assertEqual(plain.media_type, "text/css" if link.endswith(".css") else "text/javascript")
                self.assertIn("immutable", plain["Cache-Control"])
                for part in re.findall(r'(?:from|import)"\./(part-\w+\.js)"', plain.text):
                    self.assertIn(f"/assets/{part}", links, "a part that is asked for only when the script is there")
                packed = self.client.get(link, headers={"Accept-Encoding": "gzip"})
                self.assertEqual(packed.body, plain.body)
                if len(plain.body) > 1024:
                    self.assertEqual(packed["Content-Encoding"], "gzip")
                    self.assertNotEqual(packed["ETag"], plain["ETag"])
                again = self.client.get(link, headers={"If-None-Match": plain["ETag"]})
                self.assertEqual(again.status, 304)
        self.assertEqual(self.client.get("/assets/nothing.js").status, 404)

    def test_the_module_by_brotli(self):
        scripts = [self.client.get(link).text for link in re.findall(r'(?:href|src)="(/assets/[^"]+\.js)"', self.client.get("/").text)]
        later = {part for text in scripts for part in re.findall(r"part-\w+\.js", text)} # what is fetched on demand
        scripts += [self.client.get(f"/assets/{part}").text for part in later]
        modules = {name for text in scripts for name in re.findall(r"/assets/libpose-\w+\.wasm", text)}
        if not modules:
            self.skipTest("built without libpose.wasm")
        (path,) = modules
        plain, gzip, brotli = (self.client.get(path, headers={"Accept-Encoding": coding}) for coding in ("identity", "gzip", "gzip, br"))
        self.assertEqual([reply["Content-Encoding"] for reply in (plain, gzip, brotli)], [None, "gzip", "br"])
        self.assertLess(len(brotli.raw_body), len(gzip.raw_body))
        self.assertLess(len(brotli.raw_body), 256_000) # without wasm-opt it is more
        self.assertEqual(len({reply["ETag"] for reply in (plain, gzip, brotli)}), 3)
        self.assertEqual(gzip.body, plain.body)
        again = self.client.get(path, headers={"Accept-Encoding": "br", "If-None-Match": brotli["ETag"]})
        self.assertEqual(again.status, 304)

    def test_codings(self):
        clip = self.client.get("/v1/clips").json["items"][0]["id"]
        for path in ("/", f"/embed/{clip}", "/docs", "/client.js", "/posed-clip.js"):
            with self.subTest(path):
                plain = self.client.get(path)
                etags = {plain["ETag"]}
                for coding in ("gzip", "zstd"):
                    reply = self.client.get(path, headers={"Accept-Encoding": coding})
                    if len(plain.body) <= 1024:
                        self.assertEqual((reply["Content-Encoding"], reply.body), (None, plain.body))
                        continue
                    self.assertEqual(reply["Content-Encoding"], coding)
                    self.assertLess(len(reply.raw_body), len(plain.body))
                    etags.add(reply["ETag"])
                    again = self.client.get(path, headers={"Accept-Encoding": coding, "If-None-Match": reply["ETag"]})
                    self.assertEqual(again.status, 304)
                self.assertEqual(len(etags), 3 if len(plain.body) > 1024 else 1)

    def test_the_page_is_small(self):
        links = re.findall(r'(?:href|src)="(/assets/[^"]+)"', self.client.get("/").text)
        sizes = [len(self.client.get(link, headers={"Accept-Encoding": "gzip"}).raw_body) for link in links]
        self.assertLess(sum(sizes), 400_000)

    def test_client(self):
        reply = self.client.get("/client.js")
        self.assertEqual((reply.status, reply.media_type, reply["Access-Control-Allow-Origin"]),
                         (200, "text/javascript", "*"))
        self.assertIn("export class Posed", reply.text)

    def test_element(self):
        reply = self.client.get("/posed-clip.js")
        self.assertEqual((reply.status, reply.media_type, reply["Access-Control-Allow-Origin"]),
                         (200, "text/javascript", "*"))
        stage = self.client.get(re.search(r'"\.(/assets/stage-[^"]+)"', reply.text).group(1))
        self.assertEqual((stage.status, stage["Access-Control-Allow-Origin"]), (200, "*"))

    def test_compare(self):
        first, second = (clip["id"] for clip in self.client.get("/v1/clips", limit=2).json["items"])
        reply = self.client.get(f"/compare/{first}?with={second}")
        self.assertEqual((reply.status, reply.media_type), (200, "text/html"))

    def test_parameters_of_embed(self):
        clip = self.client.get("/v1/clips").json["items"][0]["id"]
        self.assertEqual(self.client.get(f"/embed/{clip}?character=1&onto=2&background=red").status, 200)

    def test_unknown_parameters(self):
        self.assertProblem(self.client.get("/?theme=dark"), 400, parameter="theme")
