"""Attacks of the hostile role on what the extension itself consists of: every function of its pg_proc called and
attached with hostile arguments and types, every table, view and sequence of its own written, locked and altered.

Nothing of it may run somebody else's code as another role, or change a row, a right or a counter of the extension.
"""

from __future__ import annotations

import random

import psycopg

from .cluster import Cluster
from .session import Session

# The schema of the attack, which lives as long as the run.
LAIR = "lair"

TARGETS = ["integer", "bigint", "text", "oid", "regclass", "name", "text[]", "smallint", "json"]
# A composite type with implicit casts to whatever a function takes, which note the role that runs them.
SETUP = [
    f"CREATE SCHEMA {LAIR}",
    f"CREATE TABLE {LAIR}.ran (role name, session name)",
    f"GRANT USAGE ON SCHEMA {LAIR} TO PUBLIC",
    f"GRANT INSERT ON {LAIR}.ran TO PUBLIC",
    f"CREATE FUNCTION {LAIR}.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    f"INSERT INTO {LAIR}.ran VALUES (current_user, session_user); RETURN NULL; END $$",
    f"CREATE TYPE {LAIR}.odd AS (n int)",
    *(
        statement
        for number, target in enumerate(TARGETS)
        for statement in (
            f"CREATE FUNCTION {LAIR}.cast_{number}({LAIR}.odd) RETURNS {target} LANGUAGE plpgsql AS $$ BEGIN "
            f"INSERT INTO {LAIR}.ran VALUES (current_user, session_user); "
            f"BEGIN EXECUTE 'ALTER ROLE mallory SUPERUSER'; EXCEPTION WHEN OTHERS THEN NULL; END; RETURN NULL; END $$",
            f"CREATE CAST ({LAIR}.odd AS {target}) WITH FUNCTION {LAIR}.cast_{number}({LAIR}.odd) AS IMPLICIT",
        )
    ),
]

INJECTED = "'0; ALTER ROLE mallory SUPERUSER'"
TEXTS = [
    "''",
    INJECTED,
    "'x''; ALTER ROLE mallory SUPERUSER; --'",
    "'public'",
    "'mallory'",
    "'administer'",
    "repeat('x', 100000)",
    "E'\\x01\\x7f'",
    f"'{LAIR}.ran'",
    "'forbidden'",
    "'text2sql.history_entry'",
    "'SELECT * FROM text2sql.history_entry'",
]
VALUES = {
    "integer": ["0", "-1", "1", "2147483647"],
    "smallint": ["0", "-1", "32767"],
    "bigint": ["0", "-1", "1", "9223372036854775807"],
    "boolean": ["true", "false"],
    "oid": ["0", "1", "'pg_authid'::regclass::oid", "'mallory'::regrole::oid", "10"],
    "regclass": ["'forbidden'", "'text2sql.quota'", "'pg_authid'", f"'{LAIR}.ran'", "0"],
    "regnamespace": ["'text2sql'", "'pg_catalog'", f"'{LAIR}'", "0"],
    "regrole": ["'mallory'", "'postgres'", "0"],
    "json": ["'{}'", "'[]'", "'null'", """'{"max_rows": -1}'""", """'{"allow_superuser": true}'"""],
    "refcursor": ["'kept'", "'x\"; --'"],
}
COLUMNS = ["id text", "id {lair}.odd", "id int", "id int, per text", "id int, relation name, schema name, label text"]
RELATION = [
    "SELECT count(*) FROM {name}",
    "INSERT INTO {name} DEFAULT VALUES",
    "DELETE FROM {name}",
    "TRUNCATE {name}",
    "LOCK TABLE {name} IN SHARE MODE NOWAIT",
    "LOCK TABLE {name} IN ROW EXCLUSIVE MODE NOWAIT",
    "LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE NOWAIT",
    "ALTER TABLE {name} OWNER TO mallory",
    "ALTER TABLE {name} DISABLE TRIGGER ALL",
    "ALTER TABLE {name} DISABLE ROW LEVEL SECURITY",
    "GRANT ALL ON {name} TO mallory",
    "DROP TABLE {name}",
    "CREATE TRIGGER note BEFORE INSERT ON {name} FOR EACH STATEMENT EXECUTE FUNCTION {lair}.note()",
    "CREATE RULE note AS ON INSERT TO {name} DO ALSO SELECT 1",
    "CREATE POLICY note ON {name} USING (true)",
    "CREATE TABLE {lair}.child () INHERITS ({name})",
    "CREATE TABLE {lair}.child (LIKE {name} INCLUDING ALL)",
    "COMMENT ON TABLE {name} IS 'note'",
    "SECURITY LABEL FOR text2sql ON TABLE {name} IS 'values'",
    "ALTER EXTENSION text2sql DROP TABLE {name}",
    "COPY {name} TO STDOUT",
    "SELECT text2sql.label('{name}', 'hidden')",
    "CREATE VIEW {lair}.through AS SELECT * FROM {name}",
]
SEQUENCE = [
    "SELECT nextval('{name}')",
    "SELECT setval('{name}', 1)",
    "DROP SEQUENCE {name}",
    "ALTER SEQUENCE {name} RESTART",
    "SELECT * FROM {name}",
]

