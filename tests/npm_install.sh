#!/usr/bin/env bash
# npm_install.sh FROM OUT: what FROM/package-lock.json pins, in OUT/node_modules; once.
set -euo pipefail
from=$1 out=$2
mkdir -p "$out"
exec 9>"$out/lock"
flock 9
cmp -s "$from/package-lock.json" "$out/package-lock.json" && [ -e "$out/installed" ] && exit 0
rm -f "$out/installed"
cp "$from/package.json" "$from/package-lock.json" "$out/"
(cd "$out" && npm ci --ignore-scripts --silent --no-audit --no-fund >&2)
touch "$out/installed"
