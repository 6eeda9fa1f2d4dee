#!/usr/bin/python3
"""draw.py: makes architecture.svg from architecture.txt, both beside this file; with --check says whether it is fresh."""

import sys
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
WIDTH, MARGIN, GAP, TITLE, BOX = 880, 16, 10, 34, 48
STYLE = """
  .paper { fill: #ffffff }
  .frame { fill: #f4f6f8; stroke: #c5ced6 }
  .box { fill: #ffffff; stroke: #5b7a99 }
  .title { font: bold 16px sans-serif; fill: #22313f }
  .folder { font: bold 14px monospace; fill: #22313f }
  .what { font: 13px sans-serif; fill: #4a5a68 }
  .arrow { stroke: #5b7a99; stroke-width: 1.5; fill: none }
"""


def parse(text):
    """[(title, [[(folder, what), ...] of a row, ...]), ...]"""
    groups = []
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("group: "):
            groups.append((line[len("group: "):], []))
        elif line == "row":
            groups[-1][1].append([])
        else:
            folder, what = line.split(" | ", 1)
            groups[-1][1][-1].append((folder, what))
    return groups


def label(x, y, kind, text):
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="middle">{escape(text)}</text>'


def arrow(y):
    x = WIDTH / 2
    return f'<path class="arrow" d="M{x:g} {y}v{GAP - 1}m-4 -4l4 4l4 -4"/>'


def draw(groups):
    out, y = [], MARGIN
    for at, (title, rows) in enumerate(groups):
        if at:
            out.append(arrow(y - GAP))
        height = TITLE + len(rows) * (BOX + GAP)
        out.append(f'<rect class="frame" x="{MARGIN}" y="{y}" width="{WIDTH - 2 * MARGIN}" height="{height}" rx="8"/>')
        out.append(label(WIDTH / 2, y + 22, "title", title))
        y += TITLE
        for floor, row in enumerate(rows):
            if floor:
                out.append(arrow(y - GAP))
            inner = WIDTH - 4 * MARGIN
            width = (inner - (len(row) - 1) * GAP) / len(row)
            for column, (folder, what) in enumerate(row):
                x = 2 * MARGIN + column * (width + GAP)
                out.append(f'<rect class="box" x="{x:g}" y="{y}" width="{width:g}" height="{BOX}" rx="5"/>')
                out.append(label(x + width / 2, y + 20, "folder", folder))
                out.append(label(x + width / 2, y + 38, "what", what))
            y += BOX + GAP
        y += GAP
    y += MARGIN - GAP
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}">\n'
            f"<title>How posed is built: each floor uses those below it</title>\n<style>{STYLE}</style>\n"
            f'<rect class="paper" width="{WIDTH}" height="{y}"/>\n' + "\n".join(out) + "\n</svg>\n")


def main():
    picture = HERE / "architecture.svg"
    text = draw(parse((HERE / "architecture.txt").read_text()))
    if "--check" in sys.argv[1:]:
        if not picture.exists() or picture.read_text() != text:
            sys.exit("docs/architecture.svg is not what docs/architecture.txt says: run python3 docs/draw.py")
    else:
        picture.write_text(text)


if __name__ == "__main__":
    main()
