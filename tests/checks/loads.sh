#!/usr/bin/env bash
# loads.sh PROGRAM: a command loads no library that it does not use, so that it starts at once; and says what is wrong when
# one that it needs cannot be loaded.
set -euo pipefail
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
daemon='libmicrohttpd|libgnutls|libuv|libseccomp|libsystemd'
late='libarchive|libxml2|libicu|libcrypto|libssl|libcairo|libwebp|libcurl|libpq'

# The libraries that the loader opens for these arguments.
loaded() {
    LD_DEBUG=files LD_DEBUG_OUTPUT="$work/files" "$program" "$@" >/dev/null
    sed -n 's/.*calling init: .*\///p' "$work"/files.* | sort -u
    rm -f "$work"/files.*
}

refuse() {
    local what=$1 found
    shift
    found=$(loaded "$@" | grep -E "^($what)" || true)
    [ -z "$found" ] || { printf 'posed %s loads: %s\n' "$*" "${found//$'\n'/, }"; exit 1; }
}

loaded --version | grep -q '^libpose' || { echo "the loader does not tell what it loads"; exit 1; }
refuse "$daemon|$late" --version
printf 'one' >"$work/one"
tar -cf "$work/some.tar" -C "$work" one
refuse "$daemon|libcairo|libwebp|libcurl|libpq" ls "$work/some.tar"

: >"$work/libarchive.so.13"
if LD_LIBRARY_PATH=$work "$program" ls "$work/some.tar" 2>"$work/said"; then
    echo "a container was listed without libarchive"
    exit 1
fi
grep -q 'libarchive cannot be loaded: .*file too short' "$work/said" || { cat "$work/said"; exit 1; }

# What the program exports to its module would be found by a library that has a function of the same name.
program=$(realpath "$program")
modules=$(dirname "$program")
libraries=$(ldd "$program" "$modules"/posed-*.so /usr/lib/*/libarchive.so.13 | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u | grep -v /libpose)
exported() { nm -D --defined-only "$@" | sed -n 's/^[0-9a-f]* [A-Z] \([A-Za-z0-9]\w*\).*/\1/p' | sort -u; }
# shellcheck disable=SC2086 # words are wanted
both=$(comm -12 <(exported "$program") <(exported $libraries /usr/lib/*/libarchive.so.13))
both=$(grep -vE '^std(in|out|err)$' <<<"$both" || true) # a program's own copies of libc's
[ -z "$both" ] || { echo "the program exports what a library defines: ${both//$'\n'/, }"; exit 1; }
