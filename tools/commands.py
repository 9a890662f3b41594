"""Runs the `sh` blocks of the documentation: see tools/commands."""

from __future__ import annotations

import os
import sys
import time

import page

import docs

ELSEWHERE = {"docs/clients.md", "docs/sqlite-hosts.md"}
# Why a block is not run among the others, by the word on its fence.
WHY = {
    "steps": "its commands are steps of tools/test",
    "minutes": "builds a release or installs a program: minutes",
    "data": "needs published benchmarks",
    "root": "makes whole systems: needs root and an hour",
}


def blocks() -> list[tuple[str, page.Block]]:
    """The shell blocks of all pages, with where they are."""
    return [
        (f"{path}: {section}", block)
        for path in sorted(str(path.relative_to(docs.ROOT)) for path in docs.pages())
        if path not in ELSEWHERE
        for section, found in page.sections(path)
        for block in found
        if block.language == "sh"
    ]


def play(where: str, block: page.Block) -> bool:
    """Runs a block; what it prints is compared where the page shows it. `--open` opens nothing."""
    began = time.monotonic()
    try:
        page.run(["bash", "-ec", block.code], block._replace(prints=block.prints or "…"), page.ROOT, BROWSER="true")
    except Exception as error:
        print(f"{where} failed: {error}", flush=True)
        return False
    print(f"ok  {where} ({time.monotonic() - began:.0f} s)", flush=True)
    return True


def main(words: list[str]) -> int:
    passed = failed = 0
    for where, block in blocks():
        if block.note in (words or [""]):
            fine = play(where, block)
            passed, failed = passed + fine, failed + (not fine)
        elif block.note and block.note not in WHY:
            failed += 1
            print(f"{where} failed: `sh {block.note}` says nothing that commands.py knows")
        elif not words:
            print(f"--  {where} not run here, {WHY[block.note]}:\n{block.code}", end="")
    print(f"{passed} passed, {failed} failed")
    return int(failed != 0)


if __name__ == "__main__":
    os.environ.pop("MAKEFLAGS", None)
    sys.exit(main(sys.argv[1:]))
