#!/usr/bin/env python3
"""The last ten runs of `make bench`, one below the other, in bench/results.md.

results.py FILE TABLES VALUES      adds the run that printed FILE, with a catalog and an index of these sizes
"""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

from figures import Rows, as_markdown, table_in, tables_in
from generated import ROOT

RESULTS = ROOT / "bench/results.md"
RUNS = 10
INTRODUCTION = """# The last runs of make bench

Written by `tools/bench`, newest last; compare runs of one machine and size. Medians, from the tables that
[benchmarks](../docs/benchmarks.md) explains.
"""
HEADING = ["date", "commit", "machine", "tables", "values"]
# Each figure's heading, and the table, row and column where a run prints it.
FIGURES = {
    "question to `builtin`, ms": ("warm", "text2sql(), answered", "median ms"),
    "to a model, ms": ("model_overhead", "text2sql(), zero_shot", "ms"),
    "64 sessions, questions a second": ("model_sessions", "64", "questions a second"),
    "first search of a session, ms": ("catalog_times", "first search of a session", "ms"),
    "next search, ms": ("catalog_times", "the next search", "ms"),
    "session, MB": ("catalog_memory", "after questions", "MB"),
    "`search_values()`, ms": ("values_lookup", "whole     search_values()", "median ms"),
    "SQLite, first answer, ms": ("sqlite_library", "first answer, catalog included", ""),
}


def figure(tables: dict[str, Rows], name: str, row: str, column: str) -> str:
    """One figure of a run, or a dash where it was not measured."""
    heading, *rows = tables.get(name, [[]])
    found = [cells[heading.index(column)] for cells in rows if cells[0] == row]
    return found[0].removesuffix(" ms") if found else "-"


def added(text: str, run: list[str]) -> str:
    """The file with one more run, and no more than ten."""
    runs = [*table_in(text)[1:], run]
    return f"{INTRODUCTION}\n{as_markdown([[*HEADING, *FIGURES], *runs[-RUNS:]])}\n"


def commit() -> str:
    """The commit that was measured, with a plus where files differ from it."""
    try:
        command = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "-"


def machine() -> str:
    """Its processor, and the PostgreSQL that was measured."""
    information = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*: (.+)", information.read_text()) if information.exists() else None
    name = model[1].strip() if model else platform.machine()
    return f"{os.cpu_count()} x {name}, PostgreSQL {os.environ.get('PG_MAJOR', '-')}"


def main(printed: str, *sizes: str) -> int:
    tables = tables_in(Path(printed).read_text(encoding="utf-8"))
    run = [datetime.date.today().isoformat(), commit(), machine(), *sizes]
    run += [figure(tables, *place) for place in FIGURES.values()]
    before = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    RESULTS.write_text(added(before, run), encoding="utf-8")
    print(f"added to {RESULTS.relative_to(ROOT)}: {', '.join(run)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
