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
    run = subprocess.run(["sqlite3", ":memory:", f".load {LIBRARY}", *commands],
                         capture_output=True, text=True, timeout=60)
    return run.stdout.strip(), run.stderr


def python(connect, *lines, **environment):
    """Another Python with a connection `d`."""
    loaded = ["d.enable_load_extension(True)", f"d.load_extension({LIBRARY!r})"]
    code = "; ".join(["import sqlite3", connect, *loaded, *lines])
    return subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True,
                          text=True, timeout=120)


def the_shell_answers_questions():
    out, err = shell(SCHEMA, "SELECT text2sql('How many orders are there?')",
                     "SELECT value FROM ask('How many orders are there?')")
    assert not err, err
    sql, row = out.splitlines()[0], out.splitlines()[-1]
    assert "count" in sql.lower() and "orders" in sql, out
    assert list(json.loads(row).values()) == [3], out


def python_answers_questions():
    db = load()
    rows = [json.loads(v) for (v,) in db.execute("SELECT value FROM ask('How many customers are there?')")]
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
    for statement in ["CREATE VIRTUAL TABLE temp.a USING ask_table('How many orders are there?')",
                      "CREATE VIRTUAL TABLE a USING ask_table('SELECT 1', 'CREATE TABLE x(a)')"]:
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
    value = one(load(), "SELECT value FROM text2sql_run('SELECT total AS z, id AS a, NULL AS n, ''x'' AS t FROM orders')")
    assert value == '{"z":10.5,"a":1,"n":null,"t":"x"}', value


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
        db.executemany("INSERT INTO town VALUES (?)", [(f"Nowa {n}",) for n in range(22000)] + [("Gdańsk",)])
        assert one(db, "SELECT text2sql_index_values()") == 22001
        db.close()
        # another process, which may only read
        out = python(f"d = sqlite3.connect('file:{file}?mode=ro', uri=True)",
                     "d.execute(\"SELECT text2sql_config('probe_timeout', 10000)\")",
                     "print(*d.execute(\"SELECT value FROM text2sql_search_values('Gdnask')\").fetchall())")
        assert "('Gdańsk',)" in out.stdout, out


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
    assert json.loads(one(db, "SELECT value FROM text2sql_run('SELECT count(*) AS n FROM orders')")) == {"n": 2}
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
    for question in ["SELECT text2sql('How many orders are there?')",
                     "SELECT value FROM ask('How many orders are there?')",
                     "SELECT ask_table('answer', 'How many orders are there?')"]:
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
            return python("d = sqlite3.connect(':memory:')", f"d.executescript({SCHEMA!r})",
                          "print(d.execute(\"SELECT text2sql('How many orders are there?')\").fetchall())",
                          LD_PRELOAD=shim, **environment)
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
    for sql in ["SELECT spied FROM item", "SELECT spied FROM mine", "SELECT * FROM spies",
                "SELECT name FROM item WHERE spied > 0", "SELECT count(*) FROM item ORDER BY max(spied)"]:
        message = error(db, "SELECT * FROM text2sql_run(?)", sql)
        assert "may not be" in message, (sql, message)
    assert not calls, calls


def a_function_of_the_host_is_not_taken_for_sqlites():
    db = load()
    calls = []
    assert one(db, "SELECT count(*) FROM text2sql_run('SELECT concat_ws(1, 2), upper(name) FROM customer')"
               if sqlite3.sqlite_version_info >= (3, 44) else
               "SELECT count(*) FROM text2sql_run('SELECT upper(name) FROM customer')") == 2
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
    assert len(db.execute("SELECT * FROM text2sql_run('SELECT * FROM orders')").fetchall()) == 2
    assert one(db, "SELECT text2sql_config('max_rows', NULL)") == "10000"
    out = python("d = sqlite3.connect(':memory:')",
                 "print(d.execute(\"SELECT text2sql_config('max_rows')\").fetchone()[0])", TEXT2SQL_MAX_ROWS="7")
    assert out.stdout.strip() == "7", out


TESTS = [f for name, f in list(globals().items())
         if callable(f) and f.__module__ == __name__ and name not in {"load", "one", "error", "shell", "python"}
         and not (name.startswith("the_shell") and "no-shell" in sys.argv)]


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
