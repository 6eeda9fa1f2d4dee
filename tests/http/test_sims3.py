"""Names of The Sims 3: hashes, fallback chains, who is loaded."""

import unittest

from daemon import Daemon, corpus
from fixture import SampleCase

PETS = "6B20C4F3-48000000-94E51F6DDD39F504"


class Names(SampleCase):
    def test_hashes_of_the_spec(self):
        for name, fnv32, fnv64, clip in (
                ("b__ROOT__", "0xFEAE6981", "0xFC99C6D074AAD4E1", None),
                ("A_Walk", "0x565E0DFE", "0x11A06AB91BCA6BDE", "0x11A06AB91BCA6BDE"),
                ("c_walk", "0x9A652B34", "0x5D5D78CC131D5CD4", "0x92A06AB91BCA6BDE"),
                ("t2c_kiss_x", None, None, "0xA183758C58387C6F"),
                ("al_wheeze_x", None, None, "0x94E51F6DDD39F504")):
            found = self.client.get("/v1/hash", name=name).json
            for key, wanted in (("fnv32", fnv32), ("fnv64", fnv64), ("clip_id", clip)):
                if wanted:
                    self.assertEqual(found[key], wanted, name)

    def test_chain_of_a_name(self):
        chain = self.client.get("/v1/resolve", name="t2c_kiss_x").json["chain"]
        self.assertEqual([link["name"] for link in chain], ["t2c_kiss_x", "a2a_kiss_x"])
        self.assertEqual(len(self.client.get("/v1/resolve", name="a_walk").json["chain"]), 1)

    def test_what_is_missing_or_wrong(self):
        self.assertProblem(self.client.get("/v1/hash"), 400, parameter="name")
        self.assertProblem(self.client.get("/v1/resolve"), 400, parameter="name")
        self.assertProblem(self.client.get("/v1/resolve", name="a", id="0x1"), 400, parameter="id")
        for text in ("1", "0x", "0xg", "0x12345678123456789"):
            self.assertProblem(self.client.get("/v1/resolve", id=text), 400, parameter="id")


@unittest.skipUnless(corpus(), "no corpus")
class Loaded(unittest.TestCase):
    def test_who_has_an_id(self):
        with Daemon(corpus() / "sims3") as daemon:
            link = daemon.client.get("/v1/resolve", id="0x94E51F6DDD39F504").json["chain"][0]
            self.assertEqual(link["name"], "al_wheeze_x")
            self.assertTrue(any(entry["entry"].startswith(PETS) for entry in link["loaded"]))
