"""Objects of a hostile role in any number or size, for everybody's sessions to read: a kind at a time.

Each kind is a list of statements of the hostile role. A `share` of 1 makes as many and as large ones as are
known to have ended other people's questions once; a small share shows that they are still made.
"""

# ruff: noqa: E501 (SQL that makes SQL)

from __future__ import annotations

import time
from collections.abc import Callable

import psycopg

from .cluster import Cluster
from .hostile_words import SCHEMA

# In a new session each: what everybody's first call reads, and what an ordinary command runs through.
CALLS = [
    "SELECT * FROM text2sql.check('SELECT count(*) FROM public.facts')",
    "SELECT text2sql.explain('how many facts are there', strategy => 'builtin')",
    "SELECT count(*) FROM text2sql.preview('how many facts are there', strategy => 'zero_shot')",
    "SELECT count(*) FROM text2sql.search_columns('word')",
    "CREATE TEMP TABLE own (a int); ALTER TABLE own ADD b int; ALTER TABLE own RENAME b TO c; DROP TABLE own",
]


def loop(count: int, body: str) -> str:
    """A block that runs `body`, an SQL expression of `n` that gives a statement, for 1 to `count`."""
    return f"DO $do$ BEGIN FOR n IN 1..{count} LOOP EXECUTE {body}; END LOOP; END $do$"


def columns(count: int, of_type: str) -> str:
    """An SQL expression: a list of so many columns."""
    return f"(SELECT string_agg('c' || g || ' {of_type}', ', ') FROM generate_series(1, {count}) g)"


def arms(count: int, result: str) -> str:
    """An SQL expression: a CASE of so many arms over the columns a and b."""
    return (
        f"(SELECT 'CASE ' || string_agg(format('WHEN a > %1$s AND b < ''%1$s'' THEN {result}', k), ' ') || ' END' "
        f"FROM generate_series(1, {count}) k)"
    )


def of_columns(share: float) -> dict[str, list[str]]:
    """Labels, enums, views and comments."""

    def sized(count: int, least: int = 2) -> int:
        return max(least, round(count * share))

    base = [f"CREATE TABLE {SCHEMA}.narrow (a int, b text)", f"INSERT INTO {SCHEMA}.narrow VALUES (1, 'apple')"]
    labelled = f"text2sql.label('{SCHEMA}.narrow', 'b', 'no_values')"
    few = sized(300)
    return {
        "labels of an enum": [
            loop(
                1,
                f"'CREATE TYPE {SCHEMA}.big AS ENUM (' || (SELECT string_agg(quote_literal('label ' || g), ', ') "
                f"FROM generate_series(1, {sized(20000)}) g) || ')'",
            ),
            loop(1, f"'CREATE TABLE {SCHEMA}.wide (' || {columns(few, f'{SCHEMA}.big')} || ')'"),
        ],
        "enums": [
            loop(
                sized(2000),
                f"format('CREATE TYPE {SCHEMA}.e%s AS ENUM (', n) || (SELECT string_agg(quote_literal("
                "'label ' || g), ', ') FROM generate_series(1, 250) g) || ')'",
            ),
            loop(sized(2000), f"format('CREATE TABLE {SCHEMA}.t%s (a {SCHEMA}.e%s)', n, n)"),
        ],
        "labels of columns": [
            loop(sized(20), f"format('CREATE TABLE {SCHEMA}.t%s (', n) || {columns(1000, 'int')} || ')'"),
            *(
                f"SELECT count(text2sql.label('{SCHEMA}.t{n}', 'c' || g, 'no_values')) FROM generate_series(1, 1000) g"
                for n in range(1, sized(20) + 1)
            ),
        ],
        "labels of tables": [
            loop(sized(10000), f"format('CREATE TABLE {SCHEMA}.t%s (a int, b int)', n)"),
            f"SELECT count(text2sql.label(format('{SCHEMA}.t%s', g)::regclass, 'no_values')) "
            f"FROM generate_series(1, {sized(10000)}) g",
        ],
        "views of megabytes": [
            *base,
            loop(
                sized(120),
                f"format('CREATE VIEW {SCHEMA}.v%s AS SELECT ', n) || (SELECT string_agg({arms(260, '%1$s')}"
                f" || ' AS c' || g, ', ') FROM generate_series(1, 8) g) || ' FROM {SCHEMA}.narrow'",
            ),
        ],
        "views whose columns are one expression": [
            *base,
            f"SELECT {labelled}",
            loop(
                sized(8),
                f"format('CREATE VIEW {SCHEMA}.v%s AS SELECT ', n) || (SELECT string_agg('x || ''' || g || ''' AS c' || g, ', ') "
                f"FROM generate_series(1, 1500) g) || ' FROM (SELECT ' || {arms(1600, 'b')} || ' AS x FROM {SCHEMA}.narrow) s'",
            ),
        ],
        "comments of columns": [
            loop(sized(6), f"format('CREATE TABLE {SCHEMA}.t%s (', n) || {columns(1500, 'int')} || ')'"),
            *(
                loop(
                    1500,
                    f"format('COMMENT ON COLUMN {SCHEMA}.t{n}.c%s IS %L', n, (SELECT string_agg('word' || n * 1000 + g, ' ') "
                    "FROM generate_series(1, 1500) g))",
                )
                for n in range(1, sized(6) + 1)
            ),
        ],
    }


