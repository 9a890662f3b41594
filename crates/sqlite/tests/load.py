#!/usr/bin/python3
"""The built library in hosts that know nothing of it: the sqlite3 shell and Python.

load.py LIBRARY [no-shell]     e.g. target/sqlite/text2sql.so; needs a Python whose sqlite3 can load
extensions (Debian's /usr/bin/python3). `no-shell` leaves the shell out, which runs in the SQLite
alone that it was built with. JOURNAL=wal makes files in that mode. The last line is
`N passed, N failed`.
"""

import ctypes
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import traceback

LIBRARY = os.path.splitext(os.path.abspath(sys.argv[1]))[0]
SCHEMA = """
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, total REAL);
INSERT INTO customer VALUES (1, 'Ann', 'Paris'), (2, 'Bob', 'Rome');
INSERT INTO orders VALUES (1, 1, 10.5), (2, 1, 4.5), (3, 2, 7);
"""
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def load(path=":memory:", schema=SCHEMA):
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, uri=True)
    db.enable_load_extension(True)
    db.load_extension(LIBRARY)
    if schema:
        db.execute("PRAGMA journal_mode = " + os.environ.get("JOURNAL", "delete"))
    db.executescript(schema)
    return db


def one(db, sql, *arguments):
    return db.execute(sql, arguments).fetchone()[0]


def error(db, sql, *arguments):
    try:
        db.execute(sql, arguments).fetchall()
    except sqlite3.Error as e:
        return str(e)
    raise AssertionError(f"no error: {sql}")


def shell(*commands):
    run = subprocess.run(
        ["sqlite3", ":memory:", f".load {LIBRARY}", *commands], capture_output=True, text=True, timeout=60
    )
    return run.stdout.strip(), run.stderr


def python(connect, *lines, **environment):
    """Another Python with a connection `d`."""
    loaded = ["d.enable_load_extension(True)", f"d.load_extension({LIBRARY!r})"]
    code = "; ".join(["import sqlite3", connect, *loaded, *lines])
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, timeout=120
    )


def the_shell_answers_questions():
    out, err = shell(
        SCHEMA, "SELECT text2sql('How many orders are there?')", "SELECT ask FROM ask('How many orders are there?')"
    )
    assert not err, err
    sql, row = out.splitlines()[0], out.splitlines()[-1]
    assert "count" in sql.lower() and "orders" in sql, out
    assert list(json.loads(row).values()) == [3], out


def python_answers_questions():
    db = load()
    rows = [json.loads(v) for (v,) in db.execute("SELECT ask FROM ask('How many customers are there?')")]
    assert [list(r.values()) for r in rows] == [[2]], rows
    words = one(db, "SELECT ask_summary('How many customers are there?')")
    assert words.endswith(": 2"), words
    report = json.loads(one(db, "SELECT text2sql_explain('How many customers are there?')"))
    assert report["strategy"] == "builtin" and report["sql"], report


def an_answer_is_a_table_with_real_columns():
    db = load()
    assert "count" in one(db, "SELECT ask_table('answer', 'How many orders are there?')")
    assert one(db, "SELECT * FROM temp.answer") == 3
    db.execute("INSERT INTO orders VALUES (4, 2, 1)")
    assert one(db, "SELECT * FROM answer") == 4, "it is run anew"
    assert "already exists" in error(db, "SELECT ask_table('answer', 'How many orders are there?')")
    db.execute("DROP TABLE answer")
    # by hand, as a question or in a file, it is not made
    for statement in [
        "CREATE VIRTUAL TABLE temp.a USING ask_table('How many orders are there?')",
        "CREATE VIRTUAL TABLE a USING ask_table('SELECT 1', 'CREATE TABLE x(a)')",
    ]:
        assert "HINT: SELECT ask_table('a', " in error(db, statement), statement


def a_table_of_an_answer_is_made_in_the_midst_of_a_transaction():
    """A schema changed before, a transaction open, a refused table: SQLite reloads its schemas."""
    with tempfile.TemporaryDirectory() as folder:
        db = load(os.path.join(folder, "shop.db"), SCHEMA)
        db.executescript("CREATE TABLE t0(a); ALTER TABLE t0 RENAME TO t1; BEGIN")
        question = "How many orders are there?"
        db.execute("CREATE TABLE res AS SELECT value FROM ask(?)", (question,))
        db.execute("CREATE VIEW vq AS SELECT text2sql('How many orders are there?') AS s")
        assert "unsafe use" in error(db, "SELECT * FROM vq")
        assert "HINT" in error(db, f"CREATE VIRTUAL TABLE perm USING ask_table('{question}')")
        one(db, "SELECT ask_table('ans', ?)", question)
        assert one(db, "SELECT * FROM ans") == 3