MEMBERS = """JOIN pg_depend d ON d.objid = o.oid AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'text2sql'"""
# The extension's rows but those that its own functions write for their caller, its rights, triggers and counters.
OWN = f"""SELECT (SELECT md5(string_agg(t::text, ',')) FROM text2sql.quota t),
    (SELECT md5(string_agg(t::text, ',')) FROM text2sql.label t WHERE t.schema <> '{LAIR}'),
    (SELECT md5(string_agg(t::text, ',')) FROM text2sql.glossary t),
    (SELECT md5(string_agg(t::text, ',')) FROM text2sql.verified_question t),
    (SELECT md5(string_agg(t::text, ',')) FROM text2sql.indexed_column t WHERE relation = 'forbidden'::regclass),
    (SELECT count(*) FROM text2sql.indexed_value v JOIN text2sql.indexed_column c ON c.id = v.column_id
     WHERE c.relation = 'forbidden'::regclass),
    (SELECT count(*) FROM text2sql.history_entry WHERE session_role <> 'mallory'),
    (SELECT md5(string_agg((o.oid, relowner, relacl::text, relrowsecurity, relhasrules)::text, ',' ORDER BY o.oid))
     FROM pg_class o WHERE o.relnamespace = 'text2sql'::regnamespace),
    (SELECT md5(string_agg((t.oid, tgenabled)::text, ',' ORDER BY t.oid))
     FROM pg_trigger t JOIN pg_class o ON o.oid = tgrelid WHERE o.relnamespace = 'text2sql'::regnamespace),
    (SELECT md5(string_agg((o.oid, proowner, proacl::text, prosrc)::text, ',' ORDER BY o.oid))
     FROM pg_proc o {MEMBERS}),
    (SELECT count(*) FROM pg_policy), (SELECT count(*) FROM pg_seclabel),
    (SELECT md5(string_agg(r::text, ',' ORDER BY rolname)) FROM pg_authid r),
    (SELECT md5(string_agg((sequencename, last_value)::text, ',' ORDER BY sequencename)) FROM pg_sequences
     WHERE schemaname = 'text2sql' AND sequencename ~ '^quota_')"""
RAN = f"SELECT DISTINCT role, session FROM {LAIR}.ran WHERE role <> 'mallory' OR session <> 'mallory'"


