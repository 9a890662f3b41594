-- Table summaries kept by text2sql.summarize_tables(). Whoever may read a whole table may read its
-- summary, which may mention all its columns. Only src/store/summaries.rs writes, for the table's owner: a
-- right to write here is one to LOCK TABLE, and everybody who asks would wait.
CREATE TABLE text2sql.summary (
    relation regclass PRIMARY KEY,
    fingerprint bigint NOT NULL,
    summary text NOT NULL
);
COMMENT ON TABLE text2sql.summary IS
    'One sentence per table, valid for one form of its columns (fingerprint)';
GRANT SELECT ON text2sql.summary TO PUBLIC;
ALTER TABLE text2sql.summary ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON text2sql.summary FOR SELECT
    USING (pg_catalog.has_table_privilege(relation, 'SELECT'));
SELECT pg_catalog.pg_extension_config_dump('text2sql.summary', '');