def of_relations(share: float) -> dict[str, list[str]]:
    """Children, partitions, keys and rights."""

    def sized(count: int, least: int = 2) -> int:
        return max(least, round(count * share))

    return {
        "a chain of children": [
            f"CREATE TABLE {SCHEMA}.t0 (v text)",
            loop(sized(1000), f"format('CREATE TABLE {SCHEMA}.t%s () INHERITS ({SCHEMA}.t%s)', n, n - 1)"),
        ],
        "children of many parents": [
            loop(sized(200), f"format('CREATE TABLE {SCHEMA}.p%s (a int)', n)"),
            loop(
                sized(200),
                f"format('CREATE TABLE {SCHEMA}.t%s (CHECK (a > %s)) INHERITS (', n, n) || (SELECT string_agg("
                f"'{SCHEMA}.p' || g, ', ') FROM generate_series(1, {sized(200)}) g) || ')'",
            ),
        ],
        "partitions": [
            f"CREATE TABLE {SCHEMA}.t (a int, b text) PARTITION BY RANGE (a)",
            loop(
                sized(3000),
                f"format('CREATE TABLE {SCHEMA}.t%s PARTITION OF {SCHEMA}.t FOR VALUES FROM (%s) TO (%s)', n, n, n + 1)",
            ),
        ],
        "keys and checks": [
            f"CREATE TABLE {SCHEMA}.one (a int PRIMARY KEY)",
            loop(
                sized(300),
                f"format('CREATE TABLE {SCHEMA}.t%s (', n) || (SELECT string_agg('c' || g || ' int REFERENCES {SCHEMA}.one "
                "CHECK (c' || g || ' > 0) DEFAULT 7', ', ') FROM generate_series(1, 50) g) || ')'",
            ),
        ],
        "rights": [
            loop(sized(2000), f"format('CREATE TABLE {SCHEMA}.t%s (a int)', n)"),
            loop(
                sized(2000), f"format('GRANT SELECT, UPDATE, DELETE ON {SCHEMA}.t%s TO alice, eve, vault, mallory', n)"
            ),
            loop(sized(2000), f"format('GRANT SELECT (a), UPDATE (a) ON {SCHEMA}.t%s TO alice, eve, vault', n)"),
        ],
    }


