#!/usr/bin/env bash
# Who may include whom: a folder is a layer, and an arrow goes down only. A line per folder: what its files may include in
# quotes. Prints every include that breaks a rule. The tree is the argument, by default the one this script is in.
set -euof pipefail
cd "${1:-$(dirname "$0")/../..}"
broken=0
ruled=()

complain() {
    printf '%s\n%s\n' "$1" "$2"
    broken=1
}

# rule FOLDER MAY: the files of FOLDER itself, not of the folders in it, include what matches one of the blank-separated
# patterns of MAY ("lib/core/*": everything below it), and their own folder.
rule() {
    local folder=$1 allowed="$1/[^/]+\.h" pattern found
    ruled+=("$folder")
    for pattern in $2; do
        allowed+="|${pattern//\*/.*}"
    done
    found=$(find "$folder" -maxdepth 1 -name '*.[ch]' -exec grep -HnE '^ *# *include "' {} + | grep -vE "include \"($allowed)\"" || true)
    [ -z "$found" ] || complain "$folder may include: $2" "$found"
}

# ------------------------------------------------------------------------------------------------- lib, bottom up
core='pose.h lib/core/*'
model="$core lib/model/*"
sample="$model lib/sample/*"
retarget="$sample lib/retarget/*"
bake="$sample lib/bake/*"
format="$bake lib/packing/* lib/images/* lib/formats/codec.h lib/formats/pages.h lib/formats/archive.h lib/formats/family.h lib/formats/rules.h lib/formats/verdict.h lib/formats/fit.h lib/formats/bvh_dialect.h lib/retarget/names.h"

rule lib/include      ''
rule lib/core         'pose.h'
rule lib/core/numbers 'pose.h lib/core/[a-z_]+\.h'
rule lib/core/bytes   "$core"
rule lib/model        "$model"
rule lib/sample       "$sample"
rule lib/retarget     "$retarget lib/formats/rules.h"
mannequin="$retarget lib/mannequin/*"
rule lib/mannequin    "$mannequin"
rule lib/mannequin/make "lib/mannequin/*"
rule lib/bake         "$bake lib/formats/rules.h"
rule lib/packing      "$core"
rule lib/images       "$core lib/packing/*"
rule lib/formats      "$format"
# A family includes its own folders, never another family's.
for family in $(find lib/formats -mindepth 1 -maxdepth 1 -type d | sort); do
    for folder in $(find "$family" -type d); do
        rule "$folder" "$format $family/*"
    done
done
# The same library for pages; no_libarchive.c takes the place of a file of lib/formats/zip.
rule lib/wasm         "$core lib/wasm/* lib/formats/zip/libarchive.h"
rule lib "$format lib/formats/* lib/retarget/* lib/mannequin/*"

# ------------------------------------------------------------------------------------- the daemon, bottom up
# Of libpose the daemon sees pose.h, and lib/core for bytes.
ops="$core server/ops/*"
access="$ops server/access/*"
store="$access server/store/*"
events="$store server/events/*"
library="$events server/library/*"
services="$library server/uploads/* server/draw/loading.h server/draw/view.h server/draw/color.h"
protocol="$services api/protocol/*"
views="$protocol api/views/*"
choices="$protocol api/choices/*"

rule server/ops           "$ops"
rule server/ops/metrics   "$ops"
rule server/ops/modules   "$ops"
rule server/ops/work      "$ops"
rule server/access        "$access"
rule server/store         "$store"
rule server/store/s3      "$store"
rule server/store/shared  "$store"
rule server/store/postgres "$store"
rule server/store/sqlite   "$store"
rule server/store/upkeep   "$store"
rule server/events        "$events"
rule server/library       "$library"
rule server/library/entry "$library"
rule server/library/index "$library"
rule server/library/bodies "$library"
rule server/library/search "$library"
rule server/library/snapshot "$library"
rule server/library/rows "$library"
rule server/draw          "$core server/draw/raster/* server/draw/figure/* server/ops/modules/modules.h"
rule server/draw/raster   "$core server/draw/view.h"
rule server/draw/figure   "$core server/draw/scene.h server/draw/view.h"
rule server/uploads       "$library"
rule api/protocol         "$protocol"
rule api/signing          "$protocol api/signing/*"
rule api/views            "$views"
rule api/choices          "$choices"
rule api/conversion       "$choices"
rule api/poses            "$views $choices"
rule api/handlers         "$views $choices api/conversion/* api/poses/*"
rule api/pages            "$views api/choices/scope.h api/signing/* api/pages/* api/handlers/handlers.h"
rule api                  "$views api/choices/scope.h api/signing/* api/handlers/* api/pages/*"
rule server/http          "$protocol"
rule server/daemon        "$views api/dispatch.h server/http/*"
rule server/commands/site "$views api/signing/* server/commands/commands.h"
rule server/commands      "$views api/* server/daemon/daemon.h server/draw/*"
rule server               "server/commands/commands.h $ops"

# ------------------------------------------------------------------------------------------ what no rule may miss
for folder in $(find lib api server -name '*.[ch]' -printf '%h\n' | sort -u); do
    [[ " ${ruled[*]} " == *" $folder "* ]] || complain 'no rule for the folder' "$folder"
done
for folder in $(find lib api server tests -type d ! -path '*/node_modules*'); do
    count=$(find "$folder" -maxdepth 1 \( -name '*.[ch]' -o -name '*.py' -o -name '*.mjs' -o -name '*.js' \) | wc -l)
    [ "$count" -le 30 ] || complain 'a folder holds at most 30 source files; cut it where its ideas part' "$folder: $count"
done

users=$(grep -rlE 'include *<microhttpd\.h>' lib api server || true)
[ "$(printf '%s' "$users" | grep -c .)" -le 1 ] || complain 'only one file includes microhttpd.h' "$users"

exit $broken
