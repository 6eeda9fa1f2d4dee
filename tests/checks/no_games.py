"""No game outside of lib/formats; called by no_games.sh."""

import pathlib
import re
import sys

FOLDERS = ("lib/model", "lib/sample", "lib/bake", "server", "api")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
GAMES = ("Second Life", "The Sims", "Metroid Prime", "Sims 3", "mp1", "mp2", "mp2demo")

# Words of the API that happen to be ids as well, and what is about one game by its very purpose. A file, a pattern of
# the literals in it, and why.
EXCUSED = (
    (r"(api|server)/.*", r"json|\.json|zip|\.zip|png|\.png", "words of HTTP and names of files: JSON, ZIP and PNG as anybody's"),
    (r"(api|server)/.*", r"gltf", "the word of axes= and as=: the axes of an answer"),
    (r"api/views/sims3_json\.c", r"sims3.*", "the endpoints about names of The Sims 3"),
    (r"api/poses/mixture\.c", r"sl", "the word of mix=: what plays, as the format of its clips"),
    (r"api/views/clip_json\.c", r"\.glb", "the path's ending of a link"),
    (r"server/commands/(names|info|pack|convert|preview|sample)\w*\.c", r".*", "help of the command line, which names what there is"),
)


def rows(top):
    """Ids and extensions of all rows."""
    ids, extensions = set(), set()
    for file in (top / "lib/formats").rglob("*.c"):
        text = file.read_text()
        ids.update(re.findall(r'\.id = "([\w-]+)"', text))
        for row in re.findall(r'(?:ARCHIVE|FAR)_FORMAT\((.*?)\)', text, re.S):
            literals = LITERAL.findall(row)
            ids.update(literals[:1])
            extensions.update(" ".join(literals[2:3]).split())
        for words in re.findall(r'\.extensions = "([^"]*)"', text):
            extensions.update(words.split())
    return ids, extensions


def excused(file, literal):
    return any(re.fullmatch(path, file) and re.fullmatch(words, literal) for path, words, _ in EXCUSED)


def main():
    top = pathlib.Path(sys.argv[1]).resolve()
    ids, extensions = rows(top)
    if len(ids) < 20 or len(extensions) < 20:
        sys.exit(f"no_games: only {len(ids)} ids and {len(extensions)} extensions found: are the rows written otherwise?")
    word = re.compile(r"(?<![\w-])(?:" + "|".join(sorted(map(re.escape, {name for name in ids if "-" in name} | set(GAMES)), key=len, reverse=True)) + r")(?![\w-])")
    prefixes = tuple({name.split("-")[0] + "-" for name in ids if "-" in name})
    found = []
    for folder in FOLDERS:
        for file in sorted((top / folder).rglob("*.[ch]")):
            name = str(file.relative_to(top))
            code = re.sub(r"/\*.*?\*/", lambda match: "\n" * match.group().count("\n"), file.read_text(), flags=re.S)
            for number, line in enumerate(code.split("\n"), 1):
                if line.lstrip().startswith("#"):
                    continue
                for literal in LITERAL.findall(line):
                    is_one = literal in ids or literal in prefixes or literal in extensions or word.search(literal)
                    if is_one and not excused(name, literal):
                        found.append(f'{name}:{number}: "{literal}"')
    print("\n".join(found) or f"no game in {', '.join(FOLDERS)}")
    sys.exit(bool(found))


main()
