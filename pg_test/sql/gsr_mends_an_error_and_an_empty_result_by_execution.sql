-- Strategy gsr: an error and then an empty result are repaired by execution; the limit on
-- refinements holds; after prose it is asked once more, then the prose is shown in an error.
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set shop :abs_srcdir '/fixtures/shop.sql'
\set base_url `echo "$TEXT2SQL_MODEL/gsr/v1"`
SET client_min_messages = warning;
CREATE SCHEMA t_gsr_run;
SET search_path = t_gsr_run, public;
\set ECHO none
\i :shop
\set ECHO all
CREATE SERVER t_gsr_run FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script');
SET text2sql.server = 't_gsr_run';
SET text2sql.schemas = 't_gsr_run';
CREATE TEMP TABLE report AS
SELECT text2sql.explain('What is the average salary of the sales department?', strategy => 'gsr') AS r;
SELECT r->>'sql' AS sql, r->>'calls' AS calls FROM report;
SELECT s->>'sql' AS sql, left(s->>'note', 60) AS note
FROM report, json_array_elements(r->'steps') s WHERE s->>'name' = 'gsr.execution';
SET text2sql.max_refinements = 1;
SELECT text2sql('What is the average salary of the sales department?', strategy => 'gsr');
SET text2sql.max_refinements = 0;
SELECT text2sql('What is the average salary of the sales department?', strategy => 'gsr');
RESET text2sql.max_refinements;
SET text2sql.max_calls = 2;
SELECT text2sql('What is the average salary of the sales department?', strategy => 'gsr');
RESET text2sql.max_calls;
SELECT text2sql('Say nothing but prose', strategy => 'gsr');
RESET text2sql.server;
DROP SERVER t_gsr_run;
DROP SCHEMA t_gsr_run CASCADE;
