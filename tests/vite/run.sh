#!/usr/bin/env bash
# run.sh OUT: a React and TypeScript project of Vite that shows twelve <posed-clip>, checked strictly and built with the
# package that npm would publish. Exit status 77 where npm or its registry is not there.
set -euo pipefail
out=$1
here=$(dirname "$(readlink -f "$0")")
skip() {
    echo "SKIPPED: $1"
    exit 77
}
command -v npm >/dev/null || skip "no npm"
"$here/../npm_install.sh" "$here" "$out" || skip "npm cannot install Vite"
rm -rf "$out/project" "$out/node_modules/posed-client" "$out"/posed-client-*.tgz
cp -r "$here/project" "$out/project"
"$(command -v node || command -v nodejs)" "$here/../../api/client_package.mjs" "$out/client"
(cd "$out" && npm pack --silent --pack-destination "$out" ./client >/dev/null)
mkdir "$out/node_modules/posed-client"
tar -xzf "$out"/posed-client-*.tgz -C "$out/node_modules/posed-client" --strip-components=1
cd "$out/project"
../node_modules/.bin/tsc -p .
../node_modules/.bin/vite build --logLevel error
grep -q posed-clip dist/assets/*.js || { echo "the element is not in what was built"; exit 1; }
