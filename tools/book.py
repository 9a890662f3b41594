#!/usr/bin/env python3
"""Gathers the pages of the documentation's site, and checks the built one.

    book.py gather FOLDER     the pages that docs/SUMMARY.md lists, at their paths in this tree
    book.py links FOLDER      links of the built site that lead nowhere

Links between pages stay as they are. What else of this tree a page links to (code, tests) is copied
beside it as text, so that the site is complete by itself.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from docs import LINK, ROOT

BLOCK = re.compile(r"(^```.*?^```$)", re.M | re.S)
IMAGES = {".svg", ".png"}


def within(path: Path) -> str:
    """A path of this tree from its root."""
    return os.path.relpath(path, ROOT)


def as_text(name: str) -> str:
    """What a file that is no page is called in the site; mdBook takes anything with `.md` for a page."""
    return name.rstrip("/").removesuffix(".md") + ".txt"


def listed() -> list[Path]:
    """The pages of SUMMARY.md."""
    summary = (ROOT / "docs/SUMMARY.md").read_text(encoding="utf-8")
    return [(ROOT / "docs" / link).resolve() for link in LINK.findall(summary)]


class Gathered:
    """The folder that mdBook reads."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.pages = folder, set(listed())

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def link(self, page: Path, link: str) -> str:
        """The link as the site needs it; copies what it leads to unless that is a page."""
        place, mark, anchor = link.partition("#")
        if not place or re.match(r"\w+:", link):
            return link
        goal = (page.parent / place).resolve()
        if goal in self.pages:
            return re.sub(r"\bREADME\.md$", "index.md", place) + mark + anchor
        if goal.suffix in IMAGES:
            copy = self.folder / within(goal)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(goal, copy)
            return link
        is_folder = goal.is_dir()
        listing = "".join(f"{entry}\n" for entry in sorted(os.listdir(goal))) if is_folder else ""
        self.write(as_text(within(goal)), listing if is_folder else goal.read_text(encoding="utf-8"))
        return as_text(place)

    def page(self, page: Path) -> str:
        """The page's text with its links."""

        def linked(match: re.Match[str]) -> str:
            link = match.group(1)
            return match.group(0).replace(f"]({link})", f"]({self.link(page, link)})")

        parts = BLOCK.split(page.read_text(encoding="utf-8"))
        return "".join(part if place % 2 else LINK.sub(linked, part) for place, part in enumerate(parts))

    def gather(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        for page in self.pages:
            name = within(page)
            self.write(re.sub(r"\bREADME\.md$", "index.md", name), self.page(page))
        summary = (ROOT / "docs/SUMMARY.md").read_text(encoding="utf-8")

        def listed_at(match: re.Match[str]) -> str:
            name = re.sub(r"\bREADME\.md$", "index.md", within((ROOT / "docs" / match.group(1)).resolve()))
            return match.group(0).replace(f"]({match.group(1)})", f"]({name})")

        self.write("SUMMARY.md", LINK.sub(listed_at, summary))


class Built(HTMLParser):
    """What a built page links to, and the places in it that can be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def dead(folder: Path) -> Iterator[str]:
    """Links of the built site that lead nowhere."""
    pages = {path.resolve(): Built(path) for path in folder.rglob("*.html")}
    for path, page in pages.items():
        if path.name in ("404.html", "toc.html"):
            continue  # their links are from the root of the site, wherever that is
        for link in page.links:
            place, _, anchor = unquote(link).partition("#")
            if re.match(r"\w+:|//", link):
                continue
            goal = (path.parent / place).resolve() if place else path
            if not goal.exists():
                yield f"{path.relative_to(folder.resolve())}: {link}"
            elif anchor and goal in pages and anchor not in pages[goal].ids:
                yield f"{path.relative_to(folder.resolve())}: no such heading: {link}"


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[0] not in ("gather", "links"):
        raise SystemExit(__doc__)
    folder = Path(arguments[1])
    if arguments[0] == "gather":
        Gathered(folder).gather()
        return 0
    troubles = sorted(set(dead(folder)))
    print("\n".join(troubles) or f"site: {len(list(folder.rglob('*.html')))} pages, every link leads somewhere")
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
