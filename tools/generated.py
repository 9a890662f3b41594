"""Files that a program of tools/ writes and `make lint` compares: docs/ is what it would write again."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def keep(texts: Mapping[Path, str], write: bool) -> int:
    """Writes the files, or prints those that are stale; 1 if there are any."""
    stale = 0
    for path, text in texts.items():
        if write:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale = 1
            print(f"{path.relative_to(ROOT)} is stale: {Path(sys.argv[0]).name} write")
    return stale
