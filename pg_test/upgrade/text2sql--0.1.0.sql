-- The objects of 0.1.0: what pgrx wrote from commit 535f69a, without its own comments. tools/upgrade updates
-- them; no package has them.

CREATE FUNCTION "ask"(
	"question" TEXT,
	"hint" TEXT DEFAULT NULL,
	"strategy" TEXT DEFAULT NULL,
	"tables" TEXT[] DEFAULT NULL,
	"server" TEXT DEFAULT NULL
) RETURNS SETOF json
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'ask_wrapper';

CREATE FUNCTION ask_cursor(
    question text, cursor refcursor DEFAULT NULL, hint text DEFAULT NULL,
    strategy text DEFAULT NULL, tables text[] DEFAULT NULL, server text DEFAULT NULL
) RETURNS refcursor
PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'ask_cursor_wrapper';

CREATE FUNCTION ask_record(
    question text, hint text DEFAULT NULL, strategy text DEFAULT NULL,
    tables text[] DEFAULT NULL, server text DEFAULT NULL
) RETURNS SETOF record
PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'ask_record_wrapper';

CREATE FUNCTION "ask_summary"(
	"question" TEXT,
	"hint" TEXT DEFAULT NULL,
	"strategy" TEXT DEFAULT NULL,
	"tables" TEXT[] DEFAULT NULL,
	"server" TEXT DEFAULT NULL
) RETURNS TEXT
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'ask_summary_wrapper';

CREATE FUNCTION "text2sql"(
	"question" TEXT,
	"hint" TEXT DEFAULT NULL,
	"strategy" TEXT DEFAULT NULL,
	"tables" TEXT[] DEFAULT NULL,
	"server" TEXT DEFAULT NULL
) RETURNS TEXT
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'text2sql_wrapper';

CREATE SCHEMA IF NOT EXISTS text2sql;

CREATE FUNCTION text2sql."join_path"(
	"start" TEXT[],
	"end" TEXT[]
) RETURNS TABLE (
	"start" TEXT,
	"end" TEXT,
	"alternative" INT,
	"tables" TEXT[],
	"conditions" TEXT[],
	"keys" TEXT[],
	"weight" real,
	"inferred" bool
)
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'join_path_wrapper';

        CREATE FUNCTION text2sql.run_record(sql text) RETURNS SETOF record
        PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'run_record_wrapper';

CREATE FUNCTION text2sql."search_columns"(
	"phrase" TEXT,
	"k" INT DEFAULT 5
) RETURNS TABLE (
	"table" TEXT,
	"column" TEXT,
	"data_type" TEXT,
	"description" TEXT,
	"statistics" TEXT,
	"score" real
)
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'search_columns_wrapper';

CREATE FUNCTION text2sql."preview"(
	"question" TEXT,
	"hint" TEXT DEFAULT NULL,
	"strategy" TEXT DEFAULT NULL,
	"tables" TEXT[] DEFAULT NULL,
	"server" TEXT DEFAULT NULL
) RETURNS TABLE (
	"step" TEXT,
	"role" TEXT,
	"content" TEXT
)
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'preview_wrapper';

CREATE FUNCTION text2sql."embed_columns"(
	"tables" TEXT[] DEFAULT NULL,
	"server" TEXT DEFAULT NULL
) RETURNS TABLE (
	"columns" bigint,
	"descriptions" bigint,
	"sent" bigint,
	"removed" bigint
)
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'embed_columns_wrapper';

CREATE FUNCTION text2sql."describe"(
	"sql" TEXT,
	"server" TEXT DEFAULT NULL
) RETURNS TEXT
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'describe_wrapper';

CREATE FUNCTION text2sql."fix"(
	"sql" TEXT,
	"error" TEXT DEFAULT NULL,
	"server" TEXT DEFAULT NULL
) RETURNS TEXT
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'fix_wrapper';

    CREATE FUNCTION text2sql.index_values(
        tables regclass[] DEFAULT NULL, columns text[] DEFAULT NULL, max_distinct integer DEFAULT 1000000
    ) RETURNS TABLE ("table" text, "column" text, distinct_values bigint, added bigint, removed bigint, skipped text)
    PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'index_values_wrapper';

