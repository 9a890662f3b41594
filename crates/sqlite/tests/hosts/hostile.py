"""Files whose schemas are made to harm who reads them, and questions about them.

Each seed makes another file: views over views and over the library's functions, generated columns, triggers, virtual
tables, names that are no words, tables called like the library's, text that is no text, a schema that was written over.
A question may fail; it may not crash, hang, take much memory, write, or call a function that the schema names.

    PYTHONPATH=crates/sqlite/tests python3 -m hosts.hostile LIBRARY FIRST_SEED COUNT
"""

import contextlib
import faulthandler
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time

from hosts.connection import LIBRARY

NAMES = [
    *(
        "orders",
        "customer",
        "a",
        "b",
        "Order Details",
        "",
        "select",
        "naïve",
        "x" * 300,
        'q"uote',
        "it's",
        "[b]",
        "a;b--",
        "\n",
    ),
    *("text2sql_verified_question", "text2sql_glossary", "text2sql_description", "text2sql_summary", "text2sql_value"),
    *("text2sql_value_entry", "text2sql_value_source", "text2sql_value_change", "text2sql_settings", "ask", "text2sql"),
    *(
        "json_each",
        "pragma_table_info",
        "generate_series",
        "rowid",
        "count",
        "temp",
        "main",
        "%s",
        "{name}",
        "?1",
        ":p",
        "$x",
    ),
]
COLUMNS = [
    "id",
    "name",
    "city",
    "total",
    "orders_id",
    "key",
    "question",
    "sql",
    "term",
    "meaning",
    "value",
    "place",
    "rowid",
]
OWN_COLUMNS = {
    "text2sql_verified_question": ["key", "question", "sql"],
    "text2sql_glossary": ["term", "meaning"],
    "text2sql_description": ["table_name", "column_name", "description", "values_withheld"],
    "text2sql_summary": ["table_name", "fingerprint", "summary"],
    "text2sql_value_entry": ["id", "source", "key", "value", "place"],
    "text2sql_value_source": ["id", "table_name", "column_name"],
    "text2sql_value_change": ["table_name", "place"],
}
TYPES = [
    "INTEGER",
    "TEXT",
    "REAL",
    "BLOB",
    "DATE",
    "",
    "VARCHAR(20)",
    "decimal(1000000,999)",
    "x" * 2000,
    "JSON",
    '"a b"',
]
EXPRESSIONS = [
    *(
        "name",
        "upper(name)",
        "spy(name)",
        "spy(id) + 1",
        "text2sql('How many orders are there?')",
        "ask_summary('orders')",
    ),
    *("(SELECT ask FROM ask('How many orders are there?'))", "text2sql_config('max_rows', '1')", "zeroblob(900000000)"),
    *("randomblob(200000000)", "hex(zeroblob(400000000))", "printf('%*d', 900000000, 1)", "load_extension('x')"),
    *(
        "writefile('/tmp/text2sql-hostile', 'x')",
        "1 / 0",
        "9e999",
        "-9e999",
        "NULL",
        "x'00ff'",
        "CAST(x'fffe' AS TEXT)",
    ),
    *("'a' || char(0) || 'b'", "replace(hex(zeroblob(3000000)), '00', 'ab')", "abs(-9223372036854775807 - 1)"),
    *(
        "name COLLATE missing",
        "json_extract(name, '$.a')",
        "(SELECT count(*) FROM {other})",
        "random()",
        "total LIKE '%a%b%c%'",
    ),
]
SOURCES = [
    *("{other}", "{other} AS a, {other} AS b", "{other} JOIN {third} USING (id)", "ask('How many orders are there?')"),
    *(
        "text2sql_settings",
        "text2sql_run('SELECT 1')",
        "sqlite_schema",
        "pragma_table_info('orders')",
        "missing",
        "json_each('[1]')",
    ),
    *(
        "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n)",
        "text2sql_verified_question",
        "{self}",
    ),
    *(
        "(WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i % 7 FROM n) SELECT i AS id FROM n)",
        "dbstat",
        "fts",
        "temp.{other}",
    ),
]
GARBAGE = [
    "garbage",
    "CREATE TABLE x(",
    "CREATE VIEW v AS SELECT 1",
    "CREATE TABLE a AS SELECT 1",
    "",
    None,
    7,
    b"\xff\x00",
]
CALLS = [
    *(
        "SELECT text2sql('How many orders are there?')",
        "SELECT ask FROM ask('List all orders')",
        "SELECT * FROM ask('total per city')",
    ),
    *(
        "SELECT text2sql_explain('Which customer has the most orders?')",
        "SELECT * FROM text2sql_preview('names of customers')",
    ),
    *(
        "SELECT * FROM text2sql_search_columns('name', 50)",
        "SELECT * FROM text2sql_search_values('ab')",
        "SELECT * FROM text2sql_notices",
    ),
    *(
        "SELECT * FROM text2sql_join_path('orders.id', 'customer.id')",
        "SELECT * FROM text2sql_check('SELECT * FROM orders')",
    ),
    *("SELECT * FROM text2sql_run('SELECT * FROM orders')", "SELECT * FROM text2sql_run('SELECT * FROM a, b')"),
    "SELECT ask_summary('How many orders are there?')",
]
WRITERS = [
    *(
        "SELECT text2sql_index_values()",
        "SELECT text2sql_index_values(NULL, 'follow')",
        "SELECT text2sql_comment('orders', 'x')",
    ),
    *("SELECT text2sql_remember('How many?', 'SELECT 1')", "SELECT ask_table('answer', 'How many orders are there?')"),
]
# seconds that a call may take, and bytes that the process may
SLOWEST = 20
MEMORY = 3 << 30
# bytes of a value that is stored
LONGEST = 10_000_000


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class Hostile:
    """One file, made by chance."""

    def __init__(self, path: str, seed: int) -> None:
        self.random = random.Random(seed)
        self.started = time.monotonic()
        self.names = ["orders", "customer", *self.random.sample(NAMES, 8)]
        self.db = sqlite3.connect(path, isolation_level=None)
        # the file is to harm its readers, not the one that makes it
        if sys.version_info >= (3, 11):
            self.db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        self.db.set_progress_handler(self.is_slow, 10_000)
        self.db.create_function("spy", 1, lambda x: x, deterministic=True)
        self.db.create_collation("missing", lambda a, b: (a > b) - (a < b))

    def is_slow(self) -> bool:
        return time.monotonic() - self.started > 1

    def try_to(self, sql: str, *arguments: object) -> None:
        self.started = time.monotonic()
        with contextlib.suppress(sqlite3.Error, sqlite3.Warning, UnicodeEncodeError, MemoryError):
            self.db.execute(sql, arguments)

    def fill(self, text: str, name: str = "") -> str:
        other, third = (quoted(self.random.choice(self.names)) for _ in range(2))
        return text.replace("{other}", other).replace("{third}", third).replace("{self}", quoted(name))

    def expression(self) -> str:
        return self.fill(self.random.choice(EXPRESSIONS))

    def table(self, name: str) -> None:
        choose = self.random
        names = OWN_COLUMNS.get(name) if choose.random() < 0.7 else None
        names = names or choose.sample(COLUMNS, choose.randint(1, 8))
        columns = []
        for name_of_column in names:
            column = f"{quoted(name_of_column)} {choose.choice(TYPES)}"
            if choose.random() < 0.2:
                column += f" AS ({self.expression()}) {choose.choice(['', 'STORED'])}"
            elif choose.random() < 0.1:
                column += f" DEFAULT ({self.expression()})"
            if choose.random() < 0.2:
                column += self.fill(
                    choose.choice(
                        [" UNIQUE", " PRIMARY KEY", " REFERENCES {other}", " REFERENCES {other}(missing, id)"]
                    )
                )
            columns.append(column)
        if choose.random() < 0.2:
            columns.append(f"CHECK ({self.expression()})")
        self.try_to(f"CREATE TABLE {quoted(name)}({', '.join(columns)}) {choose.choice(['', '', '', 'WITHOUT ROWID'])}")
        values: list[object] = [
            1,
            -1,
            2**62,
            "Paris",
            "ab" * 100,
            "\x00",
            b"\xff" * 9,
            None,
            1e308,
            "2020-01-01",
            "AKIAIOSFODNN7EXAMPLE",
        ]
        plain = [c for c in names if choose.random() < 0.9]
        for _ in range(choose.randint(0, 12)):
            marks = ", ".join(["?"] * len(plain))
            insert = f"INSERT INTO {quoted(name)}({', '.join(map(quoted, plain))}) VALUES ({marks})"
            self.try_to(insert, *(choose.choice(values) for _ in plain))
        self.try_to(f"INSERT INTO {quoted(name)}({quoted(names[0])}) VALUES (CAST(x'41ff4200' AS TEXT))")

    def view(self, name: str) -> None:
        choose = self.random
        columns = ", ".join(
            f"{self.expression()} AS {quoted(choose.choice(COLUMNS))}" for _ in range(choose.randint(1, 4))
        )
        source = self.fill(choose.choice(SOURCES), name)
        self.try_to(
            f"CREATE VIEW {quoted(name)} AS SELECT {choose.choice(['*', columns, columns + ', *'])} FROM {source}"
        )

    def tower(self) -> None:
        """Views that read each the last one twice."""
        last = quoted(self.random.choice(self.names))
        for floor in range(self.random.choice([5, 12, 40])):
            view = quoted(f"tower{floor}")
            self.try_to(f"CREATE VIEW {view} AS SELECT a.* FROM {last} AS a, {last} AS b")
            last = view

    def trigger(self, name: str) -> None:
        event = self.random.choice(["AFTER INSERT", "BEFORE UPDATE", "INSTEAD OF INSERT", "AFTER DELETE"])
        trigger = quoted(self.random.choice(["t", "text2sql_follow_orders_inserted", name]))
        action = self.fill("INSERT INTO {other} SELECT * FROM {third}")
        expression = self.expression()
        self.try_to(f"CREATE TRIGGER {trigger} {event} ON {quoted(name)} BEGIN SELECT {expression}; {action}; END")

    def virtual(self, name: str) -> None:
        module = self.random.choice(
            [
                *(
                    "fts5(name, content={other})",
                    "fts5(name, sql, tokenize=trigram)",
                    "rtree(id, a, b)",
                    "dbstat",
                    "fts4(name)",
                ),
                "fts5(key, content='text2sql_value_entry', content_rowid='id', tokenize='trigram', columnsize=0)",
            ]
        )
        self.try_to(f"CREATE VIRTUAL TABLE {quoted(name)} USING {self.fill(module)}")
        self.try_to(f"INSERT INTO {quoted(name)}(name) VALUES ('Paris')")

    def write_over(self) -> None:
        """What no statement makes: SQL of the schema that is another one, or none."""
        self.db.execute("PRAGMA writable_schema = on")
        what = self.random.choice(["sql", "sql", "name", "tbl_name", "type", "rootpage"])
        self.try_to(
            f"UPDATE sqlite_schema SET {what} = ? WHERE rowid = 1 + abs(random()) % 9", self.random.choice(GARBAGE)
        )
        self.db.execute("PRAGMA writable_schema = off")

    def make(self) -> None:
        choose = self.random
        for name in self.names:
            choose.choice([self.table, self.table, self.table, self.view, self.virtual])(name)
        for _ in range(choose.randint(0, 12)):
            choose.choice([self.table, self.view, self.view, self.trigger, self.virtual])(
                choose.choice(NAMES + self.names)
            )
        if choose.random() < 0.4:
            self.tower()
        for _ in range(choose.choice([0, 3])):
            self.try_to(self.fill(f"CREATE INDEX {quoted(choose.choice(NAMES))} ON {{other}}({self.expression()})"))
        if choose.random() < 0.3:
            self.try_to("ANALYZE")
            self.try_to("UPDATE sqlite_stat1 SET stat = 'x 9223372036854775807'")
        if choose.random() < 0.25:
            self.write_over()
        self.db.close()


