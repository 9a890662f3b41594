-- The vectors of an embedding model: text2sql.embed_columns() sends the names and comments that
-- the caller may read, each text once, and what is stored helps to find columns by meaning, with
-- the caller's rights. A question whose phrase cannot be embedded goes on without.
\set base_url `echo "$TEXT2SQL_MODEL/embedding/v1"`
SELECT text2sql(NULL);                    -- loads the library, which is the label provider
SET client_min_messages = warning;
TRUNCATE text2sql.history_entry;
CREATE SCHEMA t_embed;
SET search_path = t_embed, public;
SET text2sql.schemas = 't_embed';
CREATE TABLE person (id int PRIMARY KEY, name text, salary int, town text, secret text);
CREATE TABLE firm (id int PRIMARY KEY, name text);
COMMENT ON COLUMN person.salary IS 'Per month';
INSERT INTO person VALUES (1, 'Ann', 4100, 'Bonn', 'x');
SECURITY LABEL FOR text2sql ON COLUMN person.secret IS 'hidden';
CREATE ROLE regress_embed;
GRANT USAGE ON SCHEMA t_embed TO regress_embed;
GRANT SELECT (id, name, salary) ON person TO regress_embed;
GRANT SELECT ON firm TO regress_embed;

-- every obstacle names the command that removes it
SELECT * FROM text2sql.embed_columns();
CREATE SERVER t_embed FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script', retries '0');
CREATE USER MAPPING FOR PUBLIC SERVER t_embed OPTIONS (api_key 'sk-embed-0123456789abcdef');
SET text2sql.server = 't_embed';
SELECT * FROM text2sql.embed_columns();
ALTER SERVER t_embed OPTIONS (ADD embedding_model 'vectors');
SET ROLE regress_embed;
SELECT * FROM text2sql.embed_columns();
RESET ROLE;
GRANT USAGE ON FOREIGN SERVER t_embed TO regress_embed;
BEGIN READ ONLY;
SELECT * FROM text2sql.embed_columns();
ROLLBACK;
SELECT * FROM text2sql.embed_columns('{nothing}');

-- what the letters do not say is not found before
SELECT table_name, column_name FROM text2sql.search_columns('Verdienst', 1);
-- each text once: two columns id and two columns name; the role sends what it may read
SET ROLE regress_embed;
SET client_min_messages = notice;
SET text2sql.progress = on;
SELECT * FROM text2sql.embed_columns();
SELECT * FROM text2sql.embed_columns();
RESET text2sql.progress;
SET client_min_messages = warning;
RESET ROLE;
SELECT * FROM text2sql.embed_columns('{person}');
SELECT table_name, column_name, server, model, stale FROM text2sql.column_vectors
WHERE table_name IN ('person'::regclass, 'firm'::regclass) ORDER BY 1, 2 NULLS FIRST;

-- found by meaning; a role finds no column that it may not read, nor sees it in the view
SELECT table_name, column_name FROM text2sql.search_columns('Verdienst', 1);
SELECT table_name, column_name FROM text2sql.search_columns('Wohnort', 1);
SET ROLE regress_embed;
SELECT table_name, column_name FROM text2sql.search_columns('Verdienst', 1);
SELECT count(*) FILTER (WHERE column_name IN ('town', 'secret')) AS unreadable
FROM text2sql.search_columns('Wohnort', 100);
SELECT column_name FROM text2sql.column_vectors WHERE table_name = 'person'::regclass ORDER BY 1 NULLS FIRST;
SELECT * FROM text2sql.description_vector;
SELECT * FROM text2sql.description;
RESET ROLE;

-- a change: only it is sent, and vectors of unused names go
COMMENT ON COLUMN person.salary IS 'Per year';
ALTER TABLE person ADD COLUMN salary_group text;
SELECT column_name FROM text2sql.column_vectors WHERE table_name = 'person'::regclass AND stale;
SELECT * FROM text2sql.embed_columns();
SELECT * FROM text2sql.embed_columns();
SELECT column_name FROM text2sql.column_vectors WHERE table_name = 'person'::regclass AND stale;

-- a question: its phrase is embedded once if the tables do not all fit, counted and recorded
SET text2sql.max_schema_tokens = 200;
SET text2sql.strategy = 'zero_shot';
SELECT format('CREATE TABLE other (%s)', string_agg('measure_' || n || ' int', ', '))
FROM generate_series(1, 100) n \gexec
CREATE VIEW public.asked AS
SELECT r->>'sql' AS sql, r->>'calls' AS calls,
       (SELECT string_agg(s->>'name', ', ') FROM json_array_elements(r->'steps') s WHERE (s->>'calls')::int > 0) AS steps,
       (r->'usage'->>'prompt_tokens')::int > 0 AS tokens, r->'notices' AS notices
FROM text2sql.explain(current_setting('t.question')) AS r;
SET t.question = 'Welcher Verdienst?';
SELECT * FROM asked;
SELECT * FROM text2sql.preview(current_setting('t.question'));
SET text2sql.max_calls = 1;
SELECT text2sql(current_setting('t.question'));
RESET text2sql.max_calls;
SET text2sql.skip_steps = 'link.embed';
SELECT * FROM asked;
SELECT DISTINCT step FROM text2sql.preview(current_setting('t.question'));
RESET text2sql.skip_steps;
-- nothing is asked if letters decide, nor by the strategy that sends nothing
SET t.question = 'person name?';
SELECT sql, calls FROM asked;
SELECT text2sql.explain('Welcher Verdienst?', strategy => 'builtin')->>'calls' AS calls;

-- the endpoint fails: a warning without the key, and the answer nevertheless
SET t.question = 'Wohnort kaputt?';
SELECT sql, calls, steps,
       regexp_replace(notices::text, '127.0.0.1:\d+', 'HOST') AS notices FROM asked;
CREATE SERVER t_refused FOREIGN DATA WRAPPER text2sql
    OPTIONS (base_url 'http://127.0.0.1:1/v1', model 'script', embedding_model 'vectors', retries '0');
SELECT * FROM text2sql.embed_columns(server => 't_refused');
ALTER SERVER t_embed OPTIONS (SET base_url 'http://127.0.0.1:1/v1');
SELECT table_name, column_name FROM text2sql.search_columns('town Verdienst', 1);
SELECT count(*) AS with_key FROM asked WHERE asked::text LIKE '%0123456789%';

-- what was sent: one row a batch, with the names and comments that its texts are of
RESET text2sql.max_schema_tokens;
-- (the calls that reached no server have none)
SELECT role, model, requests, names, comments, stored_values FROM text2sql.ledger
WHERE requests = 1 AND step = 'link.embed' AND names <> '{}' ORDER BY at;
SELECT count(*) AS phrases FROM text2sql.ledger WHERE step = 'link.embed' AND names = '{}';
\set requests `"$TEXT2SQL_TOOLS/model" requests embedding`
SELECT r->'body'->'input' AS sent FROM json_array_elements(:'requests'::json) AS r
WHERE r->>'path' LIKE '%embeddings' ORDER BY (r->>'number')::int LIMIT 2;

DROP VIEW public.asked;
RESET text2sql.strategy;
RESET text2sql.server;
RESET text2sql.schemas;
TRUNCATE text2sql.history_entry;
DROP SERVER t_embed CASCADE;
DROP SERVER t_refused;
DROP SCHEMA t_embed CASCADE;
DROP ROLE regress_embed;
