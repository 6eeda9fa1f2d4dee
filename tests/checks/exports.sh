#!/usr/bin/env bash
# exports.sh LIBRARY: what leaves libpose is what pose.h declares, no more and no less; all of it is called pose_*.
set -euo pipefail
header=$(dirname "$0")/../../lib/include/pose.h
exported=$(nm -D --defined-only "$1" | awk '{print $3}' | sort -u)
declared=$(grep -v '^ *[/*]' "$header" | tr '\n' ' ' | grep -oE 'POSE_API [^;{]*;' | grep -oE '\bpose_[a-z0-9_]+\(' |
    tr -d '(' | sort -u)
strangers=$(comm -23 <(echo "$exported") <(echo "$declared"))
[ -z "$strangers" ] || { printf 'exported, and not in pose.h:\n%s\n' "$strangers"; exit 1; }
missing=$(comm -13 <(echo "$exported") <(echo "$declared"))
[ -z "$missing" ] || { printf 'declared in pose.h, and not exported:\n%s\n' "$missing"; exit 1; }
