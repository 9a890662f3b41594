-- From 0.1.0 to 0.2.0, with everything kept that was stored. 0.1.0 is commit 535f69a, the last before
-- the changes of objects of 22 November 2026; tools/upgrade compares the result with CREATE EXTENSION.
\echo Use "ALTER EXTENSION text2sql UPDATE" to load this file. \quit

-- What others have put into the extension's schema is not looked at.
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

-- New objects belong to the role that the others belong to, whoever updates: functions of the
-- owner's rights meet tables of the same owner.
DO $$
DECLARE
    owner text := (SELECT r.rolname FROM pg_catalog.pg_extension e
                   JOIN pg_catalog.pg_roles r ON r.oid = e.extowner AND r.rolsuper
                   WHERE e.extname = 'text2sql');
BEGIN
    IF owner IS NOT NULL THEN
        PERFORM pg_catalog.set_config('role', owner, true);
    END IF;
END
$$;

-- Functions that take `options` now, beside those that do not.

CREATE FUNCTION @extschema@."text2sql"(
    "question" TEXT,
    "hint" TEXT DEFAULT NULL,
    "strategy" TEXT DEFAULT NULL,
    "tables" TEXT[] DEFAULT NULL,
    "server" TEXT DEFAULT NULL,
    "options" json DEFAULT NULL
) RETURNS TEXT
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'text2sql_wrapper';

CREATE FUNCTION @extschema@."ask"(
    "question" TEXT,
    "hint" TEXT DEFAULT NULL,
    "strategy" TEXT DEFAULT NULL,
    "tables" TEXT[] DEFAULT NULL,
    "server" TEXT DEFAULT NULL,
    "options" json DEFAULT NULL
) RETURNS SETOF json
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'ask_wrapper';

CREATE FUNCTION @extschema@."ask_record"(
    question text, hint text DEFAULT NULL, strategy text DEFAULT NULL,
    tables text[] DEFAULT NULL, server text DEFAULT NULL, options json DEFAULT NULL
) RETURNS SETOF record
PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'ask_record_wrapper';

CREATE FUNCTION @extschema@."ask_cursor"(
    question text, cursor refcursor DEFAULT NULL, hint text DEFAULT NULL,
    strategy text DEFAULT NULL, tables text[] DEFAULT NULL, server text DEFAULT NULL,
    options json DEFAULT NULL
) RETURNS refcursor
PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'ask_cursor_wrapper';

CREATE FUNCTION @extschema@."ask_summary"(
    "question" TEXT,
    "hint" TEXT DEFAULT NULL,
    "strategy" TEXT DEFAULT NULL,
    "tables" TEXT[] DEFAULT NULL,
    "server" TEXT DEFAULT NULL,
    "options" json DEFAULT NULL
) RETURNS TEXT
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'ask_summary_wrapper';

CREATE FUNCTION text2sql."describe"(
    "sql" TEXT,
    "server" TEXT DEFAULT NULL,
    "options" json DEFAULT NULL
) RETURNS TEXT
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'describe_wrapper';

CREATE FUNCTION text2sql."fix"(
    "sql" TEXT,
    "error" TEXT DEFAULT NULL,
    "server" TEXT DEFAULT NULL,
    "options" json DEFAULT NULL
) RETURNS TEXT
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'fix_wrapper';

CREATE FUNCTION text2sql."explain"(
    "question" TEXT,
    "hint" TEXT DEFAULT NULL,
    "strategy" TEXT DEFAULT NULL,
    "tables" TEXT[] DEFAULT NULL,
    "server" TEXT DEFAULT NULL,
    "execute" bool DEFAULT false,
    "options" json DEFAULT NULL
) RETURNS json
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'explain_wrapper';

CREATE FUNCTION text2sql."preview"(
    "question" TEXT,
    "hint" TEXT DEFAULT NULL,
    "strategy" TEXT DEFAULT NULL,
    "tables" TEXT[] DEFAULT NULL,
    "server" TEXT DEFAULT NULL,
    "options" json DEFAULT NULL
) RETURNS TABLE (
    "step" TEXT,
    "role" TEXT,
    "content" TEXT
)
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'preview_wrapper';

CREATE FUNCTION text2sql."check"(
    "sql" TEXT,
    "options" json DEFAULT NULL
) RETURNS TABLE (
    "ok" bool,
    "reason" TEXT,
    "sqlstate" TEXT,
    "position" INT,
    "tables" TEXT[],
    "columns" TEXT[],
    "cost" double precision
)
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'check_wrapper';

CREATE FUNCTION text2sql."run"(
    "sql" TEXT,
    "options" json DEFAULT NULL
) RETURNS SETOF json
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'run_wrapper';

CREATE FUNCTION text2sql.run_record(sql text, options json DEFAULT NULL) RETURNS SETOF record
PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'run_record_wrapper';

-- Who could call the former functions may call the new ones, and nobody else.
DO $$
DECLARE
    former regprocedure;
    latter regprocedure;
    given record;
BEGIN
    PERFORM pg_catalog.set_config('allow_system_table_mods', 'on', true);
    FOREACH former IN ARRAY ARRAY[
        '@extschema@.text2sql(text, text, text, text[], text)', '@extschema@.ask(text, text, text, text[], text)',
        '@extschema@.ask_record(text, text, text, text[], text)', '@extschema@.ask_cursor(text, refcursor, text, text, text[], text)',
        '@extschema@.ask_summary(text, text, text, text[], text)', 'text2sql.describe(text, text)',
        'text2sql.fix(text, text, text)', 'text2sql.explain(text, text, text, text[], text, boolean)',
        'text2sql.preview(text, text, text, text[], text)', 'text2sql.check(text)', 'text2sql.run(text)',
        'text2sql.run_record(text)']::regprocedure[]
    LOOP
        SELECT l.oid INTO STRICT latter
        FROM pg_catalog.pg_proc f
        JOIN pg_catalog.pg_proc l ON l.proname = f.proname AND l.pronamespace = f.pronamespace AND l.oid <> f.oid
        JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = l.oid AND d.deptype = 'e'
        WHERE f.oid = former;
        IF (SELECT proacl FROM pg_catalog.pg_proc WHERE oid = former) IS NOT NULL THEN
            EXECUTE pg_catalog.format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', latter);
            FOR given IN
                SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS grantee,
                       CASE WHEN a.is_grantable THEN 'WITH GRANT OPTION' ELSE '' END AS option
                FROM pg_catalog.pg_proc p, pg_catalog.aclexplode(p.proacl) a
                WHERE p.oid = former AND a.grantee <> p.proowner
            LOOP
                EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION %s TO %s %s', latter, given.grantee, given.option);
            END LOOP;
        END IF;
        -- else pg_dump took what an administrator granted or revoked for the extension's own
        DELETE FROM pg_catalog.pg_init_privs
        WHERE classoid = 'pg_catalog.pg_proc'::regclass AND objoid = latter;
        EXECUTE pg_catalog.format('DROP FUNCTION %s', former);
    END LOOP;
END
$$;

-- New functions.

