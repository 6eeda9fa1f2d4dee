#!/usr/bin/python3
"""run.py POSED SAMPLES [NAME...]: the tests over HTTP against a real daemon.

Every test_*.py beside this file; NAME limits to tests whose id holds it. Each reply is validated against
api/openapi.json, and without NAME every operation in it must have been asked for.
"""

import sys
import unittest
from pathlib import Path

from contract import Contract
from daemon import Daemon

HERE = Path(__file__).resolve().parent


def all_tests(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from all_tests(test)
        else:
            yield test


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    Daemon.binary = sys.argv[1]
    Daemon.samples = Path(sys.argv[2])
    Daemon.contract = Contract()
    wanted = sys.argv[3:]
    found = unittest.defaultTestLoader.discover(str(HERE), "test_*.py")
    suite = unittest.TestSuite(
        test for test in all_tests(found) if not wanted or any(name in test.id() for name in wanted)
    )
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    for test, reason in result.skipped:
        print(f"SKIPPED: {test.id()}: {reason}", file=sys.stderr)
    missed = Daemon.contract.missed() if not wanted else []
    for operation in missed:
        print(f"no test asks for {operation}", file=sys.stderr)
    sys.exit(0 if result.wasSuccessful() and not missed else 1)


if __name__ == "__main__":
    main()
