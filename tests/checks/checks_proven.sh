#!/usr/bin/env bash
# Whether the checks of the sources see what they are for: breaks each rule in a copy of the tree and wants it refused, and
# wants the copy accepted before.
set -euo pipefail
top=$(readlink -f "${1:-$(dirname "$0")/../..}")
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
failed=0

fresh() {
    rm -rf "$copy/tree"
    mkdir -p "$copy/tree/tests"
    local folder
    for folder in lib server api docs docker; do
        [ ! -d "$top/$folder" ] || cp -r "$top/$folder" "$copy/tree/"
    done
    cp -r "$top/tests/checks" "$copy/tree/tests/"
    cp "$top"/*.md "$copy/tree/"
}

# accepts CHECK: CHECK has nothing to say of the copy.
accepts() {
    "$copy/tree/tests/checks/$1" "$copy/tree" >"$copy/said" 2>&1 || {
        printf '%s refuses a tree that is sound:\n' "$1"
        cat "$copy/said"
        failed=1
    }
}

# refuses CHECK PLACE...: CHECK fails, and names each PLACE at the beginning of a line.
refuses() {
    local check=$1 place
    shift
    if "$copy/tree/tests/checks/$check" "$copy/tree" >"$copy/said" 2>&1; then
        printf '%s accepts what it is to refuse: %s\n' "$check" "$*"
        failed=1
    fi
    for place in "$@"; do
        grep -q "^$place" "$copy/said" || {
            printf '%s does not name %s\n' "$check" "$place"
            failed=1
        }
    done
}

# Puts a line at the end of the folder's first header or source; prints which.
add_line() {
    local file
    file=$(find "$copy/tree/$1" -maxdepth 1 -name '*.[ch]' | sort | head -n 1)
    printf '%s\n' "$2" >>"$file"
    printf '%s\n' "${file#"$copy/tree/"}"
}

# ------------------------------------------------------------------------------------------------ layers.sh
fresh
accepts layers.sh
# Every folder at once includes what no folder may: the library the daemon, and the daemon the inside of the library.
places=()
while read -r folder; do
    case $folder in
    lib*) other=server/ops/config.h ;;
    *) other=lib/formats/table.h ;;
    esac
    places+=("$(add_line "$folder" "#include \"$other\""):.*\"$other\"")
done < <(cd "$copy/tree" && find lib api server -name '*.[ch]' -printf '%h\n' | sort -u)
refuses layers.sh "${places[@]}"

# One step up, and from one family to another.
fresh
places=()
while read -r folder other; do
    places+=("$(add_line "$folder" "#include \"$other\""):.*\"$other\"")
done <<'PAIRS'
lib/core lib/model/build.h
lib/packing lib/model/build.h
lib/model lib/sample/sampler.h
lib/sample lib/bake/bake.h
lib/bake lib/formats/codec.h
lib/formats lib/formats/sl/names.h
lib/formats/bvh lib/formats/sl/names.h
lib/formats/sl lib/formats/bvh/plan.h
lib/formats/gltf lib/formats/prime/prime.h
lib/formats/sims lib/formats/sims3/names.h
lib/formats/sims3 lib/formats/sims/stream.h
lib/formats/prime lib/formats/table.h
server/ops server/store/blobs.h
server/store server/library/catalog.h
server/library server/uploads/upload.h
api/choices api/conversion/making.h
api/protocol api/views/clip_json.h
api/views api/handlers/handlers.h
server/http api/routes.h
PAIRS
refuses layers.sh "${places[@]}"

fresh
mkdir "$copy/tree/lib/attic"
: >"$copy/tree/lib/attic/one.c"
refuses layers.sh lib/attic
for i in $(seq 31); do : >"$copy/tree/lib/packing/file_$i.c"; done
refuses layers.sh lib/attic lib/packing:
printf '#include <microhttpd.h>\n' | tee -a "$copy/tree/api/routes.c" >>"$copy/tree/api/dispatch.c"
refuses layers.sh api/dispatch.c api/routes.c

# --------------------------------------------------------------------------------------------- no_games.sh
fresh
accepts no_games.sh
places=()
for folder in lib/model lib/sample server/library api/views; do
    places+=("$(add_line "$folder" 'static const char *const game = "tso-anim";'):.*tso-anim")
done
refuses no_games.sh "${places[@]}"

# -------------------------------------------------------------------------------------------- citations.sh
fresh
accepts citations.sh
refused=$(add_line lib/model '/* As prime-anim.md, 2.99 has it, and nowhere.md. */')
refuses citations.sh "$refused: prime-anim.md, 2.99" "$refused: nowhere.md"

# ----------------------------------------------------------------------------------------------- dialect.sh
fresh
accepts dialect.sh
places=()
while read -r folder line; do
    places+=("$(add_line "$folder" "$line"):")
done <<'LINES'
lib/model if (clip == NULL)
lib/sample while (clip != NULL)
server/http memset(&loop, 0, sizeof(loop));
api/protocol if (strcmp(a, b) == 0)
LINES
refuses dialect.sh "${places[@]}"

# ----------------------------------------------------------------------------------------------- circles.sh
fresh
accepts circles.sh
printf '#include "lib/model/match.h"\n' >>"$copy/tree/lib/model/axes.c"
printf '#include "lib/model/axes.h"\n' >>"$copy/tree/lib/model/match.c"
refuses circles.sh 'in a circle: .*lib/model/match'

exit $failed
