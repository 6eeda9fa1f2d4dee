#!/usr/bin/env bash
# add_format.sh BUILD: whether a format that can be written is its folder, its row in THE TABLE and its line in
# lib/CMakeLists.txt, as lib/README.md promises. Adds a toy (add_format/csv) to a copy of the tree, builds there what the
# tests of formats are, and asks everything else of the programs of BUILD as they are: they only see another libpose.
set -euo pipefail
here=$(readlink -f "$(dirname "$0")")
top=$(readlink -f "$here/../..") build=$(readlink -f "$1")
work=$(mktemp -d)
daemon=
# shellcheck disable=SC2317 # at the end
finish() {
    [ -z "$daemon" ] || { kill "$daemon" && wait "$daemon"; } 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
tree=$work/tree

say() { printf -- '-- %s\n' "$*"; }
die() {
    printf 'add_format: %s\n' "$*" >&2
    exit 1
}
# has WHAT WORD FILE
has() {
    grep -qE -- "$2" "$3" && return
    cat "$3"
    die "$1: no $2"
}
# quietly COMMAND...: its output only when it fails.
quietly() {
    "$@" >"$work/said" 2>&1 && return
    tail -n 40 "$work/said"
    die "$*"
}

# ------------------------------------------------------------------------------------------------------- three edits
mkdir "$tree"
tar -C "$top" --exclude=./build --exclude=./.git --exclude=node_modules -cf - . | tar -C "$tree" -xf -
cp -r "$here/add_format/csv" "$tree/lib/formats/csv"
sed -i 's/^extern const struct family family_clip_json;/&\nextern const struct family family_csv;/
        s/^    &family_clip_json,/&\n    \&family_csv,/' "$tree/lib/formats/table.c"
sed -i 's/^  formats\/clip_json\/family.c/&\n  formats\/csv\/csv.c\n  formats\/csv\/family.c/' "$tree/lib/CMakeLists.txt"
[ "$(diff -r "$top/lib" "$tree/lib" | grep -c '^>')" -eq 4 ] || die "the lines were not added"

# ------------------------------------------------------------------------------------------------------------- a build
# As BUILD is built, and at the same place in its tree: what has not changed comes from the compiler's cache.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
export CCACHE_BASEDIR=$tree CCACHE_NOHASHDIR=1
launcher=()
! command -v ccache >/dev/null || launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
made=$tree/build/default
quietly cmake -S "$tree" -B "$made" -G Ninja -DPOSED_TESTS=ON -DPOSED_WASM=OFF -DPOSED_WERROR="$(cached POSED_WERROR)" \
    -DCMAKE_C_COMPILER="$(cached CMAKE_C_COMPILER)" -DCMAKE_BUILD_TYPE="$(cached CMAKE_BUILD_TYPE)" "${launcher[@]}"
quietly cmake --build "$made" --target pose posed-samples posed-golden posed-damage replay_codecs
libraries=$(dirname "$(find "$made" -name 'libpose.so*' | head -n 1)")
posed() { LD_LIBRARY_PATH=$libraries "$build/server/posed" "$@"; }
say "built"

# ----------------------------------------------------------------------------------------------- what walks the table
samples=$work/samples formats=$work/formats
quietly "$made/tests/samples/posed-samples" --formats "$formats"
[ -s "$formats/csv/sample.csv" ] || die "no sample was made of it"
golden=$made/tests/golden/posed-golden
! "$golden" "$formats/csv" >"$work/said" 2>&1 || die "golden texts do not miss one of it"
! "$golden" --coverage >"$work/said" 2>&1 || die "the coverage of golden texts does not miss it"
quietly "$golden" --update "$formats/csv"
quietly "$golden" "$formats/csv"
quietly "$golden" --coverage
has golden 'ROOT|joint|rotation' "$tree/tests/golden/csv/sample.csv.txt"
say "golden texts"
quietly "$made/tests/damage/posed-damage" "$formats/csv"
say "damage: $(tail -n 1 "$work/said")"
quietly "$made/tests/fuzz/replay_codecs" "$formats/csv/sample.csv"
say "fuzz"
for check in layers no_games circles; do
    quietly "$tree/tests/checks/$check.sh" "$tree"
done
say "checks of the sources"

# ------------------------------------------------------------------------------------------------------- command line
mkdir "$samples"
cp "$formats/csv/sample.csv" "$samples/walk.csv"
cp "$samples/walk.csv" "$samples/nameless"
posed info "$samples/nameless" >"$work/said"
has detection 'csv' "$work/said"
posed convert --help >"$work/said"
has 'posed convert --help' '\bcsv\b' "$work/said"
for to in glb json tso-anim; do
    quietly posed convert "$samples/walk.csv" "$work/there" --to "$to"
    quietly posed convert "$work/there" "$work/back.csv"
    has "there as $to and back" '^rotation,' "$work/back.csv"
done
say "command line"
LD_LIBRARY_PATH=$libraries "$build/tests/server/test_commands" >"$work/said" 2>&1 ||
    { cat "$work/said"; die "the manual does not hold"; }
say "manual"

# --------------------------------------------------------------------------------------------------------------- HTTP
: >"$work/listening"
LD_LIBRARY_PATH=$libraries "$build/server/posed" serve --no-sandbox --listen 127.0.0.1:0 "$samples" \
    >"$work/listening" 2>"$work/log" &
daemon=$!
for _ in $(seq 600); do
    url=$(sed -n 's/^posed: listening on //p' "$work/listening")
    [ -z "$url" ] || break
    sleep 0.1
done
[ -n "$url" ] || { cat "$work/log"; die "the daemon does not listen"; }
python3 - "$url" "$samples/walk.csv" <<'PYTHON'
import json
import sys
import urllib.request

url, path = sys.argv[1:]
sample = open(path, "rb").read()


def ask(target, body=None):
    with urllib.request.urlopen(urllib.request.Request(url + target, body)) as reply:
        return reply.headers["Content-Type"], reply.read()


# What the page's download menu is made of: server/web/src/about.js.
row = next(row for row in json.loads(ask("/v1/formats")[1])["items"] if row["id"] == "csv")
assert row["read"] and row["write"] and row["targets"] == ["csv"] and row["extensions"] == [".csv"], row
clip = next(clip for clip in json.loads(ask("/v1/clips?format=csv")[1])["items"])
inspected = json.loads(ask("/v1/inspect", sample)[1])
assert inspected["format"] == "csv", inspected
assert len(json.loads(ask(f"/v1/clips/{clip['id']}/pose?t=0")[1])["joints"]) > 1
kind, there = ask("/v1/convert?to=glb", sample)
assert there[:4] == b"glTF"
kind, back = ask("/v1/convert?to=csv", there)
assert kind.startswith("text/csv") and back.startswith(b"posed-csv,"), (kind, back[:80])
kind, own = ask(f"/v1/clips/{clip['id']}.csv")
assert own.startswith(b"posed-csv,"), own[:80]
PYTHON
say "HTTP"