CREATE FUNCTION @extschema@."ask_chart"(
    "question" TEXT,
    "kind" TEXT DEFAULT NULL,
    "format" TEXT DEFAULT 'text',
    "hint" TEXT DEFAULT NULL,
    "strategy" TEXT DEFAULT NULL,
    "tables" TEXT[] DEFAULT NULL,
    "server" TEXT DEFAULT NULL,
    "options" json DEFAULT NULL,
    "width" INT DEFAULT 80
) RETURNS TEXT
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'ask_chart_wrapper';

CREATE FUNCTION text2sql."answer"(
    "question" TEXT,
    "hint" TEXT DEFAULT NULL,
    "strategy" TEXT DEFAULT NULL,
    "tables" TEXT[] DEFAULT NULL,
    "server" TEXT DEFAULT NULL,
    "execute" bool DEFAULT false,
    "options" json DEFAULT NULL
) RETURNS TABLE (
    "sql" TEXT,
    "columns" json,
    "confidence" double precision,
    "notices" TEXT[],
    "readings" json,
    "sqlstate" TEXT,
    "reason" TEXT,
    "words" TEXT[],
    "suggestion" TEXT,
    "rows" json,
    "truncated" bool,
    "history_id" bigint
)
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'answer_wrapper';

CREATE FUNCTION text2sql."create_view"(
    "name" TEXT,
    "question" TEXT,
    "hint" TEXT DEFAULT NULL,
    "strategy" TEXT DEFAULT NULL,
    "tables" TEXT[] DEFAULT NULL,
    "server" TEXT DEFAULT NULL,
    "replace" bool DEFAULT false,
    "options" json DEFAULT NULL
) RETURNS TEXT
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'create_view_wrapper';

CREATE FUNCTION text2sql."feedback"(
    "id" bigint,
    "verdict" TEXT,
    "note" TEXT DEFAULT NULL
) RETURNS void
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'feedback_wrapper';

CREATE FUNCTION text2sql."must_write"(
    "function" TEXT
) RETURNS void
STRICT PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'must_write_wrapper';

CREATE FUNCTION text2sql."turns"() RETURNS TABLE (
    "turn" INT,
    "question" TEXT,
    "read_as" TEXT,
    "sql" TEXT,
    "columns" TEXT[],
    "strategy" TEXT
)
STRICT PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'turns_wrapper';

-- What the next question of this session may build on. src/memory.rs keeps it.
CREATE VIEW text2sql.conversation AS SELECT * FROM text2sql.turns();
COMMENT ON VIEW text2sql.conversation IS
    'Questions of this session that the next one may build on, if text2sql.follow is on';
GRANT SELECT ON text2sql.conversation TO PUBLIC;

CREATE FUNCTION text2sql.label(relation regclass, label text) RETURNS void
PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'label_relation_wrapper';

CREATE FUNCTION text2sql.label(relation regclass, "column" text, label text) RETURNS void
PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'label_column_wrapper';

CREATE FUNCTION text2sql.label_schema(schema regnamespace, label text) RETURNS void
PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'label_schema_wrapper';

CREATE FUNCTION text2sql.tell_of_change(relation oid) RETURNS void
STRICT PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'tell_of_change_wrapper';
REVOKE EXECUTE ON FUNCTION text2sql.tell_of_change(oid) FROM PUBLIC;

CREATE FUNCTION text2sql.watch_drop() RETURNS void
PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'watch_drop_wrapper';
REVOKE EXECUTE ON FUNCTION text2sql.watch_drop() FROM PUBLIC;

-- Servers: keys stay with their endpoint.

-- A key was given for the endpoint that its server had then. Someone who may alter the server but
-- is not a superuser may not send other users' keys elsewhere.
CREATE FUNCTION text2sql.endpoints() RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(jsonb_object_agg(s.oid::text,
               ARRAY(SELECT o FROM unnest(s.srvoptions) AS o
                     WHERE split_part(o, '=', 1) IN ('provider', 'base_url', 'headers', 'extra')
                     ORDER BY o)), '{}')
    FROM pg_foreign_server s
    JOIN pg_foreign_data_wrapper w ON w.oid = s.srvfdw AND w.fdwname = 'text2sql'
$$;
CREATE FUNCTION text2sql.keep_endpoints() RETURNS event_trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before CONSTANT text := 'text2sql_servers.before';
    server text;
BEGIN
    IF tg_event = 'ddl_command_start' THEN
        PERFORM set_config(before, text2sql.endpoints()::text, true);
        RETURN;
    END IF;
    SELECT m.srvname INTO server
    FROM pg_event_trigger_ddl_commands() AS c
    JOIN pg_user_mappings m ON m.srvid = c.objid
    WHERE c.classid = 'pg_foreign_server'::regclass
      AND text2sql.endpoints() -> c.objid::text
          IS DISTINCT FROM nullif(current_setting(before, true), '')::jsonb -> c.objid::text
      AND (m.umuser = 0 OR NOT pg_has_role(m.umuser, 'USAGE'))
      AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user);
    IF FOUND THEN
        RAISE EXCEPTION 'server "%" has user mappings of others, whose keys would go elsewhere', server
            USING ERRCODE = 'insufficient_privilege',
                  HINT = 'DROP USER MAPPING of the others first, or let a superuser alter the server.';
    END IF;
END
$$;
CREATE EVENT TRIGGER text2sql_before_server ON ddl_command_start WHEN tag IN ('ALTER SERVER')
    EXECUTE FUNCTION text2sql.keep_endpoints();
CREATE EVENT TRIGGER text2sql_server ON ddl_command_end WHEN tag IN ('ALTER SERVER')
    EXECUTE FUNCTION text2sql.keep_endpoints();

-- Summaries: for whoever may read the whole table.
ALTER POLICY readers ON text2sql.summary
    USING (pg_catalog.has_table_privilege(relation, 'SELECT'));

-- Comments: their changes are told.

CREATE FUNCTION text2sql.tell_of_comments() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM text2sql.tell_of_change(objid) FROM pg_event_trigger_ddl_commands()
    WHERE classid = 'pg_class'::regclass;
EXCEPTION WHEN OTHERS THEN
    RETURN;  -- where the library is gone or cannot be loaded, comments are made all the same
END
$$;
CREATE EVENT TRIGGER text2sql_commented ON ddl_command_end WHEN tag IN ('COMMENT')
    EXECUTE FUNCTION text2sql.tell_of_comments();

-- The shared catalogs of a database go with the extension: what is about to be dropped may be it.
CREATE FUNCTION text2sql.before_drop() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM text2sql.watch_drop();
EXCEPTION WHEN OTHERS THEN
    RETURN;  -- where the library is gone or cannot be loaded, things are dropped all the same
END
$$;
CREATE EVENT TRIGGER text2sql_before_drop ON ddl_command_start WHEN tag IN ('DROP EXTENSION', 'DROP OWNED', 'DROP SCHEMA')
    EXECUTE FUNCTION text2sql.before_drop();