def rows_keep_order_and_types():
    value = one(load(), "SELECT run FROM text2sql_run('SELECT total AS z, id AS a, NULL AS n, ''x'' AS t FROM orders')")
    assert value == '{"z":10.5,"a":1,"n":null,"t":"x"}', value


def columns_and_keys_are_called_as_on_postgresql():
    db = load()
    answer = db.execute("SELECT * FROM ask('How many orders are there?')")
    assert [c[0] for c in answer.description] == ["ask"], answer.description
    assert answer.fetchall() == [('{"count":3}',)]
    run = db.execute(
        "SELECT * FROM text2sql_run('SELECT max(total), min(total), total * 0, 1 AS \"sum(x)\" FROM orders')"
    )
    assert [c[0] for c in run.description] == ["run"], run.description
    assert list(json.loads(run.fetchone()[0])) == ["max", "min", "?column?", "sum(x)"]
    # what it was called before
    assert one(db, "SELECT value FROM ask('How many orders are there?')") == '{"count":3}'
    assert one(db, "SELECT value FROM ask('How many orders are there?', NULL) WHERE value LIKE '%3%'") == '{"count":3}'
    assert one(db, "SELECT value FROM text2sql_run('SELECT 1 AS n')") == '{"n":1}'


def json_tells_values_apart():
    sql = (
        "SELECT 9e999 AS a, -9e999 AS b, ''9e999'' AS c, x''3939'' AS d, ''9939'' AS e, 1 AS f, ''1'' AS g, "
        'NULL AS h, 0.1 AS i, 2.0 AS i, 3 AS "i:1"'
    )
    value = one(load(), f"SELECT run FROM text2sql_run('{sql}')")
    row = json.loads(value)
    infinity = float("inf")
    assert row == {
        "a": infinity,
        "b": -infinity,
        "c": "9e999",
        "d": {"blob": "3939"},
        "e": "9939",
        "f": 1,
        "g": "1",
        "h": None,
        "i": 0.1,
        "i:1": 2.0,
        "i:1:1": 3,
    }, value
    assert one(load(), "SELECT json_valid(?)", value) == 1


def a_cut_result_is_never_taken_for_the_whole():
    db = load()
    db.execute("SELECT text2sql_config('max_rows', '2')")
    message = error(db, "SELECT count(*) FROM text2sql_run('SELECT * FROM orders')")
    assert "more than 2 rows" in message and "HINT: SELECT text2sql_config('max_rows', '20');" in message, message
    assert db.execute("SELECT notice FROM text2sql_notices").fetchall() == [("the result has more than 2 rows",)]
    # who reads the first rows has them
    assert len(db.execute("SELECT * FROM ask('List all orders') LIMIT 2").fetchall()) == 2
    rows = db.execute("SELECT * FROM ask('List all orders')")
    assert len(rows.fetchmany(1)) == 1
    try:
        rows.fetchall()
        raise AssertionError("no error")
    except sqlite3.OperationalError as e:
        assert "more than 2 rows" in str(e)
    db.execute("SELECT text2sql_config('max_rows', '3')")
    assert one(db, "SELECT count(*) FROM ask('List all orders')") == 3
    assert db.execute("SELECT notice FROM text2sql_notices").fetchall() == []


def settings_survive_a_second_load():
    db = load()
    db.execute("SELECT text2sql_config('max_rows', '7')")
    db.load_extension(LIBRARY)
    assert one(db, "SELECT text2sql_config('max_rows')") == "7"
    other = load()
    assert one(other, "SELECT text2sql_config('max_rows')") == "10000", "of this connection only"


def errors_speak_of_sqlite():
    empty = load(schema="")
    message = error(empty, "SELECT text2sql('How many orders are there?')")
    assert "this connection" in message and "role" not in message, message
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "shop.db")
        sqlite3.connect(path).executescript(SCHEMA)
        db = load(f"file:{path}?mode=ro", "")
        message = error(db, "SELECT text2sql_remember('x', 'SELECT 1')")
        assert message.startswith("text2sql: the verified question could not be kept: ") and "HINT" in message, message
        db.close()
        db = load(path, "")
        db.execute("PRAGMA query_only = on")
        message = error(db, "SELECT text2sql_describe('orders', 'Orders')")
        assert message.startswith("text2sql: the description could not be kept: "), message