CREATE FUNCTION text2sql."explain"(
	"question" TEXT,
	"hint" TEXT DEFAULT NULL,
	"strategy" TEXT DEFAULT NULL,
	"tables" TEXT[] DEFAULT NULL,
	"server" TEXT DEFAULT NULL,
	"execute" bool DEFAULT false
) RETURNS json
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'explain_wrapper';

CREATE FUNCTION text2sql."run"(
	"sql" TEXT
) RETURNS SETOF json
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'run_wrapper';

    CREATE FUNCTION text2sql.embedded_text(name text, comment text) RETURNS text
    IMMUTABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'embedded_text_wrapper';


-- The vectors that an embedding model made of what columns and tables are called and said to be;
-- text2sql.embed_columns() keeps them. A vector belongs to its text: columns of one name and
-- comment share it, and what is renamed or described anew has none until it is embedded.
--
-- Only the extension reads and writes it, as its owner: a caller meets the vectors of the columns
-- that the caller may read. They are made from the catalog: pg_dump leaves them out.
CREATE TABLE text2sql.description_vector (
    server name NOT NULL,
    model text NOT NULL,
    description text COLLATE "C" NOT NULL,
    vector bytea NOT NULL,
    embedded_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    PRIMARY KEY (server, model, description)
);
-- A vector does not compress; up to 1,900 numbers it lies in its row.
ALTER TABLE text2sql.description_vector ALTER COLUMN vector SET STORAGE EXTERNAL;

-- What there is to embed, whoever may read it: tables (without a column) and their columns.
CREATE VIEW text2sql.description AS
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
  AND NOT EXISTS (SELECT FROM pg_seclabel l
                  WHERE l.provider = 'text2sql' AND l.label = 'hidden'
                    AND (l.classoid = 'pg_class'::regclass
                             AND l.objoid = c.oid AND l.objsubid IN (0, part.number)
                      OR l.classoid = 'pg_namespace'::regclass AND l.objoid = n.oid));

CREATE VIEW text2sql.column_vectors AS
SELECT d.relation::regclass AS "table",
       d."column",
       s.server,
       s.model,
       v.embedded_at,
       v.description IS NULL AS stale
FROM (SELECT DISTINCT server, model FROM text2sql.description_vector) AS s
CROSS JOIN text2sql.description d
JOIN pg_class c ON c.oid = d.relation
LEFT JOIN text2sql.description_vector v USING (server, model, description)
WHERE has_schema_privilege(c.relnamespace, 'USAGE')
  AND CASE d.number
          WHEN 0 THEN has_any_column_privilege(d.relation, 'SELECT')
          ELSE has_column_privilege(d.relation, d.number, 'SELECT')
      END;
COMMENT ON VIEW text2sql.column_vectors IS
    'Tables and columns that you may read: which embedding models have a vector of them';
GRANT SELECT ON text2sql.column_vectors TO PUBLIC;

CREATE FUNCTION text2sql."summarize_tables"(
	"tables" TEXT[] DEFAULT NULL,
	"server" TEXT DEFAULT NULL
) RETURNS TABLE (
	"table" TEXT,
	"summary" TEXT
)
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'summarize_tables_wrapper';


-- The glossary: what words mean in this database, for all who may read it. A meaning is an SQL
-- expression over columns, a condition, the name of a table or column, or other words.
CREATE TABLE text2sql.hint (
    term text PRIMARY KEY,
    meaning text NOT NULL
);
COMMENT ON TABLE text2sql.hint IS 'Glossary: terms of questions and what they stand for';
COMMENT ON COLUMN text2sql.hint.meaning IS
    'A column, a condition or a computation as in SQL, or other words';
GRANT SELECT ON text2sql.hint TO PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('text2sql.hint', '');


