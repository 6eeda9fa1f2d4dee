#!/usr/bin/env bash
# Whether a game is known where none should be: string literals of lib/model, lib/sample, lib/bake, server and api that are an
# id, an extension or the name of a game in THE TABLE. The ids and extensions are read from the rows in lib/formats.
# Prints every one that no line below excuses. The tree is the argument, by default the one this script is in.
here=$(dirname "$(readlink -f "$0")")
exec python3 "$here/no_games.py" "${1:-$here/../..}"
