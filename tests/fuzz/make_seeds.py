#!/usr/bin/python3
"""make_seeds.py POSED SAMPLES OUT [FILE|FOLDER...]: inputs for the fuzzers to begin with, in OUT/codecs, OUT/api and
OUT/multipart: the sample library and files of one's own, each as every format that could be meant, and requests for
every operation of openapi.json.
"""

import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "http" / "support"))
from contract import Contract  # noqa: E402
from daemon import Daemon  # noqa: E402

MOST = 64 * 1024


def keep(folder, data):
    if len(data) <= MOST:
        (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)


def files_of(paths):
    for path in map(Path, paths):
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.is_file() and file.stat().st_size <= MOST:
                yield file


def codec_seeds(folder, formats, files):
    """The first line is a format's id; an empty one is detection."""
    for file in files:
        fits = [item["id"] for item in formats if item["read"] and file.suffix.lower() in item["extensions"]]
        for name in [*fits, ""]:
            keep(folder, name.encode() + b"\n" + file.read_bytes())


def request(method, target, body=b"", *headers):
    lines = (f"{method} {target}", *headers)
    return "".join(line + "\n" for line in lines).encode() + b"\n" + body


QUERIES = {
    "pose": ["?t=0.5", "?t=0.1&space=model", "?skeleton=none&as=f32", "?joints=mHead,%2312&root=motion&axes=native",
             "?wrap=loop&t=-7"],
    "poses": ["?fps=5&end=1", "?t=0,0.2,0.4&as=ndjson", "?as=f32&from=0.1&to=0.3", "?as=posed&space=model"],
    "preview.svg": ["?width=64&height=48&frames=4", "?angle=top&background=%23fff8"],
    "preview.png": ["?width=32&height=32"],
    "preview.webp": ["?width=16&height=16"],
    "plot.svg": ["?width=200&height=160"],
    "events": ["?from=0.1&to=0.5"],
    "keys": ["?v=1"],
    "diff": ["?with=98742f6f234f0e49f35c13bc253f4c4a&fps=10", "?with=98742f6f234f0e49f35c13bc253f4c4a&as=svg"],
}


def clip_targets(client):
    for clip in client.items("/v1/clips"):
        base = f"/v1/clips/{clip['id']}"
        yield base
        for part, queries in QUERIES.items():
            yield from (f"{base}/{part}{query}" for query in queries)
        for extension in ("json", "glb", "gltf", "bvh", "anim", "anim?to=sl-anim", "cmx", "clip"):
            yield f"{base}.{extension}"
        yield f"/v1/named/{clip['archive']}/{clip['name']}/pose?t=0.2"


def other_targets(client):
    skeletons = [item["id"] for item in client.items("/v1/skeletons")]
    clips = client.items("/v1/clips")
    for kind in ("archives", "skeletons", "meshes", "characters"):
        yield f"/v1/{kind}?limit=2&offset=1"
        for item in client.items(f"/v1/{kind}"):
            yield f"/v1/{kind}/{item['id']}"
            yield f"/v1/{kind}/{item['id']}.glb"
            if kind == "archives":
                yield f"/v1/archives/{item['id']}/entries/0"
                yield f"/v1/archives/{item['id']}/entries?name=x"
            if kind == "meshes":
                yield f"/v1/meshes/{item['id']}/vertices?clip={clips[0]['id']}&t=0.3&skeleton={skeletons[0]}"
    yield from ("/v1/clips?q=wa&sort=-duration&limit=3", "/v1/clips?format=sl-anim&min_duration=0.1&max_duration=9",
                "/v1/clips?joint=mHead&name=walk", "/v1/formats", "/healthz", "/readyz", "/metrics", "/openapi.json",
                "/v1/hash?name=a2o_walk", "/v1/resolve?name=a2o_walk", "/v1/resolve?id=0x1234567812345678", "/")


def form(*files, boundary=b"b"):
    parts = b"".join(b'--%s\r\nContent-Disposition: form-data; name="f"; filename="%s"\r\n\r\n%s\r\n' % (boundary, name, data)
                     for name, data in files)
    return parts + b"--" + boundary + b"--\r\n"


