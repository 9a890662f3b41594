"""Random queries over a catalog, in the way of SQLsmith: well-typed for the most part, over its
tables, operators, casts and every function it has, dangerous ones included; and attacks, bent.
"""

from __future__ import annotations

import random
import re

from .session import Session

# Types that have literals here; any other type is reached by casts and functions.
LITERALS = {
    "boolean": ["true", "false", "NULL::boolean"],
    "integer": ["0", "1", "-1", "7", "2147483647", "NULL::integer"],
    "bigint": ["0::bigint", "9223372036854775807", "42::bigint"],
    "numeric": ["0.5", "1e-9", "'NaN'::numeric", "99999999999.99"],
    "double precision": ["1.5::float8", "'Infinity'::float8", "'-0'::float8"],
    "text": ["''", "'a'", "'%'", "E'\\\\'", "'ß\u202eé'", "'[1, {\"a\": null}]'", "repeat('x', 99)"],
    "name": ["'pg_class'::name"],
    "date": ["current_date", "'2023-02-29'::text::date", "'infinity'::date", "'2024-01-31'::date"],
    "timestamp without time zone": ["'2023-05-05'::timestamp", "localtimestamp"],
    "timestamp with time zone": ["now()", "clock_timestamp()", "'epoch'::timestamptz"],
    "interval": ["'1 month'::interval", "'-3 days'::interval"],
    "jsonb": ["'{\"a\": [1, 2]}'::jsonb", "'null'::jsonb"],
    "json": ["'[1, \"x\"]'::json"],
    "bytea": ["'\\x00ff'::bytea"],
    "integer[]": ["ARRAY[1, 2, NULL]", "'{}'::int[]"],
    "text[]": ["ARRAY['a', NULL]", "'{}'::text[]"],
    "regclass": ["'pg_class'::regclass", "'customers'::regclass"],
    "oid": ["1::oid", "0::oid"],
    "int4range": ["'[1,5)'::int4range"],
    "uuid": ["gen_random_uuid()"],
    "point": ["'(1,2)'::point"],
    "inet": ["'10.0.0.1'::inet"],
    "tsvector": ["'a:1 b:2'::tsvector"],
    "xml": ["'<a/>'::xml"],
    "cstring": ["'a'::cstring", "'1'::cstring"],
}
# Types in place of PostgreSQL's polymorphic ones.
POLYMORPHIC = {
    "anyarray": "integer[]",
    "anycompatiblearray": "integer[]",
    "anyrange": "int4range",
    "anycompatiblerange": "int4range",
    "anymultirange": "int4multirange",
}
COMMON = ["integer", "integer", "text", "text", "numeric", "boolean", "date", "bigint"]


# name and type
Column = tuple[str, str]
# name and types of arguments
Function = tuple[str, list[str]]


class Catalog:
    """Tables, functions and operators of a database, read through `session`."""

    def __init__(self, session: Session) -> None:
        self.tables: dict[str, list[Column]] = {}
        for table, column, kind in session.query("""
            SELECT c.oid::regclass::text, quote_ident(a.attname), format_type(a.atttypid, NULL)
            FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0 AND NOT a.attisdropped
              AND c.relnamespace::regnamespace::text NOT IN ('information_schema', 'pg_toast', 'text2sql')
              AND NOT c.relispartition
              AND (c.relnamespace <> 'pg_catalog'::regnamespace OR c.relname IN ('pg_authid', 'pg_user_mappings'))
            ORDER BY 1, a.attnum"""):
            self.tables.setdefault(table, []).append((column, kind))
        # by kind (pg_proc.prokind, or "set") and by type of the result
        self.functions: dict[str, dict[str, list[Function]]] = {"f": {}, "a": {}, "w": {}, "set": {}}
        for name, kind, returns_set, result, arguments in session.query("""
            SELECT p.oid::regproc::text, p.prokind, p.proretset, format_type(p.prorettype, NULL),
                   (SELECT string_agg(format_type(t, NULL), ';' ORDER BY n)
                    FROM unnest(p.proargtypes) WITH ORDINALITY AS u(t, n))
            FROM pg_proc p WHERE p.prokind IN ('f', 'a', 'w')
              AND p.pronamespace::regnamespace::text NOT IN ('information_schema')
              AND NOT 'internal'::regtype = ANY (p.proargtypes) AND p.provariadic = 0
              AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
            ORDER BY p.oid"""):
            place = "set" if returns_set == "t" else kind
            kinds = arguments.split(";") if arguments else []
            self.functions[place].setdefault(result, []).append((name, kinds))
        # name, type on the left and on the right, by type of the result
        self.operators: dict[str, list[tuple[str, str, str]]] = {}
        for name, left, right, result in session.query("""
            SELECT oprname, format_type(oprleft, NULL), format_type(oprright, NULL),
                   format_type(oprresult, NULL)
            FROM pg_operator WHERE oprkind = 'b' AND oprnamespace = 'pg_catalog'::regnamespace
            ORDER BY oid"""):
            self.operators.setdefault(result, []).append((name, left, right))


