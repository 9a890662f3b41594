"""What the benchmarks share: sessions that are set up, a clock, what a backend took of the machine, and tables."""

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from harness.session import Session


def session_with(database: str, setup: str = "") -> Session:
    """A session of the superuser with the server of PGHOST."""
    session = Session.to(database, "postgres", os.environ["PGHOST"])
    session.query(setup)
    return session


def create_server(database: str, name: str, base_url: str, role: str = "PUBLIC") -> None:
    session_with(
        database,
        f"SET client_min_messages = warning; DROP SERVER IF EXISTS {name}; "
        f"CREATE SERVER {name} FOREIGN DATA WRAPPER text2sql "
        f"OPTIONS (base_url '{base_url}', model 'm', native_tools 'off'); "
        f"GRANT USAGE ON FOREIGN SERVER {name} TO {role}",
    ).close()


def table(name: str, heading: str, rows: Iterable[Iterable[object]]) -> None:
    """Prints a table as `tools/figures.py run` keeps it; the headings are separated by bars."""
    cells = [[cell.strip() for cell in heading.split("|")], *([str(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    print(f"figures: {name}")
    for row in cells:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |")
    print(flush=True)


def milliseconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def stat(pid: int) -> list[int]:
    """The numbers of proc(5)'s stat of a process from the fourth field on, its parent's number."""
    # the command before them may hold spaces
    return [int(field) for field in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1:]]


def cpu_ms(pid: int) -> float:
    """Processor time of a process so far, its own and the system's for it."""
    scheduled = Path(f"/proc/{pid}/schedstat")
    if scheduled.exists():
        return int(scheduled.read_text().split()[0]) / 1e6
    # in clock ticks: utime and stime are fields 14 and 15
    fields = stat(pid)
    return (fields[10] + fields[11]) * 1000 / os.sysconf("SC_CLK_TCK")


def page_faults(pid: int) -> int:
    """Pages that a process had to be given so far: of new memory, or of files that others have read already."""
    # minflt is field 10
    return stat(pid)[6]
