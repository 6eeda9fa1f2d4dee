#!/usr/bin/env bash
# characters.sh OUTDIR POSED PATH...: characters.mjs with every character of the PATHs and of the corpus. Exit status 77 when
# a tool is not there; in CI ($CI is set) it has to be.
set -euo pipefail
out=$1 posed=$2
shift 2
here=$(dirname "$(readlink -f "$0")")
skip() {
    echo "SKIPPED: $1"
    [ -z "${CI:-}" ] || exit 1
    exit 77
}
for tool in node npm; do
    command -v "$tool" >/dev/null || skip "no $tool"
done
mkdir -p "$out"
"$here/install.sh" "$out/../node" || skip "npm cannot install the judges"
corpus=${POSED_CORPUS:-$here/../../../shared/corpus}
paths=("$@")
if [ -d "$corpus" ]; then paths+=("$corpus/sl" "$corpus/sims" "$corpus/sims3"); else echo "SKIPPED: no corpus"; fi
"$posed" serve --listen 127.0.0.1:0 "${paths[@]}" >"$out/said" 2>"$out/log" &
daemon=$!
trap 'kill $daemon 2>/dev/null || true; wait $daemon 2>/dev/null || true' EXIT
origin=
while [ -z "$origin" ]; do
    kill -0 $daemon 2>/dev/null || { cat "$out/log"; exit 1; }
    origin=$(sed -n 's/^posed: listening on \(http:.*\)$/\1/p' "$out/said")
    [ -n "$origin" ] || sleep 0.1
done
cp "$here/characters.mjs" "$out/../node/"
node "$out/../node/characters.mjs" "$origin"