class Smith:
    """Random queries from one seed."""

    def __init__(self, catalog: Catalog, seed: int, attacks: list[str]) -> None:
        self.catalog, self.random, self.attacks = catalog, random.Random(seed), attacks
        self.names = 0
        self.width: list[str] = []  # types of the columns of the last SELECT

    def name(self) -> str:
        self.names += 1
        return f"s{self.names}"

    def query(self, depth: int = 3) -> str:
        """A query, sometimes with CTEs, set operations, order and limit."""
        pick = self.random.random
        text = self.select(depth)
        if pick() < 0.1:
            kinds = self.width
            other = self.select(depth - 1, kinds)
            operation = self.random.choice(["UNION", "UNION ALL", "INTERSECT", "EXCEPT"])
            text = f"({text}) {operation} ({other})"
        if pick() < 0.15:
            cte, inner = self.name(), self.select(depth - 1, ["integer", "text"])
            hint = self.random.choice(["", "", "MATERIALIZED ", "NOT MATERIALIZED "])
            text = f"WITH {cte}(a, b) AS {hint}({inner}) SELECT q.*, {cte}.a FROM ({text}) q, {cte}"
        elif pick() < 0.05:
            text = (
                f"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < "
                f"{self.random.choice([5, 100, 1000000000])}) SELECT r.n, q.* FROM r, ({text}) q"
            )
        if pick() < 0.3:
            text = f"SELECT * FROM ({text}) o ORDER BY 1 LIMIT {self.random.randrange(50)}"
        return text

    def select(self, depth: int, kinds: list[str] | None = None) -> str:
        scope: list[Column] = []
        sources = []
        for _ in range(self.random.choice([0, 1, 1, 1, 2, 2, 3])):
            sources.append(self.source(depth, scope))
        kinds = kinds or [self.random.choice(COMMON + list(LITERALS)) for _ in range(self.random.randrange(1, 4))]
        self.width = kinds
        make = self.aggregate if self.random.random() < 0.25 and depth > 0 else self.expression
        items = ", ".join(f"({make(k, scope, depth)})::{k} AS {self.name()}" for k in kinds)
        text = f"SELECT {self.random.choice(['', '', '', 'DISTINCT '])}{items}"
        if sources:
            text += " FROM " + self.joined(sources, scope)
        if self.random.random() < 0.5:
            text += f" WHERE {self.expression('boolean', scope, depth - 1)}"
        return text

    def source(self, depth: int, scope: list[Column]) -> str:
        pick, alias = self.random.random(), self.name()
        if pick < 0.65 or depth <= 0:
            table = self.random.choice(list(self.catalog.tables))
            columns = self.catalog.tables[table]
            scope.extend((f"{alias}.{column}", kind) for column, kind in columns)
            return f"{table} AS {alias}"
        if pick < 0.8:
            lateral = "LATERAL " if self.random.random() < 0.5 else ""
            inner = self.select(depth - 1, ["integer", "text"])
            scope.extend([(f"{alias}.a", "integer"), (f"{alias}.b", "text")])
            return f"{lateral}({inner}) AS {alias}(a, b)"
        if pick < 0.9:
            functions = self.random.choice(list(self.catalog.functions["set"].values()))
            return f"{self.call(self.random.choice(functions), [], depth - 1)} AS {alias}"
        scope.extend([(f"{alias}.a", "integer"), (f"{alias}.b", "text")])
        return f"(VALUES (1, 'a'), (2, NULL)) AS {alias}(a, b)"

    def joined(self, sources: list[str], scope: list[Column]) -> str:
        text = sources[0]
        for other in sources[1:]:
            join = self.random.choice(["JOIN", "LEFT JOIN", "FULL JOIN", "CROSS JOIN", ","])
            on = "" if join in ("CROSS JOIN", ",") else f" ON {self.condition(scope)}"
            text += f"{' ' if join != ',' else ''}{join} {other}{on}"
        return text

    def condition(self, scope: list[Column]) -> str:
        by_kind: dict[str, list[str]] = {}
        for column, kind in scope:
            by_kind.setdefault(kind, []).append(column)
        pairs = [columns for columns in by_kind.values() if len(columns) > 1]
        if not pairs:
            return "true"
        return " = ".join(self.random.sample(self.random.choice(pairs), 2))

    def expression(self, kind: str, scope: list[Column], depth: int) -> str:
        columns = [column for column, k in scope if k == kind]
        if columns and self.random.random() < (0.45 if depth > 0 else 0.9):
            return self.random.choice(columns)
        if depth <= 0:
            return self.literal(kind)
        way = self.random.random()
        functions, operators = self.catalog.functions["f"].get(kind), self.catalog.operators.get(kind)
        if way < 0.45 and functions:
            return self.call(self.random.choice(functions), scope, depth - 1)
        if way < 0.7 and operators:
            name, left, right = self.random.choice(operators)
            return (
                f"({self.argument(left, scope, depth - 1)} OPERATOR(pg_catalog.{name}) "
                f"{self.argument(right, scope, depth - 1)})"
            )
        if way < 0.78:
            return (
                f"CASE WHEN {self.expression('boolean', scope, depth - 1)} THEN "
                f"{self.expression(kind, scope, depth - 1)} ELSE {self.literal(kind)} END"
            )
        if way < 0.85:
            other = self.random.choice(list(LITERALS))
            return f"(({self.expression(other, scope, depth - 1)})::text)::{kind}"
        if way < 0.9:
            return f"({self.select(depth - 1, [kind])} LIMIT 1)"
        if way < 0.94:
            return (
                f"(first_value({self.expression(kind, scope, depth - 1)}) OVER (ORDER BY "
                f"{self.expression('integer', scope, 0)}))"
            )
        if way < 0.97 and kind == "boolean":
            return f"EXISTS ({self.select(depth - 1)})"
        return self.literal(kind)

    def aggregate(self, kind: str, scope: list[Column], depth: int) -> str:
        functions = self.catalog.functions["a"].get(kind)
        if not functions:
            return self.literal(kind)
        call = self.call(self.random.choice(functions), scope, depth - 1)
        if self.random.random() < 0.2:
            call += f" FILTER (WHERE {self.expression('boolean', scope, 0)})"
        return call

    def call(self, function: Function, scope: list[Column], depth: int) -> str:
        name, arguments = function
        return f"{name}({', '.join(self.argument(a, scope, depth) for a in arguments)})"

    def argument(self, kind: str, scope: list[Column], depth: int) -> str:
        kind = POLYMORPHIC.get(kind, "integer" if kind.startswith("any") else kind)
        if kind.startswith(('"', "record")):
            return self.literal(self.random.choice(COMMON))
        return f"({self.expression(kind, scope, depth)})::{kind}"

    def literal(self, kind: str) -> str:
        known = LITERALS.get(kind)
        return self.random.choice(known) if known else f"NULL::{kind}"

    def attack(self) -> str:
        """An attack, as it is written, bent, or put inside a query."""
        text = self.random.choice(self.attacks)
        way = self.random.randrange(7)
        if way == 0:
            return text
        if way == 1:
            return re.sub(r"[a-z]", lambda m: self.random.choice([m[0], m[0].upper()]), text)
        if way == 2:
            return text.replace(" ", self.random.choice(["/**/", "\n", "\t", " -- x\n"]))
        if way == 3:
            return self.random.choice(
                [
                    f"SELECT * FROM ({text}) q",
                    f"WITH a AS ({text}) SELECT * FROM a",
                    f"SELECT ({text})",
                    f"{text} UNION ALL {text}",
                ]
            )
        if way == 4:
            words = text.split(" ")
            at = self.random.randrange(len(words))
            words[at : at + 1] = self.random.choice(self.attacks).split(" ")[:3]
            return " ".join(words)
        if way == 5:
            return f"{self.query(1)}; {text}"
        return text.replace("SELECT", f"SELECT {self.expression('integer', [], 2)},", 1)