-- Labels kept by text2sql.label(). SECURITY LABEL does the same if the library is loaded; these
-- work in every session and are part of a pg_dump, for which a provider would have to be loaded.
--
-- The names are for the dump; the object numbers beside them follow renames.
CREATE TABLE text2sql.label (
    schema name NOT NULL,
    relation name,                          -- NULL: the schema
    "column" name CHECK ("column" IS NULL OR relation IS NOT NULL),     -- NULL: all of it
    label text NOT NULL CHECK (label IN ('hidden', 'no values', 'values')),
    classoid oid NOT NULL,
    objoid oid NOT NULL,
    objsubid integer NOT NULL,
    PRIMARY KEY (classoid, objoid, objsubid)
);
COMMENT ON TABLE text2sql.label IS
    'Labels set by text2sql.label() and text2sql.label_schema(): hidden, no values, values';
GRANT SELECT ON text2sql.label TO PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('text2sql.label', '');

-- A restored row has the numbers of another database. Without its object it is skipped, so that
-- the others are not lost.
CREATE FUNCTION text2sql.resolve_label() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT CASE WHEN new.relation IS NULL THEN 'pg_namespace' ELSE 'pg_class' END::regclass,
           CASE WHEN new.relation IS NULL THEN n.oid ELSE c.oid END,
           coalesce(a.attnum, 0)
    INTO new.classoid, new.objoid, new.objsubid
    FROM pg_namespace n
    LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = new.relation
    LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = new."column" AND a.attnum > 0
                            AND NOT a.attisdropped
    WHERE n.nspname = new.schema
      AND (new.relation IS NULL OR c.oid IS NOT NULL)
      AND (new."column" IS NULL OR a.attnum IS NOT NULL);
    IF NOT FOUND THEN
        RAISE WARNING 'text2sql: the label ''%'' of %.%.% is lost: there is no such object',
            new.label, new.schema, new.relation, new."column"
            USING HINT = 'SELECT text2sql.label(...) once it is there.';
        RETURN NULL;
    END IF;
    RETURN new;
END
$$;
CREATE TRIGGER resolve BEFORE INSERT ON text2sql.label
    FOR EACH ROW EXECUTE FUNCTION text2sql.resolve_label();
ALTER TABLE text2sql.label ENABLE ALWAYS TRIGGER resolve;

-- Updates names after a rename, and deletes rows of what is gone.
CREATE FUNCTION text2sql.follow_labelled() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF tg_event = 'ddl_command_start' THEN
        -- pg_upgrade keeps the numbers of tables, not those of schemas
        UPDATE text2sql.label l SET objoid = n.oid FROM pg_namespace n
        WHERE l.relation IS NULL AND n.nspname = l.schema AND l.objoid <> n.oid;
        RETURN;
    END IF;
    IF tg_event = 'sql_drop' THEN
        DELETE FROM text2sql.label l
        WHERE NOT EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = l.schema)
           OR l.relation IS NOT NULL
              AND NOT EXISTS (SELECT FROM pg_class c
                              LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = l.objsubid
                                                      AND NOT a.attisdropped
                              WHERE c.oid = l.objoid AND (l.objsubid = 0 OR a.attnum IS NOT NULL));
        RETURN;
    END IF;
    UPDATE text2sql.label l SET schema = n.nspname, relation = c.relname, "column" = a.attname
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE l.relation IS NOT NULL AND c.oid = l.objoid
      AND (a.attnum = l.objsubid AND l.objsubid > 0 AND NOT a.attisdropped)
      AND (l.schema, l.relation, l."column") IS DISTINCT FROM (n.nspname, c.relname, a.attname);
    UPDATE text2sql.label l SET schema = n.nspname, relation = c.relname
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE l.relation IS NOT NULL AND l.objsubid = 0 AND c.oid = l.objoid
      AND (l.schema, l.relation) IS DISTINCT FROM (n.nspname, c.relname);
    UPDATE text2sql.label l SET schema = n.nspname FROM pg_namespace n
    WHERE l.relation IS NULL AND n.oid = l.objoid AND l.schema <> n.nspname;
END
$$;
CREATE EVENT TRIGGER text2sql_before_rename ON ddl_command_start WHEN tag IN ('ALTER SCHEMA')
    EXECUTE FUNCTION text2sql.follow_labelled();
CREATE EVENT TRIGGER text2sql_renamed ON ddl_command_end
    WHEN tag IN ('ALTER SCHEMA', 'ALTER TABLE', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW',
                 'ALTER FOREIGN TABLE', 'ALTER TYPE')
    EXECUTE FUNCTION text2sql.follow_labelled();
CREATE EVENT TRIGGER text2sql_label_dropped ON sql_drop EXECUTE FUNCTION text2sql.follow_labelled();

-- All labels of both kinds; the stricter one if an object has two.
CREATE VIEW text2sql.labelled AS
SELECT DISTINCT ON (classoid, objoid, objsubid) classoid, objoid, objsubid, label
FROM (SELECT classoid, objoid, objsubid, label
      FROM pg_catalog.pg_seclabel WHERE provider = 'text2sql'
      UNION ALL
      SELECT l.classoid, coalesce(n.oid, l.objoid), l.objsubid, l.label
      FROM text2sql.label l
      LEFT JOIN pg_catalog.pg_namespace n ON l.relation IS NULL AND n.nspname = l.schema) said
ORDER BY classoid, objoid, objsubid, label = 'hidden' DESC, label = 'no values' DESC;
COMMENT ON VIEW text2sql.labelled IS 'Labels of text2sql.label() and of SECURITY LABEL FOR text2sql';
GRANT SELECT ON text2sql.labelled TO PUBLIC;

-- The index of values: changes are told; labels of both kinds count.

-- Sessions keep which columns are indexed; this tells them of a change as of one of the table.
CREATE FUNCTION text2sql.tell_of_index() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM text2sql.tell_of_change(tg_relid);
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    RETURN NULL;  -- where the library is gone or cannot be loaded, tables are altered and dropped all the same
END
$$;
CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON text2sql.indexed_column
    FOR EACH ROW EXECUTE FUNCTION text2sql.tell_of_index();
CREATE TRIGGER tell_of_all AFTER TRUNCATE ON text2sql.indexed_column
    FOR EACH STATEMENT EXECUTE FUNCTION text2sql.tell_of_index();

-- Deletes what was dropped, labelled or put under row security. (The search never shows it.)
CREATE FUNCTION text2sql.forget_lost_values() RETURNS bigint
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    WITH gone AS (
    DELETE FROM text2sql.indexed_column i
    WHERE NOT EXISTS (SELECT FROM pg_class c
                      JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
                      WHERE c.oid = i.relation AND a.attnum = i.number AND NOT c.relrowsecurity)
       OR EXISTS (SELECT FROM pg_class c
                  JOIN text2sql.labelled l ON l.label <> 'values'
                                          AND (l.classoid = 'pg_class'::regclass
                                                   AND l.objoid = c.oid AND l.objsubid IN (0, i.number)
                                            OR l.classoid = 'pg_namespace'::regclass
                                                   AND l.objoid = c.relnamespace)
                  WHERE c.oid = i.relation)
    RETURNING 1)
    SELECT count(*) FROM gone;
$$;
CREATE OR REPLACE FUNCTION text2sql.forget_lost_columns() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM text2sql.forget_lost_values();
END
$$;

