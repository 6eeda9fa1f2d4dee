#!/usr/bin/env bash
# run.sh trixie|arm64 [quick]: builds and tests on another system than this one, in a root made by debootstrap that is kept
# in build/roots for the next time. quick: of the tests over HTTP only some. Needs root.
#   trixie  Debian 13 on this processor: its gcc without a warning; unit tests, checks, golden texts, and over HTTP.
#   arm64   Debian 13 with the cross compiler for arm64: unit tests, under qemu.
# Without root, or with what debootstrap cannot do here: exit status 77.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
system=$1
quick=${2:-}
mirror=${POSED_MIRROR:-http://deb.debian.org/debian}
root=$PWD/build/roots/$system
[ "$(id -u)" = 0 ] || { echo "SKIPPED: $system: needs root"; exit 77; }
command -v debootstrap >/dev/null || { echo "SKIPPED: $system: needs debootstrap"; exit 77; }

# shellcheck disable=SC2317 # the trap calls it
clean() { umount -l "$root/proc" 2>/dev/null || true; }
trap clean EXIT

inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
        NODE_EXTRA_CA_CERTS=/etc/host-certificates.crt ${CI:+CI=$CI} "$@"
}

case $system in
trixie) suite=trixie ;;
arm64) suite=trixie ;;
*) echo "run.sh trixie|arm64" >&2 && exit 2 ;;
esac
if [ ! -e "$root/ready" ]; then
    rm -rf --one-file-system "$root"
    mkdir -p "$root"
    debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" || { tail "$root.log"; exit 1; }
    touch "$root/ready"
fi
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/host-certificates.crt" # where a proxy has a certificate of its own

# The sources as they are here, beside what was built of them before.
mkdir -p "$root/src"
find "$root/src" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
git ls-files -z --cached --others --exclude-standard | xargs -0 ls -d 2>/dev/null | tar -c -T - | tar -x -C "$root/src"

case $system in
trixie)
    inside sh -c 'cd /src && ./dev install light'
    inside sh -c 'cd /src && cmake --preset default -DPOSED_WERROR=ON >/dev/null && cmake --build build/default'
    left_out='^$'
    [ -z "$quick" ] || left_out='^http_([c-gi-oq-z]|coverage)' # leaves basics, batch, bvh, hostile, plots, poses and the like
    inside sh -c "cd /src && ctest --test-dir build/default -j \$(nproc) --output-on-failure \
        -LE 'damage|browser|judges|slow' -E '$left_out'"
    ;;
arm64)
    inside dpkg --add-architecture arm64
    inside sh -c 'cd /src && ./dev install cross'
    inside sh -c 'cd /src && cmake --preset default -B build/arm64 -DPOSED_WERROR=ON \
        -DCMAKE_TOOLCHAIN_FILE=/src/tests/systems/arm64.cmake >/dev/null && cmake --build build/arm64 -- -k 0'
    # qemu has no seccomp, and starts no program of the other processor that a test starts (test_commands); of HTTP as above.
    inside sh -c 'cd /src && file -L build/arm64/server/posed && ctest --test-dir build/arm64 -j "$(nproc)" \
        --output-on-failure -L "unit|golden" -E "^test_(sandbox|commands|http|http_life)$"'
    ;;
esac