def of_sizes(share: float) -> dict[str, list[str]]:
    """Policies, statistics, names, schemas and types."""

    def sized(count: int, least: int = 2) -> int:
        return max(least, round(count * share))

    return {
        "policies": [
            loop(sized(500), f"format('CREATE TABLE {SCHEMA}.t%s (a int)', n)"),
            loop(sized(500), f"format('ALTER TABLE {SCHEMA}.t%s ENABLE ROW LEVEL SECURITY', n)"),
            loop(
                sized(500),
                f"format('CREATE POLICY p ON {SCHEMA}.t%s USING (', n) || repeat('a <> 1 AND ', 500) || 'true)'",
            ),
        ],
        "statistics": [
            loop(
                sized(8),
                f"format('CREATE TABLE {SCHEMA}.t%s AS SELECT repeat(md5((g / 2)::text), 6) AS a FROM generate_series(1, 16000) g', n)",
            ),
            loop(sized(8), f"format('ALTER TABLE {SCHEMA}.t%s ALTER a SET STATISTICS 10000', n)"),
            loop(sized(8), f"format('ANALYZE {SCHEMA}.t%s', n)"),
        ],
        "names": [
            loop(
                sized(300),
                f"format('CREATE TABLE {SCHEMA}.%I (', repeat('n', 58) || n) || (SELECT string_agg(repeat('c', 58) || g || ' int', ', ') "
                "FROM generate_series(1, 200) g) || ')'",
            ),
        ],
        "schemas": [
            loop(sized(1000), "format('CREATE SCHEMA large_%s', n)"),
            loop(sized(1000), "format('CREATE TABLE large_%s.t (a int)', n)"),
            loop(sized(1000), "format('GRANT USAGE ON SCHEMA large_%s TO PUBLIC', n)"),
            loop(sized(1000), "format('GRANT SELECT ON large_%s.t TO PUBLIC', n)"),
        ],
        "domains and types": [
            f"CREATE DOMAIN {SCHEMA}.d0 AS int",
            loop(sized(300), f"format('CREATE DOMAIN {SCHEMA}.d%s AS {SCHEMA}.d%s CHECK (VALUE > 0)', n, n - 1)"),
            loop(sized(300), f"format('CREATE TABLE {SCHEMA}.t%s (a {SCHEMA}.d%s, b {SCHEMA}.d%s[])', n, n, n)"),
        ],
    }


def large(share: float) -> dict[str, list[str]]:
    """The statements of each kind."""
    return {**of_columns(share), **of_relations(share), **of_sizes(share)}


class Large:
    """Makes each kind and has others ask: `begin` watches a backend, `end` tells of a call's time and place."""

    def __init__(
        self, cluster: Cluster, settings: str, begin: Callable[[int], None], end: Callable[[float, str], None]
    ) -> None:
        self.cluster, self.settings, self.begin, self.end = cluster, settings, begin, end
        self.lost: list[str] = []

    def run(self, share: float) -> None:
        for kind, statements in large(share).items():
            self.make([f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE", f"CREATE SCHEMA {SCHEMA}", *statements], kind)
            self.make(
                [
                    f"GRANT USAGE ON SCHEMA {SCHEMA} TO PUBLIC",
                    f"GRANT SELECT ON ALL TABLES IN SCHEMA {SCHEMA} TO PUBLIC",
                ],
                kind,
            )
            for user in ("alice", "postgres"):
                for call in CALLS:
                    self.call(user, call, kind)
        schemas = max(2, round(1000 * share))
        self.make([loop(schemas, "format('DROP SCHEMA IF EXISTS large_%s CASCADE', n)")], "schemas")

    def make(self, statements: list[str], kind: str) -> None:
        with self.cluster.session("hostile", "mallory") as session:
            for statement in statements:
                made = session.outcome(statement)
                if isinstance(made, psycopg.Error):
                    self.lost.append(f"{kind}: {statement[:100]} was not made: {made}")

    def call(self, user: str, call: str, kind: str) -> None:
        try:
            with self.cluster.session("hostile", user) as session:
                session.query(self.settings)
                self.begin(session.pid)
                started = time.monotonic()
                session.query(call)
                took = time.monotonic() - started
                self.end(took, f"{kind}, {user}: {call}")
        except psycopg.Error as error:
            self.lost.append(f"{kind}, {user}: {call}: {error}")