def the_tools_answer():
    db = load()
    paths = db.execute("SELECT conditions FROM text2sql_join_path('customer.name', 'orders.total')").fetchall()
    assert [json.loads(c) for (c,) in paths] == [["orders.customer_id = customer.id"]], paths
    values = db.execute("SELECT value, table_name, column_name FROM text2sql_search_values('paris')").fetchall()
    assert values[0] == ("Paris", "customer", "city"), values
    columns = db.execute("SELECT table_name, column_name FROM text2sql_search_columns('city', 1)").fetchall()
    assert columns == [("customer", "city")], columns


def an_index_of_values_goes_with_the_file():
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


NAMES = """
CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO person SELECT i, 'Person ' || (i * 7919 % 1000003) || ' ' || hex(i) FROM n;
"""
INDEX = "SELECT name FROM sqlite_schema WHERE name LIKE 'text2sql_value%' ORDER BY name"


def interrupted(db, sql, after):
    """Run a statement that is interrupted after so many seconds; whether it was."""
    timer = threading.Timer(after, db.interrupt)
    timer.start()
    try:
        db.execute(sql).fetchall()
        return False
    except sqlite3.OperationalError as e:
        assert "interrupted" in str(e), e
        return True
    finally:
        timer.cancel()
        timer.join()


def an_interrupted_index_is_none():
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


def a_killed_process_leaves_no_part_of_an_index():
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
            run = subprocess.run([sys.executable, "-c", code], env={**os.environ, "AFTER": after}, timeout=120)
            db = sqlite3.connect(path)
            entries = db.execute(INDEX).fetchall()
            if run.returncode == 9:
                assert entries == [], entries
            db.close()
        db = load(path, "")
        assert one(db, "SELECT text2sql_index_values()") == 20000


def indexing_leaves_the_callers_counters_and_transaction():
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


def a_followed_table_is_indexed_where_it_changed():
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


def text_that_is_no_utf8_is_indexed_and_its_place_told():
    db = load(
        schema="CREATE TABLE town(name TEXT); INSERT INTO town VALUES ('Paris'), (CAST(x'4df66e73746572' AS TEXT))"
    )
    assert one(db, "SELECT text2sql_index_values()") == 2
    assert db.execute("SELECT * FROM text2sql_notices").fetchall() == [
        ("a value of town.name, rowid 2 is not valid UTF-8",)
    ]


def exact_values_are_found_in_large_tables_at_once():
    db = load(schema=NAMES + "CREATE INDEX by_name ON person(name)")
    db.execute("SELECT text2sql_config('probe_timeout', '1')")
    name = one(db, "SELECT name FROM person WHERE id = 12345")
    find = "SELECT value FROM text2sql_search_values(?) LIMIT 1"
    assert one(db, find, name) == name, "by the table's own index"
    db.execute("DROP INDEX by_name")
    db.execute("SELECT text2sql_config('probe_timeout', '50')")
    one(db, "SELECT text2sql_index_values()")
    assert one(db, find, name.upper()) == name, "by the index of values"


def a_search_that_ran_out_of_time_says_so():
    db = load(schema=NAMES.replace("20000", "400000"))
    db.execute("SELECT text2sql_config('probe_timeout', '1')")
    name = one(db, "SELECT name FROM person WHERE id = 321")
    message = error(db, "SELECT text2sql(?)", f'Which person is called "{name}" or Xyzzyx?')
    assert "was over before all were looked at" in message and "text2sql_index_values()" in message, message


