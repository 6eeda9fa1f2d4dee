#!/usr/bin/env bash
# Whether what comments and pages cite is there: "prime-anim.md, 2.2" is a page of the tree with a section 2.2. Prints every
# citation that leads nowhere. The tree is the argument, by default the one this script is in.
exec python3 "$(dirname "$(readlink -f "$0")")/citations.py" "${1:-$(dirname "$(readlink -f "$0")")/../..}"
