#!/usr/bin/env bash
# unit.sh POSED: systemd takes the service's unit files, and finds the service hardened (exposure at most 2.0 of 10). The
# tokens come as a credential, under the name that the defaults say.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sed "s|/usr/bin/posed|$1|" "$here/../../server/packaging/posed.service" >"$folder/posed.service"
cp "$here/../../server/packaging/posed.socket" "$folder"
systemd-analyze verify --man=no "$folder/posed.service" "$folder/posed.socket"
systemd-analyze security --offline=true --threshold=20 --no-pager "$folder/posed.service" >"$folder/report" ||
    { cat "$folder/report"; exit 1; }
tail -n 1 "$folder/report"

credential=$(sed -n 's/^LoadCredential=//p' "$here/../../server/packaging/posed.service")
grep -qxF "#POSED_TOKEN_FILE=/run/credentials/posed.service/$credential" "$here/../../server/packaging/posed.default"