-- What left the database, a row a call to a model: the names, comments and stored values of which
-- tables and columns, no contents. The owner and superusers read it; nobody else may write it.
CREATE TABLE text2sql.ledger (
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    session_role name NOT NULL DEFAULT session_user,
    role name NOT NULL,
    server name NOT NULL,
    model text NOT NULL,
    step text NOT NULL,
    requests int NOT NULL,
    bytes bigint NOT NULL,
    names text[] NOT NULL,
    comments text[] NOT NULL,
    "values" text[] NOT NULL
);
COMMENT ON TABLE text2sql.ledger IS
    'What calls to models held: the names, comments and values of which tables and columns';
COMMENT ON COLUMN text2sql.ledger.role IS 'Who asked, after SET ROLE';
COMMENT ON COLUMN text2sql.ledger.bytes IS 'Bytes of messages and tools of the requests sent together';
COMMENT ON COLUMN text2sql.ledger.names IS
    'What an earlier call of the same question held is not repeated, here and in the next two';
SELECT pg_catalog.pg_extension_config_dump('text2sql.ledger', '');


-- Table summaries that text2sql.summarize_tables() keeps. Who may read a table may read its
-- summary; who owns it may keep one.
CREATE TABLE text2sql.summary (
    relation regclass PRIMARY KEY,
    fingerprint bigint NOT NULL,
    summary text NOT NULL
);
COMMENT ON TABLE text2sql.summary IS
    'One sentence a table, valid for one form of its columns (fingerprint)';
GRANT SELECT, INSERT, UPDATE, DELETE ON text2sql.summary TO PUBLIC;
ALTER TABLE text2sql.summary ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON text2sql.summary FOR SELECT
    USING (pg_catalog.has_any_column_privilege(relation, 'SELECT'));
CREATE POLICY owners ON text2sql.summary
    USING ((SELECT pg_catalog.pg_has_role(c.relowner, 'USAGE')
            FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) relation));
SELECT pg_catalog.pg_extension_config_dump('text2sql.summary', '');

    CREATE FUNCTION text2sql.unindex_values(tables regclass[] DEFAULT NULL, columns text[] DEFAULT NULL)
    RETURNS bigint PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'unindex_values_wrapper';

--   value_index::build::index_values
--   value_index::build::unindex_values

-- The index of stored values: what text2sql.index_values() keeps of text columns, so that a
-- question's words are found among millions of values without reading the tables.
--
-- Only the extension reads and writes it, as its owner, and gives the caller what the caller may
-- read. It is made from data: pg_dump leaves its content out.
CREATE TABLE text2sql.indexed_column (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    relation regclass NOT NULL,
    number smallint NOT NULL,
    filenode oid NOT NULL,                  -- TRUNCATE and a rewrite of the table change it
    rows_written bigint NOT NULL,           -- PostgreSQL's counters when it was read
    built_at timestamptz NOT NULL,
    distinct_values bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    UNIQUE (relation, number)
);
CREATE TABLE text2sql.indexed_value (
    column_id integer NOT NULL,
    value text NOT NULL,                    -- as it is stored
    key text NOT NULL                       -- the stems of its words, divided by blanks
);
CREATE INDEX indexed_value_column ON text2sql.indexed_value (column_id);
CREATE INDEX indexed_value_key ON text2sql.indexed_value USING hash (replace(key, ' ', ''));
CREATE INDEX indexed_value_words ON text2sql.indexed_value USING gin (string_to_array(key, ' '));
-- The words of all keys of a column: mistyped words are looked for here, which are fewer than
-- the values. index_values() adds the trigram index on them, for which it needs pg_trgm.
CREATE TABLE text2sql.indexed_word (
    word text COLLATE "C" NOT NULL,
    column_id integer NOT NULL,
    PRIMARY KEY (word, column_id)
);
CREATE INDEX indexed_word_column ON text2sql.indexed_word (column_id);

-- A column's values go with its entry. (A foreign key would check each of a million rows.)
CREATE FUNCTION text2sql.forget_values_of_column() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM text2sql.indexed_value WHERE column_id = old.id;
    DELETE FROM text2sql.indexed_word WHERE column_id = old.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER forget_values AFTER DELETE ON text2sql.indexed_column
    FOR EACH ROW EXECUTE FUNCTION text2sql.forget_values_of_column();

