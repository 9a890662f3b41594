"""The blocks of a page of the documentation, run as the programs that they are, each with what it prints below it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from .cluster import ROOT

BLOCK = re.compile(r"^```(\w+)(?: (\w+))?\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.M | re.S)


class Block(NamedTuple):
    """A program of a page."""

    language: str
    # a word after the language
    note: str
    code: str
    prints: str


def blocks(page: str) -> list[tuple[str, Block]]:
    """The blocks of a page, each with a name: its heading, and its number there."""
    found = []
    for section in (ROOT / page).read_text(encoding="utf-8").split("\n## "):
        heading = section.split("\n", 1)[0].lstrip("# ")
        for number, match in enumerate(BLOCK.findall(section), 1):
            found.append((f"{heading} {number}", Block(*match)))
    return found


def headings_without_blocks(page: str) -> list[str]:
    """The sections of a page that show nothing to run."""
    sections = (ROOT / page).read_text(encoding="utf-8").split("\n## ")[1:]
    return [section.split("\n", 1)[0] for section in sections if not BLOCK.search(section)]


def agrees(printed: str, expected: str) -> bool:
    """Whether a program printed what its page says, but for spaces at the ends of lines; `…` there is anything."""
    printed, expected = (re.sub(r" +$", "", text, flags=re.M).strip() for text in (printed, expected))
    parts = (re.escape(part) for part in expected.split("…"))
    return re.fullmatch(".*".join(parts), printed, re.S) is not None


def run(command: list[str], block: Block, folder: Path, typed: str = "", **environment: str) -> None:
    """Run a program in a folder and compare what it prints."""
    ran = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        input=typed,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, f"exit status {ran.returncode}\n{ran.stdout}\n{ran.stderr}"
    assert agrees(ran.stdout, block.prints), f"expected:\n{block.prints}\nprinted:\n{ran.stdout}\n{ran.stderr}"


def once(folder: Path, name: str, *command: str, **environment: str) -> None:
    """Runs a command that installs something below a folder, unless this very command did so before."""
    stamp = folder / f"{name}.installed"
    folder.mkdir(parents=True, exist_ok=True)
    if not stamp.exists() or stamp.read_text() != repr(command):
        done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        stamp.write_text(repr(command))
