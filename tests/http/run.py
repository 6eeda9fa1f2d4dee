#!/usr/bin/python3
"""run.py POSED SAMPLES [--asked FOLDER] [--coverage] [NAME...]: the tests over HTTP against a real daemon.

Every test_*.py in this folder and those below it; NAME limits to a module ("test_poses"), to a class or case of one
("test_poses.Series"), or else to tests whose id holds it. Each reply is validated against api/openapi.json. With --asked the operations asked for
are left in a file of FOLDER, and --coverage fails if these files together lack an operation.
"""

import argparse
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "support"))

from contract import Contract  # noqa: E402 (the path comes first)
from daemon import Daemon  # noqa: E402


def all_tests(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from all_tests(test)
        else:
            yield test


def find_tests(names):
    """Names that begin with a module's are of that module, and no other is loaded; else any part of an id will do."""
    modules = {path.stem: path for path in sorted(HERE.rglob("test_*.py"))}
    sys.path[1:1] = sorted({str(path.parent) for path in modules.values()})  # a module may use another one's parts
    of_modules = names and all(name.split(".")[0] in modules for name in names)
    for stem, path in modules.items():
        wanted = [name for name in names if name.split(".")[0] == stem] if of_modules else names
        if of_modules and not wanted:
            continue
        for test in all_tests(unittest.defaultTestLoader.loadTestsFromName(stem)):
            if not names or any(name in test.id() for name in wanted):
                yield test


def missed_by_all(contract, folder):
    """The operations that are in none of the files which the modules have left."""
    contract.hit = {line for path in folder.iterdir() for line in path.read_text().splitlines()}
    return contract.missed()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("posed")
    parser.add_argument("samples", type=Path)
    parser.add_argument("--asked", type=Path)
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    Daemon.binary = options.posed
    Daemon.samples = options.samples
    Daemon.contract = Contract()
    missed, passed = [], True
    if options.coverage:
        missed = missed_by_all(Daemon.contract, options.asked)
    else:
        result = unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(find_tests(options.names)))
        for test, reason in result.skipped:
            print(f"SKIPPED: {test.id()}: {reason}", file=sys.stderr)
        passed = result.wasSuccessful() and result.testsRun > 0
        if options.asked:
            options.asked.mkdir(parents=True, exist_ok=True)
            (options.asked / "+".join(options.names or ["all"])).write_text("\n".join(sorted(Daemon.contract.hit)) + "\n")
        if not options.names:
            missed = Daemon.contract.missed()
    for operation in missed:
        print(f"no test asks for {operation}", file=sys.stderr)
    sys.exit(0 if passed and not missed else 1)


if __name__ == "__main__":
    main()