def api_seeds(folder, client, files):
    for target in (*clip_targets(client), *other_targets(client)):
        keep(folder, request("GET", target))
    keep(folder, request("GET", "/v1/clips", b"", "If-None-Match: *", "Accept-Encoding: zstd"))
    keep(folder, request("GET", "/v1/formats", b"", "Accept-Encoding: gzip", "Accept: text/html;q=0.1, */*;q=0"))
    archive = client.items("/v1/archives")[0]["id"]
    keep(folder, request("GET", f"/v1/archives/{archive}/entries/0", b"", "Range: bytes=1-4,6-", "If-Range: \"x\""))
    keep(folder, request("OPTIONS", "/v1/archives", b"", "Origin: http://a", "Access-Control-Request-Method: POST"))
    keep(folder, request("DELETE", f"/v1/archives/{archive}", b"", "Host: localhost"))
    clip = client.items("/v1/clips")[0]["id"]
    for body in ('{"requests":[{"clip":"%s","t":[0,0.5],"space":"local"}]}' % clip,
                 '{"requests":[{"layers":[{"clip":"%s","t":0.1,"weight":1},{"clip":"%s","t":0.2,"weight":2,"joints":["a"]}]}]}'
                 % (clip, clip),
                 '{"requests":[{"mix":"sl","layers":[{"clip":"%s","start":1,"stop":2,"offset":0.5,"priority":4,"immediate":true}],'
                 '"base":"avatar","undriven":"rest","fps":2,"to":3,"explain":true}]}' % clip,
                 '{"requests":[{"crossfade":[{"clip":"%s"},{"clip":"%s","at":0.1,"duration":0.2}],"t":[0,0.2],"as":"f32"}]}' % (clip, clip),
                 '{"requests":[{"layers":[{"clip":"%s"},{"clip":"%s","additive":true,"reference":"rest"}],"t":0.2}]}' % (clip, clip)):
        keep(folder, request("POST", "/v1/poses", body.encode(), "Content-Type: application/json"))
        keep(folder, request("POST", "/v1/convert?to=glb", body.encode(), "Content-Type: application/json"))
    for file in files:
        data, name = file.read_bytes(), file.name.replace(" ", "_")
        if len(data) > 24 * 1024 or not name.isascii() or "#" in name or "?" in name or "%" in name:
            continue
        keep(folder, request("POST", f"/v1/inspect?name={name}", data))
        keep(folder, request("POST", f"/v1/archives?name={name}", data, "Host: localhost"))
        keep(folder, request("POST", f"/v1/convert?to=json&name={name}", data))
        body = form((name.encode(), data), (b"x.txt", b"x"))
        keep(folder, request("POST", "/v1/archives", body, "Host: localhost", "Content-Type: multipart/form-data; boundary=b"))


def form_seeds(folder):
    for head in (b"multipart/form-data; boundary=b", b'Multipart/Form-Data; charset=x; boundary="b"'):
        for body in (form((b"walk.anim", b"hello"), (b"../../up.anim", b"\r\n--b"), (b"dir\\x", b"")), form(), b"--b--",
                     b"preamble\r\n" + form((b"a", b"x" * 100)) + b"epilogue",
                     b"--b\r\nContent-Disposition: form-data; name=f; filename*=UTF-8''%e2%82%ac.anim\r\nContent-Type: a/b\r\n\r\n"
                     b"x\r\n--b \t\r\nContent-Disposition: form-data; name=\"q\\\"uote\"\r\n\r\ny\r\n--b--"):
            keep(folder, head + b"\n" + body)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    Daemon.binary = sys.argv[1]
    Daemon.contract = Contract()
    samples, out = Path(sys.argv[2]), Path(sys.argv[3])
    folders = {name: out / name for name in ("codecs", "api", "multipart")}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    files = list(files_of([samples, *sys.argv[4:]]))
    with Daemon(samples) as daemon:
        formats = daemon.client.get("/v1/formats").json
        formats = formats["items"] if isinstance(formats, dict) else formats
        codec_seeds(folders["codecs"], formats, files)
        api_seeds(folders["api"], daemon.client, files)
    form_seeds(folders["multipart"])
    for name, folder in folders.items():
        print(f"{name}: {len(list(folder.iterdir()))} inputs")


if __name__ == "__main__":
    main()
