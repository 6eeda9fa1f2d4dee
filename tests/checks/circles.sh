#!/usr/bin/env bash
# Which files need each other in a circle: a unit is a .c with its .h, and leads to the units whose headers it includes. Prints
# the circles that are not known below; those are to be cut, and none may be added. The tree is the argument, by default the
# one this script is in.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
known='server/library/index/'
found=$(python3 "$here/circles.py" "${1:-$here/../..}" | grep -vE "circle: ($known)" || true)
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
