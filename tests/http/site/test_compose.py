"""docker/cluster/compose.yaml: what it names is there, its options are the daemon's, its addresses agree, and no secret is in it."""

import ipaddress
import os
import re
import shutil
import subprocess
import unittest

import yaml
from contract import ROOT
from daemon import run
from nginx import TEMPLATE

DOCKER = ROOT / "docker"


def load(path):
    return yaml.safe_load((DOCKER / path).read_text())


@unittest.skipIf(os.environ.get("POSED_SANITIZE"), "what it shows is no matter of memory")
class Compose(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = DOCKER / "cluster"
        cls.file = load("cluster/compose.yaml")
        cls.services = cls.file["services"]

    def replicas(self):
        return {name: service for name, service in self.services.items() if service["image"] == "posed"}

    def test_what_is_named_is_there(self):
        for name, service in self.services.items():
            for other, condition in service.get("depends_on", {}).items():
                self.assertIn(other, self.services, name)
                self.assertTrue(condition["condition"] != "service_healthy" or "healthcheck" in self.services[other], other)
            for volume in service.get("volumes", ()):
                source = volume.split(":")[0]
                if source.startswith("."):
                    self.assertTrue((self.folder / source).exists(), volume)
                else:
                    self.assertIn(source, self.file["volumes"])
            networks = service["networks"]
            self.assertEqual(set(networks), set(self.file["networks"]), name)
            for secret in service.get("secrets", ()):
                self.assertIn(secret, self.file["secrets"])
        used = {volume.split(":")[0] for service in self.services.values() for volume in service.get("volumes", ())}
        self.assertLessEqual(set(self.file["volumes"]), used)

    def test_the_replicas_have_options_that_there_are(self):
        known = set(re.findall(r"POSED_[A-Z0-9_]+", run("serve", "--help")[1]))
        replicas = self.replicas()
        self.assertEqual(len(replicas), 3)
        for name, service in replicas.items():
            used = {key for key in service["environment"] if key.startswith("POSED_")}
            self.assertLessEqual(used, known, name)
        volumes = [volume for service in replicas.values() for volume in service["volumes"]]
        self.assertEqual(len(set(volumes)), 3, "each has a disk of its own")

    def test_nginx_knows_the_replicas(self):
        wanted = set(re.findall(r"\$\{(\w+)\}", TEMPLATE.read_text())) - {"POSED_…"}
        nginx = self.services["nginx"]
        self.assertEqual({key for key in nginx["environment"] if key.startswith("POSED_")}, wanted)
        self.assertTrue(all(re.match(nginx["environment"]["NGINX_ENVSUBST_FILTER"], key) for key in wanted))
        asked = {nginx["environment"][f"POSED_REPLICA_{i}"].partition(":")[0] for i in (1, 2, 3)}
        self.assertEqual(asked, set(self.replicas()))
        scraped = load("prometheus/prometheus.yml")["scrape_configs"][0]["static_configs"][0]["targets"]
        self.assertEqual({target.partition(":")[0] for target in scraped}, asked)
        for service in self.replicas().values():
            self.assertEqual(service["environment"]["POSED_TRUSTED_PROXY"], nginx["networks"]["site"]["ipv4_address"])

    def test_addresses(self):
        network = ipaddress.ip_network(self.file["networks"]["site"]["ipam"]["config"][0]["subnet"])
        given = [service["networks"]["site"]["ipv4_address"] for service in self.services.values()
                 if isinstance(service["networks"], dict)]
        self.assertEqual(len(set(given)), len(given))
        self.assertTrue(all(ipaddress.ip_address(address) in network for address in given))
        for name, service in self.services.items():
            for port in service.get("ports", ()):
                self.assertTrue(port.startswith("127.0.0.1:"), name)

    def test_secrets_are_nowhere_in_it(self):
        for name, service in self.services.items():
            for key, value in service.get("environment", {}).items():
                if re.search("PASSWORD|SECRET|KEY_ID|MC_HOST", key):
                    self.assertIn("${", value, f"{name} {key}")
                    self.assertNotRegex(re.sub(r"\$\{[^}]*\}", "", value), "[a-z]{6,}@", f"{name} {key}")

    def test_the_scripts_are_shell(self):
        for script in (self.folder / "postgres").glob("*.sh"):
            self.assertEqual(subprocess.run(["sh", "-n", script], check=False).returncode, 0)
            self.assertTrue(os.access(script, os.X_OK))

    def test_compose_itself(self):
        shown = subprocess.run(["docker", "compose", "version"], capture_output=True, check=False) if shutil.which("docker") else None
        if shown is None or shown.returncode:
            self.skipTest("docker compose is not here: compose.yaml was read by a parser of YAML alone")
        environment = {**os.environ, "POSTGRES_PASSWORD": "p", "S3_KEY_ID": "k", "S3_SECRET": "secretsecret"}
        done = subprocess.run(["docker", "compose", "-f", self.folder / "compose.yaml", "--profile", "watch", "config", "-q"],
                              env=environment, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