def planted_answers_count_only_where_the_host_trusts_the_file():
    plant = (
        SCHEMA
        + """
    CREATE TABLE text2sql_example(key TEXT PRIMARY KEY, question TEXT NOT NULL, sql TEXT NOT NULL);
    INSERT INTO text2sql_example VALUES ('how many orders are there', 'How many orders are there?', 'SELECT 42 AS n');
    CREATE TABLE text2sql_hint(term, meaning); INSERT INTO text2sql_hint VALUES ('orders', 'customers');
    CREATE TABLE text2sql_description(table_name, column_name, description, values_withheld);
    CREATE TABLE staff(password TEXT); INSERT INTO staff VALUES ('hunter2');
    INSERT INTO text2sql_description VALUES ('orders', '', 'Customers', 0), ('customer', 'city', NULL, 1),
        ('staff', 'password', NULL, -1);
    """
    )
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "foreign.db")
        sqlite3.connect(path).executescript(plant)
        db = load(path, "")
        question = "SELECT text2sql('How many orders are there?')"
        assert one(db, question) == "SELECT count(*) FROM orders"
        notices = [n for (n,) in db.execute("SELECT * FROM text2sql_notices")]
        for table in "example", "hint", "description":
            assert any(
                f"text2sql_{table} is not used" in n and "text2sql_config('trust', 'main')" in n for n in notices
            )
        assert one(db, question) and len(db.execute("SELECT * FROM text2sql_notices").fetchall()) == 3, "each time"
        # what withholds values holds in any case, what releases them does not
        search = "SELECT value FROM text2sql_search_values(?)"
        assert [db.execute(search, [value]).fetchall() for value in ("Paris", "hunter2")] == [[], []]
        for trusted in "main", path, f"other, {path}", "all":
            db.execute("SELECT text2sql_config('trust', ?)", (trusted,))
            assert one(db, question) == "SELECT 42 AS n", trusted
            assert db.execute(search, ["hunter2"]).fetchall() == [("hunter2",)], trusted
            assert db.execute("SELECT * FROM text2sql_notices").fetchall() == []
        db.execute("SELECT text2sql_config('trust', NULL)")
        assert one(db, question) == "SELECT count(*) FROM orders"
        # what this connection writes into a file that had none is its own
        own = load(os.path.join(directory, "own.db"))
        one(own, "SELECT text2sql_remember('How are we?', 'SELECT 1 AS well')")
        assert one(own, "SELECT text2sql('how are we')") == "SELECT 1 AS well"
        again = load(os.path.join(directory, "own.db"), "")
        assert (
            "not used" in error(again, "SELECT text2sql('how are we')")
            or again.execute("SELECT * FROM text2sql_notices").fetchall()
        )


def tables_of_somebody_elses_are_left_alone():
    names = ["text2sql_hint", "text2sql_example", "text2sql_description", "text2sql_summary"]
    for make in (
        "CREATE TABLE {}(x, y); INSERT INTO {} VALUES (1, x'00ff');",
        "CREATE VIEW {} AS SELECT 1 AS term, 2 AS meaning, 3 AS key, 4 AS question, 5 AS sql;",
        "CREATE VIRTUAL TABLE {} USING fts5(term, meaning);",
    ):
        db = load(schema=SCHEMA + "".join(make.replace("{}", name) for name in names))
        assert one(db, "SELECT text2sql('How many orders are there?')") == "SELECT count(*) FROM orders", make
        notices = [n for (n,) in db.execute("SELECT * FROM text2sql_notices")]
        for name in names[:3]:
            assert any(f"{name} is not used: it is no table with the columns" in n for n in notices), (make, notices)
    db = load(schema=SCHEMA + "CREATE TABLE text2sql_value_entry(a)")
    assert "text2sql_value_entry is not used" in error(db, "SELECT text2sql_index_values()")
    db = load(schema=SCHEMA + "CREATE TABLE text2sql_hint(term, meaning); INSERT INTO text2sql_hint VALUES (x'ff', 1)")
    assert one(db, "SELECT text2sql('How many orders are there?')")


def functions_join_with_tables():
    db = load()
    db.execute("CREATE TABLE statement(sql)")
    db.executemany("INSERT INTO statement VALUES (?)", [("SELECT 1",), ("DROP TABLE orders",)])
    rows = db.execute("SELECT ok FROM statement AS s, text2sql_check(s.sql) ORDER BY ok").fetchall()
    assert rows == [(0,), (1,)], rows