-- What was indexed before is whole.
ALTER TABLE text2sql.indexed_column ADD COLUMN complete boolean, ADD COLUMN rows_seen bigint;
UPDATE text2sql.indexed_column SET complete = true;
ALTER TABLE text2sql.indexed_column ALTER COLUMN complete SET DEFAULT false, ALTER COLUMN complete SET NOT NULL;

CREATE FUNCTION text2sql.columns_to_index(tables regclass[], columns text[])
    RETURNS TABLE (relation regclass, name text)
    PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'columns_to_index_wrapper';
CREATE FUNCTION text2sql.index_part_of_column(relation regclass, name text, named boolean, max_distinct integer, part bigint)
    RETURNS TABLE (distinct_values bigint, added bigint, removed bigint, skipped text, more boolean)
    PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'index_part_of_column_wrapper';

-- text2sql.index_values() that commits as it goes; the last argument is how many values a cancel may cost. It names all that
-- it calls with schemas: a procedure that commits has no search_path of its own.
CREATE PROCEDURE text2sql.index_values_in_parts(
    tables regclass[] DEFAULT NULL, columns text[] DEFAULT NULL, max_distinct integer DEFAULT 1000000
) LANGUAGE plpgsql AS $$
DECLARE
    place record;
    done record;
BEGIN
    FOR place IN SELECT relation, name FROM text2sql.columns_to_index(tables, columns) LOOP
        LOOP
            SELECT * INTO done
            FROM text2sql.index_part_of_column(place.relation, place.name, columns IS NOT NULL, max_distinct, 2500000);
            COMMIT;
            RAISE NOTICE '%.%: %', place.relation, pg_catalog.quote_ident(place.name), CASE
                WHEN done.skipped IS NOT NULL THEN pg_catalog.format('left out: %s', done.skipped)
                ELSE pg_catalog.format('%s values added, %s removed, %s', done.added, done.removed,
                                       CASE WHEN done.more THEN 'more to come' ELSE 'done' END)
                END;
            EXIT WHEN NOT done.more;
        END LOOP;
    END LOOP;
END
$$;

CREATE OR REPLACE VIEW text2sql.value_index WITH (security_barrier) AS
SELECT i.relation AS "table",
       a.attname::text AS "column",
       i.distinct_values,
       i.bytes,
       i.built_at,
       greatest(text2sql.rows_written(i.relation) - i.rows_written, 0) AS rows_written_since,
       c.relfilenode <> i.filenode AS rewritten,
       i.complete
FROM text2sql.indexed_column i
JOIN pg_class c ON c.oid = i.relation
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.number
WHERE NOT c.relrowsecurity
  AND has_schema_privilege(c.relnamespace, 'USAGE')
  AND has_column_privilege(c.oid, a.attnum, 'SELECT');
COMMENT ON COLUMN text2sql.value_index.complete IS 'Whether all values are there; before, the column is not searched in it';
ALTER VIEW text2sql.column_vectors SET (security_barrier);

CREATE OR REPLACE VIEW text2sql.description AS
SELECT c.oid AS relation, part.number, part."column",
       text2sql.embedded_text(part.name, part.comment) COLLATE "C" AS description
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL (
    SELECT 0::smallint, NULL::text, c.relname::text, obj_description(c.oid, 'pg_class')
    UNION ALL
    SELECT a.attnum, a.attname::text, a.attname::text, col_description(c.oid, a.attnum)
    FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
) AS part(number, "column", name, comment)
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND NOT c.relispartition
  AND n.nspname NOT IN ('information_schema', 'text2sql')
  AND (n.nspname !~ '^pg_' OR n.nspname ~ '^pg_temp_')
  AND NOT EXISTS (SELECT FROM text2sql.labelled l
                  WHERE l.label = 'hidden'
                    AND (l.classoid = 'pg_class'::regclass
                             AND l.objoid = c.oid AND l.objsubid IN (0, part.number)
                      OR l.classoid = 'pg_namespace'::regclass AND l.objoid = n.oid));

-- The ledger becomes a view of the history. What its rows have no word for is 'unknown'.
ALTER EXTENSION text2sql DROP TABLE text2sql.ledger;
ALTER TABLE text2sql.ledger RENAME TO former_ledger;

-- What was asked, by whom, and what came of it; and what left the database for it: the names,
-- comments and stored values of which tables and columns, no contents. src/history.rs writes it.
-- Nobody but its owner may change it; who may read it reads everybody's, others their own.
CREATE TABLE text2sql.history_entry (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    asked_at timestamptz NOT NULL,
    session_role name NOT NULL,
    role name NOT NULL,
    session_role_id regrole,
    role_id regrole,
    function text NOT NULL,
    question text,
    strategy text,
    server name,
    model text,
    sql text,
    outcome text NOT NULL,
    sqlstate text,
    reason text,
    words text[] NOT NULL,
    rows bigint,
    ms float8 NOT NULL,
    calls integer NOT NULL,
    tokens bigint NOT NULL,
    cost float8,
    sent json NOT NULL,  -- read far less often than it is written: no jsonb
    verdict text,  -- no CHECK, which PostgreSQL would compile again for each entry: src/history.rs looks
    note text,
    judged_at timestamptz,
    settled_at timestamptz
);
CREATE INDEX ON text2sql.history_entry (asked_at);
-- pglz, the default, takes a tenth of what a question takes of the processor
DO $$
BEGIN
    IF current_setting('server_version_num')::int >= 140000 THEN
        EXECUTE 'ALTER TABLE text2sql.history_entry ALTER COLUMN sent SET COMPRESSION lz4';
    END IF;
EXCEPTION WHEN feature_not_supported THEN
    NULL;  -- a PostgreSQL that was built without it
END
$$;
COMMENT ON TABLE text2sql.history_entry IS 'Questions and their outcomes; text2sql.history shows them';
COMMENT ON COLUMN text2sql.history_entry.role IS 'The role that asked, after SET ROLE, by its name at that time';
COMMENT ON COLUMN text2sql.history_entry.role_id IS
    'The same by OID: a renamed role keeps its questions, and a new role of its name does not get them';
COMMENT ON COLUMN text2sql.history_entry.outcome IS 'answered, refused or failed';
COMMENT ON COLUMN text2sql.history_entry.words IS 'Words of the question that were not understood';
COMMENT ON COLUMN text2sql.history_entry.rows IS 'Rows of the answer; NULL if it was not run';
COMMENT ON COLUMN text2sql.history_entry.sent IS 'What calls to models contained; text2sql.ledger shows it';
COMMENT ON COLUMN text2sql.history_entry.settled_at IS 'When what it suggests was accepted or dismissed';
COMMENT ON COLUMN text2sql.history_entry.verdict IS 'right or wrong, by text2sql.feedback() of the one who asked';
SELECT pg_catalog.pg_extension_config_dump('text2sql.history_entry', '');
SELECT pg_catalog.pg_extension_config_dump('text2sql.history_entry_id_seq', '');

