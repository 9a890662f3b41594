-- Strategy interactive: a join over five tables is found by the path tool, by the text protocol
-- and by the tool calls of both wire formats alike; anything wrong with a tool call comes back
-- as its result.
\set text `echo "$TEXT2SQL_MODEL/far/v1"`
\set native `echo "$TEXT2SQL_MODEL/far_native/v1"`
SET client_min_messages = warning;
CREATE SCHEMA t_far;
SET search_path = t_far, public;
CREATE TABLE region (id int PRIMARY KEY, title text);
CREATE TABLE shop (id int PRIMARY KEY, region_id int REFERENCES region);
CREATE TABLE till (id int PRIMARY KEY, shop_id int REFERENCES shop);
CREATE TABLE receipt (id int PRIMARY KEY, till_id int REFERENCES till);
CREATE TABLE line (receipt_id int REFERENCES receipt, amount numeric);
INSERT INTO region VALUES (1, 'North'), (2, 'South');
INSERT INTO shop SELECT g, 1 + g % 2 FROM generate_series(1, 4) g;
INSERT INTO till SELECT g, g FROM generate_series(1, 4) g;
INSERT INTO receipt SELECT g, 1 + g % 4 FROM generate_series(1, 20) g;
INSERT INTO line SELECT 1 + g % 20, g FROM generate_series(1, 100) g;
ANALYZE region, shop, till, receipt, line;
CREATE SERVER t_far_text FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'text', model 'script', native_tools 'off');
CREATE SERVER t_far_openai FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'native', model 'script');
CREATE SERVER t_far_anthropic FOREIGN DATA WRAPPER text2sql OPTIONS (provider 'anthropic', base_url :'native', model 'script');
CREATE USER MAPPING FOR PUBLIC SERVER t_far_anthropic OPTIONS (api_key 'k-0123456789');
SET text2sql.schemas = 't_far';
CREATE TEMP TABLE report AS
SELECT n, server, text2sql.explain('How much was sold in each region?', strategy => 'interactive', server => server) AS r
FROM unnest(ARRAY['t_far_text', 't_far_openai', 't_far_anthropic']) WITH ORDINALITY AS x(server, n);
SELECT server, r->>'calls' AS calls, r->>'rounds' AS rounds, r->>'sql' = first_value(r->>'sql') OVER (ORDER BY n) AS same_sql
FROM report ORDER BY n;
SELECT r->>'sql' AS sql FROM report WHERE n = 1;
-- what the path tool said
SELECT server, split_part(s->>'note', '}: ', 2) AS told
FROM report, json_array_elements(r->'steps') WITH ORDINALITY AS x(s, i)
WHERE s->>'note' LIKE 'FindShortestPath%' ORDER BY n, i;
-- each mistake of a tool call and what it was answered
SET text2sql.max_rounds = 20;
CREATE TEMP TABLE mistaken AS
SELECT server, text2sql.explain('How many mistakes can one make?', strategy => 'interactive', server => server) AS r
FROM unnest(ARRAY['t_far_openai', 't_far_anthropic']) AS server;
SELECT server, r->>'sql' AS sql, r->>'calls' AS calls FROM mistaken;
SELECT left(regexp_replace(m->>'content', '\s+', ' ', 'g'), 100) AS answered
FROM mistaken, json_array_elements((SELECT s->'prompt' FROM json_array_elements(r->'steps') WITH ORDINALITY AS x(s, i)
    WHERE s->>'prompt' IS NOT NULL ORDER BY i DESC LIMIT 1)) WITH ORDINALITY AS y(m, i)
WHERE server = 't_far_anthropic' AND m->>'role' IN ('tool', 'user') AND i > 2 ORDER BY i;
DROP SERVER t_far_text;
DROP SERVER t_far_openai;
DROP SERVER t_far_anthropic CASCADE;
DROP SCHEMA t_far CASCADE;
