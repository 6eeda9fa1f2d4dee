"""ETags, conditional requests, cache lifetimes, codings."""

import re

from client import path_of
from fixture import SampleCase


class Caching(SampleCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.id = cls.clip("walk", "sl-anim")["id"]
        cls.base = f"/v1/clips/{cls.id}"
        cls.explicit = cls.client.get(cls.base + "/pose").json["skeleton"]

    def test_not_modified(self):
        for path in ("/v1/formats", "/v1/clips", "/v1/archives", "/v1/skeletons", self.base, self.base + "/keys",
                     self.base + "/pose?t=0.3", self.base + "/poses?fps=5", "/openapi.json",
                     self.base + "/events"):
            with self.subTest(path):
                etag = self.client.get(path)["ETag"]
                self.assertRegex(etag, r'^"[^"]+"$')
                for header in (etag, "*", f'"other", {etag}', f"W/{etag}"):
                    reply = self.client.get(path, headers={"If-None-Match": header})
                    self.assertEqual((reply.status, reply.raw_body), (304, b""), header)
                    self.assertEqual(reply["ETag"], etag)
                self.assertEqual(self.client.get(path, headers={"If-None-Match": '"other"'}).status, 200)

    def test_precondition(self):
        for path in (self.base + "/keys", self.base + "/pose?t=0.3", self.base, "/v1/clips"):
            with self.subTest(path):
                etag = self.client.get(path)["ETag"]
                for header in (etag, "*", f'"other", {etag}'):
                    self.assertEqual(self.client.get(path, headers={"If-Match": header}).status, 200, header)
                for header in ('"other"', f"W/{etag}"):
                    reply = self.client.get(path, headers={"If-Match": header})
                    self.assertProblem(reply, 412, code="precondition_failed")
                    self.assertIsNone(reply["ETag"])

    def test_not_modified_needs_no_decode(self):
        etag = self.client.get(self.base + "/keys")["ETag"]
        before = self.client.metric("posed_decodes_total")
        hits = self.client.metric("posed_cache_hits_total") + self.client.metric("posed_cache_misses_total")
        self.assertEqual(self.client.get(self.base + "/keys", headers={"If-None-Match": etag}).status, 304)
        self.assertEqual(self.client.metric("posed_decodes_total"), before)
        after = self.client.metric("posed_cache_hits_total") + self.client.metric("posed_cache_misses_total")
        self.assertEqual(after, hits)

    def test_etag_tells_answers_apart_and_like_answers_together(self):
        def etag(target):
            return self.client.get(self.base + target)["ETag"]

        self.assertEqual(etag("/pose?t=0.3&axes=native"), etag("/pose?axes=native&t=0.3000000"))
        self.assertEqual(etag("/pose?skeleton=none"), etag("/pose?t=0&space=local&axes=gltf&skeleton=none"))
        different = [etag(t) for t in ("/pose", "/pose?t=0.3", "/pose?axes=native", "/pose?skeleton=none",
                                       "/pose?space=model", "/pose?as=f32", "/poses", "/keys")]
        self.assertEqual(len(set(different)), len(different))

    def test_a_pose_that_is_asked_for_again_has_the_same_answer(self):
        """It is kept from the second time on, in each coding, with all its headers but those of the request."""
        own = {"date", "x-request-id", "server-timing"}
        # More loops than one may answer.
        times, kept = 12, self.client.metric("posed_cache_bytes", cache="replies")
        for t, form, coding in (("0.31", "", "identity"), ("0.31", "", "gzip"),
                                ("0.31", "&as=f32", "gzip"), ("0.32", "&space=model", "identity"),
                                ("0.33", "&skeleton=none", "gzip"), ("0.34", "&joints=mPelvis", "identity")):
            with self.subTest(t=t, form=form, coding=coding):
                replies = [self.client.get(f"{self.base}/pose?t={t}{form}", headers={"Accept-Encoding": coding})
                           for _ in range(times)]
                heads = [sorted((name, value) for name, value in reply.headers.items() if name.lower() not in own)
                         for reply in replies]
                self.assertTrue(all(reply.status == 200 for reply in replies))
                self.assertEqual([head for head in heads if head != heads[0]], [])
                self.assertEqual({reply.raw_body for reply in replies}, {replies[0].raw_body})
        self.assertGreater(self.client.metric("posed_cache_bytes", cache="replies"), kept)

    def test_two_spellings_have_one_etag(self):
        mesh = next(m["id"] for m in self.client.items("/v1/meshes") if m["format"] == "tso-mesh")
        other = self.clip("a2o-walk", "tso-anim")["id"]
        for one, two in (
            (f"/v1/clips/{other}/pose?t=0.5", f"/v1/clips/{other}/pose?t=5e-1&axes=gltf&space=local"),
            (f"/v1/clips/{other}/pose?joints=HEAD,R_HAND", f"/v1/clips/{other}/pose?joints=%48EAD%2CR_HAND"),
            (f"/v1/clips/{other}/poses?fps=10", f"/v1/clips/{other}/poses?wrap=clamp&fps=10.0&end=0"),
            (f"/v1/clips/{other}/keys", f"/v1/clips/{other}/keys?axes=native"),
            (f"/v1/clips/{other}/keys", f"/v1/clips/%{ord(other[0]):02x}{other[1:]}/keys"),
            (f"/v1/clips/{other}.glb", f"/v1/clips/{other}.glb?bones=mesh&strict=false"),
            (f"/v1/clips/{other}.glb?fps=10", f"/v1/clips/{other}.glb?strict=0&fps=10.0"),
            (f"/v1/clips/{other}.json", f"/v1/clips/{other}.json?axes=native"),
            (f"/v1/clips/{other}/preview.png", f"/v1/clips/{other}/preview.png?height=320&width=320&angle=three-quarter"),
            (f"/v1/clips/{other}/preview.png?background=white", f"/v1/clips/{other}/preview.png?background=%23fff"),
            (f"/v1/clips/{other}/plot.svg", f"/v1/clips/{other}/plot.svg?width=640&height=400"),
            (f"/v1/meshes/{mesh}/vertices", f"/v1/meshes/{mesh}/vertices?t=0&axes=gltf"),
            (f"/v1/clips/{other}.glb?map=%7B%22PELVIS%22:%22a%22,%22HEAD%22:%22b%22%7D",
             f"/v1/clips/{other}.glb?map=%7B%22HEAD%22:%22b%22,%20%22PELVIS%22:%22a%22%7D"),
            ("/v1/clips?q=walk&sort=name", "/v1/clips?sort=name&q=wal%6b"),
            ("/v1/clips", "/v1/clips?limit=100&offset=0"),
            ("/v1/clips?q=a&limit=2", "/v1/clips?limit=02&q=%61"),  # these have a next page
            ("/v1/clips?limit=2&min_duration=0.5", "/v1/clips?min_duration=5e-1&limit=2"),
            ("/v1/skeletons?limit=1", "/v1/skeletons?offset=0&limit=1"),
        ):
            with self.subTest(two):
                first, second = self.client.get(one), self.client.get(two)
                self.assertEqual((first.status, first["ETag"]), (200, second["ETag"]))
                self.assertEqual(first.body, second.body)

    def test_what_depends_on_bytes_alone_is_public(self):
        for target in ("/keys", f"/pose?skeleton={self.explicit}", "/pose?skeleton=none", "/poses?fps=5&skeleton=none"):
            with self.subTest(target):
                self.assertEqual(self.client.get(self.base + target)["Cache-Control"], "public, max-age=3600")

    def test_revision(self):
        link = self.client.get(self.base).json["links"]["pose"]
        revision = re.search(r"[?&]v=([^&]+)", link).group(1)
        target = f"{self.base}/pose?skeleton=none&t=0.2"
        now = self.client.get(target, v=revision)
        self.assertEqual(now["Cache-Control"], "public, max-age=31536000, immutable")
        outdated = self.client.get(target, v="0")
        self.assertEqual((outdated.status, outdated.json), (200, now.json))
        self.assertIn("no-cache", outdated["Cache-Control"])

    def test_what_depends_on_other_files_is_checked_each_time(self):
        for path in ("/v1/clips", "/v1/archives", "/v1/skeletons", self.base, self.base + "/pose"):
            with self.subTest(path):
                reply = self.client.get(path)
                self.assertIn("no-cache", reply["Cache-Control"])
                self.assertTrue(reply["ETag"])

    def test_automatic_skeleton_names_its_twin(self):
        auto = self.client.get(self.base + "/pose?t=0.2")
        twin = self.client.get(path_of(auto["Content-Location"]))
        self.assertIn(f"skeleton={self.explicit}", auto["Content-Location"])
        self.assertEqual(twin.json["joints"], auto.json["joints"])
        self.assertIn("public", twin["Cache-Control"])

    def test_vary(self):
        for path in ("/v1/clips", self.base + "/poses", self.base + "/pose"):
            vary = self.client.get(path)["Vary"].lower()
            self.assertIn("accept", re.split(r",\s*", vary))
            self.assertIn("accept-encoding", re.split(r",\s*", vary))

    def test_gzip(self):
        for path in (self.base + "/keys", self.base + "/poses?fps=10", "/openapi.json"):
            with self.subTest(path):
                plain = self.client.get(path)
                packed = self.client.get(path, headers={"Accept-Encoding": "gzip"})
                self.assertIsNone(plain["Content-Encoding"])
                self.assertEqual(packed["Content-Encoding"], "gzip")
                self.assertEqual(packed.body, plain.body)
                self.assertLess(len(packed.raw_body), len(plain.raw_body))
                self.assertNotEqual(packed["ETag"], plain["ETag"])
                again = self.client.get(path, headers={"Accept-Encoding": "gzip", "If-None-Match": packed["ETag"]})
                self.assertEqual(again.status, 304)

    def test_gzip_only_when_asked_for_and_worth_it(self):
        for path, accept in (("/healthz", "gzip"), (self.base + "/keys", "gzip;q=0"), (self.base + "/keys", "identity"),
                             (self.base + "/poses?as=f32", "gzip")):
            reply = self.client.get(path, headers={"Accept-Encoding": accept})
            self.assertIsNone(reply["Content-Encoding"], (path, accept))

    def test_server_timing(self):
        self.client.get(self.base + "/pose?t=0.1")
        self.assertIn("cache;desc=hit", self.client.get(self.base + "/pose?t=0.1")["Server-Timing"])
