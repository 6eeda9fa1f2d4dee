#!/bin/sh
# exports.sh NM MODULE LIST: the list, in the linker's words, of all that the module looks for elsewhere.
set -eu
{
    echo '{'
    "$1" -uD "$2" | sed -n 's/^ *U \([A-Za-z_0-9]*\).*/\1;/p'
    echo '};'
} >"$3"
