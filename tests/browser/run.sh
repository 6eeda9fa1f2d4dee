#!/usr/bin/env bash
# run.sh OUT POSED SAMPLES [FILE...]: the tests in JavaScript (those *.test.mjs, or all beside this file) against a real
# daemon, those of the page in Chromium. OUT keeps npm's parts and what the tests leave (screenshots in OUT/pictures).
# POSED_NAMES (an expression) runs the tests of those names alone. Exit status 77 when a tool is not there; in CI ($CI is set) it has to be.
set -euo pipefail
out=$1
here=$(dirname "$(readlink -f "$0")")
skip() {
    echo "SKIPPED: $1"
    [ -z "${CI:-}" ] || exit 1
    exit 77
}
export POSED=$2 POSED_SAMPLES=$3
shift 3
command -v npm >/dev/null || skip "no npm"
node=$(command -v node || command -v nodejs) || skip "no node"
export CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
[ -n "$CHROMIUM" ] || skip "no chromium"
"$here/../npm_install.sh" "$here" "$out" || skip "npm cannot install the browser's driver"
export POSED_MODULES=$out/node_modules POSED_PICTURES=$out/pictures POSED_CORPUS=${POSED_CORPUS:-$here/../../../shared/corpus}
mkdir -p "$POSED_PICTURES"
[ -d "$POSED_CORPUS" ] || echo "SKIPPED: no corpus"
[ $# != 0 ] || set -- "$here"/*.test.mjs
cd "$out"
exec "$node" --test --test-reporter=spec ${POSED_NAMES:+--test-name-pattern="$POSED_NAMES"} "$@"