class Attack:
    """Statements against the extension's own objects, and whether one did any harm."""

    def __init__(self, cluster: Cluster, admin: Session) -> None:
        self.cluster = cluster
        self.session: Session | None = None
        admin.query("INSERT INTO text2sql.quota VALUES ('mallory', NULL, 'calls', 'month', 1000)")
        self.functions = admin.query(
            "SELECT o.oid::regproc, o.prorettype::regtype, ARRAY(SELECT t::regtype FROM unnest(o.proargtypes) t)::text "
            f"FROM pg_proc o {MEMBERS} ORDER BY 1"
        )
        members = f"SELECT o.oid::regclass, o.relkind FROM pg_class o {MEMBERS} WHERE relkind <> 'i' ORDER BY 1"
        self.relations = admin.query(members)
        self.relations += admin.query("SELECT oid::regclass, relkind FROM pg_class WHERE relname ~ '^quota_[0-9]+$'")
        self.done = self.ran = 0
        for statement in SETUP:
            self.run(statement)

    def run(self, sql: str) -> bool:
        """Whether the hostile role's statement ran."""
        if self.session is None or self.session.closed:
            self.session = self.cluster.session("hostile", "mallory")
            self.session.query(f"SET statement_timeout = 2000; SET search_path = {LAIR}, public")
        return not isinstance(self.session.outcome(sql), psycopg.Error)

    def batch(self, chance: random.Random, admin: Session, size: int) -> list[str]:
        """Attacks, and the harm that they did: one line for each kind of it."""
        before = admin.query(OWN)
        statements = [statement for _ in range(size) for statement in self.statements(chance)]
        for statement in statements:
            self.done += 1
            self.ran += self.run(statement)
        if self.session:
            self.session.close()
            self.session = None
        harm = [f"ran as {role} of a session of {session}" for role, session in admin.query(RAN)]
        after = admin.query(OWN)
        if after != before:
            harm.append(f"{before} became {after}")
        return [f"{what}, by one of: {statements}" for what in harm]

    def statements(self, chance: random.Random) -> list[str]:
        """One attack: a call, a trigger, or a statement about a relation."""
        if chance.random() < 0.3:
            name, kind = chance.choice(self.relations)
            return [chance.choice(SEQUENCE if kind == "S" else RELATION).format(name=name, lair=LAIR)]
        name, returns, types = chance.choice(self.functions)
        if returns == "trigger":
            columns = chance.choice(COLUMNS).format(lair=LAIR)
            event = chance.choice(["INSERT", "UPDATE", "DELETE"])
            value = INJECTED if columns == "id text" else "ROW(1)" if ".odd" in columns else "1"
            when = chance.choice(["BEFORE", "AFTER"])
            return [
                "DROP TABLE IF EXISTS pg_temp.bait",
                f"CREATE TEMP TABLE bait ({columns})",
                f"INSERT INTO bait (id) VALUES ({value})",
                f"CREATE TRIGGER bite {when} {event} ON bait FOR EACH ROW EXECUTE FUNCTION {name}()",
                f"INSERT INTO bait (id) VALUES ({value})",
                "UPDATE bait SET id = id",
                "DELETE FROM bait",
            ]
        if returns == "event_trigger":
            return [f"CREATE EVENT TRIGGER bite ON ddl_command_end EXECUTE FUNCTION {name}()"]
        arguments = ", ".join(self.argument(chance, kind) for kind in types.strip("{}").split(",") if kind)
        if returns == "-":  # a procedure
            return [f"CALL {name}({arguments})"]
        shape = " AS t(a text)" if name.endswith("_record") else ""
        return [f"SELECT * FROM {name}({arguments}){shape}"]

    def argument(self, chance: random.Random, kind: str) -> str:
        """A hostile value for a parameter of this type."""
        kind = kind.strip('"')
        if chance.random() < 0.15:
            return "NULL"
        if chance.random() < 0.25:
            return f"ROW(1)::{LAIR}.odd"
        if kind.endswith("[]"):
            values = [self.argument(chance, kind[:-2]) for _ in range(chance.choice([0, 1, 3]))]
            return f"ARRAY[{', '.join(values)}]::{kind}"
        return f"{chance.choice(VALUES.get(kind, TEXTS))}::{kind if kind != 'integer' else 'int'}"