def ask(path: str, seed: int) -> None:
    """Ask about a file, as a host that loads the library does."""
    choose = random.Random(seed)
    db = sqlite3.connect(path, isolation_level=None)
    spied: list[object] = []
    db.enable_load_extension(True)
    db.load_extension(LIBRARY)
    db.enable_load_extension(False)

    def spy(value: object) -> None:
        spied.append(value)

    db.create_function("spy", 1, spy, deterministic=True)
    if "malformed" in try_to(db, "SELECT text2sql_config('query_timeout', '300')"):
        # newer versions of SQLite read nothing of such a file
        db.close()
        return
    if choose.random() < 0.5:
        db.execute("SELECT text2sql_config('trust', 'all')")
    if choose.random() < 0.3:
        try_to(db, "CREATE TEMP VIEW orders AS SELECT spy(1) AS id")
        try_to(db, "CREATE TEMP VIEW t AS SELECT text2sql('orders') AS id")
    dump = schema(db)
    for calls, writes in (CALLS, False), (WRITERS, True):
        for call in choose.sample(calls, 5):
            changes, started = db.total_changes, time.monotonic()
            said = try_to(db, call)
            took = time.monotonic() - started
            assert took < SLOWEST, f"{took:.0f} s: {call}"
            assert "internal error" not in said, f"{call}: {said}"
            assert not db.in_transaction, call
            assert not spied or writes, f"a function of the schema was called: {call}"
            assert writes or db.total_changes == changes, f"it writes: {call}"
        assert writes or schema(db) == dump, "the schema is another one"
    db.close()


