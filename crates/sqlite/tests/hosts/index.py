"""Building the index of values: interrupted, killed, followed."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile

from hosts.connection import LIBRARY, error, load, one

NAMES = """
CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO person SELECT i, 'Person ' || (i * 7919 % 1000003) || ' ' || hex(i) FROM n;
"""


INDEX = "SELECT name FROM sqlite_schema WHERE name LIKE 'text2sql_value%' ORDER BY name"


ENTRIES = (
    "SELECT table_name, column_name, e.* FROM text2sql_value_entry AS e JOIN text2sql_value_source AS s "
    "ON s.id = e.source ORDER BY 1, 2, e.id"
)


def ticks(db: sqlite3.Connection, sql: str, stop: int | None = None, every: int = 1000) -> int:
    """Run a statement; how often SQLite looked up from its work. At `stop` of them it is interrupted."""
    count = 0

    def tick() -> int:
        nonlocal count
        count += 1
        if count == stop:
            db.interrupt()
        return 0

    db.set_progress_handler(tick, every)
    try:
        db.execute(sql).fetchall()
    except sqlite3.OperationalError as e:
        assert "interrupted" in str(e) and stop is not None and count >= stop, e
    finally:
        db.set_progress_handler(None, 0)
    return count


def interrupted_build_leaves(db: sqlite3.Connection, before: list[object], stop: int) -> None:
    """An interrupt leaves the index as it was."""
    assert ticks(db, "SELECT text2sql_index_values()", stop) >= stop, "it was not interrupted"
    assert not db.in_transaction, "the connection is in a transaction"
    after = db.execute(ENTRIES).fetchall()
    db.execute("INSERT INTO text2sql_value(text2sql_value) VALUES ('integrity-check')")
    assert after == before, f"a part of an index is there after {stop}: {len(after)} of {len(before)}"


def an_interrupted_index_is_none() -> None:
    with tempfile.TemporaryDirectory() as directory:
        db = load(os.path.join(directory, "names.db"), NAMES)
        build = "SELECT text2sql_index_values()"
        one(db, "SELECT count(*) FROM text2sql_search_values('x')")  # the catalog is read
        whole = ticks(db, build)
        assert whole > 300 and one(db, "SELECT count(*) FROM text2sql_value_entry") == 20000, whole
        db.executescript(
            "DROP TABLE text2sql_value; DROP TABLE text2sql_value_entry; "
            "DROP TABLE text2sql_value_source; DROP TABLE text2sql_value_change"
        )
        # while tables are made, values are read, written and indexed
        for part in range(6):
            stop = 1 + whole * part // 10
            assert ticks(db, build, stop) >= stop, "it was not interrupted"
            assert not db.in_transaction, "the connection is in a transaction"
            there = {name for (name,) in db.execute(INDEX)}
            if "text2sql_value_source" in there:
                assert one(db, "SELECT count(*) FROM text2sql_value_source") == 0, f"a part is there after {part}"
            if "text2sql_value_entry" in there:
                assert one(db, "SELECT count(*) FROM text2sql_value_entry") == 0, f"a part is there after {part}"
        # an index that is there stays as it was
        assert one(db, build) == 20000
        before = db.execute(ENTRIES).fetchall()
        db.execute("UPDATE person SET name = 'Somebody Else' WHERE id <= 10000")
        for part in range(6):
            interrupted_build_leaves(db, before, 1 + whole * part // 10)
        assert one(db, "PRAGMA integrity_check") == "ok"
        assert one(db, build) == 10001
        db.close()


def an_index_is_interrupted_between_statements_too() -> None:
    """All of it or nothing, also in a transaction of the caller's, which is undone as by an INSERT."""
    for change in "", "UPDATE person SET name = 'Carl' WHERE id = 1":
        for begin in "SELECT 1", "BEGIN":
            db = load(
                schema="CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);"
                "INSERT INTO person VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Gdańsk')"
            )
            build = "SELECT text2sql_index_values('person', 'follow')"
            whole = ticks(db, build, every=1)
            db.execute(change)
            before, ran = db.execute(ENTRIES).fetchall(), 0
            for stop in range(1, 2 * whole, whole // 60):
                db.execute(begin)
                ran = ticks(db, build, stop, every=1)
                assert begin == "BEGIN" or not db.in_transaction, stop
                db.execute("INSERT INTO text2sql_value(text2sql_value) VALUES ('integrity-check')")
                after = db.execute(ENTRIES).fetchall()
                if ran < stop or len(after) > len(before):
                    break  # it ended before
                assert after == before, stop
                if db.in_transaction:
                    db.execute("ROLLBACK")
            assert stop > whole // 3, (stop, whole)


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
            if run.returncode == 9 and ("text2sql_value_source",) in db.execute(INDEX).fetchall():
                assert db.execute("SELECT count(*) FROM text2sql_value_source").fetchall() == [(0,)]
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
    db.execute("SELECT text2sql_config('value_search_timeout', '10000')")
    assert one(db, "SELECT text2sql_index_values()") == 2
    for phrase, value in ("lanfairpwlgwyngyll", "Llanfairpwllgwyngyll"), ("gdnask", "Gdańsk"):
        assert (value,) in db.execute("SELECT value FROM text2sql_search_values(?)", (phrase,)).fetchall(), phrase
    # without the library too, and nothing is changed for who writes
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "f.db")
        db = load(path, "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT UNIQUE); INSERT INTO t VALUES (7, 'one')")
        assert one(db, "SELECT text2sql_index_values(NULL, 'follow')") == 1
        plain = sqlite3.connect(path, isolation_level=None)
        for _ in range(2):
            plain.execute("INSERT OR ABORT INTO t VALUES (8, 'two') ON CONFLICT DO UPDATE SET name = 'two'")
        plain.execute("UPDATE OR FAIL t SET name = 'three' WHERE name = 'two'")
        plain.execute("INSERT INTO t(name) VALUES ('four'), ('five')")
        assert (one(plain, "SELECT last_insert_rowid()"), one(plain, "SELECT changes()")) == (10, 2)
        plain.close()
        assert one(db, "SELECT text2sql_index_values()") == 3
        one(db, "SELECT text2sql_index_values('t', 'unfollow')")
        assert one(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'") == 0


def a_followed_table_may_be_renamed_dropped_and_rebuilt() -> None:
    db = load(schema="CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (7, 'one')")
    triggers = "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'trigger' ORDER BY 1"
    assert one(db, "SELECT text2sql_index_values('t', 'follow')") == 1
    db.execute('ALTER TABLE t RENAME TO "it\'s"')
    db.execute("INSERT INTO \"it's\" VALUES (8, 'two')")
    assert one(db, "SELECT text2sql_index_values()") == 2, "it is read anew"
    assert db.execute(triggers).fetchall() == [
        ("text2sql_follow_it's_inserted", "it's"),
        ("text2sql_follow_it's_updated", "it's"),
    ]
    assert one(db, "SELECT count(*) FROM text2sql_value_change") == 0
    db.execute("INSERT INTO \"it's\" VALUES (9, 'three')")
    assert one(db, "SELECT text2sql_index_values()") == 1, "it is followed by its new name"
    # another table by that name
    db.executescript(
        'DROP TABLE "it\'s"; CREATE TABLE "it\'s"(id INTEGER PRIMARY KEY, name TEXT);'
        "INSERT INTO \"it's\" VALUES (1, 'four')"
    )
    assert one(db, "SELECT text2sql_index_values()") == 1
    assert [row[5] for row in db.execute(ENTRIES)] == ["four"]
    db.execute("ALTER TABLE \"it's\" ADD COLUMN city TEXT DEFAULT 'Rome'")
    assert one(db, "SELECT text2sql_index_values(\"it's\", 'follow')".replace('"it\'s"', "'it''s'")) == 2
    assert one(db, "SELECT text2sql_index_values()") == 0


def a_table_whose_rows_vacuum_numbers_anew_is_not_followed() -> None:
    kinds = {
        "t(name TEXT)": False,
        "t(name TEXT PRIMARY KEY) WITHOUT ROWID": False,
        "t(id INT PRIMARY KEY, name TEXT)": False,
        "t(id INTEGER PRIMARY KEY DESC, name TEXT)": False,
        "t(id INTEGER, k TEXT, name TEXT, PRIMARY KEY (id, k))": False,
        "t(id INTEGER, name TEXT, PRIMARY KEY (id)) WITHOUT ROWID": False,
        "t(id integer PRIMARY KEY, name TEXT)": True,
        "t(name TEXT, id INTEGER, PRIMARY KEY (id DESC))": True,
        "t(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT)": True,
    }
    for kind, follows in kinds.items():
        db = load(schema=f"CREATE TABLE {kind}")
        one(db, "SELECT text2sql_index_values('t', 'follow')")
        notices = [n for (n,) in db.execute("SELECT * FROM text2sql_notices")]
        assert bool(one(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'")) == follows, kind
        assert follows or ["t cannot be followed" in n for n in notices] == [True], (kind, notices)
    db = load(schema="CREATE TABLE t(name TEXT); INSERT INTO t VALUES ('a'), ('b'), ('c')")
    one(db, "SELECT text2sql_index_values('t', 'follow')")
    db.executescript("INSERT INTO t VALUES ('Llanfairpwllgwyngyll'); DELETE FROM t WHERE rowid < 3; VACUUM")
    assert one(db, "SELECT text2sql_index_values()") == 2