-- (What somebody looks for is compared with the rows that are theirs to see, and with no others.)
CREATE VIEW text2sql.history WITH (security_barrier) AS
SELECT id, asked_at, coalesce(s.rolname, session_role) AS session_role, coalesce(r.rolname, role) AS role, function,
       question, strategy, server, model, sql, outcome, sqlstate, reason, words, rows, rows IS NOT NULL AS was_run, ms,
       calls, tokens, cost, verdict, note
FROM text2sql.history_entry
LEFT JOIN pg_catalog.pg_roles s ON s.oid = session_role_id
LEFT JOIN pg_catalog.pg_roles r ON r.oid = role_id
WHERE r.rolname = current_user OR s.rolname = session_user AND current_user = session_user
   OR pg_catalog.has_table_privilege('text2sql.history_entry', 'SELECT');
COMMENT ON VIEW text2sql.history IS 'Your questions and their outcomes; for auditors, everybody''s';

CREATE VIEW text2sql.usage AS
SELECT date_trunc('day', asked_at) AS day, role, server, model, count(*) AS questions,
       count(*) FILTER (WHERE outcome = 'answered') AS answered,
       count(*) FILTER (WHERE outcome = 'refused') AS refused,
       count(*) FILTER (WHERE outcome = 'failed') AS failed,
       sum(calls) AS calls, sum(tokens) AS tokens, sum(cost) AS cost, sum(ms) AS ms
FROM text2sql.history
GROUP BY 1, 2, 3, 4;
COMMENT ON VIEW text2sql.usage IS 'The history by day (of the session''s time zone), role, server and model';

CREATE VIEW text2sql.slowest AS
SELECT ms, id, asked_at, role, question, strategy, calls, sql FROM text2sql.history
ORDER BY ms DESC LIMIT 100;
COMMENT ON VIEW text2sql.slowest IS 'The hundred questions of the history that took longest';

CREATE VIEW text2sql.not_understood AS
SELECT lower(word) AS word, count(*) AS questions, count(DISTINCT role) AS roles, max(asked_at) AS last_asked_at,
       (array_agg(question ORDER BY asked_at DESC))[1] AS last_question
FROM text2sql.history, unnest(words) AS word
WHERE outcome = 'refused'
GROUP BY 1;
COMMENT ON VIEW text2sql.not_understood IS 'Words for which questions were refused, and how often';

CREATE VIEW text2sql.ledger AS
SELECT timestamptz '2000-01-01 00:00+00' + (s ->> 'at')::bigint * interval '1 microsecond' AS at,
       coalesce(t.rolname, session_role) AS session_role, coalesce(r.rolname, role) AS role, server, s ->> 'model' AS model, s ->> 'step' AS step,
       (s ->> 'requests')::int AS requests, (s ->> 'bytes')::bigint AS bytes,
