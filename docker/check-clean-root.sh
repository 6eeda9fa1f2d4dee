#!/usr/bin/env bash
# shellcheck disable=SC2086 # words of the Dockerfile are split where it has blanks
# Carries out docker/Dockerfile without an engine: each stage in a fresh Debian made by debootstrap, each COPY and RUN as
# written; then starts the ENTRYPOINT as the USER and asks the HEALTHCHECK. Needs root, debootstrap and some minutes.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
mirror=${POSED_MIRROR:-http://deb.debian.org/debian}
work=$(mktemp -d /var/tmp/posed-clean-root.XXXXXX)
stage='' user=0:0 workdir=/ started=''
declare -A roots

say() { printf '\n== %s\n' "$*"; }

mounted() { mount -t proc proc "$1/proc"; }

# shellcheck disable=SC2317 # the trap calls it
clean() {
    if [ -n "$started" ]; then
        kill "$started" 2>/dev/null || true
        wait "$started" 2>/dev/null || true
    fi
    for root in "$work"/*/; do umount -l "$root/proc" 2>/dev/null || true; done
    rm -rf --one-file-system "$work" # never into what is still mounted
}
trap clean EXIT

# inside COMMAND...: in the root of this stage, as its user. /proc is all that a build or the daemon may expect.
inside() {
    chroot --userspec="$user" "$stage" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        HOME=/ NODE_EXTRA_CA_CERTS=/etc/host-certificates.crt CURL_CA_BUNDLE=/etc/host-certificates.crt "$@"
}

from() {
    local suite=${1#debian:} name=${2:-last}
    suite=${suite%-slim}
    stage=$work/$name roots[$name]=$work/$name user=0:0 workdir=/
    [ -d "$work/base.$suite" ] || debootstrap --variant=minbase "$suite" "$work/base.$suite" "$mirror" >"$work/log" ||
        { tail "$work/log"; exit 1; }
    cp -a "$work/base.$suite" "$stage"
    cp /etc/resolv.conf "$stage/etc/resolv.conf"
    # Where a proxy with a certificate of its own stands between here and npm's registry.
    cp /etc/ssl/certs/ca-certificates.crt "$stage/etc/host-certificates.crt"
    mounted "$stage"
}

# The context is what git knows, and what is new and not ignored.
copy_context() { git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$1"; }

copy() {
    local from=''
    if [[ $1 == --from=* ]]; then from=${roots[${1#--from=}]} && shift; fi
    local source=$1 target=$2
    [[ $target == /* ]] || target=$workdir/$target
    if [ "$source" = . ]; then
        copy_context "$stage$target"
    elif [ -d "$from$source" ]; then
        mkdir -p "$stage$target"
        cp -a "$from$source/." "$stage$target/"
    else
        [[ $target != */ ]] || target+=$source
        install -D "$from$source" "$stage$target"
    fi
}

# A JSON list of strings as words.
words() { tr -d '[],"' <<<"$1"; }

healthcheck='' entrypoint='' cmd=''
while read -r instruction arguments; do
    case $instruction in
    '' | '#'*) ;;
    FROM) say "FROM $arguments" && from ${arguments/AS/} ;;
    WORKDIR) workdir=$arguments && mkdir -p "$stage$workdir" ;;
    COPY) say "COPY $arguments" && copy $arguments ;;
    RUN) say "RUN $arguments" && inside sh -c "cd $workdir && $arguments" ;;
    USER) user=$arguments ;;
    HEALTHCHECK) healthcheck=$(words "${arguments#*CMD }") ;;
    ENTRYPOINT) entrypoint=$(words "$arguments") ;;
    CMD) cmd=$(words "$arguments") ;;
    VOLUME | EXPOSE) ;;
    *) echo "unknown instruction $instruction" && exit 1 ;;
    esac
done <docker/Dockerfile

say "$entrypoint $cmd, as $user"
inside $entrypoint $cmd &
started=$!
for _ in $(seq 50); do
    if inside $healthcheck; then
        say "healthy; what the image adds: $(($(du -sk --exclude=proc "$stage" | cut -f1) - $(du -sk "$work"/base.* | cut -f1))) KB"
        exit 0
    fi
    sleep 0.2
done
echo "not healthy"
exit 1
