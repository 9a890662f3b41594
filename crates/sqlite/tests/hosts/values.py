"""The index of values: in files, interrupted, followed, in large tables."""

import os
import sqlite3
import subprocess
import sys
import tempfile
import time

from hosts.connection import LIBRARY, error, interrupted, load, one, python

NAMES = """
CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO person SELECT i, 'Person ' || (i * 7919 % 1000003) || ' ' || hex(i) FROM n;
"""


INDEX = "SELECT name FROM sqlite_schema WHERE name LIKE 'text2sql_value%' ORDER BY name"


def an_index_of_values_goes_with_the_file() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "towns.db")
        db = load(file, "CREATE TABLE town(name TEXT)")
        db.execute("BEGIN")
        db.executemany("INSERT INTO town VALUES (?)", [(f"Nowa {n}",) for n in range(22000)] + [("Gdańsk",)])
        db.execute("COMMIT")
        assert one(db, "SELECT text2sql_index_values()") == 22001
        db.close()
        # another process, which may only read
        out = python(
            f"d = sqlite3.connect('file:{file}?mode=ro', uri=True)",
            "d.execute(\"SELECT text2sql_config('probe_timeout', 10000)\")",
            "print(*d.execute(\"SELECT value FROM text2sql_search_values('Gdnask')\").fetchall())",
        )
        assert "('Gdańsk',)" in out.stdout, out


def an_interrupted_index_is_none() -> None:
    with tempfile.TemporaryDirectory() as directory:
        for journal in "DELETE", "WAL":
            path = os.path.join(directory, f"{journal}.db")
            db = load(path, f"PRAGMA journal_mode = {journal};" + NAMES)
            one(db, "SELECT count(*) FROM text2sql_search_values('x')")  # the catalog is read
            start = time.monotonic()
            assert one(db, "SELECT text2sql_index_values()") == 20000
            whole = time.monotonic() - start
            db.executescript(
                "SELECT text2sql_index_values('person', 'unfollow'); DROP TABLE text2sql_value; "
                "DROP TABLE text2sql_value_entry; DROP TABLE text2sql_value_source; "
                "DROP TABLE text2sql_value_change"
            )
            # while values are read, written and indexed
            cut = [interrupted(db, "SELECT text2sql_index_values()", whole * part) for part in (0.1, 0.4, 0.8)]
            assert cut.count(True) >= 2, (cut, whole)
            if all(cut):
                assert db.execute(INDEX).fetchall() == [], "a part of an index is there"
            assert not db.in_transaction, "the connection is in a transaction"
            # an index that is there stays as it was
            assert one(db, "SELECT text2sql_index_values()") == 20000
            db.execute("UPDATE person SET name = 'Somebody Else' WHERE id <= 10000")
            assert interrupted(db, "SELECT text2sql_index_values()", whole * 0.2)
            assert one(db, "SELECT count(*) FROM text2sql_value_entry") == 20000
            db.execute("INSERT INTO text2sql_value(text2sql_value) VALUES ('integrity-check')")
            db.close()


def a_killed_process_leaves_no_part_of_an_index() -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "names.db")
        load(path, NAMES).close()
        code = (
            f"import sqlite3, os, threading; d = sqlite3.connect({path!r}, isolation_level=None); "
            f"d.enable_load_extension(True); d.load_extension({LIBRARY!r}); "
            "threading.Timer(float(os.environ['AFTER']), os._exit, [9]).start(); "
            "d.execute('SELECT text2sql_index_values()').fetchall(); os._exit(0)"
        )
        for after in "0.2", "0.5", "0.9":
            run = subprocess.run(
                [sys.executable, "-c", code], env={**os.environ, "AFTER": after}, timeout=120, check=False
            )
            db = sqlite3.connect(path)
            entries = db.execute(INDEX).fetchall()
            if run.returncode == 9:
                assert entries == [], entries
            db.close()
        db = load(path, "")
        assert one(db, "SELECT text2sql_index_values()") == 20000


