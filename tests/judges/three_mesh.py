#!/usr/bin/env python3
"""three_mesh.py FOLDER: the body of three_mesh.mjs as The Sims 3 and Metroid Prime would deform it, by the readers of the tests.

Four weights are kept by the first; of the second's three, what is left out (under a tenth, or there would be a warning) moves
a vertex by at most that share of the distance between the places where its bones would have it.
"""

import json
import sys
from pathlib import Path

from places import transform
from prime_bodies import Cinf, Cmdl, Cskr, deform
from sims3_bodies import Geom
from sims3_files import fnv

ROUNDING = 1e-4  # metres
UNTOLD = 0.1


def geom(folder):
    mesh = Geom((folder / "body.simgeom").read_bytes())

    def corners(moves):
        places = list(mesh.deform({fnv(name, 32): move for name, move in moves.items()}))
        return [places[v] for face in mesh.faces for v in face]
    return corners


def cmdl(folder):
    files = {path.suffix: path.read_bytes() for path in folder.glob("*body*") if path.suffix in (".cmdl", ".cskr", ".cinf")}
    model, skin, skeleton = Cmdl(files[".cmdl"]), Cskr(files[".cskr"], "mp1"), Cinf(files[".cinf"], "mp1")
    return lambda moves: list(deform(model, skin, {bone: moves.get(name) for bone, name in skeleton.names.items()}))


def main(folder):
    poses = json.loads((folder / "poses.json").read_text())
    for name, corners, share in (("simgeom", geom(folder), 0), ("cmdl", cmdl(folder), UNTOLD)):
        worst = 0
        for pose in poses:
            moves = {bone: lambda v, m=matrix: transform(m, v) for bone, matrix in pose["moves"].items()}
            found = corners(moves)
            assert len(found) == len(pose["places"])
            for place, wanted, spread in zip(found, pose["places"], pose["spreads"]):
                off = sum((a - b) ** 2 for a, b in zip(place, wanted)) ** 0.5
                assert off <= share * spread + ROUNDING, (name, off, spread)
                worst = max(worst, off)
        print(f"{name}, {len(poses)} poses: {worst:.6f} m off at most, {share} of the weight may be missing")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
