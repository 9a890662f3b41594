-- Strategy gsr on the demo, every step asserted: a wrong column repaired by mining and a wrong
-- literal by value samples in one question; an error and then an empty result by execution in
-- another.
\set base_url `echo "$TEXT2SQL_MODEL/demo/v1"`
\c demo
SET client_min_messages = warning;
CREATE SERVER t_demo FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script');
SET text2sql.server = 't_demo';
SET text2sql.schemas = 'public';
CREATE TEMP TABLE report AS
SELECT n, q AS question, text2sql.explain(q, strategy => 'gsr') AS r
FROM unnest(ARRAY['How many orders had a shipping address in Canada?', 'What is the average price of tents?'])
    WITH ORDINALITY AS x(q, n);
SELECT n, r->>'sql' AS sql, r->>'calls' AS calls, r->>'rounds' AS rounds, r->'notices' AS notices
FROM report ORDER BY n;
-- the steps: what was asked of the model, and what it changed
CREATE TEMP TABLE step AS
SELECT n, i, s->>'name' AS name, s->>'note' AS note, s->>'sql' AS sql, s->'prompt'->-1->>'content' AS prompt
FROM report, json_array_elements(r->'steps') WITH ORDINALITY AS x(s, i);
SELECT n, name, CASE WHEN prompt IS NULL THEN left(note, 110) END AS note, right(sql, 60) AS sql
FROM step ORDER BY n, i;
-- what each request held: Pre-SQL the schema and the comments, mining no column of the Pre-SQL,
-- the check the stored spelling and only mined columns that exist
SELECT n, name, prompt LIKE '%REFERENCES%' AS keys, prompt LIKE '%  billing_address_id%' AS billing,
       prompt LIKE '%  shipping_address_id%' AS shipping, prompt LIKE '%''Canada''%' AS canada,
       prompt ~ '<other_columns>.*orders.shipping_address_id.*</other_columns>' AS mined,
       prompt LIKE '%orders.carrier%' AS made_up, prompt LIKE '%2. Their shipping address is in Canada.%' AS clauses
FROM step WHERE prompt IS NOT NULL AND n = 1 ORDER BY i;
SELECT n, name, prompt LIKE '%products has: %price%' AS right_names, prompt LIKE '%''Tents''%' AS tents,
       prompt LIKE '%0 row(s)%' AS empty
FROM step WHERE prompt IS NOT NULL AND n = 2 ORDER BY i;
-- what came back is the answer of the right query
SELECT (SELECT array_agg(a::text) FROM ask((SELECT question FROM report WHERE n = 1), strategy => 'gsr') a) =
       (SELECT array_agg(row_to_json(r)::text) FROM (SELECT count(*) FROM orders o JOIN addresses a ON a.id = o.shipping_address_id
        WHERE a.country_code = 'CA') r) AS same;
DROP SERVER t_demo;
