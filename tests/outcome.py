#!/usr/bin/env python3
"""What became of a run of ctest, from its JUnit reports: outcome.py REPORT [REPORT OF A LATER TRY...]

Prints one line per test that is not simply passed: "failed NAME", "found NAME" (a sanitizer's finding: no later try can
take it back), "skipped NAME", "steadied NAME" (failed at first, passed later), and at the end "passed COUNT".
"""

import re
import sys
import xml.etree.ElementTree

FINDING = re.compile(r"ERROR: \w+Sanitizer|WARNING: \w+Sanitizer|runtime error:")


def outcome_of(case):
    """passed, failed, found or skipped. ctest calls a test that it could not start "notrun", and so one that left itself
    out; only the second gives its return code as the reason."""
    status = case.get("status")
    if status == "run":
        return "passed"
    if status == "disabled":
        return "skipped"
    reason = case.find("skipped")
    if status == "notrun" and reason is not None and reason.get("message", "").startswith("SKIP_"):
        return "skipped"
    return "found" if FINDING.search(case.findtext("system-out") or "") else "failed"


def read(report):
    try:
        cases = xml.etree.ElementTree.parse(report).getroot().iter("testcase")
    except (OSError, xml.etree.ElementTree.ParseError):
        return {}
    return {case.get("name"): outcome_of(case) for case in cases}


def main(first, *later):
    outcomes = read(first)
    for report in later:
        for name, outcome in read(report).items():
            if outcomes.get(name) == "failed" and outcome == "passed":
                outcomes[name] = "steadied"
            elif outcome == "found":
                outcomes[name] = "found"
    for name, outcome in outcomes.items():
        if outcome != "passed":
            print(outcome, name)
    print("passed", sum(outcome in ("passed", "steadied") for outcome in outcomes.values()))


if __name__ == "__main__":
    main(*sys.argv[1:])
