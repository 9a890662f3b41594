-- Strategy gsr: a column that only seems right is replaced by one that masked mining found.
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set shop :abs_srcdir '/fixtures/shop.sql'
\set base_url `echo "$TEXT2SQL_MODEL/gsr/v1"`
SET client_min_messages = warning;
CREATE SCHEMA t_gsr_column;
SET search_path = t_gsr_column, public;
\set ECHO none
\i :shop
\set ECHO all
CREATE SERVER t_gsr_column FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script');
SET text2sql.server = 't_gsr_column';
SET text2sql.schemas = 't_gsr_column';
CREATE TEMP TABLE report AS
SELECT text2sql.explain('How many orders were delivered?', strategy => 'gsr') AS r;
SELECT r->>'sql' AS sql, r->>'calls' AS calls FROM report;
-- the check was shown the mined column that exists and not the one that was made up
SELECT s->'prompt'->-1->>'content' ~ '<other_columns>\s+orders.delivered' AS delivered,
       s->'prompt'->-1->>'content' LIKE '%warehouse%' AS warehouse
FROM report, json_array_elements(r->'steps') s
WHERE s->>'name' = 'gsr.second_sql' AND s->>'prompt' IS NOT NULL;
RESET text2sql.server;
DROP SERVER t_gsr_column;
DROP SCHEMA t_gsr_column CASCADE;
