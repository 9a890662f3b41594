-- Strategy interactive: the opening of a table of 1,500 columns has the bytes of one of 500, what is
-- looked up stays short, and the column is found.
\set base_url `echo "$TEXT2SQL_MODEL/far/v1"`
SET client_min_messages = warning;
CREATE SCHEMA t_narrow;
CREATE SCHEMA t_wide;
SELECT format('CREATE TABLE %I.reading (id int PRIMARY KEY, wind_speed real, %s)', schema, columns)
FROM (VALUES ('t_narrow', 498), ('t_wide', 1498)) AS v(schema, n),
     LATERAL (SELECT string_agg(format('measure_%s real', g), ', ') FROM generate_series(1, n) g) AS c(columns) \gexec
CREATE SERVER t_width FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script', native_tools 'off');
CREATE TEMP TABLE report (schema text, columns bigint, r json);
SET text2sql.schemas = 't_narrow';
INSERT INTO report SELECT 't_narrow', 500, text2sql.explain('What was the highest wind speed?', strategy => 'interactive', server => 't_width');
SET text2sql.schemas = 't_wide';
INSERT INTO report SELECT 't_wide', 1500, text2sql.explain('What was the highest wind speed?', strategy => 'interactive', server => 't_width');
SELECT columns, r->>'calls' AS calls, r->>'sql' AS sql FROM report;
SELECT count(DISTINCT replace(r->'steps'->0->'prompt'->>1, schema, 'schema')) AS openings FROM report;
SELECT columns, max(length(m->>'content')) < 1000 AS observations_are_short
FROM report, json_array_elements(r->'steps') s, json_array_elements(s->'prompt') WITH ORDINALITY AS x(m, i)
WHERE i > 2 GROUP BY columns ORDER BY columns;
DROP SERVER t_width;
DROP SCHEMA t_narrow, t_wide CASCADE;
