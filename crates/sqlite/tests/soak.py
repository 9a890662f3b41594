#!/usr/bin/python3
"""Random statements of a host among calls of every function, to find what harms the host.

soak.py LIBRARY SECONDS SEED [COMMAND…]    COMMAND runs the host, e.g. valgrind --error-exitcode=99

Several connections to memory, to a file with a rollback journal and to one in WAL mode; schemas
that call the functions or look like the library's own; transactions left open, statements half
read, failed and interrupted; connections closed in any order, or never. After each call the
transaction, the authorizer and the time are looked at, in the end the files. The last line is
`N passed, N failed`.
"""

import collections
import faulthandler
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

QUESTIONS = [
    "How many orders are there?",
    "How many customers are there?",
    "Total of orders per city?",
    "Who is the tallest?",
    "",
    "List a, b and v",
    "x" * 5000,
    "How many orders from Paris?",
]
QUERIES = [
    "SELECT count(*) FROM orders",
    "SELECT * FROM v",
    "SELECT * FROM tv",
    "SELECT * FROM orders, customer",
    "SELECT g FROM gen",
    "DELETE FROM orders",
    "SELECT",
    "SELECT * FROM f WHERE f MATCH 'a'",
    "SELECT upper(name), total FROM orders JOIN customer ON customer_id = customer.id",
    "SELECT * FROM ask('How many orders are there?')",
    "SELECT * FROM answer",
]
CALLS = [
    "SELECT text2sql({q})",
    "SELECT * FROM ask({q})",
    "SELECT ask_summary({q})",
    "SELECT text2sql_explain({q})",
    "SELECT ask_table('answer', {q})",
    "SELECT ask_table('answer2', {q})",
    "SELECT * FROM answer",
    "SELECT * FROM text2sql_run({s})",
    "SELECT * FROM text2sql_check({s})",
    "SELECT text2sql_fix({s})",
    "SELECT text2sql_describe({s})",
    "SELECT * FROM text2sql_search_columns('city', 3)",
    "SELECT * FROM text2sql_search_values('paris')",
    "SELECT * FROM text2sql_preview({q})",
    "SELECT * FROM text2sql_join_path('customer.name', 'orders.total')",
    "SELECT * FROM text2sql_settings",
    "SELECT text2sql_config('max_rows', '5')",
    "SELECT text2sql_config('max_rows', NULL)",
    "SELECT text2sql_config('trust', 'main')",
    "SELECT text2sql_config('trust', NULL)",
    "SELECT * FROM text2sql_notices",
    "SELECT * FROM orders, text2sql_check('SELECT ' || id)",
    "SELECT count(*) FROM ask_table",
]
# these write, as they say
WRITERS = [
    "SELECT text2sql_remember('How many?', {s})",
    "SELECT text2sql_comment('orders', 'What was ordered')",
    "SELECT text2sql_comment('orders.total', {q})",
    "SELECT text2sql_index_values('customer')",
    "SELECT text2sql_index_values(NULL, 'follow')",
    "SELECT text2sql_index_values(NULL, 'unfollow')",
    "SELECT * FROM text2sql_summarize_tables('orders')",
    "INSERT INTO res SELECT ask FROM ask({q})",
    "CREATE TABLE res AS SELECT ask AS value FROM ask({q})",
    "CREATE TEMP TABLE res2 AS SELECT text2sql({q}) AS q",
    "UPDATE orders SET total = (SELECT count(*) FROM ask({q}))",
]
STATEMENTS = """
CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id REFERENCES customer, total REAL)
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, city TEXT)
INSERT INTO orders(customer_id, total) VALUES (1, 2.5), (2, 7), (1, NULL)
INSERT INTO customer(name, city) VALUES ('Ann', 'Paris'), ('Bob', 'Rome')
DELETE FROM customer WHERE id % 2
DROP TABLE orders
DROP TABLE customer
DROP TABLE answer
DROP TABLE answer2
DROP TABLE res
ALTER TABLE orders RENAME TO old_orders
ALTER TABLE old_orders RENAME TO orders
ALTER TABLE orders ADD COLUMN note TEXT
ALTER TABLE orders RENAME COLUMN total TO amount
ALTER TABLE orders RENAME COLUMN amount TO total
ALTER TABLE customer DROP COLUMN city
CREATE INDEX i ON customer(upper(name)) WHERE city IS NOT NULL
CREATE VIEW v AS SELECT name, total FROM orders JOIN customer ON customer_id = customer.id
CREATE VIEW v AS SELECT text2sql('How many orders are there?') AS q
CREATE VIEW v AS SELECT * FROM ask('How many orders are there?')
CREATE VIEW v AS SELECT * FROM missing
DROP VIEW v
CREATE TEMP VIEW tv AS SELECT text2sql('How many orders are there?') AS q, ask_table('answer', 'How many orders?')
CREATE TEMP VIEW tv AS SELECT * FROM ask('How many orders are there?') JOIN answer
CREATE TEMP VIEW tv AS SELECT * FROM v
CREATE TEMP VIEW tv AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n
DROP VIEW tv
CREATE TEMP TRIGGER t AFTER INSERT ON orders BEGIN SELECT text2sql('How many orders are there?'); END
CREATE TRIGGER t AFTER INSERT ON orders BEGIN UPDATE customer SET name = upper(name); END
DROP TRIGGER t
CREATE VIRTUAL TABLE f USING fts5(body)
INSERT INTO f VALUES ('a fox'), ('a sky')
DROP TABLE f
CREATE VIRTUAL TABLE r USING rtree(id, x0, x1)
CREATE VIRTUAL TABLE temp.answer USING ask_table('How many orders are there?')
CREATE VIRTUAL TABLE perm USING ask_table('SELECT 1', 'CREATE TABLE x(a)')
CREATE VIRTUAL TABLE temp.bare USING ask_table('SELECT 1', 'CREATE TABLE x(')
CREATE TABLE gen(a TEXT, g TEXT AS (upper(a)), h TEXT AS (hostly(a)))
INSERT INTO gen(a) VALUES ('x')
CREATE TABLE text2sql_description(a)
CREATE VIEW text2sql_summary AS SELECT 1 AS summary, 2 AS table_name, 3 AS fingerprint
CREATE VIEW text2sql_verified_question AS SELECT text2sql('q') AS sql, 1 AS key, 2 AS question
CREATE TABLE text2sql_glossary(term, meaning)
CREATE TABLE text2sql_value(a)
DROP TABLE text2sql_description
BEGIN
BEGIN IMMEDIATE
COMMIT
ROLLBACK
SAVEPOINT s
ROLLBACK TO s
RELEASE s
VACUUM
ANALYZE
REINDEX
ATTACH ':memory:' AS other
CREATE TABLE other.orders(id, total)
DETACH other
PRAGMA foreign_keys = ON
PRAGMA trusted_schema = OFF
PRAGMA trusted_schema = ON
PRAGMA wal_checkpoint
PRAGMA schema_version
SELECT * FROM orders
SELECT * FROM v
SELECT * FROM answer
""".strip().splitlines()

