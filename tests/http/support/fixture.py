"""What the cases share: a daemon for each class of them, and how answers are compared."""

import unittest

from daemon import Daemon


class ServedCase(unittest.TestCase):
    """self.client talks to a daemon with these arguments that serves what serves() names."""

    arguments = ()

    @classmethod
    def serves(cls):
        return ()

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(*cls.arguments, *cls.serves())
        cls.daemon.__enter__()
        cls.client = cls.daemon.client

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None, None, None)

    def assertProblem(self, reply, status, **members):
        self.assertEqual(reply.status, status, reply)
        for name, value in members.items():
            self.assertEqual(reply.json.get(name), value, reply.text)

    def assertClose(self, found, wanted, tolerance, message=""):
        self.assertEqual(len(found), len(wanted), message)
        for a, b in zip(found, wanted):
            self.assertAlmostEqual(a, b, delta=tolerance, msg=f"{message}: {found} and {wanted}")

    def assertSameTurn(self, found, wanted, tolerance=1e-4, message=""):
        """q and -q are one rotation."""
        flip = -1 if sum(a * b for a, b in zip(found, wanted)) < 0 else 1
        self.assertClose([flip * a for a in found], wanted, tolerance, message)


class SampleCase(ServedCase):
    """The daemon serves the sample library."""

    @classmethod
    def serves(cls):
        return (Daemon.samples,)

    @classmethod
    def clip(cls, name, fmt):
        """The one clip of that name and format, as the list has it."""
        found = cls.client.items("/v1/clips", name=name, format=fmt)
        assert len(found) == 1, found
        return found[0]
