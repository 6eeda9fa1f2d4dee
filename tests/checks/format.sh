#!/usr/bin/env bash
# Every C file looks as .clang-format says.
set -euo pipefail
cd "$(dirname "$0")/../.."
find lib api server tests -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run -Werror
