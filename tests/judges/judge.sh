#!/usr/bin/env bash
# judge.sh OUTDIR DUMP SAMPLE...: has DUMP write every clip of the samples and of the corpus as GLB to OUTDIR, and asks
# gltf-validator, three.js and assimp what they think of them. Exit status 77 when a tool is not there; in CI ($CI is set)
# it has to be.
set -euo pipefail
out=$1 dump=$2
shift 2
here=$(dirname "$(readlink -f "$0")")
skip() {
    echo "SKIPPED: $1"
    [ -z "${CI:-}" ] || exit 1
    exit 77
}
for tool in node npm assimp; do
    command -v "$tool" >/dev/null || skip "no $tool"
done
mkdir -p "$out"
"$here/install.sh" "$out/../node" || skip "npm cannot install the judges"
paths=("$@")
corpus=${POSED_CORPUS:-$here/../../../shared/corpus}
if [ -d "$corpus" ]; then paths+=("$corpus"); else echo "SKIPPED: no corpus"; fi
rm -rf "$out/glb"
"$dump" "$out/glb" "${paths[@]}"
cp "$here/judge.mjs" "$out/../node/"
node "$out/../node/judge.mjs" "$out/glb"
# assimp takes a process a file: every tenth one, and all of them when it is asked for.
count=0 step=${POSED_ASSIMP_STEP:-10}
for file in "$out"/glb/*.glb; do
    count=$((count + 1))
    [ $((count % step)) = 0 ] || continue
    assimp info "$file" >"$out/assimp.txt" 2>&1 || { echo "assimp refuses $file:"; cat "$out/assimp.txt"; exit 1; }
done
echo "assimp reads every ${step}th of $count"
rm -rf "$out/glb"
