#!/usr/bin/env bash
# Who may include whom: the layers of the library, and the two hard edges (libpose only through pose.h; one file knows
# libmicrohttpd). Prints every line that breaks a rule.
set -euo pipefail
cd "$(dirname "$0")/../.."
broken=0

# rule FOLDER MAY WHY: what the sources below FOLDER include in quotes must match MAY.
rule() {
    local found
    found=$(grep -rnE --include='*.[ch]' '^ *# *include "' "$1" 2>/dev/null | grep -vE "include \"($2)\"" || true)
    [ -z "$found" ] || { printf '%s\n%s\n' "$3" "$found"; broken=1; }
}

rule lib/core     'pose\.h|lib/core/.*'                            'lib/core includes only itself:'
rule lib/model    'pose\.h|lib/(core|model)/.*'                    'lib/model includes only lib/core and itself:'
rule lib/pack     'pose\.h|lib/(core|pack)/.*'                     'lib/pack includes only lib/core and itself:'
rule lib/formats  'pose\.h|lib/(core|model|pack|formats)/.*'       'lib/formats includes nothing above itself:'
rule lib/archives 'pose\.h|lib/(core|model|pack|archives)/.*|lib/formats/codec\.h' 'lib/archives knows no single format:'
rule lib          'pose\.h|lib/.*'                                 'libpose includes nothing of the server:'
rule api          'pose\.h|(api|server)/.*'                        'api includes libpose only through pose.h:'
rule server       'pose\.h|(api|server)/.*'                        'server includes libpose only through pose.h:'

# No format includes another one: the header of a file that defines a codec or archive type is for its own parts only.
for source in $(grep -rlE '^const struct (codec|archive_type) ' lib/formats lib/archives || true); do
    header=${source%.c}.h
    users=$(grep -rlF "include \"$header\"" lib | grep -vE "^${source%.c}(_.*)?\.[ch]$" || true)
    [ -z "$users" ] || { printf '%s belongs to one format and is included by:\n%s\n' "$header" "$users"; broken=1; }
done

users=$(grep -rlE 'include *<microhttpd\.h>' lib api server 2>/dev/null || true)
[ "$(printf '%s' "$users" | grep -c .)" -le 1 ] ||
    { printf 'one file includes microhttpd.h, and these do:\n%s\n' "$users"; broken=1; }

exit $broken
