#!/usr/bin/env bash
# judge.sh OUTDIR POSED SAMPLES: what redocly and spectral say of openapi.json, and a client that openapi-typescript makes of it:
# compiled strictly, and run against a daemon. Exit status 77 when a tool is not there; in CI ($CI is set) it has to be.
set -euo pipefail
out=$1 posed=$2 samples=$3
here=$(dirname "$(readlink -f "$0")")
skip() {
    echo "SKIPPED: $1"
    [ -z "${CI:-}" ] || exit 1
    exit 77
}
for tool in node npm; do
    command -v "$tool" >/dev/null || skip "no $tool"
done
"$here/../../npm_install.sh" "$here" "$out" || skip "npm cannot install the judges of the API"
cp "$here"/{redocly.yaml,.spectral.yaml,client.ts,tsconfig.json} "$here/../../../api/openapi.json" "$out"
cd "$out"
judge() {
    local name=$1
    shift
    REDOCLY_TELEMETRY=off "node_modules/.bin/$name" "$@" >"$name.txt" 2>&1 || { echo "$name refuses:"; cat "$name.txt"; exit 1; }
}
judge redocly lint --max-problems 20 openapi.json
! grep -Eq 'You have [0-9]+ warning' redocly.txt || { cat redocly.txt; exit 1; }
judge spectral lint --fail-severity warn openapi.json
judge openapi-typescript openapi.json -o api.d.ts
judge tsc -p .

"$posed" serve --listen 127.0.0.1:0 "$samples" >listening.txt 2>daemon.txt &
daemon=$!
trap 'kill $daemon 2>/dev/null || true; wait $daemon || true' EXIT
for _ in $(seq 600); do
    origin=$(sed -n 's/^posed: listening on //p' listening.txt)
    [ -z "$origin" ] || break
    kill -0 $daemon 2>/dev/null || { cat daemon.txt; exit 1; }
    sleep 0.1
done
[ -n "$origin" ] || { echo "the daemon does not listen"; exit 1; }
node made/client.js "$origin"
