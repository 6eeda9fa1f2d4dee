"""What operators are given to watch posed with: alerts and a dashboard. Every file parses, every alert comes when it should,
and every metric and label in them is one that the daemon has."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml
from contract import ROOT
from daemon import Daemon
from postgres import Postgres, binaries
from s3_stub import S3Stub
from uploads import WAVE, sample

DOCKER = ROOT / "docker"
# promtool's own, and what Prometheus adds to every series.
ADDED = {"up"}
ADDED_LABELS = {"instance", "job"}
SELECTOR = re.compile(r"\b((?:posed|process|up)(?:_[a-z_]+)?)\b(?:\{([^}]*(?:\{[a-z]+\}[^}]*)*)\})?")
LABEL = re.compile(r"\b([a-z_]+)\s*(?:=~|!~|!=|=)\s*\"")
GRAFANA = {"$__rate_interval": "5m", "$instance": ".*"}


def load(path):
    return yaml.safe_load((DOCKER / path).read_text())


def rules():
    return [rule for group in load("prometheus/posed.rules.yml")["groups"] for rule in group["rules"]]


def panels():
    return json.loads((DOCKER / "grafana" / "dashboards" / "posed.json").read_text())["panels"]


def expressions():
    """(where, PromQL) of all there are."""
    for rule in rules():
        yield rule.get("alert") or rule["record"], rule["expr"]
    for panel in panels():
        for target in panel.get("targets", ()):
            text = target["expr"]
            for name, value in GRAFANA.items():
                text = text.replace(name, value)
            yield panel["title"], text


def promtool(*arguments):
    return subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)


@unittest.skipIf(os.environ.get("POSED_SANITIZE"), "what it shows is no matter of memory")
class Watching(unittest.TestCase):
    def test_promtool_takes_them(self):
        folder = DOCKER / "prometheus"
        for command in (("check", "rules", folder / "posed.rules.yml"), ("test", "rules", folder / "posed.test.yml"),
                        ("check", "config", folder / "prometheus.yml")):
            done = promtool(*command)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(len(rules()), 10)

    def test_the_dashboard_is_promql(self):
        groups = [{"record": f"x:{i}", "expr": text} for i, (_, text) in enumerate(expressions())]
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            yaml.safe_dump({"groups": [{"name": "all", "rules": groups}]}, file)
            file.flush()
            done = promtool("check", "rules", "--lint=none", file.name)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_dashboard_is_whole(self):
        ids = [panel["id"] for panel in panels()]
        self.assertEqual(len(set(ids)), len(ids))
        cells = set()
        for panel in panels():
            place = panel["gridPos"]
            mine = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
            self.assertFalse(cells & mine, panel["title"])
            self.assertLessEqual(place["x"] + place["w"], 24)
            cells |= mine
            self.assertTrue(panel["type"] == "row" or panel["targets"], panel["title"])

    def test_every_alert_says_what_it_is(self):
        for rule in rules():
            if "alert" in rule:
                self.assertIn(rule["labels"]["severity"], ("page", "ticket"))
                self.assertTrue(rule["annotations"]["summary"])

    @unittest.skipUnless(binaries() or os.environ.get("CI"), "there is no PostgreSQL server (./dev install test)")
    def test_every_metric_is_there(self):
        series = self.series()
        used = set()
        for where, text in expressions():
            found = SELECTOR.findall(text)
            self.assertTrue(found, where)
            for name, matchers in found:
                used.add(name)
                if name in ADDED:
                    continue
                self.assertIn(name, series, where)
                self.assertLessEqual(set(LABEL.findall(matchers)) - ADDED_LABELS, series[name], f"{where}: {name}")
        self.assertGreater(len(used), 20)

    def series(self):
        """The names in a real /metrics, and the labels of each."""
        folder = Path(tempfile.mkdtemp(prefix="posed-watching-"))
        self.addCleanup(shutil.rmtree, folder)
        store = S3Stub()
        store.start()
        self.addCleanup(store.stop)
        database = Postgres()
        self.addCleanup(database.__exit__, None, None, None)
        database.__enter__()
        daemon = Daemon("--data", folder / "data", "--blobs", f"s3://{store.bucket}/site", "--s3-endpoint", store.endpoint,
                        "--store-timeout", "20s", "--catalog", database.url, "--webhook", store.endpoint + "/nobody", Daemon.samples)
        daemon.environment = {**os.environ, **store.environment}
        with daemon:
            self.assertEqual(daemon.client.post("/v1/archives?name=w.anim", sample(WAVE)).status, 201)
            clip = daemon.client.get("/v1/clips?limit=1").json["items"][0]["id"]
            for rest in ("/pose?t=0", "/preview.png"):
                self.assertEqual(daemon.client.get(f"/v1/clips/{clip}{rest}").status, 200)
            daemon.wait_for_log("GET /v1/clips/[0-9a-f]+/preview.png")
            text = daemon.client.get("/metrics").text
        found = {}
        for line in text.splitlines():
            if not line.startswith("#"):
                name, _, labels = line.rpartition(" ")[0].partition("{")
                found.setdefault(name, set()).update(re.findall(r'([a-z_]+)="', labels))
        return found


if __name__ == "__main__":
    unittest.main()