-- What was dropped, labelled or put under row security is not kept. (The search does not show
-- it in any case.)
CREATE FUNCTION text2sql.forget_lost_columns() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM text2sql.indexed_column i
    WHERE NOT EXISTS (SELECT FROM pg_class c
                      JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
                      WHERE c.oid = i.relation AND a.attnum = i.number AND NOT c.relrowsecurity)
       OR EXISTS (SELECT FROM pg_class c
                  JOIN pg_seclabel l ON l.provider = 'text2sql'
                                    AND (l.classoid = 'pg_class'::regclass
                                             AND l.objoid = c.oid AND l.objsubid IN (0, i.number)
                                      OR l.classoid = 'pg_namespace'::regclass
                                             AND l.objoid = c.relnamespace)
                  WHERE c.oid = i.relation);
END
$$;
CREATE EVENT TRIGGER text2sql_dropped ON sql_drop
    EXECUTE FUNCTION text2sql.forget_lost_columns();
CREATE EVENT TRIGGER text2sql_withdrawn ON ddl_command_end
    WHEN tag IN ('SECURITY LABEL', 'ALTER TABLE')
    EXECUTE FUNCTION text2sql.forget_lost_columns();

-- Rows inserted, updated and deleted so far, by PostgreSQL's own counters.
CREATE FUNCTION text2sql.rows_written(relation regclass) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(sum(pg_stat_get_tuples_inserted(t) + pg_stat_get_tuples_updated(t)
                        + pg_stat_get_tuples_deleted(t)), 0)::bigint
    FROM (SELECT rows_written.relation UNION SELECT relid FROM pg_partition_tree(rows_written.relation)) AS tree(t)
$$;

CREATE VIEW text2sql.value_index AS
SELECT i.relation AS "table",
       a.attname::text AS "column",
       i.distinct_values,
       i.bytes,
       i.built_at,
       greatest(text2sql.rows_written(i.relation) - i.rows_written, 0) AS rows_written_since,
       c.relfilenode <> i.filenode AS rewritten
FROM text2sql.indexed_column i
JOIN pg_class c ON c.oid = i.relation
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.number
WHERE NOT c.relrowsecurity
  AND has_schema_privilege(c.relnamespace, 'USAGE')
  AND has_column_privilege(c.oid, a.attnum, 'SELECT');
COMMENT ON VIEW text2sql.value_index IS
    'Columns whose values text2sql.index_values() has indexed, of those that you may read';
GRANT SELECT ON text2sql.value_index TO PUBLIC;

        CREATE FUNCTION text2sql.search_values(
            value text, tables regclass[] DEFAULT NULL, k int DEFAULT 5
        ) RETURNS TABLE (value text, "table" text, "column" text, score real)
        PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'search_values_wrapper';

CREATE FUNCTION text2sql."remember"(
	"question" TEXT,
	"sql" TEXT
) RETURNS TEXT
PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'remember_wrapper';


