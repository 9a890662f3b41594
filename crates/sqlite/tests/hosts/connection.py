"""The built library, connections that have loaded it, and other processes that do."""

import os
import sqlite3
import subprocess
import sys
from typing import Any

LIBRARY = os.path.splitext(os.path.abspath(sys.argv[1]))[0]
SCHEMA = """
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, total REAL);
INSERT INTO customer VALUES (1, 'Ann', 'Paris'), (2, 'Bob', 'Rome');
INSERT INTO orders VALUES (1, 1, 10.5), (2, 1, 4.5), (3, 2, 7);
"""
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def load(path: str = ":memory:", schema: str = SCHEMA) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, uri=True)
    db.enable_load_extension(True)
    db.load_extension(LIBRARY)
    if schema:
        db.execute("PRAGMA journal_mode = " + os.environ.get("JOURNAL", "delete"))
    db.executescript(schema)
    return db


def one(db: sqlite3.Connection, sql: str, *arguments: object) -> Any:
    """The first column of the first row."""
    return db.execute(sql, arguments).fetchone()[0]


def error(db: sqlite3.Connection, sql: str, *arguments: object) -> str:
    """What the statement fails with; that it does not fail is a failure."""
    try:
        db.execute(sql, arguments).fetchall()
    except sqlite3.Error as e:
        return str(e)
    raise AssertionError(f"no error: {sql}")


def shell(*commands: str) -> tuple[str, str]:
    """Output and errors of the sqlite3 shell with the library loaded."""
    run = subprocess.run(
        ["sqlite3", ":memory:", f".load {LIBRARY}", *commands], capture_output=True, text=True, timeout=60, check=False
    )
    return run.stdout.strip(), run.stderr


def python(connect: str, *lines: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Another Python with a connection `d`."""
    loaded = ["d.enable_load_extension(True)", f"d.load_extension({LIBRARY!r})"]
    code = "; ".join(["import sqlite3", connect, *loaded, *lines])
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
