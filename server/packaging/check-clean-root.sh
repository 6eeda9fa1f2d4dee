#!/usr/bin/env bash
# Installs the package into a fresh Debian made by debootstrap, with its dependencies, serves a file there and asks it;
# then removes it. Needs root, debootstrap, curl, and `./dev package` before.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
package=$(ls build/package/posed_*.deb)
mirror=${POSED_MIRROR:-http://deb.debian.org/debian}
root=$(mktemp -d /var/tmp/posed-package.XXXXXX)
started=''
chmod 755 "$root" # mktemp leaves it to root alone

# shellcheck disable=SC2317 # the trap calls it
clean() {
    [ -z "$started" ] || kill "$started" 2>/dev/null || true
    [ -z "$started" ] || wait "$started" 2>/dev/null || true
    umount -l "$root/proc" 2>/dev/null || true
    rm -rf --one-file-system "$root"
}
trap clean EXIT

inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/ DEBIAN_FRONTEND=noninteractive "$@"
}

debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" || { tail "$root.log"; exit 1; }
rm -f "$root.log"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
cp "$package" "$root/tmp/posed.deb"
inside apt-get install -q -y --no-install-recommends /tmp/posed.deb >/dev/null
inside posed --version
inside sh -c 'printf "HIERARCHY\n" >/tmp/unknown.txt'
chroot --userspec=65532:65532 "$root" env -i PATH=/usr/bin POSED_LISTEN=127.0.0.1:18080 posed serve /tmp/unknown.txt &
started=$!
chmod 755 "$root" # mktemp leaves it to root alone
for _ in $(seq 50); do
    inside posed health http://127.0.0.1:18080 && break
    sleep 0.2
done
inside posed health http://127.0.0.1:18080
grep -q '^Seccomp:.2$' "/proc/$started/status"
module=$(grep -ao 'assets/libpose-[0-9a-f]*[.]wasm' "$root/usr/bin/posed" | sort -u)
cmp -n 4 <(curl -sf "http://127.0.0.1:18080/$module") <(printf '\0asm')
kill "$started"
wait "$started"
started=''
chmod 755 "$root" # mktemp leaves it to root alone
inside apt-get purge -q -y posed >/dev/null
[ ! -e "$root/usr/bin/posed" ] && [ ! -e "$root/etc/default/posed" ]
echo "installed, served, removed"