def try_to(db: sqlite3.Connection, sql: str) -> str:
    """What the statement fails with."""
    try:
        db.execute(sql).fetchmany(100)
    except (sqlite3.Error, UnicodeDecodeError) as e:
        return str(e)
    return ""


def schema(db: sqlite3.Connection) -> list[object]:
    try:
        return db.execute("SELECT type, CAST(name AS BLOB), CAST(sql AS BLOB), rootpage FROM sqlite_schema").fetchall()
    except (sqlite3.DatabaseError, UnicodeDecodeError) as e:
        return [str(e)]


def hostile_schemas_harm_nobody() -> None:
    """In a process of its own, whose crash would be seen."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    first, count = os.environ.get("HOSTILE", "1 30").split()
    run = subprocess.run(
        [sys.executable, "-m", "hosts.hostile", LIBRARY + ".so", first, count],
        env={**os.environ, "PYTHONPATH": folder},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, (run.returncode, run.stdout[-200:], run.stderr[-3000:])


def ask_many(first: int, count: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for seed in range(first, first + count):
        print("seed", seed, flush=True)
        faulthandler.dump_traceback_later(3 * SLOWEST, exit=True)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "hostile.db")
            Hostile(path, seed).make()
            ask(path, seed)
            assert os.listdir(folder) == ["hostile.db"] and not os.path.exists("/tmp/text2sql-hostile")


if __name__ == "__main__":
    ask_many(int(sys.argv[2]), int(sys.argv[3]))