-- Verified questions. Who may run an example's SQL has the question answered by it, whoever kept
-- it; reading, keeping and removing them is for the owner and those who were granted it.
CREATE TABLE text2sql.example (
    key text PRIMARY KEY,
    question text NOT NULL,
    sql text NOT NULL,
    verified_by name NOT NULL DEFAULT current_user,
    verified_at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
CREATE INDEX ON text2sql.example (verified_at);
COMMENT ON TABLE text2sql.example IS 'Questions whose SQL somebody vouched for, by text2sql.remember()';
COMMENT ON COLUMN text2sql.example.key IS 'The question without what does not count: case, blanks, the mark at its end';
SELECT pg_catalog.pg_extension_config_dump('text2sql.example', '');

CREATE FUNCTION text2sql."check"(
	"sql" TEXT
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

CREATE FUNCTION text2sql."validate_server_options"(
	"options" TEXT[],
	"catalog" oid
) RETURNS void
IMMUTABLE STRICT PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'validate_server_options_wrapper';


-- A model is a foreign server: GRANT USAGE is the permission to spend, keys live in user
-- mappings, pg_dump and \des know it. There is no handler: no table lies behind it.
CREATE FOREIGN DATA WRAPPER text2sql VALIDATOR text2sql.validate_server_options;

COMMENT ON FOREIGN DATA WRAPPER text2sql IS 'language models that text2sql() and ask() may use';

-- Rights and comments; runs after everything else of the extension was made.

-- Every function runs with the caller's rights: PUBLIC may call all of them.
GRANT USAGE ON SCHEMA text2sql TO PUBLIC;

COMMENT ON SCHEMA text2sql IS 'Functions around text2sql() and ask(): reports, checks, searches';

COMMENT ON FUNCTION text2sql(text, text, text, text[], text) IS
    'The SQL that answers a question; it is not run';
COMMENT ON FUNCTION ask(text, text, text, text[], text) IS
    'The rows that answer a question, one JSON object a row';
COMMENT ON FUNCTION ask_record(text, text, text, text[], text) IS
    'The rows that answer a question, typed by a column definition list';
COMMENT ON FUNCTION ask_cursor(text, refcursor, text, text, text[], text) IS
    'A cursor over the rows that answer a question, with their own columns and types';
COMMENT ON FUNCTION ask_summary(text, text, text, text[], text) IS
    'The answer to a question in words, every figure one of the rows';
COMMENT ON FUNCTION text2sql.describe(text, text) IS
    'What a query returns, in words; it is not run';
COMMENT ON FUNCTION text2sql.fix(text, text, text) IS
    'A query mended by the model, tried out read-only';
COMMENT ON FUNCTION text2sql.remember(text, text) IS
    'Vouch for the SQL of a question, which answers it from then on';
COMMENT ON FUNCTION text2sql.explain(text, text, text, text[], text, boolean) IS
    'How a question is answered: links, steps, warnings, SQL or error, as JSON';
COMMENT ON FUNCTION text2sql.preview(text, text, text, text[], text) IS
    'What would be sent to the model first; nothing is sent';
COMMENT ON FUNCTION text2sql.summarize_tables(text[], text) IS
    'One sentence a table, asked for where there is none; those of one''s own tables are kept';
COMMENT ON FUNCTION text2sql.check(text) IS
    'Whether a query may run, and which tables and columns it reads; it is not run';
COMMENT ON FUNCTION text2sql.run(text) IS
    'Run a query read-only, under guard and limits; one JSON object a row';
COMMENT ON FUNCTION text2sql.run_record(text) IS
    'Run a query read-only, under guard and limits, typed by a column definition list';
COMMENT ON FUNCTION text2sql.search_columns(text, integer) IS
    'Columns whose names and comments fit a phrase, best first';
COMMENT ON FUNCTION text2sql.search_values(text, regclass[], integer) IS
    'Stored values that look like a phrase, best first';
COMMENT ON FUNCTION text2sql.join_path(text[], text[]) IS
    'How the tables of two lists of columns (table.column) are joined over keys';
COMMENT ON FUNCTION text2sql.index_values(regclass[], text[], integer) IS
    'Index the distinct values of text columns of your tables, or bring the index up to date';
COMMENT ON FUNCTION text2sql.unindex_values(regclass[], text[]) IS
    'Take columns of your tables out of the index of values';
COMMENT ON FUNCTION text2sql.embed_columns(text[], text) IS
    'Have the server''s embedding model make vectors of the columns that you may read and that have none';
COMMENT ON FUNCTION text2sql.embedded_text(text, text) IS
    'What is embedded for a column or table of this name and comment';
COMMENT ON FUNCTION text2sql.rows_written(regclass) IS
    'Rows of a table inserted, updated and deleted so far, by PostgreSQL''s counters';
COMMENT ON FUNCTION text2sql.forget_lost_columns() IS
    'Event trigger: takes columns that were dropped or withdrawn out of the index of values';
COMMENT ON FUNCTION text2sql.forget_values_of_column() IS
    'Trigger: takes a column''s values out of the index with its entry';
