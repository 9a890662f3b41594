-- Strategy interactive by native tool calls: several calls in one reply, an unknown tool, the
-- same answer as by the text protocol.
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set shop :abs_srcdir '/fixtures/shop.sql'
\set base_url `echo "$TEXT2SQL_MODEL/interactive_native/v1"`
SET client_min_messages = warning;
CREATE SCHEMA t_native;
SET search_path = t_native, public;
\set ECHO none
\i :shop
\set ECHO all
CREATE SERVER t_native FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script', native_tools 'on');
SET text2sql.server = 't_native';
SET text2sql.schemas = 't_native';
SET text2sql.strategy = 'interactive';
CREATE TEMP TABLE report AS
SELECT text2sql.explain('Which products did customers from France buy?') AS r;
SELECT r->>'sql' AS sql, r->>'calls' AS calls FROM report;
SELECT m->>'role' AS role, m->>'tool_call_id' IS NOT NULL AS answers, left(m->>'content', 24) AS content
FROM report, json_array_elements(r->'steps') WITH ORDINALITY AS x(s, n),
     json_array_elements(s->'prompt') WITH ORDINALITY AS y(m, i)
WHERE n = (SELECT max(n) FROM report, json_array_elements(r->'steps') WITH ORDINALITY AS z(s, n) WHERE s->>'prompt' IS NOT NULL)
  AND i > 2 ORDER BY i;
RESET text2sql.server;
DROP SERVER t_native;
DROP SCHEMA t_native CASCADE;
