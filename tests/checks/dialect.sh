#!/usr/bin/env bash
# The parts of CONTRIBUTING.md's style that clang-format does not see: `if (!x)` rather than a comparison with NULL or with the
# 0 of strcmp, and `sizeof x` without parentheses for objects. Prints each place and fails if there is one. The tree is the
# argument, by default the one this script is in.
set -euo pipefail
cd "${1:-$(dirname "$0")/../..}"
types='struct|union|enum|const|unsigned|signed|char|short|int|long|float|double|bool|void|size_t|u?int[0-9]+_t|[a-z]+_t|[A-Z]\w*|type|pixel|counter|digest'
rules=(
    '^(?!.*ck_assert).*== NULL'
    '^\s*(\} else )?(if|while) \((?!.*([?:]|[!=]= \().*!= NULL).*!= NULL'
    '\b(str|mem)(n|case|ncase)?cmp\([^;]*\) == 0'
    "\\bsizeof\\((?!($types)\\b)[\\w.>*-]+\\)(?!.*\\\\$)"
)
failed=0
for rule in "${rules[@]}"; do
    if grep -rnP --include='*.[ch]' "$rule" lib api server tests | grep -vP ':#define '; then failed=1; fi
done
exit $failed
