-- The glossary: what words mean in this database, for everyone who may read it. A meaning is an SQL
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