def null_is_null_and_nonsense_is_told():
    db = load()
    assert one(db, "SELECT text2sql(NULL)") is None
    assert one(db, "SELECT ask_summary(NULL)") is None and one(db, "SELECT text2sql_fix(NULL)") is None
    assert db.execute("SELECT * FROM ask(NULL)").fetchall() == []
    for sql, words in [
        ("SELECT text2sql('  ')", ["empty", "HINT: SELECT text2sql("]),
        ("SELECT text2sql('x', 'y')", ["JSON object", "json_object"]),
        ("SELECT text2sql('x', '{\"strateggy\":1}')", ["strateggy", "strategy"]),
        ("SELECT text2sql_config('max_rows', 'many')", ["max_rows", "whole number"]),
        ("SELECT text2sql_config('no_such')", ["no_such", "max_rows"]),
        ("SELECT * FROM ask", ["ask(question", "lacks"]),
        ("SELECT * FROM text2sql_run('SELECT writefile(1, 2)')", ["writefile", "Query:"]),
        ("SELECT text2sql('How many orders?', '{\"strategy\":\"gsr\"}')", ["text2sql_config("]),
        ("SELECT text2sql_describe_query('SELECT 1')", ["needs a model", "text2sql_config("]),
        ("SELECT text2sql_fix('SELECT nothing FROM orders')", ["needs a model", "text2sql_config("]),
    ]:
        message = error(db, sql)
        assert all(w in message for w in words), (sql, message)


def a_verified_question_is_answered_again():
    db = load()
    kept = "SELECT sum(total) AS turnover FROM orders"
    assert one(db, "SELECT text2sql_remember('How are we doing?', ?)", kept + ";") == kept
    assert one(db, "SELECT text2sql('how are we doing')") == kept
    assert "text2sql_example" not in one(db, "SELECT group_concat(table_name) FROM text2sql_search_columns('key')")
    assert "DELETE" in error(db, "SELECT text2sql_remember('x', 'DELETE FROM orders')")
    db.execute("DELETE FROM text2sql_example")
    assert "doing" in error(db, "SELECT text2sql('How are we doing?')")


def a_schema_cannot_call_the_functions():
    db = load()
    db.execute("CREATE VIEW trap AS SELECT text2sql('How many orders are there?') AS q")
    assert "unsafe use" in error(db, "SELECT * FROM trap")
    db.execute("CREATE VIEW trap2 AS SELECT * FROM ask('How many orders are there?')")
    assert "unsafe use" in error(db, "SELECT * FROM trap2")


def a_temporary_view_over_the_functions_is_not_asked():
    db = load()
    db.execute("CREATE TEMP VIEW a AS SELECT text2sql('How many orders are there?') AS q")
    db.execute("CREATE TEMP VIEW b AS SELECT value FROM ask('How many orders are there?')")
    db.execute("CREATE TEMP VIEW c AS SELECT a.q, b.value FROM a, b")
    assert "orders" in one(db, "SELECT text2sql('How many orders are there?')")
    # its maker may use it
    assert "count" in one(db, "SELECT q FROM a")
    assert one(db, "SELECT value FROM b").endswith(":3}")
    for view in "abc":
        assert "may not be" in error(db, f"SELECT * FROM text2sql_run('SELECT * FROM {view}')"), view
    columns = db.execute("SELECT table_name FROM text2sql_search_columns('q')").fetchall()
    assert not {"a", "b", "c"} & {name for (name,) in columns}, columns


def the_host_stops_what_runs():
    db = load()
    timer = threading.Timer(0.3, db.interrupt)
    timer.start()
    assert "interrupted" in error(db, "SELECT * FROM text2sql_run(?)", ENDLESS)
    timer.join()
    assert one(db, "SELECT count(*) FROM orders") == 3, "the connection goes on"


def the_own_limit_stops_what_runs():
    db = load()
    db.execute("SELECT text2sql_config('statement_timeout', '200')")
    message = error(db, "SELECT * FROM text2sql_run(?)", ENDLESS)
    assert "200 ms" in message and "HINT: SELECT text2sql_config('statement_timeout'" in message
    assert one(db, "SELECT count(*) FROM orders") == 3, "the connection goes on"


def the_hosts_transaction_and_settings_stay():
    db = load()
    db.execute("BEGIN")
    db.execute("DELETE FROM orders WHERE id = 3")
    assert json.loads(one(db, "SELECT run FROM text2sql_run('SELECT count(*) AS n FROM orders')")) == {"n": 2}
    error(db, "SELECT * FROM text2sql_run('SELECT * FROM missing')")
    assert db.in_transaction
    db.execute("ROLLBACK")
    assert one(db, "SELECT count(*) FROM orders") == 3
    assert one(db, "SELECT length(zeroblob(100000000))") == 100_000_000