-- columns are ["schema.table", "column.column"], quoted where needed; others are texts
       ARRAY(SELECT concat_ws('.', coalesce(p ->> 0, p #>> '{}'), c) FROM jsonb_array_elements(s -> 'names') p
             LEFT JOIN LATERAL unnest(parse_ident(p ->> 1)) c ON true) AS names,
       ARRAY(SELECT concat_ws('.', coalesce(p ->> 0, p #>> '{}'), c) FROM jsonb_array_elements(s -> 'comments') p
             LEFT JOIN LATERAL unnest(parse_ident(p ->> 1)) c ON true) AS comments,
       ARRAY(SELECT concat_ws('.', coalesce(p ->> 0, p #>> '{}'), c) FROM jsonb_array_elements(s -> 'values') p
             LEFT JOIN LATERAL unnest(parse_ident(p ->> 1)) c ON true) AS "values", id AS history_id
FROM text2sql.history_entry
LEFT JOIN pg_catalog.pg_roles t ON t.oid = session_role_id
LEFT JOIN pg_catalog.pg_roles r ON r.oid = role_id
CROSS JOIN jsonb_array_elements(sent::jsonb) AS s;
COMMENT ON VIEW text2sql.ledger IS
    'What calls to models contained: the names, comments and values of which tables and columns';
COMMENT ON COLUMN text2sql.ledger.bytes IS 'Bytes of messages and tools of the requests sent together';
COMMENT ON COLUMN text2sql.ledger.names IS
    'Without what an earlier call of the same question contained, here and in the next two';
GRANT SELECT ON text2sql.history, text2sql.usage, text2sql.slowest, text2sql.not_understood TO PUBLIC;

INSERT INTO text2sql.history_entry
    (asked_at, session_role, role, session_role_id, role_id, function, server, model, outcome, words, ms, calls, tokens, sent)
SELECT at, session_role, role, (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = session_role),
       (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = role), 'unknown', nullif(server, ''), nullif(model, ''), 'unknown', '{}', 0, requests, 0,
       jsonb_build_array(jsonb_build_object(
           'at', round(extract(epoch FROM at - timestamptz '2000-01-01 00:00+00') * 1000000)::bigint,
           'step', step, 'model', model, 'requests', requests, 'bytes', bytes,
           'names', to_jsonb(names), 'comments', to_jsonb(comments), 'values', to_jsonb("values")))
FROM text2sql.former_ledger ORDER BY at;
DO $$
DECLARE
    given record;
BEGIN
    FOR given IN
        SELECT a.privilege_type,
               CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS grantee,
               CASE WHEN a.is_grantable THEN 'WITH GRANT OPTION' ELSE '' END AS option
        FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a
        WHERE c.oid = 'text2sql.former_ledger'::regclass AND a.grantee <> c.relowner AND a.privilege_type = 'SELECT'
    LOOP
        EXECUTE pg_catalog.format('GRANT SELECT ON text2sql.ledger TO %s %s', given.grantee, given.option);
    END LOOP;
    DELETE FROM pg_catalog.pg_init_privs
    WHERE classoid = 'pg_catalog.pg_class'::regclass AND objoid = 'text2sql.ledger'::regclass;
END
$$;
DROP TABLE text2sql.former_ledger;

-- Who kept no ledger keeps no history.
DO $$
DECLARE
    was record;
BEGIN
    FOR was IN
        SELECT d.datname, r.rolname
        FROM pg_catalog.pg_db_role_setting s
        CROSS JOIN LATERAL unnest(s.setconfig) AS setting
        LEFT JOIN pg_catalog.pg_database d ON d.oid = s.setdatabase
        LEFT JOIN pg_catalog.pg_roles r ON r.oid = s.setrole
        WHERE (s.setdatabase = 0 OR d.datname = current_database())
          AND setting ~* '^text2sql\.ledger=(off|of|false|fals|fal|fa|f|no|n|0)$'
    LOOP
        EXECUTE pg_catalog.format('ALTER %s SET text2sql.history = off', CASE
            WHEN was.rolname IS NULL THEN pg_catalog.format('DATABASE %I', was.datname)
            WHEN was.datname IS NULL THEN pg_catalog.format('ROLE %I', was.rolname)
            ELSE pg_catalog.format('ROLE %I IN DATABASE %I', was.rolname, was.datname) END);
    END LOOP;
    IF EXISTS (SELECT FROM pg_catalog.pg_file_settings WHERE name = 'text2sql.ledger') THEN
        RAISE WARNING 'text2sql.ledger in the server''s configuration has no effect any more'
            USING HINT = 'ALTER SYSTEM SET text2sql.history = off; if it was off';
    END IF;
END
$$;

-- What history and feedback suggest to those who administer, one row a subject: questions that
-- somebody found answered rightly, to vouch for; terms for the glossary, from what was found wrong
-- ("revenue is net of discounts") and from words that were not understood, whose meaning is for
-- them to say; labels ("customers.phone should be hidden").
CREATE VIEW text2sql.suggestion AS
SELECT DISTINCT ON (kind, subject) id, kind, subject, proposal,
       count(*) OVER (PARTITION BY kind, subject) AS times, said_by, said
FROM (SELECT h.id, s.*, coalesce(h.note, h.question) AS said, h.role AS said_by
      FROM text2sql.history h
      JOIN text2sql.history_entry e ON e.id = h.id AND e.settled_at IS NULL
      CROSS JOIN LATERAL (
          SELECT 'example', h.question, h.sql WHERE h.verdict = 'right' AND h.sql IS NOT NULL
          UNION ALL
          SELECT 'label', m[1], CASE WHEN m[2] = 'hidden' THEN 'hidden' ELSE 'no values' END
          FROM regexp_match(h.note, '^\s*([\w.]+) (?:is|should be|must be|must stay) (hidden|no values|private|confidential)\M') AS m
          WHERE h.verdict = 'wrong' AND m IS NOT NULL
          UNION ALL
          SELECT 'hint', lower(m[1]), m[2]
          FROM regexp_match(h.note, '^\s*(.{1,60}?)\s+(?:is|are|means?|=)\s+(.+?)\s*\.?\s*$') AS m
          WHERE h.verdict = 'wrong' AND m IS NOT NULL
            AND h.note !~ '^\s*[\w.]+ (is|should be|must be|must stay) (hidden|no values|private|confidential)\M'
          UNION ALL
          SELECT 'hint', lower(word), NULL FROM unnest(h.words) AS word WHERE h.outcome = 'refused'
      ) AS s(kind, subject, proposal)) AS found
WHERE CASE kind
          WHEN 'example' THEN NOT EXISTS (SELECT FROM text2sql.example x WHERE lower(x.question) = lower(subject))
          WHEN 'hint' THEN NOT EXISTS (SELECT FROM text2sql.hint t WHERE lower(t.term) = subject)
          ELSE true
      END
ORDER BY kind, subject, proposal IS NULL, id DESC;
COMMENT ON VIEW text2sql.suggestion IS
    'What history and feedback suggest: questions to vouch for, terms of the glossary, labels';

-- One call takes a suggestion on, with the rights of the caller; a meaning or label of one's own
-- goes before the one proposed.
CREATE FUNCTION text2sql.accept(id bigint, subject text DEFAULT NULL, proposal text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    chosen record;
    relation regclass;
BEGIN
    PERFORM text2sql.must_write('text2sql.accept()');
    SELECT s.* INTO chosen FROM text2sql.suggestion s
    WHERE s.id = accept.id AND (accept.subject IS NULL OR lower(s.subject) = lower(accept.subject))
    LIMIT 1;
    IF chosen.id IS NULL THEN
        RAISE EXCEPTION 'there is no suggestion %', id
            USING ERRCODE = 'no_data_found', HINT = 'SELECT * FROM text2sql.suggestion;';
    END IF;
    chosen.proposal := coalesce(accept.proposal, chosen.proposal);
    IF chosen.proposal IS NULL THEN
        RAISE EXCEPTION 'what "%" means is for you to say', chosen.subject
            USING ERRCODE = 'null_value_not_allowed',
                  HINT = pg_catalog.format('SELECT text2sql.accept(%s, %L, ''...'');', id, chosen.subject);
    END IF;
    IF chosen.kind = 'example' THEN
        PERFORM text2sql.remember(chosen.subject, chosen.proposal);
    ELSIF chosen.kind = 'hint' THEN
        INSERT INTO text2sql.hint (term, meaning) VALUES (chosen.subject, chosen.proposal);
    ELSE
        relation := to_regclass(chosen.subject);
        IF relation IS NOT NULL THEN
            PERFORM text2sql.label(relation, chosen.proposal);
        ELSE
            PERFORM text2sql.label(regexp_replace(chosen.subject, '\.[^.]*$', '')::regclass,
                                   substring(chosen.subject FROM '[^.]*$'), chosen.proposal);
        END IF;
    END IF;
    PERFORM text2sql.dismiss(chosen.id);
    RETURN pg_catalog.format('%s: %s', chosen.subject, chosen.proposal);
END
$$;

CREATE FUNCTION text2sql.dismiss(id bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM text2sql.must_write('text2sql.dismiss()');
    UPDATE text2sql.history_entry e SET settled_at = pg_catalog.now() WHERE e.id = dismiss.id;
END
$$;

-- Limits that a role cannot raise. What one query may take ('rows', 'bytes', 'time' in milliseconds,
-- 'cost' as the planner estimates it) lowers the settings text2sql.max_rows and their like; what is
-- asked of 'questions', 'calls', 'tokens' and 'money' is counted by the hour, the day or the month,
-- in UTC. A limit of a role is one for all of its members together, as they log in or SET ROLE.
CREATE TABLE text2sql.quota (
    role regrole,                           -- NULL: everybody
    server name,                            -- NULL: any, and none
    what text NOT NULL,
    per text NOT NULL,
    most numeric NOT NULL CHECK (most >= 0),
    set_by name NOT NULL DEFAULT current_user,
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    CONSTRAINT per_query CHECK (what IN ('rows', 'bytes', 'time', 'cost') AND per = 'query'
        OR what IN ('questions', 'calls', 'tokens', 'money') AND per IN ('hour', 'day', 'month'))
);
COMMENT ON TABLE text2sql.quota IS 'Limits that a role cannot raise, for those who administer';
COMMENT ON COLUMN text2sql.quota.server IS 'For calls to this server, and for questions while it is set';
COMMENT ON COLUMN text2sql.quota.set_by IS 'Whom errors say to ask';
SELECT pg_catalog.pg_extension_config_dump('text2sql.quota', '');
SELECT pg_catalog.pg_extension_config_dump('text2sql.quota_id_seq', '');

-- The period that a count is of, by number, and its end.
CREATE FUNCTION text2sql.period(per text, OUT number bigint, OUT until timestamptz)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE per WHEN 'hour' THEN floor(extract(epoch FROM t) / 3600)
                    WHEN 'day' THEN floor(extract(epoch FROM t) / 86400)
                    WHEN 'month' THEN extract(year FROM t) * 12 + extract(month FROM t) END::bigint,
           CASE WHEN per <> 'query' THEN date_trunc(per, t) + ('1 ' || per)::interval END AT TIME ZONE 'UTC'
    FROM (SELECT clock_timestamp() AT TIME ZONE 'UTC') AS now(t)
$$;

-- What was taken is counted in a sequence, whose value no ROLLBACK takes back: the period's number,
-- and in the lower 40 bits the count in it, money in millionths. src/quota.rs counts.
CREATE FUNCTION text2sql.keep_count() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF tg_op <> 'INSERT' THEN
        EXECUTE format('DROP SEQUENCE IF EXISTS text2sql.quota_%s', old.id);
    END IF;
    IF tg_op <> 'DELETE' AND new.per <> 'query' THEN
        EXECUTE format('CREATE SEQUENCE IF NOT EXISTS text2sql.quota_%s OWNED BY text2sql.quota.id', new.id);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER keep_count AFTER INSERT OR DELETE OR UPDATE OF role, server, what, per ON text2sql.quota
    FOR EACH ROW EXECUTE FUNCTION text2sql.keep_count();

-- Whether a limit holds for somebody: superusers are members of every role, and mean none of them.
CREATE FUNCTION text2sql.is_of(member oid, role regrole) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT role IS NULL OR role::oid = member
        OR pg_has_role(member, role, 'MEMBER')
           AND NOT (SELECT rolsuper FROM pg_roles WHERE oid = member)
$$;

CREATE FUNCTION text2sql.quota_used(id integer) RETURNS numeric
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN value >> 40 >= p.number
                THEN trim_scale((value & 1099511627775) / CASE q.what WHEN 'money' THEN 1e6 ELSE 1 END)
                ELSE 0 END
    FROM text2sql.quota q
    CROSS JOIN LATERAL text2sql.period(q.per) p
    CROSS JOIN LATERAL coalesce(pg_sequence_last_value(to_regclass(format('text2sql.quota_%s', q.id))), 0) AS value
    WHERE q.id = quota_used.id AND q.per <> 'query'
      AND (has_table_privilege(session_user, 'text2sql.quota', 'SELECT')
           OR text2sql.is_of(to_regrole(quote_ident(session_user)), q.role))
$$;

CREATE VIEW text2sql.quota_usage WITH (security_barrier) AS
SELECT q.role, q.server, q.what, q.per, q.most, text2sql.quota_used(q.id) AS used, p.until, q.set_by
FROM text2sql.quota q
CROSS JOIN LATERAL text2sql.period(q.per) p
WHERE has_table_privilege('text2sql.quota', 'SELECT') OR text2sql.is_of(to_regrole(quote_ident(session_user)), q.role)
   OR text2sql.is_of(to_regrole(quote_ident(current_user)), q.role);
COMMENT ON VIEW text2sql.quota_usage IS 'The limits that apply to you, and how much of each is used';
GRANT SELECT ON text2sql.quota_usage TO PUBLIC;

-- Who may do what: text2sql.grant() and text2sql.revoke() give and take a privilege of this
-- extension, which is a handful of PostgreSQL's own. They are GRANT and REVOKE of the caller, so
-- nobody gives what is not theirs, \df+ and \dp show what was given, and pg_dump keeps it.
CREATE FUNCTION text2sql.rights(privilege text) RETURNS SETOF text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    asking CONSTANT text[] := ARRAY['text2sql', 'ask', 'ask_record', 'ask_cursor', 'ask_summary', 'ask_chart', 'answer',
        'explain', 'preview', 'turns', 'run', 'run_record', 'check', 'describe', 'fix', 'search_columns',
        'search_values', 'join_path', 'create_view', 'feedback'];
    vouching CONSTANT text[] := ARRAY['remember'];
    administering CONSTANT text[] := ARRAY['embed_columns', 'summarize_tables'];
    called text[] := CASE privilege WHEN 'ask' THEN asking WHEN 'vouch' THEN vouching
                                    WHEN 'administer' THEN asking || vouching || administering END;
BEGIN
    IF privilege IS NULL OR privilege NOT IN ('ask', 'vouch', 'administer', 'audit') THEN
        RAISE EXCEPTION 'there is no privilege "%"', privilege
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Privileges are ''ask'', ''vouch'', ''administer'' and ''audit''.';
    END IF;
    RETURN NEXT 'USAGE ON SCHEMA text2sql';
    RETURN QUERY SELECT format('EXECUTE ON FUNCTION %s', p.oid::regprocedure)
        FROM pg_proc p
        JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
        JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
        WHERE e.extname = 'text2sql' AND p.proname = ANY (called)
        ORDER BY p.oid;
    IF privilege IN ('vouch', 'administer') THEN
        RETURN NEXT 'SELECT, INSERT, UPDATE, DELETE ON text2sql.example';
    END IF;
    IF privilege IN ('audit', 'administer') THEN
        RETURN NEXT 'SELECT ON text2sql.history_entry, text2sql.ledger';
    END IF;
    IF privilege = 'administer' THEN
        RETURN NEXT 'SELECT, INSERT, UPDATE, DELETE ON text2sql.hint, text2sql.quota';
        RETURN NEXT 'SELECT ON text2sql.suggestion';
        RETURN NEXT 'UPDATE (settled_at) ON text2sql.history_entry';
    END IF;
END
$$;

CREATE FUNCTION text2sql.grantee(role text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE lower(role) WHEN 'public' THEN 'PUBLIC' ELSE role::regrole::text END
$$;

-- Who administers may hand on all of it.
CREATE FUNCTION text2sql.grant(role text, privilege text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one text;
BEGIN
    PERFORM text2sql.must_write('text2sql.grant()');
    FOR one IN SELECT text2sql.rights(privilege) LOOP
        EXECUTE format('GRANT %s TO %s %s', one, text2sql.grantee(role),
                       CASE privilege WHEN 'administer' THEN 'WITH GRANT OPTION' END);
    END LOOP;
END
$$;

CREATE FUNCTION text2sql.revoke(role text, privilege text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one text;
BEGIN
    PERFORM text2sql.must_write('text2sql.revoke()');
    FOR one IN SELECT text2sql.rights(privilege) LOOP
        -- who loses one privilege may have another, which the schema leads to
        CONTINUE WHEN one LIKE 'USAGE ON SCHEMA %';
        EXECUTE format('REVOKE %s FROM %s CASCADE', one, text2sql.grantee(role));
    END LOOP;
END
$$;

-- What the new functions do.
COMMENT ON FUNCTION @extschema@.text2sql(text, text, text, text[], text, json) IS
    'The SQL that answers a question; it is not run';
COMMENT ON FUNCTION @extschema@.ask(text, text, text, text[], text, json) IS
    'The rows that answer a question, one JSON object per row, keys in the order of the query''s columns';
COMMENT ON FUNCTION @extschema@.ask_record(text, text, text, text[], text, json) IS
    'The rows that answer a question, typed by a column definition list: AS t(country text, orders bigint)';
COMMENT ON FUNCTION @extschema@.ask_cursor(text, refcursor, text, text, text[], text, json) IS
    'A cursor over the rows that answer a question, with their own columns and types, for clients that FETCH';
COMMENT ON FUNCTION @extschema@.ask_summary(text, text, text, text[], text, json) IS
    'The answer in words, with every figure taken from the rows; without a model, the rows themselves';
COMMENT ON FUNCTION @extschema@.ask_chart(text, text, text, text, text, text[], text, json, integer) IS
    'The answer as a chart: bar, line, points or spark, whichever fits; as text, svg or one html page';
COMMENT ON FUNCTION text2sql.create_view(text, text, text, text, text[], text, boolean, json) IS
    'Keeps the SQL of an answer as a view, with the question as its comment; if the view exists, shows what would change';
COMMENT ON FUNCTION text2sql.describe(text, text, json) IS
    'What a query returns, in the model''s words; it is not run';
COMMENT ON FUNCTION text2sql.fix(text, text, text, json) IS
    'A query repaired by the model, tried read-only; one that runs is left alone unless an error is given';
COMMENT ON FUNCTION text2sql.explain(text, text, text, text[], text, boolean, json) IS
    'How a question is answered: links, steps, notices, SQL or error, as JSON';
COMMENT ON FUNCTION text2sql.answer(text, text, text, text[], text, boolean, json) IS
    'The answer to a question, or why there is none, as one row instead of an error';
COMMENT ON FUNCTION text2sql.preview(text, text, text, text[], text, json) IS
    'What a model would be sent first; nothing is sent';
COMMENT ON FUNCTION text2sql.turns() IS
    'The questions that the next one may build on; text2sql.conversation shows them';
COMMENT ON FUNCTION text2sql.check(text, json) IS
    'Whether a query may run, and which tables and columns it reads; it is not run';
COMMENT ON FUNCTION text2sql.run(text, json) IS
    'Runs a query of your own read-only, under the same guard and limits; one JSON object per row';
COMMENT ON FUNCTION text2sql.run_record(text, json) IS
    'Runs a query of your own like text2sql.run(), typed by a column definition list';
COMMENT ON FUNCTION text2sql.label(regclass, text) IS
    'Labels one of your tables hidden, no values or values; NULL removes the label';
COMMENT ON FUNCTION text2sql.label(regclass, text, text) IS
    'Labels a column of one of your tables; NULL removes the label';
COMMENT ON FUNCTION text2sql.label_schema(regnamespace, text) IS
    'Labels one of your schemas; NULL removes the label';
COMMENT ON FUNCTION text2sql.grant(text, text) IS
    'Gives a role, or public, a privilege: ask, vouch, administer or audit';
COMMENT ON FUNCTION text2sql.revoke(text, text) IS
    'Takes a privilege away from a role, or from public';
COMMENT ON FUNCTION text2sql.rights(text) IS
    'What a privilege consists of, as GRANT names it';
COMMENT ON FUNCTION text2sql.must_write(text) IS
    'Raises an error if nothing can be written: on a standby, in a read-only transaction';
COMMENT ON FUNCTION text2sql.grantee(text) IS
    'A role as GRANT names it';
COMMENT ON FUNCTION text2sql.period(text) IS
    'The number of the current hour, day or month in UTC, and its end';
COMMENT ON FUNCTION text2sql.keep_count() IS
    'Trigger: each limit of an hour, a day or a month has a sequence that counts';
COMMENT ON FUNCTION text2sql.is_of(oid, regrole) IS
    'Whether a limit of one role applies to another';
COMMENT ON FUNCTION text2sql.quota_used(integer) IS
    'How much of a limit that applies to you is used';
COMMENT ON FUNCTION text2sql.feedback(bigint, text, text) IS
    'Rates one of your own questions in the history right or wrong, with a note';
COMMENT ON FUNCTION text2sql.accept(bigint, text, text) IS
    'Accepts a suggestion: vouches for the question, puts the term into the glossary or sets the label';
COMMENT ON FUNCTION text2sql.dismiss(bigint) IS
    'Dismisses a suggestion';
COMMENT ON FUNCTION text2sql.endpoints() IS
    'Addresses of the model servers, by OID';
COMMENT ON FUNCTION text2sql.keep_endpoints() IS
    'Event trigger: keys stay with the address that they were given for';
COMMENT ON FUNCTION text2sql.resolve_label() IS
    'Trigger: finds what a label''s names mean';
COMMENT ON FUNCTION text2sql.follow_labelled() IS
    'Event trigger: labels are renamed and dropped with their objects';
COMMENT ON FUNCTION text2sql.tell_of_change(oid) IS
    'Tells every session that a relation changed';
COMMENT ON FUNCTION text2sql.tell_of_comments() IS
    'Event trigger: tells every session of a changed comment';
COMMENT ON FUNCTION text2sql.watch_drop() IS
    'Has the end of a transaction look whether it drops the extension';
COMMENT ON FUNCTION text2sql.before_drop() IS
    'Event trigger: shared catalogs go with the extension';
COMMENT ON FUNCTION text2sql.tell_of_index() IS
    'Trigger: tells every session of a change of the index of values';
COMMENT ON FUNCTION text2sql.forget_lost_values() IS
    'Removes dropped or labelled columns from the index of values';
COMMENT ON FUNCTION text2sql.remember(text, text) IS
    'Vouches for the SQL of a question, which answers it from then on';
COMMENT ON FUNCTION text2sql.summarize_tables(text[], text) IS
    'One sentence per table, written by the model if missing and kept for your own tables; strategy mag reads them';
COMMENT ON FUNCTION text2sql.search_columns(text, integer) IS
    'Columns that a phrase may mean, by their names and comments, best first';
COMMENT ON FUNCTION text2sql.search_values(text, regclass[], integer) IS
    'Stored values that resemble a text, best first';
COMMENT ON FUNCTION text2sql.join_path(text[], text[]) IS
    'How the tables of two lists of columns, given as table.column, are joined over keys';
COMMENT ON FUNCTION text2sql.index_values(regclass[], text[], integer) IS
    'Indexes the values of text columns in your tables, or updates the index; needs pg_trgm';
COMMENT ON FUNCTION text2sql.columns_to_index(regclass[], text[]) IS
    'The columns that index_values() would look at';
COMMENT ON FUNCTION text2sql.index_part_of_column(regclass, text, boolean, integer, bigint) IS
    'Indexes a part of a column''s values, for index_values_in_parts()';
COMMENT ON PROCEDURE text2sql.index_values_in_parts(regclass[], text[], integer) IS
    'The same as index_values(), committing as it goes: the next call continues a cancelled one';
COMMENT ON FUNCTION text2sql.unindex_values(regclass[], text[]) IS
    'Removes columns of your tables from the index of values';
COMMENT ON FUNCTION text2sql.embed_columns(text[], text) IS
    'Computes missing column vectors with the server''s embedding model, for linking';

-- Comments of objects that were there before.
COMMENT ON TABLE text2sql.summary IS
    'One sentence per table, valid for one form of its columns (fingerprint)';
COMMENT ON COLUMN text2sql.example.key IS 'The question without case, repeated blanks and final punctuation';
COMMENT ON VIEW text2sql.column_vectors IS
    'The tables and columns that you may read, with the embedding models that have a vector of them';
COMMENT ON FUNCTION text2sql.embedded_text(text, text) IS
    'The text that is embedded for a column or table of this name and comment';
COMMENT ON FUNCTION text2sql.forget_lost_columns() IS
    'Event trigger: removes dropped or withdrawn columns from the index of values';
COMMENT ON FUNCTION text2sql.forget_values_of_column() IS
    'Trigger: removes a column''s values from the index with its entry';
