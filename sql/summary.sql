-- Table summaries kept by text2sql.summarize_tables(). Whoever may read a whole table may read its
-- summary, which may mention all its columns; its owner may store one.
CREATE TABLE text2sql.summary (
    relation regclass PRIMARY KEY,
    fingerprint bigint NOT NULL,
    summary text NOT NULL
);
COMMENT ON TABLE text2sql.summary IS
    'One sentence per table, valid for one form of its columns (fingerprint)';
GRANT SELECT, INSERT, UPDATE, DELETE ON text2sql.summary TO PUBLIC;
ALTER TABLE text2sql.summary ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON text2sql.summary FOR SELECT
    USING (pg_catalog.has_table_privilege(relation, 'SELECT'));
CREATE POLICY owners ON text2sql.summary
    USING ((SELECT pg_catalog.pg_has_role(c.relowner, 'USAGE')
            FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) relation));
SELECT pg_catalog.pg_extension_config_dump('text2sql.summary', '');
