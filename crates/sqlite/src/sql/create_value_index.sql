-- The index of stored values; {schema} is the quoted name of the database that they are in.
-- Whose values there are.
CREATE TABLE IF NOT EXISTS {schema}.text2sql_value_source(
    id INTEGER PRIMARY KEY,
    table_name TEXT NOT NULL COLLATE NOCASE,
    column_name TEXT NOT NULL COLLATE NOCASE,
    UNIQUE (table_name, column_name)
);
-- Each distinct value once a column. key: the stems of its folded words, a blank around them;
-- place: the rowid of a row that has it, where rows have one.
CREATE TABLE IF NOT EXISTS {schema}.text2sql_value_entry(
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    place INTEGER
);
-- There from the beginning: values come sorted, and so almost do their keys.
CREATE INDEX IF NOT EXISTS {schema}.text2sql_value_key ON text2sql_value_entry(key);
-- Rows of followed tables that are new or changed.
CREATE TABLE IF NOT EXISTS {schema}.text2sql_value_change(
    table_name TEXT NOT NULL COLLATE NOCASE,
    place INTEGER NOT NULL,
    PRIMARY KEY (table_name, place)
) WITHOUT ROWID;
-- The trigrams of the keys.
CREATE VIRTUAL TABLE IF NOT EXISTS {schema}.text2sql_value USING fts5(
    key, content='text2sql_value_entry', content_rowid='id', tokenize='trigram', detail=none,
    columnsize=0);
