"""Files that need each other in a circle; called by circles.sh."""

import pathlib
import re
import sys


def graph(top):
    """A unit is a .c with its .h; it leads to the units whose headers it includes."""
    units, edges = set(), {}
    files = [f for folder in ("lib", "server", "api") for f in (top / folder).rglob("*.[ch]")]
    for file in files:
        units.add(str(file.relative_to(top).with_suffix("")))
    for file in files:
        unit = str(file.relative_to(top).with_suffix(""))
        for header in re.findall(r'^ *# *include "([^"]+)\.h"', file.read_text(), re.M):
            if header in units and header != unit:
                edges.setdefault(unit, set()).add(header)
    return edges


def circles(edges):
    """Groups in which each reaches each other one (Tarjan, without recursion)."""
    order, low, stack, on, found = {}, {}, [], set(), []
    for start in sorted(edges):
        if start in order:
            continue
        work = [(start, iter(sorted(edges.get(start, ()))))]
        order[start] = low[start] = len(order)
        stack.append(start)
        on.add(start)
        while work:
            unit, rest = work[-1]
            for other in rest:
                if other not in order:
                    order[other] = low[other] = len(order)
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(sorted(edges.get(other, ())))))
                    break
                if other in on:
                    low[unit] = min(low[unit], order[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[unit])
                if low[unit] == order[unit]:
                    group = []
                    while not group or group[-1] != unit:
                        group.append(stack.pop())
                        on.discard(group[-1])
                    if len(group) > 1:
                        found.append(sorted(group))
    return found


def main():
    found = circles(graph(pathlib.Path(sys.argv[1]).resolve()))
    for group in found:
        print("in a circle: " + ", ".join(group))
    sys.exit(bool(found))


main()
