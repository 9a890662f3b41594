-- Strategy interactive, text protocol: values, columns and a join over four tables found with the
-- tools; what the model makes up after an action does not count; every bad action is an
-- observation; a loop without a query that runs is an error.
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set shop :abs_srcdir '/fixtures/shop.sql'
\set base_url `echo "$TEXT2SQL_MODEL/interactive/v1"`
SET client_min_messages = warning;
CREATE SCHEMA t_talk;
SET search_path = t_talk, public;
\set ECHO none
\i :shop
\set ECHO all
CREATE SERVER t_talk FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script', native_tools 'off');
SET text2sql.server = 't_talk';
SET text2sql.schemas = 't_talk';
SET text2sql.strategy = 'interactive';
CREATE TEMP TABLE report AS
SELECT text2sql.explain('Which products did customers from France buy?') AS r;
SELECT r->>'sql' AS sql, r->>'calls' AS calls, r->>'rounds' AS rounds FROM report;
-- what the model was told after each action
SELECT told LIKE '%''France'' in customer.country%' AS value, told LIKE '%nothing like it%' AS unknown_value,
       told LIKE '%product.name text%' AS column_name,
       told LIKE '%orders.customer_id = customer.id%' AS path, told LIKE '%Product C%' AS row,
       told LIKE '%made up%' AS made_up
FROM report, json_array_elements(r->'steps') WITH ORDINALITY AS x(s, n),
     LATERAL (SELECT s->'prompt'->-1->>'content' AS told) t
WHERE s->>'prompt' IS NOT NULL AND json_array_length(s->'prompt') > 2 ORDER BY n;
-- the opening: tables, keys and counts, no other column
SELECT s->'prompt'->1->>'content' AS opening FROM report, json_array_elements(r->'steps') s LIMIT 1;
SELECT text2sql('How many articles are there?');
SELECT text2sql('How many mistakes can one make?');
RESET text2sql.server;
DROP SERVER t_talk;
DROP SCHEMA t_talk CASCADE;