def a_read_only_file_is_enough():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "shop.db")
        sqlite3.connect(path).executescript(SCHEMA)
        before = open(path, "rb").read()
        db = load(f"file:{path}?mode=ro", "")
        assert one(db, "SELECT count(*) FROM ask('How many orders are there?')") == 1
        db.close()
        assert open(path, "rb").read() == before and os.listdir(directory) == ["shop.db"]


def the_hosts_authorizer_and_progress_handler_stay():
    db = load()
    db.execute("CREATE TABLE secret(code)")
    seen, ticks, stop = [], [], []

    def authorizer(action, first, second, *_):
        seen.append((action, first, second))
        if action == sqlite3.SQLITE_DELETE and first == "orders" or action == sqlite3.SQLITE_READ and first == "secret":
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_IGNORE if (action, second) == (sqlite3.SQLITE_READ, "city") else sqlite3.SQLITE_OK

    db.set_authorizer(authorizer)
    db.set_progress_handler(lambda: ticks.append(1) or bool(stop), 50)
    for question in [
        "SELECT text2sql('How many orders are there?')",
        "SELECT value FROM ask('How many orders are there?')",
        "SELECT ask_table('answer', 'How many orders are there?')",
    ]:
        one(db, question)
        # it is there afterwards, and nothing is lifted
        assert "not authorized" in error(db, "DELETE FROM orders"), question
        ticks.clear()
        db.execute(ENDLESS.replace("FROM n)", "FROM n WHERE i < 5000)")).fetchall()
        assert ticks, question
    # nor meanwhile
    seen.clear()
    assert one(db, "SELECT value FROM text2sql_run('SELECT city FROM customer LIMIT 1')") == '{"city":null}'
    assert (sqlite3.SQLITE_READ, "customer", "city") in seen
    message = error(db, "SELECT * FROM text2sql_run('SELECT code FROM secret')")
    assert "prohibited" in message or "not authorized" in message, message
    stop.append(1)
    assert "interrupted" in error(db, "SELECT * FROM text2sql_run(?)", ENDLESS)
    db.set_authorizer(None)
    db.set_progress_handler(None, 0)
    assert one(db, "SELECT value FROM text2sql_run('SELECT count(*) AS n FROM secret')") == '{"n":0}'
    db.execute("DELETE FROM orders")


def an_authorizer_that_cannot_be_seen_is_not_replaced():
    """A SQLite that does not say how large a connection is: nothing is found in it."""
    with tempfile.TemporaryDirectory() as folder:
        source, shim = os.path.join(folder, "shim.c"), os.path.join(folder, "shim.so")
        with open(source, "w") as file:
            file.write("unsigned long long sqlite3_msize(void *p) { return 0; }")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, source], check=True)

        def run(**environment):
            return python(
                "d = sqlite3.connect(':memory:')",
                f"d.executescript({SCHEMA!r})",
                "print(d.execute(\"SELECT text2sql('How many orders are there?')\").fetchall())",
                LD_PRELOAD=shim,
                **environment,
            )

        refused = run()
        assert "HINT: export TEXT2SQL_REPLACE_AUTHORIZER=on" in refused.stderr, refused
        assert "orders" in run(TEXT2SQL_REPLACE_AUTHORIZER="on").stdout


