#!/usr/bin/env python3
"""What became of a run of ctest, from its JUnit reports: outcome.py [--why NAME] REPORT [REPORT OF A LATER TRY...]

Prints one line per test that is not simply passed: "failed NAME", "found NAME" (a sanitizer's finding: no later try can
take it back), "skipped NAME", "steadied NAME" (failed at first, passed later), and at the end "passed COUNT".
With --why NAME it prints what that test said when it failed: the lines that speak of failure with those after them.
"""

import re
import sys
import xml.etree.ElementTree

MAX_LINES, MAX_WIDTH, MAX_AFTER = 60, 200, 14
FAILURE = re.compile(r"✖|^not ok|^(FAIL|ERROR|FAILED)\b|Assertion|Traceback|Sanitizer|runtime error:|Timeout|:[EF]:")
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


def why(name, reports):
    """The telling lines of each try that failed, the last try first, as many as are read in a minute."""
    told = []
    for report in reversed(reports):
        for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
            if case.get("name") == name and outcome_of(case) in ("failed", "found"):
                lines = (case.findtext("system-out") or "").splitlines()
                near = {j for i, line in enumerate(lines) if FAILURE.search(line) for j in range(i, i + MAX_AFTER)}
                told += [line[:MAX_WIDTH] for i, line in enumerate(lines) if i in near or i >= len(lines) - 4]
    return told[:MAX_LINES]


def main(first, *later):
    if first == "--why":
        print("\n".join(why(later[0], later[1:])))
        return
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
