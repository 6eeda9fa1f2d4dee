#!/usr/bin/env bash
# Finds files that need each other in a circle: a unit is a .c with its .h, and leads to the units whose headers it
# includes. Prints each circle and fails if there is one. The tree is the argument, by default the one this script is in.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
exec python3 "$here/circles.py" "${1:-$here/../..}"
