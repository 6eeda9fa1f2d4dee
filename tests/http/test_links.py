"""What a pasted link shows, and what programs ask every site for: cards, oEmbed, site map, errors as pages."""

import html
import io
import re
import struct
import unittest
import xml.etree.ElementTree as ElementTree
import zipfile
from html.parser import HTMLParser
from urllib.parse import quote, urlsplit

from fixture import SampleCase, ServedCase
from uploads import WALK, sample

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"}
MARKUP = '"><script>alert(1)<b>&\''


class Head(HTMLParser):
    """The title, the meta tags by name or property, the links by their relation, and every element's name."""

    def __init__(self, text):
        super().__init__()
        self.meta, self.links, self.tags, self.title, self.inside = {}, {}, [], "", None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.tags.append(tag)
        self.inside = tag
        if tag == "meta":
            self.meta[values.get("property") or values.get("name")] = values.get("content")
        elif tag == "link":
            self.links[values["rel"]] = values

    def handle_data(self, data):
        if self.inside == "title":
            self.title += data

    def handle_endtag(self, tag):
        self.inside = None


class Links(SampleCase):
    @property
    def origin(self):
        return f"http://{self.client.host}:{self.client.port}"

    def path_of(self, address):
        self.assertTrue(address.startswith(self.origin + "/"), address)
        return address[len(self.origin):]

    def test_cards(self):
        clip = self.clip("walk", "sl-anim")
        character = self.client.items("/v1/characters")[0]
        archive = self.client.get(f"/v1/archives/{clip['archive']}").json
        skeleton = next(one for one in self.client.items("/v1/skeletons") if one["archive"] == character["archive"])
        for path, title in ((f"/clip/{clip['id']}", "walk"),
                            (f"/clip/{clip['id']}?archive={archive['id']}", "walk"),
                            (f"/archive/{archive['id']}", archive["name"]),
                            (f"/character/{character['id']}", character["name"]), (f"/skeleton/{skeleton['id']}", skeleton["name"])):
            with self.subTest(path):
                reply = self.client.get(path)
                self.assertEqual((reply.status, reply.media_type), (200, "text/html"))
                head = Head(reply.text)
                self.assertEqual(head.title, f"{title} · posed")
                self.assertEqual(head.meta["og:title"], title)
                self.assertEqual(head.meta["description"], head.meta["og:description"])
                self.assertEqual(urlsplit(self.path_of(head.meta["og:url"])).path, urlsplit(path).path)
                self.assertEqual(head.meta["twitter:card"], "summary_large_image")
                self.assertEqual((head.meta["og:image:width"], head.meta["og:image:height"]), ("1200", "630"))
                picture = self.client.get(self.path_of(head.meta["og:image"]))
                self.assertEqual((picture.status, picture.media_type), (200, "image/png"))
                self.assertEqual(struct.unpack(">II", picture.body[16:24]), (1200, 630))
                again = self.client.get(path, headers={"If-None-Match": reply["ETag"]})
                self.assertEqual(again.status, 304)
                found = head.links["alternate"]
                self.assertEqual(found["type"], "application/json+oembed")
                self.assertEqual(self.client.get(self.path_of(found["href"])).json["title"], title)

    def test_nothing_of_that_id(self):
        for kind in ("clip", "archive", "character"):
            self.assertProblem(self.client.get(f"/{kind}/{'0' * 32}"), 404, code="not_found")
        clip, other = self.clip("walk", "sl-anim"), self.clip("a2o-walk", "tso-anim")
        elsewhere = [place["archive"] for place in self.client.get(f"/v1/clips/{other['id']}").json["found_in"]]
        if clip["archive"] not in elsewhere:
            self.assertProblem(self.client.get(f"/clip/{other['id']}?archive={clip['archive']}"), 400, parameter="archive")
        self.assertProblem(self.client.get(f"/clip/{clip['id']}?archive={'0' * 32}"), 400, parameter="archive")

    def test_oembed(self):
        clip = self.clip("walk", "sl-anim")
        address = f"{self.origin}/clip/{clip['id']}"
        reply = self.client.get("/oembed", url=address)
        self.assertEqual((reply.json["version"], reply.json["type"], reply.json["title"]), ("1.0", "rich", "walk"))
        self.assertIn(f'src="{self.origin}/embed/{clip["id"]}"', reply.json["html"])
        viewer = self.client.get(f"/embed/{clip['id']}")
        self.assertTrue(viewer["Content-Security-Policy"].endswith("frame-ancestors *"))
        self.assertProblem(self.client.get(f"/embed/{'0' * 32}"), 404, code="not_found")
        self.assertProblem(self.client.get(f"/embed/{clip['id']}?archive={'0' * 32}"), 400, parameter="archive")
        frame = self.client.get(f"/embed/{'0' * 32}", headers={"Accept": "text/html"})
        self.assertEqual((frame.status, frame.body), (200, viewer.body))  # which says in its frame what is wrong
        small = self.client.get("/oembed", url=address, maxwidth="300", maxheight="5").json
        self.assertEqual((small["width"], small["height"]), (300, 120))
        scoped = self.client.get("/oembed", url=f"{address}?archive={clip['archive']}").json
        self.assertIn(f"archive={clip['archive']}", scoped["html"])
        for url, status in ((f"{self.origin}/docs", 404), (f"{self.origin}/clip/123", 404), ("clip", 404), ("", 404),
                            (f"{self.origin}/clip/{'f' * 32}", 404),
                            (f"{self.origin}/clip/{clip['id']}?archive=zz", 404)):
            with self.subTest(url):
                self.assertProblem(self.client.get("/oembed", url=url), status)
        self.assertProblem(self.client.get("/oembed"), 400, parameter="url")
        self.assertProblem(self.client.get("/oembed", url=address, format="xml"), 501)
        self.assertProblem(self.client.get("/oembed", url=address, maxwidth="0"), 400, parameter="maxwidth")

    def test_programs(self):
        icon = self.client.get("/favicon.ico")
        self.assertEqual((icon.media_type, icon.body[:6]), ("image/x-icon", b"\0\0\1\0\1\0"))
        robots = self.client.get("/robots.txt")
        self.assertEqual(robots.media_type, "text/plain")
        self.assertIn(f"Sitemap: {self.origin}/sitemap.xml", robots.text)
        reply = self.client.get("/sitemap.xml")
        addresses = [item.text for item in ElementTree.fromstring(reply.text).findall(".//{*}loc")]
        wanted = [f"{self.origin}/archive/{item['id']}" for item in self.client.items("/v1/archives")]
        for kind in ("character", "skeleton", "clip"):
            wanted += [f"{self.origin}/{kind}/{item['id']}" for item in self.client.items(f"/v1/{kind}s")]
        self.assertEqual(sorted(addresses), sorted(wanted))
        self.assertEqual(self.client.get("/sitemap.xml", page="1").text, reply.text)
        self.assertProblem(self.client.get("/sitemap.xml", page="2"), 400, parameter="page")
        self.assertEqual(self.client.get("/sitemap.xml", headers={"If-None-Match": reply["ETag"]}).status, 304)

    def test_a_host_that_is_none(self):
        clip = self.clip("walk", "sl-anim")
        for host in ("a<b>", "evil.example/x", "a b", "x" * 300):
            with self.subTest(host):
                reply = self.client.get(f"/clip/{clip['id']}", headers={"Host": host})
                if reply.status == 200:
                    self.assertTrue(Head(reply.text).meta["og:url"].startswith("/clip/"))
                    self.assertNotIn("Sitemap", self.client.get("/robots.txt", headers={"Host": host}).text)

    def test_errors_as_pages(self):
        clip = self.clip("walk", "sl-anim")
        for path, status in (("/nothing", 404), (f"/clip/{'0' * 32}", 404), ("/v1/clips?limit=x", 400),
                             (f"/v1/clips/{clip['id']}/pose?nothing=1", 400)):
            with self.subTest(path):
                page = self.client.get(path, headers=BROWSER)
                self.assertEqual((page.status, page.media_type), (status, "text/html"))
                self.assertIn(f"<h1>{status} ", page.text)
                self.assertIn(page["X-Request-Id"], page.text)
                self.assertIn("default-src 'none'", page["Content-Security-Policy"])
                for accept in (None, "*/*", "application/json", "text/html;q=0.5,application/json", "image/png", "text/html;q=0"):
                    reply = self.client.get(path, headers={"Accept": accept} if accept else {})
                    self.assertEqual(reply.media_type, "application/problem+json", accept)
                    self.assertIn("Accept", reply["Vary"])
                detail = html.escape(self.client.get(path).json["detail"]).replace("&#x27;", "&#39;")
                self.assertIn(f">{detail}<", page.text)

    def test_markup_in_an_error(self):
        page = self.client.get(f"/{quote(MARKUP, safe='')}", headers=BROWSER)
        self.assertEqual(page.status, 404)
        self.assertNotIn("script", Head(page.text).tags)
        self.assertNotIn("<b>", page.text)


