-- FindShortestPath from psql: join conditions between two lists of columns; only over tables and
-- columns that the role may read; names that it may not see are unknown.
LOAD 'text2sql';
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set reader :abs_srcdir '/fixtures/reader.sql'
\set schema t_tool_path
SET client_min_messages = warning;
CREATE SCHEMA :"schema";
SET search_path = :"schema", public;
SET text2sql.schemas = :'schema';
\set ECHO none
\i :reader
\set ECHO all
SET ROLE regress_reader;
SELECT * FROM text2sql.join_path('{model.name,model.colour}', '{maker.name}');
SELECT tables, conditions FROM text2sql.join_path('{model.name}', '{model.colour}');
SELECT * FROM text2sql.join_path('{secret_plan.codename}', '{maker.name}');
SELECT * FROM text2sql.join_path('{maker.bank_account}', '{model.name}');
SELECT * FROM text2sql.join_path('{name}', '{model.name}');
SELECT count(*) FROM text2sql.join_path(NULL, '{model.name}');
RESET ROLE;
SELECT tables, conditions FROM text2sql.join_path('{secret_plan.codename}', '{maker.bank_account}');
DROP SCHEMA :"schema" CASCADE;
DROP OWNED BY regress_reader;
DROP ROLE regress_reader;