def indexing_leaves_the_callers_counters_and_transaction() -> None:
    db = load()
    for changed in 0, 1, 3:
        db.execute("INSERT INTO customer VALUES (NULL, 'Zoe', 'Oslo')")
        db.execute("UPDATE orders SET total = total WHERE id <= ?", (changed,))
        before = one(db, "SELECT last_insert_rowid()"), one(db, "SELECT changes()")
        one(db, "SELECT text2sql_index_values()")
        assert (one(db, "SELECT last_insert_rowid()"), one(db, "SELECT changes()")) == before == (before[0], changed)
    assert not db.in_transaction
    db.execute("BEGIN")
    one(db, "SELECT text2sql_index_values()")
    assert db.in_transaction
    db.execute("ROLLBACK")
    assert db.execute(
        "SELECT text2sql_index_values(name) FROM (SELECT 'customer' AS name UNION ALL SELECT 'orders')"
    ).fetchall() == [(6,), (0,)]
    message = error(db, "INSERT INTO customer SELECT NULL, text2sql_index_values(), ''")
    assert "statements in progress" in message, message


def a_followed_table_is_indexed_where_it_changed() -> None:
    db = load(schema=NAMES)
    assert one(db, "SELECT text2sql_index_values('person', 'follow')") == 20000
    assert one(db, "SELECT text2sql_index_values()") == 0, "nothing changed"
    db.execute("INSERT INTO person VALUES (90000, 'Llanfairpwllgwyngyll')")
    db.execute("UPDATE person SET name = 'Gdańsk' WHERE id = 5")
    db.execute("UPDATE OR REPLACE person SET name = 'Gdańsk' WHERE id = 6")
    db.execute("SELECT text2sql_config('probe_timeout', '10000')")
    assert one(db, "SELECT text2sql_index_values()") == 2
    for phrase, value in ("lanfairpwlgwyngyll", "Llanfairpwllgwyngyll"), ("gdnask", "Gdańsk"):
        assert (value,) in db.execute("SELECT value FROM text2sql_search_values(?)", (phrase,)).fetchall(), phrase
    # without the library too
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "f.db")
        db = load(path, "CREATE TABLE t(name TEXT UNIQUE); INSERT INTO t VALUES ('one')")
        assert one(db, "SELECT text2sql_index_values(NULL, 'follow')") == 1
        plain = sqlite3.connect(path, isolation_level=None)
        for _ in range(2):
            plain.execute("INSERT OR ABORT INTO t VALUES ('two') ON CONFLICT DO UPDATE SET name = 'two'")
        plain.execute("UPDATE OR FAIL t SET name = 'three' WHERE name = 'two'")
        plain.close()
        assert one(db, "SELECT text2sql_index_values()") == 1
        one(db, "SELECT text2sql_index_values('t', 'unfollow')")
        assert one(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'") == 0


def text_that_is_no_utf8_is_indexed_and_its_place_told() -> None:
    db = load(
        schema="CREATE TABLE town(name TEXT); INSERT INTO town VALUES ('Paris'), (CAST(x'4df66e73746572' AS TEXT))"
    )
    assert one(db, "SELECT text2sql_index_values()") == 2
    assert db.execute("SELECT * FROM text2sql_notices").fetchall() == [
        ("a value of town.name, rowid 2 is not valid UTF-8",)
    ]


def exact_values_are_found_in_large_tables_at_once() -> None:
    db = load(schema=NAMES + "CREATE INDEX by_name ON person(name)")
    db.execute("SELECT text2sql_config('probe_timeout', '1')")
    name = one(db, "SELECT name FROM person WHERE id = 12345")
    find = "SELECT value FROM text2sql_search_values(?) LIMIT 1"
    assert one(db, find, name) == name, "by the table's own index"
    db.execute("DROP INDEX by_name")
    db.execute("SELECT text2sql_config('probe_timeout', '50')")
    one(db, "SELECT text2sql_index_values()")
    assert one(db, find, name.upper()) == name, "by the index of values"


def a_search_that_ran_out_of_time_says_so() -> None:
    db = load(schema=NAMES.replace("20000", "400000"))
    db.execute("SELECT text2sql_config('probe_timeout', '1')")
    name = one(db, "SELECT name FROM person WHERE id = 321")
    message = error(db, "SELECT text2sql(?)", f'Which person is called "{name}" or Xyzzyx?')
    assert "was over before all were looked at" in message and "text2sql_index_values()" in message, message
