#!/usr/bin/env bash
# three_mesh.sh OUTDIR POSED: three_mesh.mjs with npm's three.js, then three_mesh.py. Exit status 77 when a tool is not there.
set -euo pipefail
out=$1 posed=$2
here=$(dirname "$(readlink -f "$0")")
for tool in node npm python3; do
    command -v "$tool" >/dev/null || { echo "SKIPPED: no $tool"; exit 77; }
done
mkdir -p "$out"
"$here/install.sh" "$out/../node" || { echo "SKIPPED: npm cannot install the judges"; exit 77; }
cp "$here/three_mesh.mjs" "$out/../node/"
node "$out/../node/three_mesh.mjs" "$out" "$posed"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/../http/support python3 "$here/three_mesh.py" "$out"