SLOWEST = float(os.environ.get("SOAK_SLOWEST", "60"))  # seconds; a statement that takes longer is a finding


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


class Connection(sqlite3.Connection):
    """`guarded`: the host has set an authorizer of its own."""

    guarded = False


class Host:
    def __init__(self, library: str, folder: str, seed: int) -> None:
        self.library, self.folder, self.random = library, folder, random.Random(seed)
        self.connections: list[Connection] = []
        self.half_read: list[sqlite3.Cursor] = []
        self.opened = 0
        self.counts: collections.Counter[tuple[str, str]] = collections.Counter()
        self.findings: list[str] = []

    def connect(self) -> None:
        path = self.random.choice([":memory:", "rollback.db", "wal.db"])
        path = path if path == ":memory:" else os.path.join(self.folder, path)
        db = sqlite3.connect(path, isolation_level=None, timeout=0.05, check_same_thread=False, factory=Connection)
        if path.endswith("wal.db"):
            db.execute("PRAGMA journal_mode = wal")
        db.enable_load_extension(True)
        db.load_extension(self.library)
        db.execute("SELECT text2sql_config('query_timeout', '300')")
        db.create_function("hostly", 1, lambda x: x, deterministic=True)
        db.create_function("nested", 1, lambda q: db.execute("SELECT text2sql(?)", (q,)).fetchone()[0])
        if self.random.random() < 0.5:
            # a sandbox that must hold
            db.set_authorizer(
                lambda action, what, *_: sqlite3.SQLITE_DENY if what == "user_version" else sqlite3.SQLITE_OK
            )
            db.guarded = True
        if self.random.random() < 0.3:
            db.set_progress_handler(lambda: 0, self.random.choice([10, 1000, 100000]))
        self.connections.append(db)
        self.opened += 1
        for sql in STATEMENTS[:4]:
            self.run(db, sql, "host")

    def statement(self) -> tuple[str, str]:
        """A random statement, and whether it is the host's, a call, or a call that writes."""
        kind = self.random.random()
        if kind < 0.55:
            return self.random.choice(STATEMENTS), "host"
        pool, what = (CALLS, "call") if kind < 0.88 else (WRITERS, "writer")
        q, s = quoted(self.random.choice(QUESTIONS)), quoted(self.random.choice(QUERIES))
        return self.random.choice(pool).format(q=q, s=s), what

    def run(self, db: Connection, sql: str, what: str) -> None:
        before, started = db.in_transaction, time.monotonic()
        faulthandler.dump_traceback_later(SLOWEST * 2, exit=True)
        timer = None
        if self.random.random() < 0.05:
            timer = threading.Timer(self.random.random() / 20, db.interrupt)
            timer.start()
        try:
            cursor = db.execute(sql)
            if self.random.random() < 0.1:
                cursor.fetchone()
                self.half_read.append(cursor)
            else:
                cursor.fetchmany(1000)
            self.counts[what, "ran"] += 1
        except (sqlite3.Error, sqlite3.Warning) as error:
            self.counts[what, "failed"] += 1
            if "internal error" in str(error):
                self.findings.append(f"{sql}: {error}")
        if timer:
            timer.cancel()
            timer.join()
        faulthandler.cancel_dump_traceback_later()
        if what == "call" and db.in_transaction != before and not sql.startswith("SELECT ask_table("):
            self.findings.append(f"the transaction is another one: {sql}")
        if time.monotonic() - started > SLOWEST:
            self.findings.append(f"{time.monotonic() - started:.1f} s: {sql}")

    def check_guard(self, db: Connection) -> None:
        if not db.guarded:
            return
        for _ in range(2):
            try:
                db.execute("PRAGMA user_version")
            except sqlite3.Error as error:
                if "not authorized" in str(error):
                    return
                if "interrupted" in str(error):
                    self.half_read.clear()  # an interrupt holds for as long as a statement runs
        self.findings.append("the host's authorizer is gone")

    def step(self) -> None:
        chance = self.random.random()
        if not self.connections or (chance < 0.01 and len(self.connections) < 8):
            self.connect()
            return
        db = self.random.choice(self.connections)
        if chance < 0.015:
            if self.random.random() < 0.5:
                self.half_read.clear()
            self.connections.remove(db)
            db.close()
            return
        if chance < 0.03:
            self.half_read.clear()
        sql, what = self.statement()
        self.run(db, sql, what)
        if what != "host" and self.random.random() < 0.2:
            self.check_guard(db)

    def finish(self) -> None:
        self.half_read.clear()
        for name in ["rollback.db", "wal.db"]:
            db = sqlite3.connect(os.path.join(self.folder, name), isolation_level=None)
            db.create_function("hostly", 1, lambda x: x, deterministic=True)
            try:
                if (said := db.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
                    self.findings.append(f"{name}: {said}")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    raise
            db.close()


def refused_creations(library: str, folder: str, times: int) -> None:
    """The order of statements after which SQLite reset a schema in the midst of making a table."""
    question = "How many orders are there?"
    for n in range(times):
        db = sqlite3.connect(os.path.join(folder, f"refused{n}.db"))
        db.enable_load_extension(True)
        db.load_extension(library)
        db.executescript("CREATE TABLE orders(id); INSERT INTO orders VALUES (1), (2); CREATE TABLE t0(a);")
        db.execute("ALTER TABLE t0 RENAME TO t1")
        db.commit()
        db.execute(f"CREATE TABLE res AS SELECT ask AS value FROM ask('{question}')")
        db.execute(f"INSERT INTO res SELECT ask FROM ask('{question}')")
        db.execute(f"CREATE VIEW vq AS SELECT text2sql('{question}') AS s")
        for refused in [
            "SELECT * FROM vq",
            f"CREATE VIRTUAL TABLE perm USING ask_table('{question}')",
            f"CREATE VIRTUAL TABLE temp.ans USING ask_table('{question}')",
        ]:
            try:
                db.execute(refused).fetchall()
                raise AssertionError(f"not refused: {refused}")
            except sqlite3.Error:
                pass
        assert "count" in db.execute(f"SELECT ask_table('ans', '{question}')").fetchone()[0]
        assert db.execute("SELECT * FROM ans").fetchall() == [(2,)]
        if n % 2:
            db.close()


def host(library: str, seconds: float, seed: int, times: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        refused_creations(library, folder, times)
        soak = Host(library, folder, seed)
        until = time.monotonic() + seconds
        while time.monotonic() < until and not soak.findings:
            soak.step()
        faulthandler.cancel_dump_traceback_later()
        soak.finish()
        for finding in soak.findings:
            print(f"FINDING: {finding}")
        counts = ", ".join(f"{n} {what}s {how}" for (what, how), n in sorted(soak.counts.items()))
        print(
            f"SQLite {sqlite3.sqlite_version}, seed {seed}: {times} refused creations, "
            f"{soak.opened} connections, {counts}",
            flush=True,
        )
        if soak.findings:
            sys.exit(1)
        if seed % 2:  # half of all hosts end without closing anything
            os._exit(0)


def main() -> int:
    library, seconds, seed, *command = sys.argv[1:]
    if command and command[0] == "host":
        host(os.path.splitext(os.path.abspath(library))[0], float(seconds), int(seed), int(command[1]))
        return 0
    times = os.environ.get("SOAK_CREATIONS", "3")
    run = subprocess.run(
        [*command, "/usr/bin/python3", __file__, library, seconds, seed, "host", times],
        env={**os.environ, "PYTHONMALLOC": "malloc"},
        check=False,
    )
    good = run.returncode == 0
    if not good:
        print(f"FAILED with {run.returncode}; again: {' '.join(sys.argv)}")
    print(f"{int(good)} passed, {int(not good)} failed")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
