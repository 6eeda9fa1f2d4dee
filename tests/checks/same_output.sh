#!/usr/bin/env bash
# Whether two builds of posed answer alike, byte for byte: same_output.sh OLD NEW [FILE...]. Serves the samples, the format
# samples and the corpus (where there is one), or the files given, with both programs and compares every clip in every format
# that it can become, poses, keys, events, previews, meshes, skeletons, characters, inspections of the loose files and
# `posed info --json`; and whole archives as `posed convert` writes them out. Prints what differs and ends with 1.
# MAX_CLIPS=N looks at no more than N clips of each format, for a quick look.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
old=$(readlink -f "${1:?usage: same_output.sh OLD NEW [FILE...]}") new=$(readlink -f "${2:?usage: same_output.sh OLD NEW [FILE...]}")
shift 2
if [ $# = 0 ]; then
    top=$here/../..
    build=$(dirname "$(dirname "$new")")
    for folder in "$build/samples" "$build/format-samples" "${POSED_CORPUS:-$top/../shared/corpus}" "$top/../../shared/corpus"; do
        [ -d "$folder" ] && set -- "$@" "$(readlink -f "$folder")"
    done
fi
[ $# != 0 ] || { echo 'same_output: nothing to compare: build the samples first' >&2; exit 2; }
exec python3 "$here/same_output.py" "$old" "$new" "$@"
