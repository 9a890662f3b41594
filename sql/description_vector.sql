-- The vectors that an embedding model made of the names and comments of columns and tables, kept by
-- text2sql.embed_columns(). A vector belongs to its text: columns with the same name and comment
-- share it, and a new name or comment has none until it is embedded.
--
-- Only the extension reads and writes it, as its owner; callers meet the vectors of columns that
-- they may read. They are derived from the catalog, so pg_dump leaves them out.
CREATE TABLE text2sql.description_vector (
    server name NOT NULL,
    model text NOT NULL,
    description text COLLATE "C" NOT NULL,
    vector bytea NOT NULL,
    embedded_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    PRIMARY KEY (server, model, description)
);
-- A vector does not compress; up to 1,900 numbers fit into its row.
ALTER TABLE text2sql.description_vector ALTER COLUMN vector SET STORAGE EXTERNAL;

-- Everything to embed, whoever may read it: tables (without a column) and their columns.
CREATE VIEW text2sql.description AS
SELECT c.oid AS relation, part.number, part.column_name,
       text2sql.embedded_text(part.name, part.comment) COLLATE "C" AS description
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL (
    SELECT 0::smallint, NULL::text, c.relname::text, obj_description(c.oid, 'pg_class')
    UNION ALL
    SELECT a.attnum, a.attname::text, a.attname::text, col_description(c.oid, a.attnum)
    FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
) AS part(number, column_name, name, comment)
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND NOT c.relispartition
  AND n.nspname NOT IN ('information_schema', 'text2sql')
  AND (n.nspname !~ '^pg_' OR n.nspname ~ '^pg_temp_')
  AND NOT EXISTS (SELECT FROM text2sql.labelled l
                  WHERE l.label = 'hidden'
                    AND (l.classoid = 'pg_class'::regclass
                             AND l.objoid = c.oid AND l.objsubid IN (0, part.number)
                      OR l.classoid = 'pg_namespace'::regclass AND l.objoid = n.oid));

CREATE VIEW text2sql.column_vectors WITH (security_barrier) AS
SELECT d.relation::regclass AS table_name,
       d.column_name,
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
    'The tables and columns that you may read, with the embedding models that have a vector of them';
GRANT SELECT ON text2sql.column_vectors TO PUBLIC;
