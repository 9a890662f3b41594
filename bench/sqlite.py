"""Size of the SQLite library, time to load it and to the first and the next answer.

    bench/sqlite.py LIBRARY

Medians of fresh processes of the stock sqlite3 shell, each beside the same shell without the
library, on a shop made here; the figures are of one machine and one run.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from measure import table

RUNS = 15
SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), placed_on DATE, total REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
INSERT INTO customers SELECT i, 'Customer ' || i, 'City ' || i % 50 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
INSERT INTO orders SELECT i, 1 + i % 5000, date('2020-01-01', (i % 1500) || ' days'), i % 997 FROM n;
"""
QUESTION = "SELECT text2sql('How many customers are there in each city?');"


def seconds(database: str, script: str) -> float:
    """Wall time of one shell that runs `script`."""
    started = time.perf_counter()
    done = subprocess.run(["sqlite3", "-batch", database], input=script, text=True, capture_output=True, check=False)
    if done.returncode or done.stderr:
        sys.exit(done.stderr or f"sqlite3 ended with {done.returncode}")
    return time.perf_counter() - started


def main() -> None:
    library = pathlib.Path(sys.argv[1]).resolve()
    load = f".load {library.with_suffix('')}\n"
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "shop.db")
        seconds(database, SHOP)
        scripts = {
            "shell": "SELECT 1;",
            "load": load + "SELECT 1;",
            "first": load + QUESTION,
            "eleven": load + QUESTION * 11,
        }
        times: dict[str, list[float]] = {name: [] for name in scripts}
        for _ in range(RUNS):
            for name, script in scripts.items():
                times[name].append(seconds(database, script))
    ms = {name: statistics.median(values) * 1e3 for name, values in times.items()}
    table(
        "sqlite_library",
        "the SQLite library | ",
        [
            ("size", f"{library.stat().st_size / 1e6:.1f} MB"),
            ("the shell alone", f"{ms['shell']:.1f} ms"),
            ("loading the library", f"{ms['load'] - ms['shell']:.1f} ms"),
            ("first answer, catalog included", f"{ms['first'] - ms['load']:.1f} ms"),
            ("each answer after it", f"{(ms['eleven'] - ms['first']) / 10:.1f} ms"),
        ],
    )


if __name__ == "__main__":
    main()
