-- Strategy gsr: a value that is not stored as the question spells it is repaired by value samples.
-- Three calls find the answer, a fourth looks at the result of the changed query.
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set shop :abs_srcdir '/fixtures/shop.sql'
\set base_url `echo "$TEXT2SQL_MODEL/gsr/v1"`
SET client_min_messages = warning;
CREATE SCHEMA t_gsr_value;
SET search_path = t_gsr_value, public;
\set ECHO none
\i :shop
\set ECHO all
CREATE SERVER t_gsr_value FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script');
SET text2sql.server = 't_gsr_value';
SET text2sql.schemas = 't_gsr_value';
CREATE TEMP TABLE report AS
SELECT text2sql.explain('How many customers come from FRANCE?', strategy => 'gsr') AS r;
SELECT r->>'sql' AS sql, r->>'calls' AS calls, r->>'rounds' AS rounds FROM report;
SELECT s->>'name' AS step, s->>'sql' AS sql, left(s->>'note', 90) AS note
FROM report, json_array_elements(r->'steps') s WHERE s->>'prompt' IS NULL;
-- what was sent: the check saw the stored spelling, the mining no column of the first query
SELECT s->>'name' AS step,
       s->'prompt'->-1->>'content' LIKE '%''France''%' AS sees_france,
       s->'prompt'->-1->>'content' LIKE '%country%' AS sees_country,
       s->'prompt'->-1->>'content' LIKE '%customer.vip%' AS sees_mined
FROM report, json_array_elements(r->'steps') s WHERE s->>'prompt' IS NOT NULL;
SELECT l->>'kind' AS kind, l->>'target' AS target
FROM report, json_array_elements(r->'linked') l WHERE l->>'kind' = 'value' AND l->>'words' = 'FRANCE';
SELECT * FROM ask('How many customers come from FRANCE?', strategy => 'gsr');
-- what would be sent first is what was sent first
SELECT array_agg(role || content ORDER BY ordinality) =
       (SELECT array_agg((m->>'role') || (m->>'content') ORDER BY n)
        FROM report, json_array_elements(r->'steps'->0->'prompt') WITH ORDINALITY AS p(m, n)) AS same
FROM text2sql.preview('How many customers come from FRANCE?', strategy => 'gsr') WITH ORDINALITY;
RESET text2sql.server;
DROP SERVER t_gsr_value;
DROP SCHEMA t_gsr_value CASCADE;
