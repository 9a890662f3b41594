-- Strategy mag on the demo, every agent asserted: three conditions assembled one by one, a column
-- of NULLs and an empty result in between repaired, a made-up column dropped and reported, and no
-- summary requested twice.
\set base_url `echo "$TEXT2SQL_MODEL/demo/v1"`
\c demo
SET client_min_messages = warning;
CREATE SERVER t_demo FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script');
SET text2sql.server = 't_demo';
SET text2sql.schemas = 'public';
CREATE TEMP TABLE report AS
SELECT n, text2sql.explain('How many orders of wholesale customers were cancelled in 2024?', strategy => 'mag') AS r
FROM generate_series(1, 2) n;
SELECT n, r->>'sql' AS sql, r->>'calls' AS calls, r->>'rounds' AS rounds, r->'notices' AS notices
FROM report ORDER BY n;
CREATE TEMP TABLE step AS
SELECT n, i, s->>'name' AS name, s->>'note' AS note, s->>'sql' AS sql, s->'prompt'->-1->>'content' AS prompt
FROM report, json_array_elements(r->'steps') WITH ORDINALITY AS x(s, i);
SELECT name, CASE WHEN prompt IS NULL THEN left(note, 110) END AS note, right(sql, 60) AS sql
FROM step WHERE n = 1 ORDER BY i;
-- what each request held: the linker summaries and stored values, the generator details of linked
-- columns alone and the step before, the refiner what is wrong
SELECT name, prompt LIKE '%One row a purchase.%' AS summary, prompt LIKE '%''Wholesale''%' AS wholesale,
       prompt LIKE '%  segment text%' AS segment, prompt LIKE '%  newsletter boolean%' AS newsletter,
       prompt LIKE '%<sub_question>%' AS step_before, prompt LIKE '%holds only NULL%' AS nulls,
       prompt LIKE '%It returns no rows.%' AS empty
FROM step WHERE n = 1 AND prompt IS NOT NULL ORDER BY i;
-- the second time no table is summarized again: one call and one round less
SELECT n, count(*) AS requests FROM step WHERE name = 'mag.summaries' AND prompt IS NOT NULL GROUP BY n;
DROP SERVER t_demo;
