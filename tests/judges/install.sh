#!/usr/bin/env bash
# install.sh OUTDIR: the judges of npm, as the lock file pins them, in OUTDIR/node_modules; once.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
exec "$here/../npm_install.sh" "$here" "$1"
