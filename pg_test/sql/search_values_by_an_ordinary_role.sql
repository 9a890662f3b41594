-- SearchValue from psql: stored values like a text, in any spelling, anywhere or in some tables;
-- only of columns that the role may read.
LOAD 'text2sql';
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set reader :abs_srcdir '/fixtures/reader.sql'
\set schema t_tool_values
SET client_min_messages = warning;
CREATE SCHEMA :"schema";
SET search_path = :"schema", public;
SET text2sql.schemas = :'schema';
\set ECHO none
\i :reader
\set ECHO all
SET ROLE regress_reader;
SELECT * FROM text2sql.search_values('northwind works', k => 1);
-- a typing mistake
SELECT value, table_name, column_name FROM text2sql.search_values('turquiose', k => 1);
SELECT value, column_name FROM text2sql.search_values('charcoal', ARRAY['model'::regclass], 1);
SELECT count(*) FROM text2sql.search_values('charcoal', ARRAY['maker'::regclass], 5);
-- what the role may not read is not found, nor may it be named
SELECT value FROM unnest(ARRAY['DE11', 'Bluebell']) AS w, text2sql.search_values(w, k => 20) WHERE value ~ 'DE|Bluebell';
SELECT * FROM text2sql.search_values('Bluebell', ARRAY['secret_plan'::regclass]);
SELECT count(*) FROM text2sql.search_values(NULL);
RESET ROLE;
SELECT value, table_name FROM text2sql.search_values('Bluebell', k => 1);
DROP SCHEMA :"schema" CASCADE;
DROP OWNED BY regress_reader;
DROP ROLE regress_reader;
