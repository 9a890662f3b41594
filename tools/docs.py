#!/usr/bin/env python3
"""What the documentation points at exists: links, headings, files, make targets, programs.

    docs.py [FILE.md …]      without arguments, all but the prompts

Looks at links within this tree and their #headings, at `paths/of/this/tree` in code (but for those with
NAME in them), and at the commands in blocks fenced as sh. Prints what leads nowhere, and fails if anything does.
"""

import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILT = {"target", "dist"}
PROMPTS = "crates/engine/src/prompt/"  # are sent to models
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.M | re.S)
# Programs of others, and ours that are built first.
PROGRAMS = {"apt", "cargo", "curl", "datasette", "docker", "export", "git", "pip", "npm", "psql", "sqlite-utils"}
PROGRAMS |= {"cp", "echo", "mkdir", "rm", "pgcli", "sqlite3", "text2sql-eval"}


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors(text: str) -> set[str]:
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.M)}


def targets(makefile: str) -> set[str]:
    return set(re.findall(r"^([a-z][\w-]*):", makefile, re.M))


def commands(block: str) -> Iterator[list[str]]:
    """The words of each command of a shell block."""
    for line in re.sub(r"\\\n", " ", block).splitlines():
        for command in re.split(r"\s(?:&&|\||;)\s", line):
            words = shlex.split(command, comments=True)
            if words:
                yield words


class Page:
    """One Markdown file of a tree."""

    def __init__(self, path: Path, root: Path = ROOT) -> None:
        self.path, self.root, self.text = path, root, path.read_text(encoding="utf-8")
        self.prose = FENCE.sub("", self.text)
        self.targets = targets((root / "Makefile").read_text(encoding="utf-8"))
        self.tree = {entry.name for entry in root.iterdir() if entry.is_dir() and entry.name != "target"}

    def troubles(self) -> Iterator[str]:
        for link in LINK.findall(CODE.sub("", self.prose)):
            if not re.match(r"\w+:", link):
                yield from self.link(link)
        for code in CODE.findall(self.prose):
            yield from self.code(code)
        for language, block in FENCE.findall(self.text):
            if language == "sh":
                for words in commands(block):
                    yield from self.command(words)

    def link(self, link: str) -> Iterator[str]:
        place, _, anchor = link.partition("#")
        goal = self.path.parent / place if place else self.path
        if not goal.exists():
            yield f"no file for the link {link}"
        elif anchor and goal.suffix == ".md" and anchor not in anchors(goal.read_text(encoding="utf-8")):
            yield f"no heading for the link {link}"

    def code(self, code: str) -> Iterator[str]:
        words = code.split()
        if words[:1] == ["make"] or code.startswith("tools/"):
            yield from self.command(words)
        elif re.fullmatch(r"[\w.-]+(/[\w.-]+)+/?", code) and "NAME" not in code:
            if code.partition("/")[0] in self.tree and not (self.root / code).exists():
                yield f"no file {code}"

    def command(self, words: list[str]) -> Iterator[str]:
        while words and re.match(r"\w+=", words[0]):  # settings for the command
            words = words[1:]
        if words[:1] == ["make"]:
            for word in words[1:]:
                if "=" not in word and not word.startswith("-") and word not in self.targets:
                    yield f"make has no target {word}"
        elif words and words[0].startswith("tools/"):
            if not (self.root / words[0]).exists():
                yield f"no program {words[0]}"
        elif words and words[0] not in PROGRAMS:
            yield f"no program {words[0]} that docs.py knows"


def pages() -> list[Path]:
    """The project's documents, in a copy without git as well; not what was built or downloaded, nor somebody's home."""
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name == ".github" or (name[0] != "." and name not in BUILT)]
        found += [Path(folder, name) for name in files if name.endswith(".md")]
    return sorted(path for path in found if not str(path.relative_to(ROOT)).startswith(PROMPTS))


def main(arguments: list[str]) -> int:
    documents = [Path(argument).resolve() for argument in arguments] or pages()
    failed = 0
    for path in documents:
        troubles = list(Page(path).troubles())
        failed += bool(troubles)
        for trouble in troubles:
            print(f"{path.relative_to(ROOT)}: {trouble}")
    print(f"documents: {len(documents)}, {failed} of them with references that lead nowhere")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