class Forms(ServedCase):
    def test_a_form_goes_on_to_the_page(self):
        reply = self.client.post("/v1/archives?name=walk.anim", body=sample(WALK), headers=BROWSER)
        self.assertEqual((reply.status, reply.body), (303, b""))
        page = self.client.get(reply["Location"])
        self.assertEqual(Head(page.text).title, "walk.anim · posed")
        for accept in ("*/*", "application/json"):
            again = self.client.post("/v1/archives?name=walk.anim", body=sample(WALK), headers={"Accept": accept})
            self.assertEqual((again.status, again.media_type), (200, "application/json"))
        broken = self.client.post("/v1/archives?name=walk.anim", body=b"nothing", headers=BROWSER)
        self.assertEqual((broken.status, broken.media_type), (415, "text/html"))

    def test_markup_in_names(self):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(f"{MARKUP}.anim", sample(WALK))
        reply = self.client.post(f"/v1/archives?name={quote(MARKUP, safe='')}.zip", body=packed.getvalue())
        self.assertEqual(reply.status, 201, reply)
        clip = reply.json["clips"][0]["id"]
        for path in (f"/archive/{reply.json['id']}", f"/clip/{clip}?archive={reply.json['id']}"):
            head = Head(self.client.get(path).text)
            self.assertIn("<script>", head.meta["og:title"])
            self.assertEqual(head.tags.count("script"), 1)
        card = self.client.get("/oembed", url=f"http://x/clip/{clip}?archive={reply.json['id']}").json
        frame = Head(card["html"])
        self.assertEqual(frame.tags, ["iframe"])


if __name__ == "__main__":
    unittest.main()
