#!/usr/bin/env bash
# foreign.sh OUTDIR TEST: has three.js and assimp write glTF files anew, and runs the check program TEST on them. Exit status
# 77 when a tool is not there.
set -euo pipefail
out=$1 test=$2
here=$(dirname "$(readlink -f "$0")")
for tool in node npm assimp; do
    command -v "$tool" >/dev/null || { echo "SKIPPED: no $tool"; exit 77; }
done
mkdir -p "$out"
"$here/install.sh" "$out/../node" || { echo "SKIPPED: npm cannot install the judges"; exit 77; }
cp "$here/three_export.mjs" "$out/../node/"
node "$out/../node/three_export.mjs" "$out"
for source in swing.bvh flag.dae box.obj; do
    assimp export "$here/assimp/$source" "$out/assimp-${source%.*}.glb" >/dev/null
done
POSED_FOREIGN=$out "$test"
