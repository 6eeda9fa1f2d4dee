"""Every "page.md, 2.2" of the tree leads to a section that is there; called by citations.sh."""

import pathlib
import re
import sys

FOLDERS = ("lib", "server", "api", "tests", "docker", "docs")
KINDS = {".c", ".h", ".py", ".sh", ".md", ".txt", ".js"}
PAGE = re.compile(r"(?<![\w/.-])((?:[\w.-]+/)*[A-Za-z][\w-]*\.md)\b(?:`?\)?)")
# What may follow the page: ", 2.2", ", section 7", " section 4", ", 2.2 to 2.4", ", 3, 4 and 8".
SECTIONS = re.compile(r"\]?\)?,? (?:sections? )?(\d+(?:\.\d+)*(?:(?:, | and | to )\d+(?:\.\d+)*)*)(?![\w%])")


def plain(text):
    """Comments as running text: a citation may be broken between two lines."""
    return re.sub(r"\n[ \t]*(?:\*|//|#)?[ \t]*", " ", text)


def main():
    top = pathlib.Path(sys.argv[1]).resolve()
    files = [f for f in top.glob("*.md")]
    for folder in FOLDERS:
        files += [f for f in (top / folder).rglob("*") if f.suffix in KINDS and "node_modules" not in f.parts]
    pages, found, broken = {}, 0, []
    for file in files:
        if file.suffix == ".md":
            numbers = re.findall(r"^#+ (\d+(?:\.\d+)*)\.? ", file.read_text(), re.M)
            pages.setdefault(file.name, set()).update(numbers)
    for file in files:
        if file.name in ("citations.py", "checks_proven.sh") or file.suffix == ".txt" and file.name != "CMakeLists.txt":
            continue
        text = plain(file.read_text(errors="replace"))
        for match in PAGE.finditer(text):
            name = match.group(1).rsplit("/", 1)[-1]
            found += 1
            where = f"{file.relative_to(top)}: {match.group(1)}"
            if name not in pages:
                broken.append(f"{where}: there is no such page")
                continue
            cited = SECTIONS.match(text, match.end())
            for number in re.findall(r"\d+(?:\.\d+)*", cited.group(1)) if cited else []:
                if pages[name] and number not in pages[name]:
                    broken.append(f"{where}, {number}: the page has no such section")
                elif not pages[name]:
                    broken.append(f"{where}, {number}: the page's sections have no numbers")
    print("\n".join(sorted(set(broken))) or f"{found} citations lead somewhere")
    sys.exit(bool(broken) or not found)


main()
