#!/usr/bin/env bash
# plain_build.sh GENERATOR MODULE: what a packager does, without a preset: configure, build and install with that generator of
# CMake. Then the installed program and the installed library work from where they lie. MODULE: OFF, or a libpose.wasm, which the
# program then holds; it is not made once more.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if command -v ccache >/dev/null; then export CMAKE_C_COMPILER_LAUNCHER=ccache; fi

cmake -S "$source" -B "$work/build" -G "$1" -DPOSED_WASM="$2" >"$work/log" || { cat "$work/log"; exit 1; }
cmake --build "$work/build" -j "$(nproc)" >"$work/log" 2>&1 || { tail -n 40 "$work/log"; exit 1; }
! grep -E 'warning:' "$work/log" || exit 1
cmake --install "$work/build" --prefix "$work/prefix" >"$work/log" || { cat "$work/log"; exit 1; }
rm -rf "$work/build" # nothing may be found there

"$work/prefix/bin/posed" --version
[ "$2" = OFF ] || grep -q 'assets/libpose-[0-9a-f]*[.]wasm' "$work/prefix/bin/posed"
printf 'HIERARCHY\n' >"$work/unknown.txt"
"$work/prefix/bin/posed" serve --check "$work/unknown.txt"
[ -e "$work/prefix/share/man/man1/posed.1" ] && [ -e "$work/prefix/share/man/man3/pose.3" ]

cat >"$work/player.c" <<'C'
#include <pose.h>
#include <stdio.h>
int main(void)
{
    struct pose_source source = {.name = "walk.anim", .bytes = {(const uint8_t *)"\1\0\0\0", 4}};
    struct pose_error error = {0};
    struct pose_document *document = pose_decode(&source, NULL, &error);
    printf("%s\n", document ? "decoded" : error.detail);
    pose_document_free(document);
    return document != NULL; /* four bytes are no animation */
}
C
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name pose.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # words are wanted
cc "$work/player.c" $(pkg-config --cflags --libs pose) -Wl,-rpath,"$(pkg-config --variable=libdir pose)" -o "$work/player"
"$work/player"
echo "$1: built, installed, used"
