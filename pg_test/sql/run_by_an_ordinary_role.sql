-- ExecuteSQL from psql: a query runs with the role's rights, read-only, under guard and limits.
LOAD 'text2sql';
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set reader :abs_srcdir '/fixtures/reader.sql'
\set schema t_tool_run
SET client_min_messages = warning;
CREATE SCHEMA :"schema";
SET search_path = :"schema", public;
SET text2sql.schemas = :'schema';
\set ECHO none
\i :reader
\set ECHO all
SET ROLE regress_reader;
SELECT * FROM text2sql.run('SELECT maker.name, count(*) FROM model JOIN maker ON maker.id = model.maker_id GROUP BY maker.name ORDER BY 1');
SELECT * FROM text2sql.run_record('SELECT avg(weight), min(colour) FROM model') AS t(weight numeric, colour text);
SELECT * FROM text2sql.run('SELECT bank_account FROM maker');
SELECT * FROM text2sql.run('SELECT * FROM secret_plan');
SELECT * FROM text2sql.run('DELETE FROM model');
SELECT * FROM text2sql.run('SELECT 1; SELECT 2');
SELECT * FROM text2sql.run('SELECT nothing FROM model');
SET text2sql.max_rows = 2;
SELECT * FROM text2sql.run('SELECT id FROM model ORDER BY id');
RESET text2sql.max_rows;
SELECT count(*) FROM text2sql.run(NULL);
RESET ROLE;
SELECT * FROM text2sql.run('SELECT codename FROM secret_plan');
DROP SCHEMA :"schema" CASCADE;
DROP OWNED BY regress_reader;
DROP ROLE regress_reader;