def a_forked_process_is_told_to_open_its_own():
    db = load()
    question = "SELECT text2sql('How many orders are there?')"
    one(db, question)
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.write(writer, error(db, question).encode())
            db.close()
            fresh = load()
            os.write(writer, one(fresh, question).encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    said = os.read(reader, 10_000).decode()
    assert "by another process" in said and "count" in said, said
    one(db, question)


def a_second_sqlite_of_the_process_is_refused():
    """The library calls the functions of the SQLite that loaded it first."""
    question = "SELECT text2sql('How many orders are there?')"
    db = load()
    with open("/proc/self/maps") as maps:
        own = next(path for line in maps if "libsqlite3" in (path := line.split()[-1]))
    with tempfile.TemporaryDirectory() as folder:
        another = ctypes.CDLL(shutil.copy(own, os.path.join(folder, "another.so")))
        handle, message = ctypes.c_void_p(), ctypes.c_char_p()
        assert another.sqlite3_open(b":memory:", ctypes.byref(handle)) == 0
        another.sqlite3_enable_load_extension(handle, 1)
        code = another.sqlite3_load_extension(handle, LIBRARY.encode(), None, ctypes.byref(message))
        assert code != 0 and b"another SQLite" in message.value, (code, message.value)
        another.sqlite3_close(handle)
    assert "count" in one(db, question)


def a_generated_column_calls_only_what_a_query_may():
    db = load(schema="")
    calls = []
    db.create_function("spy", 1, lambda x: calls.append(x) or x, deterministic=True)
    db.executescript("""
        CREATE TABLE item(name TEXT, upper_name TEXT AS (upper(name)), spied TEXT AS (spy(name)));
        CREATE TEMP TABLE mine(name TEXT, spied TEXT AS (spy(name)));
        CREATE VIEW spies AS SELECT spied FROM item;
        INSERT INTO item(name) VALUES ('apple'); INSERT INTO mine(name) VALUES ('pear');
    """)
    calls.clear()
    rows = db.execute("SELECT table_name, column_name FROM text2sql_search_columns('name', 20)").fetchall()
    assert sorted(rows) == [("item", "name"), ("item", "upper_name"), ("mine", "name")], rows
    assert one(db, "SELECT value FROM text2sql_run('SELECT upper_name FROM item')") == '{"upper_name":"APPLE"}'
    for sql in [
        "SELECT spied FROM item",
        "SELECT spied FROM mine",
        "SELECT * FROM spies",
        "SELECT name FROM item WHERE spied > 0",
        "SELECT count(*) FROM item ORDER BY max(spied)",
    ]:
        message = error(db, "SELECT * FROM text2sql_run(?)", sql)
        assert "may not be" in message, (sql, message)
    assert not calls, calls


def a_function_of_the_host_is_not_taken_for_sqlites():
    db = load()
    calls = []
    assert (
        one(
            db,
            "SELECT count(*) FROM text2sql_run('SELECT concat_ws(1, 2), upper(name) FROM customer')"
            if sqlite3.sqlite_version_info >= (3, 44)
            else "SELECT count(*) FROM text2sql_run('SELECT upper(name) FROM customer')",
        )
        == 2
    )
    db.create_function("upper", 1, lambda x: calls.append(x) or x)
    db.create_function("regexp", 2, lambda x, y: calls.append(x) or 1)
    for sql in ["SELECT upper(name) FROM customer", "SELECT name FROM customer WHERE name REGEXP 'A'"]:
        message = error(db, "SELECT * FROM text2sql_run(?)", sql)
        assert "the host has put its own" in message, message
    assert not calls, calls
    assert "orders" in one(db, "SELECT text2sql('How many orders are there?')")


def threads_with_connections_of_their_own():
    failures = []

    def work():
        try:
            db = load()
            for _ in range(20):
                assert one(db, "SELECT count(*) FROM text2sql_run('SELECT * FROM orders')") == 3
            db.close()
        except Exception:
            failures.append(traceback.format_exc())

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not failures, failures[0]


def settings_come_from_the_environment_and_the_connection():
    db = load()
    row = db.execute("SELECT value, source FROM text2sql_settings WHERE name = 'max_rows'").fetchone()
    assert row == ("10000", "default"), row
    db.execute("SELECT text2sql_config('max_rows', '2')")
    assert one(db, "SELECT value FROM text2sql_settings WHERE name = 'max_rows'") == "2"
    assert one(db, "SELECT text2sql_config('max_rows', NULL)") == "10000"
    out = python(
        "d = sqlite3.connect(':memory:')",
        "print(d.execute(\"SELECT text2sql_config('max_rows')\").fetchone()[0])",
        TEXT2SQL_MAX_ROWS="7",
    )
    assert out.stdout.strip() == "7", out


TESTS = [
    f
    for name, f in list(globals().items())
    if callable(f)
    and f.__module__ == __name__
    and name not in {"load", "one", "error", "shell", "python", "interrupted"}
    and not (name.startswith("the_shell") and "no-shell" in sys.argv)
]


def main():
    passed = 0
    for test in TESTS:
        try:
            test()
            passed += 1
        except Exception:
            print(f"{test.__name__} failed\n{traceback.format_exc()}")
    print(f"{passed} passed, {len(TESTS) - passed} failed")
    return passed != len(TESTS)


if __name__ == "__main__":
    sys.exit(main())
