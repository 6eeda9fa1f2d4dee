#!/usr/bin/env bash
# Every C file looks as .clang-format says. Other versions than 14 have other opinions: exit status 77.
set -euo pipefail
version=$(clang-format --version 2>/dev/null || true)
[[ $version == *'version 14.'* ]] || { echo "SKIPPED: format: no clang-format 14"; exit 77; }
cd "$(dirname "$0")/../.."
find lib api server tests -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run -Werror
