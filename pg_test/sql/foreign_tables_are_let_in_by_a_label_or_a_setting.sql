-- "Read-only" ends at a foreign server: questions are about no foreign table, not through views,
-- functions or partitions either, unless the setting or a label lets it in.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS text2sql;
LOAD 'text2sql';
CREATE EXTENSION file_fdw;
CREATE SCHEMA t_foreign;
SET search_path = t_foreign;
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set file :abs_srcdir '/fixtures/reviewed_functions.txt'
CREATE SERVER t_files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE line (text text) SERVER t_files OPTIONS (filename :'file');
CREATE VIEW lines AS SELECT count(*) > 0 AS any FROM line;
CREATE FUNCTION has_lines() RETURNS boolean STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) > 0 FROM t_foreign.line); END $$;
CREATE TABLE note (text text) PARTITION BY LIST (text);
CREATE TABLE note_a PARTITION OF note FOR VALUES IN ('a');
INSERT INTO note VALUES ('a');
CREATE FOREIGN TABLE note_b PARTITION OF note FOR VALUES IN ('b') SERVER t_files OPTIONS (filename :'file');
CREATE FUNCTION pg_temp.tried(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE row text;
BEGIN
  SELECT string_agg(r::text, ' ') INTO row FROM text2sql.run(query) r;
  RETURN row;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE FUNCTION pg_temp.tried_all() RETURNS SETOF text LANGUAGE sql VOLATILE AS $$
  SELECT pg_temp.tried(query) FROM unnest('{SELECT count(*) > 0 AS any FROM line,SELECT * FROM lines,SELECT has_lines(),SELECT count(*) > 0 AS any FROM note,SELECT text FROM note WHERE text = $a$a$a$}'::text[]) query $$;
SET text2sql.allow_superuser = on;      -- file_fdw asks for the rights to read files
SELECT pg_temp.tried_all();
SELECT table_name FROM text2sql.search_columns('text of the line', 5) WHERE table_name LIKE '%line';
SET text2sql.foreign_tables = on;
SELECT pg_temp.tried_all();
SELECT table_name FROM text2sql.search_columns('text of the line', 5) WHERE table_name LIKE '%line';
RESET text2sql.foreign_tables;
SELECT pg_temp.tried('SELECT has_lines()');
SECURITY LABEL FOR text2sql ON FOREIGN TABLE line IS 'values';
SELECT pg_temp.tried_all();
SELECT table_name FROM text2sql.search_columns('text of the line', 5) WHERE table_name LIKE '%line';
SECURITY LABEL FOR text2sql ON TABLE note IS 'no_values';
SELECT pg_temp.tried('SELECT count(*) > 0 AS any FROM note');
SECURITY LABEL FOR text2sql ON FOREIGN TABLE line IS 'hidden';
SELECT pg_temp.tried('SELECT has_lines()');
DROP SCHEMA t_foreign CASCADE;
DROP EXTENSION file_fdw CASCADE;
