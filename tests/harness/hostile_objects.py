"""Random objects of a hostile role, and queries that reach them: views, functions, operators with
estimators, aggregates, casts, domains, ranges, row policies, foreign tables, towers of CTEs.

Each object hides an effect: it writes, locks, sets, sleeps, eats memory, fetches from the caller's
cursors, calls itself, or reads what nobody may read and tells it, as a row or in an error.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from .hostile_words import BEHAVIOURS, CAUGHT, CLAUSES, DISCLOSING, EFFECTS, ENDLESS, ODD, SCHEMA, SECRETS, WORDS

T = TypeVar("T")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


class Maker:
    """One generation of objects: `statements` make them, `queries` reach them.

    `forced` is the setting that forces plans into workers, `here` a connection string to the same
    database, `marker` a file that nobody makes.
    """

    def __init__(self, chance: random.Random, forced: str, here: str, marker: str) -> None:
        self.random, self.forced = chance, forced
        self.fixed = {"here": here, "marker": marker, "schema": SCHEMA}
        self.statements: list[str] = []
        self.queries: list[str] = []
        self.relations: list[str] = []
        self.locking: list[str] = []  # calls of functions that lock, to be made before by the caller himself
        self.functions: list[str] = []  # without arguments, that return an int
        self.count = 0
        self.statements.append(f"CREATE PROCEDURE {SCHEMA}.proc() LANGUAGE plpgsql AS $$ BEGIN COMMIT; END $$")
        self.base_table()
        for _ in range(4):
            self.function()
        self.locker()
        kinds = [
            self.function,
            self.sql_function,
            self.view,
            self.view,
            self.operator,
            self.domain,
            self.aggregate,
            self.cast,
            self.range,
            self.policy,
            self.tower,
            self.defaults,
            self.stand_in,
            self.foreign,
            self.indexed,
            self.polymorphic,
            self.rows_function,
        ]
        for make in chance.choices(kinds, k=14):
            make()

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def make(self, sql: str) -> None:
        self.statements.append(sql)

    def reach(self, *queries: str) -> None:
        self.queries.extend(queries)

    def pick(self, options: Sequence[T]) -> T:
        return self.random.choice(options)

    def called(self) -> str:
        """A call of a hostile function."""
        return f"{SCHEMA}.{self.pick(self.functions)}()"

    def effects(self, name: str) -> str:
        """Some statements, most of which go on where one is refused."""
        effects = []
        for _ in range(self.pick([1, 2, 4, 6])):
            effect = self.pick(EFFECTS)
            if self.random.random() < 0.3:
                effect = self.pick(DISCLOSING).replace("{secret}", self.pick(SECRETS))
            if self.random.random() < 0.7:
                effect = f"BEGIN {effect}; EXCEPTION WHEN {self.pick(CAUGHT)} THEN NULL; END"
            effects.append(effect)
        if self.random.random() < 0.1:
            # nothing around it: what catches a cancel for each row goes on, which is no secret
            effects = [self.pick(ENDLESS)]
        text = "; ".join(effects)
        for key, value in {**self.fixed, "name": name}.items():
            text = text.replace(f"{{{key}}}", value)
        return text

    def attributes(self) -> str:
        text = self.pick(BEHAVIOURS)
        for clause in self.random.sample(CLAUSES, self.pick([0, 0, 0, 1, 2])):
            text += f" SET {clause}"
        if self.random.random() < 0.25:
            text += f" SET {self.forced} = on SET parallel_tuple_cost = 0 SET min_parallel_table_scan_size = 0"
        return text

    def body(self, name: str, value: str = "1") -> str:
        return f"DECLARE x text; n bigint := 0; r record; c refcursor; BEGIN {self.effects(name)}; RETURN {value}; END"

    def plpgsql(self, name: str, signature: str, returns: str, value: str, attributes: str | None = None) -> None:
        attributes = self.attributes() if attributes is None else attributes
        self.make(
            f"CREATE FUNCTION {SCHEMA}.{name}{signature} RETURNS {returns} LANGUAGE plpgsql "
            f"{attributes} AS $body$ {self.body(name, value)} $body$"
        )

    def base_table(self) -> None:
        self.make(
            f"CREATE TABLE {SCHEMA}.base AS SELECT g AS id, g % 7 AS a, 'apple ' || g % 5 AS word "
            "FROM generate_series(1, 300) g"
        )
        self.make(f"ANALYZE {SCHEMA}.base")
        self.relations.append("base")

    def function(self) -> None:
        name = self.name("f")
        self.plpgsql(name, "()", "int", "1")
        self.functions.append(name)
        self.reach(
            f"SELECT {SCHEMA}.{name}()",
            f"SELECT * FROM {SCHEMA}.{name}() x",
            f"SELECT count(*) FROM {SCHEMA}.base WHERE id > {SCHEMA}.{name}()",
            f"SELECT id FROM {SCHEMA}.base ORDER BY {SCHEMA}.{name}() LIMIT {SCHEMA}.{name}()",
            f"SELECT sum(a) FILTER (WHERE {SCHEMA}.{name}() > 0) OVER (ORDER BY id) FROM {SCHEMA}.base",
            f"SELECT CASE WHEN a > 3 THEN {SCHEMA}.{name}() ELSE 0 END FROM {SCHEMA}.base",
        )

    def locker(self) -> None:
        """Locks in an expression that plpgsql keeps ready once it ran, and does nothing else: the
        caller may have called it before by hand."""
        name = self.name("m")
        self.make(
            f"CREATE FUNCTION {SCHEMA}.{name}() RETURNS boolean LANGUAGE plpgsql STABLE "
            f"SET search_path = pg_catalog AS $body$ BEGIN RETURN "
            f"{self.pick(['pg_try_advisory_lock(25)', 'pg_advisory_unlock_shared(11)'])}; END $body$"
        )
        self.locking.append(f"{SCHEMA}.{name}()")
        self.reach(*[f"SELECT {SCHEMA}.{name}()"] * 5)

    def sql_function(self) -> None:
        name, inner = self.name("s"), self.called()
        self.make(
            f"CREATE FUNCTION {SCHEMA}.{name}(int DEFAULT 1) RETURNS int LANGUAGE sql "
            f"{self.attributes()} AS 'SELECT {inner} + $1'"
        )
        self.reach(f"SELECT {SCHEMA}.{name}(2)", f"SELECT max({SCHEMA}.{name}(a)) FROM {SCHEMA}.base")

    def rows_function(self) -> None:
        name = self.name("r")
        source = self.pick(
            [
                f"SELECT {self.called()}",
                f"SELECT id FROM {SCHEMA}.base WHERE {self.called()} > 0",
                self.tower_text(self.pick([3, 12])),
            ]
        )
        language = self.pick([("sql", f"{source}"), ("plpgsql", f"BEGIN RETURN QUERY {source}; END")])
        self.make(
            f"CREATE FUNCTION {SCHEMA}.{name}() RETURNS SETOF int LANGUAGE {language[0]} "
            f"{self.attributes()} ROWS {self.pick([1, 1000, 100000])} AS $body$ {language[1]} $body$"
        )
        self.reach(
            f"SELECT * FROM {SCHEMA}.{name}()",
            f"SELECT count(*) FROM {SCHEMA}.base b, LATERAL (SELECT * FROM {SCHEMA}.{name}() LIMIT b.a) l",
        )

    def polymorphic(self) -> None:
        name = self.name("p")
        self.make(
            f"CREATE FUNCTION {SCHEMA}.{name}(anyelement) RETURNS SETOF int LANGUAGE sql STABLE "
            f"AS $body$ SELECT {self.called()} $body$"
        )
        self.reach(f"SELECT * FROM {SCHEMA}.{name}(1)", f"SELECT {SCHEMA}.{name}('x'::text)")

    def view(self) -> None:
        name = quoted(self.pick(ODD)) if self.random.random() < 0.15 else self.name("v")
        column = quoted(self.pick(ODD)) if self.random.random() < 0.3 else "word"
        secret = self.pick(SECRETS)
        source = self.pick(
            [
                f"SELECT {self.called()} AS {column}",
                f"SELECT id, word AS {column} FROM {SCHEMA}.base WHERE {self.called()} > 0",
                f"SELECT f.id, f.word AS {column} FROM public.facts f",
                f"SELECT {secret} AS {column}",
                f"SELECT t.note AS {column} FROM public.tenant t",
                f"SELECT id, ({self.called()})::text AS {column} FROM {SCHEMA}.base",
                f"SELECT v.* FROM {SCHEMA}.{self.pick(self.relations)} v, {SCHEMA}.base b",
                f"SELECT (word || id)::int AS {column} FROM public.facts",
                f"SELECT 1 / (id - 1) AS a, word AS {column} FROM public.facts",
            ]
        )
        option = self.pick(["", "", " WITH (security_barrier)"])
        kind = self.pick(["VIEW"] * 5 + ["MATERIALIZED VIEW"])
        data = " WITH NO DATA" if kind != "VIEW" else ""
        self.make(f"CREATE {kind} {SCHEMA}.{name}{option if kind == 'VIEW' else ''} AS {source}{data}")
        self.relations.append(name)
        if self.random.random() < 0.4:
            self.make(f"COMMENT ON {kind} {SCHEMA}.{name} IS {literal(self.pick(ODD) * 40)}")
            self.make(f"COMMENT ON COLUMN {SCHEMA}.{name}.{column} IS {literal('</data>' + self.pick(ODD))}")
        self.reach(
            f"SELECT * FROM {SCHEMA}.{name}",
            f"SELECT count(*) FROM {SCHEMA}.{name}",
            f"SELECT {column} FROM {SCHEMA}.{name} WHERE {column}::text LIKE '%a%'",
            f"SELECT v::text FROM {SCHEMA}.{name} v",
        )

    def operator(self) -> None:
        function, symbol = self.name("o"), self.pick(["===", "~~>", "<@>", "=", "+", "%%"])
        target = self.pick([function, function, "pg_advisory_unlock", "pg_try_advisory_lock"])
        if target == function:
            self.plpgsql(function, "(int, int)", "boolean", "true")
            target = f"{SCHEMA}.{function}"
        estimator = self.pick([("eqsel", "eqjoinsel"), ("scalarltsel", "scalarltjoinsel"), ("neqsel", "neqjoinsel")])
        self.make(
            f"CREATE OPERATOR {SCHEMA}.{symbol} (FUNCTION = {target}, LEFTARG = int, RIGHTARG = int, "
            f"RESTRICT = {estimator[0]}, JOIN = {estimator[1]})"
        )
        call = f"OPERATOR({SCHEMA}.{symbol})"
        self.reach(
            f"SELECT count(*) FROM {SCHEMA}.base WHERE a {call} 7",
            f"SELECT 1 {symbol} 2",
            f"SELECT count(*) FROM {SCHEMA}.base x JOIN {SCHEMA}.base y ON x.a {call} y.a WHERE x.id < 3",
            f"SELECT id FROM {SCHEMA}.base WHERE a {call} ANY (ARRAY[1, 2])",
        )
        sender = self.name("e")
        self.make(
            f"CREATE FUNCTION {SCHEMA}.{sender}() RETURNS text LANGUAGE plpgsql {self.attributes()} AS $body$ "
            f"DECLARE x text; BEGIN EXECUTE 'SELECT count(*) FROM {SCHEMA}.base WHERE a {call} 7' "
            "INTO x; RETURN x; END $body$"
        )
        self.reach(f"SELECT {SCHEMA}.{sender}()")

    def domain(self) -> None:
        name, check = self.name("d"), self.name("c")
        self.plpgsql(check, "(int)", "boolean", "true")
        self.make(f"CREATE DOMAIN {SCHEMA}.{name} AS int CHECK ({SCHEMA}.{check}(VALUE))")
        self.make(f"CREATE VIEW {SCHEMA}.{name}_v AS SELECT NULL::{SCHEMA}.{name} AS a")
        self.reach(
            f"SELECT 3::{SCHEMA}.{name}",
            f"SELECT '{{1,2}}'::{SCHEMA}.{name}[]",
            f"SELECT x FROM jsonb_to_recordset('[{{\"x\": 1}}]') AS t(x {SCHEMA}.{name})",
            f"SELECT (a::text)::{SCHEMA}.{name} FROM {SCHEMA}.base LIMIT 2",
        )

    def aggregate(self) -> None:
        name, step, final = self.name("a"), self.name("t"), self.name("u")
        self.plpgsql(step, "(int, int)", "int", "1")
        self.plpgsql(final, "(int)", "int", "1")
        self.make(
            f"CREATE AGGREGATE {SCHEMA}.{name}(int) (SFUNC = {SCHEMA}.{step}, STYPE = int, "
            f"FINALFUNC = {SCHEMA}.{final}, INITCOND = '0', PARALLEL = SAFE)"
        )
        self.reach(
            f"SELECT {SCHEMA}.{name}(a) FROM {SCHEMA}.base",
            f"SELECT {SCHEMA}.{name}(a) OVER (ORDER BY id) FROM {SCHEMA}.base",
            f"SELECT word FROM {SCHEMA}.base GROUP BY word HAVING {SCHEMA}.{name}(id) > 0",
        )

    def cast(self) -> None:
        name, function = self.name("k"), self.name("y")
        self.make(f"CREATE TYPE {SCHEMA}.{name} AS (n int)")
        self.plpgsql(function, f"({SCHEMA}.{name})", "text", "'1'")
        self.make(
            f"CREATE CAST ({SCHEMA}.{name} AS text) WITH FUNCTION {SCHEMA}.{function}({SCHEMA}.{name}) "
            f"AS {self.pick(['IMPLICIT', 'ASSIGNMENT'])}"
        )
        self.reach(
            f"SELECT ROW(1)::{SCHEMA}.{name}::text",
            f"SELECT ROW(a)::{SCHEMA}.{name}::text FROM {SCHEMA}.base",
            f"SELECT lower(ROW(1)::{SCHEMA}.{name})",
            f"SELECT ('x' || ROW(1)::{SCHEMA}.{name})",
        )

    def range(self) -> None:
        name, function = self.name("g"), self.name("h")
        self.plpgsql(function, "(float8, float8)", "float8", "1", "IMMUTABLE")
        self.make(f"CREATE TYPE {SCHEMA}.{name} AS RANGE (subtype = float8, subtype_diff = {SCHEMA}.{function})")
        self.reach(f"SELECT {SCHEMA}.{name}(1, 2)", f"SELECT '[1,2]'::{SCHEMA}.{name} && '[2,3]'::{SCHEMA}.{name}")

    def policy(self) -> None:
        name = self.name("q")
        self.make(f"CREATE TABLE {SCHEMA}.{name} AS SELECT id, word AS note FROM {SCHEMA}.base LIMIT 50")
        self.make(f"ALTER TABLE {SCHEMA}.{name} ENABLE ROW LEVEL SECURITY")
        condition = self.pick(
            [
                f"{self.called()} > 0",
                f"id IN (SELECT {self.called()})",
                f"note LIKE '%' AND {self.called()} IS NOT NULL",
            ]
        )
        self.make(f"CREATE POLICY p ON {SCHEMA}.{name} USING ({condition})")
        self.relations.append(name)
        self.reach(f"SELECT * FROM {SCHEMA}.{name}", f"SELECT count(*) FROM {SCHEMA}.{name} WHERE note = 'apple 1'")

    def indexed(self) -> None:
        name, function = self.name("i"), self.name("j")
        self.plpgsql(function, "(int)", "int", "$1", "IMMUTABLE")
        self.make(f"CREATE TABLE {SCHEMA}.{name} (id int, a int, word text)")
        self.make(f"CREATE INDEX ON {SCHEMA}.{name} ({SCHEMA}.{function}(a))")
        self.make(f"ALTER TABLE {SCHEMA}.{name} ADD CHECK ({SCHEMA}.{function}(a) > 0)")
        self.relations.append(name)
        self.reach(f"SELECT * FROM {SCHEMA}.{name} WHERE {SCHEMA}.{function}(a) = 3")

    def tower_text(self, height: int) -> str:
        kind = self.pick(
            [
                "SELECT x.id FROM c{0} x JOIN c{0} y USING (id)",
                "SELECT id FROM c{0} UNION ALL SELECT id FROM c{0}",
                "SELECT id FROM c{0} WHERE id IN (SELECT id FROM c{0})",
                "SELECT id + 1 AS id FROM c{0}",
                "SELECT x.id FROM c{0} x, c{0} y ORDER BY 1",
            ]
        )
        hint = self.pick(["", "NOT MATERIALIZED ", "NOT MATERIALIZED ", "MATERIALIZED "])
        steps = [f"c{n} AS {hint}({kind.format(n - 1)})" for n in range(1, height + 1)]
        return f"WITH c0 AS (SELECT id FROM {SCHEMA}.base), {', '.join(steps)} SELECT id FROM c{height}"

    def tower(self) -> None:
        text, name = self.tower_text(self.pick([3, 8, 12, 20, 60, 120, 250])), self.name("w")
        self.make(f"CREATE VIEW {SCHEMA}.{name} AS {text}")
        self.relations.append(name)
        self.reach(
            text,
            f"SELECT count(*) FROM {SCHEMA}.{name}",
            f"WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT * FROM n, {SCHEMA}.{name}",
            f"SELECT {' + '.join(['1'] * self.pick([50, 3000, 30000]))}",
            f"SELECT 1 WHERE 1 IN ({', '.join(map(str, range(self.pick([100, 30000]))))})",
        )

    def defaults(self) -> None:
        name = self.name("l")
        self.make(
            f"CREATE FUNCTION {SCHEMA}.{name}(a int DEFAULT {self.called()}, VARIADIC b int[] DEFAULT "
            f"ARRAY[{self.called()}]) RETURNS int LANGUAGE sql {self.attributes()} AS 'SELECT a + b[1]'"
        )
        self.reach(
            f"SELECT {SCHEMA}.{name}()",
            f"SELECT {SCHEMA}.{name}(1)",
            f"SELECT {SCHEMA}.{name}(1, VARIADIC ARRAY[2])",
            f"SELECT {SCHEMA}.{name}(b => 1)",
        )

    def stand_in(self) -> None:
        """Something of the name of PostgreSQL's own, which fits better or with other arguments."""
        name, signature = self.pick(
            [
                ("round", "(float8, int, int DEFAULT 0)"),
                ("lower", "(int)"),
                ("power", "(VARIADIC int[])"),
                ("count", "(text)"),
                ("now", "(int DEFAULT 1)"),
                ("length", "(anyelement)"),
                ("coalesce_", "(int)"),
            ]
        )
        self.make(
            f"CREATE FUNCTION {SCHEMA}.{name}{signature} RETURNS int LANGUAGE plpgsql {self.attributes()} "
            f"AS $body$ {self.body(name)} $body$"
        )
        self.reach(
            "SELECT round(1.5::float8, 1)",
            "SELECT lower(1)",
            "SELECT power(1, 2, 3)",
            "SELECT count('x'::text)",
            "SELECT length(1)",
            f"SELECT {SCHEMA}.{name}(1)",
        )

    def foreign(self) -> None:
        name, view = self.name("z"), self.name("v")
        self.make(f"CREATE VIEW {SCHEMA}.{view} AS SELECT {self.called()} AS a, 1 AS id")
        self.make(
            f"CREATE FOREIGN TABLE {SCHEMA}.{name} (a int, id int) SERVER loop "
            f"OPTIONS (schema_name '{SCHEMA}', table_name '{view}')"
        )
        self.make(f"CREATE VIEW {SCHEMA}.{name}_v AS SELECT a FROM {SCHEMA}.{name}")
        self.relations += [name, f"{name}_v"]
        self.reach(
            f"SELECT * FROM {SCHEMA}.{name}",
            f"SELECT * FROM {SCHEMA}.{name}_v",
            f"SELECT count(*) FROM {SCHEMA}.{name} JOIN {SCHEMA}.base USING (id)",
        )

    def query(self) -> str:
        """One of the queries, often inside another."""
        text = self.pick(self.queries)
        return self.pick(
            [
                "{}",
                "{}",
                "{}",
                "SELECT * FROM ({}) q",
                "WITH w AS MATERIALIZED ({}) SELECT * FROM w",
                "WITH w AS NOT MATERIALIZED ({}) SELECT * FROM w UNION ALL SELECT * FROM w",
                "SELECT EXISTS ({})",
                "SELECT count(*) FROM public.facts f, LATERAL ({}) l",
                "({}) LIMIT 2",
                "SELECT (SELECT count(*) FROM ({}) q) FROM public.facts",
                "SELECT json_agg(q) FROM ({}) q",
                "{}; SELECT 1",
                "SELECT * FROM public.facts WHERE EXISTS ({})",
            ]
        ).replace("{}", text)

    def word(self) -> str:
        return self.pick(WORDS + self.relations)
