#!/bin/sh
# sources.sh OUT: puts the sources of expat, libdeflate and jansson into OUT, those of this Debian release; OUT is there when
# all of them are. Debian has no builds of them for WebAssembly. apt checks every file against the list of the release, and the
# list against Debian's keys; it works beside OUT alone, needs no root, and leaves the system's own lists as they are.
set -eu
packages='expat libdeflate jansson'
[ ! -d "$1" ] || exit 0
. /etc/os-release
[ -n "${VERSION_CODENAME:-}" ] && [ "${ID:-}" = debian ] || { echo "this is no release of Debian" >&2; exit 1; }
command -v dpkg-source >/dev/null || { echo "dpkg-source is missing (package dpkg-dev)" >&2; exit 1; }
mkdir -p "$(dirname "$1")"
target=$(readlink -f "$1")
out=$(mktemp -d "$target.XXXXXX") # beside it: two builds may fetch at the same time
trap 'rm -rf "$out"' EXIT
mkdir -p "$out/lists/partial" "$out/cache/archives/partial" "$out/down"
signed='deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'
cat >"$out/sources.list" <<END
$signed ${POSED_DEBIAN_MIRROR:-http://deb.debian.org/debian} $VERSION_CODENAME main
$signed ${POSED_DEBIAN_SECURITY:-http://deb.debian.org/debian-security} $VERSION_CODENAME-security main
END
apt() {
    apt-get -q -o "Dir::Etc::SourceList=$out/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$out/lists" \
        -o "Dir::Cache=$out/cache" -o APT::Sandbox::User= -o Acquire::Retries=3 -o Acquire::http::Timeout=10 \
        -o APT::Update::Error-Mode=any "$@"
}
# shellcheck disable=SC2086 # words are wanted
fetch() (
    apt update && cd "$out/down" && rm -f ./* && apt --download-only source $packages
)
# A mirror may list a security update before it has it: then the release itself, which is said.
if ! fetch; then
    sed -i /-security/d "$out/sources.list"
    echo "security updates cannot be fetched; trying the release without them" >&2
    fetch
fi
cd "$out/down"
for package in $packages; do
    dpkg-source --no-check --no-copy -x "$package"_*.dsc "$out/$package" >/dev/null # apt has checked it
    sed -n "s/^Version: /$package /p" "$package"_*.dsc | head -n 1 >>"$out/versions"
done
cd /
rm -rf "$out/lists" "$out/cache" "$out/down" "$out/sources.list"
chmod 755 "$out" # mktemp leaves it to its owner alone
mv -T "$out" "$target" 2>/dev/null || [ -d "$target" ] # or another build was first
