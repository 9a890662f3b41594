-- A question with readings that give different results is an error of its own, which lists each with
-- the call that chooses it; a setting answers the likeliest with a notice, or refuses.
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set shop :abs_srcdir '/fixtures/shop.sql'
\set base_url `echo "$TEXT2SQL_MODEL/adaptive/v1"`
SET client_min_messages = warning;
CREATE SCHEMA t_readings;
SET search_path = t_readings, public;
\set ECHO none
\i :shop
\set ECHO all
CREATE TABLE person (id int PRIMARY KEY, name text, home_town text, home_country text);
INSERT INTO person VALUES (1, 'Ada', 'Oslo', 'Norway'), (2, 'Ben', 'Bergen', 'Norway');
SET text2sql.schemas = 't_readings';
SET client_min_messages = notice;
-- builtin: two meanings that fit the word equally
SELECT text2sql('What are the homes of persons?', strategy => 'builtin');
SELECT text2sql('What are the homes of persons?', strategy => 'builtin', hint => '"homes" means person.home_country');
SELECT i ->> 'sql' AS sql, i ->> 'why' AS why, i ->> 'hint' AS hint, i -> 'rows' AS rows
FROM json_array_elements(text2sql.explain('What are the homes of persons?', strategy => 'builtin') -> 'interpretations') AS i;
SELECT sqlstate, reason, suggestion, r ->> 'hint' AS reading
FROM text2sql.answer('What are the homes of persons?', strategy => 'builtin'), json_array_elements(readings) AS r;
SET text2sql.ambiguity = 'likeliest';
SELECT text2sql('What are the homes of persons?', strategy => 'builtin');
SET text2sql.ambiguity = 'refuse';
SELECT text2sql('What are the homes of persons?', strategy => 'builtin');
RESET text2sql.ambiguity;
-- a model that says how the question can be read
CREATE SERVER t_readings FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script');
SET text2sql.server = 't_readings';
SELECT * FROM ask('Who is the biggest customer?');
SELECT text2sql('Who is the biggest customer?', hint => 'The biggest customer placed the most orders.');
SET text2sql.ambiguity = 'likeliest';
SELECT text2sql('Who is the biggest customer?');
RESET text2sql.ambiguity;
RESET text2sql.server;
DROP SERVER t_readings;
SET client_min_messages = warning;
DROP SCHEMA t_readings CASCADE;
