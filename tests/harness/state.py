"""The state of a database and of a session, to compare before and after."""

from .session import Session

# Catalogs beside the tables. Statistics and freezing are PostgreSQL's own.
CATALOGS = {
    "pg_class": "(t.oid, t.relname, t.relacl::text, t.relowner, t.relkind, t.relnatts)::text",
    "pg_database": "(t.oid, t.datname, t.datacl::text, t.datdba)::text",
    # a session's schema for temporary tables stays when it has ended
    "pg_namespace": "CASE WHEN t.nspname NOT LIKE 'pg%temp%' THEN t::text END",
    **dict.fromkeys(
        [
            "pg_proc",
            "pg_type",
            "pg_authid",
            "pg_largeobject_metadata",
            "pg_db_role_setting",
            "pg_auth_members",
            "pg_seclabel",
            "pg_description",
            "pg_foreign_server",
            "pg_user_mapping",
            "pg_extension",
            "pg_policy",
            "pg_trigger",
            "pg_constraint",
            "pg_rewrite",
            "pg_default_acl",
        ],
        "t::text",
    ),
}


def of_database(session: Session) -> dict[str, str]:
    """Every table, sequence, object, role and setting, as {name: count and checksum}."""
    tables = session.query("""SELECT c.oid::regclass::text FROM pg_class c
        WHERE c.relkind IN ('r', 'p', 'm', 'S') AND c.relnamespace::regnamespace::text
              NOT IN ('pg_catalog', 'information_schema', 'pg_toast', 'text2sql')
          AND c.relpersistence <> 't'""")
    sums = {}
    for name, text in {**{table: "t::text" for (table,) in tables}, **CATALOGS}.items():
        sums[name] = session.value(
            f"SELECT count({text}) || ' ' || coalesce(md5(string_agg({text}, ',' "
            f"ORDER BY {text} COLLATE \"C\")), '') FROM (SELECT * FROM {name}) AS t"
        )
    return sums


def differences(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Names of what is not the same."""
    return [name for name in before | after if before.get(name) != after.get(name)]


# Settings, but those that a library brings while it is loaded.
SETTINGS = """SELECT name, setting FROM pg_catalog.pg_settings
    WHERE name NOT LIKE '%.%' OR name LIKE 'text2sql.%'"""

# Role, mode, settings, what else a session holds.
OF_SESSION = f"""SELECT current_user, session_user, current_setting('transaction_read_only'),
    current_setting('transaction_isolation'), pg_catalog.pg_my_temp_schema(),
    (SELECT md5(string_agg(name || '=' || setting, ',' ORDER BY name)) FROM ({SETTINGS}) s),
    (SELECT count(*) FROM pg_catalog.pg_listening_channels()),
    (SELECT count(*) FROM pg_catalog.pg_prepared_statements),
    (SELECT count(*) FROM pg_catalog.pg_cursors)"""

# Locks but those of catalogs and of the ledger's row.
LOCKS = """SELECT l.locktype, l.mode, l.relation, c.relname
    FROM pg_catalog.pg_locks l LEFT JOIN pg_catalog.pg_class c ON c.oid = l.relation
    WHERE l.pid = pg_backend_pid() AND l.locktype NOT IN ('virtualxid', 'transactionid') AND l.mode <> 'SIReadLock'
      AND (c.relnamespace IS NULL OR
           c.relnamespace::regnamespace::text NOT IN ('pg_catalog', 'pg_toast', 'text2sql'))"""
