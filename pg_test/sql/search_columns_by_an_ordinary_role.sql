-- SearchColumn from psql: names, comments and types that fit a phrase, best first, with statistics;
-- only columns that the role may read, and nothing for an empty phrase.
LOAD 'text2sql';
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set reader :abs_srcdir '/fixtures/reader.sql'
\set schema t_tool_columns
SET client_min_messages = warning;
CREATE SCHEMA :"schema";
SET search_path = :"schema", public;
SET text2sql.schemas = :'schema';
\set ECHO none
\i :reader
\set ECHO all
SET ROLE regress_reader;
SELECT * FROM text2sql.search_columns('weight of the model', 3);
-- found by the words of a comment
SELECT table_name, column_name FROM text2sql.search_columns('kilograms', 1);
SELECT count(*) FILTER (WHERE column_name = 'bank_account') AS bank_account, count(*) FILTER (WHERE table_name ~ 'secret_plan') AS secret_plan
FROM unnest(ARRAY['bank account of the maker', 'codename of the secret plan']) AS phrase, text2sql.search_columns(phrase, 50);
SELECT count(*) FROM text2sql.search_columns('colour', 0);
SELECT count(*) FROM text2sql.search_columns('', 5);
SELECT count(*) FROM text2sql.search_columns(NULL, 5);
RESET ROLE;
SELECT table_name, column_name FROM text2sql.search_columns('bank account of the maker', 1);
DROP SCHEMA :"schema" CASCADE;
DROP OWNED BY regress_reader;
DROP ROLE regress_reader;
