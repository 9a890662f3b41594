"""The `sh` blocks of the documentation run in the project's folder, but for those of docs/clients.md and
docs/sqlite-hosts.md, which have tests of their own. A word after `sh` leaves a block out; --fence WORD runs those
instead. Needs target/demo.sqlite (tools/demo-sqlite).
"""

from __future__ import annotations

import pytest
from harness import page
from harness.cluster import ROOT

from docs import pages

ELSEWHERE = {"docs/clients.md", "docs/sqlite-hosts.md"}
# Why a block is not run among the others, by the word on its fence.
WHY = {
    "steps": "its commands are steps of tools/test",
    "minutes": "builds a release or installs a program: minutes",
    "data": "needs published benchmarks",
    "root": "makes whole systems: needs root and an hour",
}
BLOCKS = {
    f"{path}: {name}": block
    for path in sorted(str(path.relative_to(ROOT)) for path in pages())
    if path not in ELSEWHERE
    for name, block in page.blocks(path)
    if block.language == "sh"
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "where" in metafunc.fixturenames:
        fence = metafunc.config.getoption("fence")
        metafunc.parametrize("where", [where for where, block in BLOCKS.items() if block.note == fence])


def test_every_word_on_a_fence_says_why_its_block_is_not_run() -> None:
    assert {block.note for block in BLOCKS.values() if block.note} <= set(WHY)


def test_the_commands_of_a_page_run(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their output is compared where the page shows it. `--open` opens nothing."""
    monkeypatch.delenv("MAKEFLAGS", raising=False)
    block = BLOCKS[where]
    page.run(["bash", "-ec", block.code], block._replace(prints=block.prints or "…"), ROOT, BROWSER="true")
