"""The blocks of a page of the documentation, run as the programs that they are, each with what it prints below it."""

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BLOCK = re.compile(r"^```(\w+)(?: (\w+))?\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.M | re.S)


class Block(NamedTuple):
    """A program of a page."""

    language: str
    # a word after the language
    note: str
    code: str
    prints: str


def sections(page: str) -> Iterator[tuple[str, list[Block]]]:
    """The headings of a page with the blocks below them, and its beginning if that has some."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        for place, section in enumerate(file.read().split("\n## ")):
            blocks = [Block(*found) for found in BLOCK.findall(section)]
            if blocks or place > 0:
                yield section.splitlines()[0], blocks


def agrees(printed: str, expected: str) -> bool:
    """Whether a program printed what its page says, but for spaces at the ends of lines; `…` there is anything."""
    printed, expected = (re.sub(r" +$", "", text, flags=re.M).strip() for text in (printed, expected))
    parts = (re.escape(part) for part in expected.split("…"))
    return re.fullmatch(".*".join(parts), printed, re.S) is not None


def run(command: list[str], block: Block, folder: str, typed: str = "", **environment: str) -> None:
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
    if ran.returncode != 0 or not agrees(ran.stdout, block.prints):
        raise AssertionError(f"exit status {ran.returncode}, expected:\n{block.prints}\n{ran.stdout}\n{ran.stderr}")


def play(page: str, do: Callable[[Block], None], leave_out: str = "", language: str = "") -> int:
    """Do something with each block of a page, but those of a note, and count; the program's exit status.

    With a language, only its blocks are played, and sections may have none.
    """
    passed = failed = 0
    for name, found in sections(page):
        blocks = [block for block in found if language in ("", block.language)]
        if not found and not language:
            failed += 1
            print(f"{name} failed: no block to run")
        for block in blocks:
            if leave_out and block.note == leave_out:
                continue
            try:
                do(block)
                passed += 1
            except Exception as error:
                failed += 1
                print(f"{name} failed: {error}")
    print(f"{passed} passed, {failed} failed")
    return int(failed != 0)
