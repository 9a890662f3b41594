-- Questions in other languages: a model gets the stored values that they say, whatever the script;
-- builtin says in the question's language that it reads English.
\set base_url `echo "$TEXT2SQL_MODEL/languages/v1"`
SET client_min_messages = warning;
CREATE SCHEMA t_language;
SET search_path = t_language, public;
SET text2sql.schemas = 't_language';
CREATE TABLE client (id int PRIMARY KEY, name text, city text, country text);
INSERT INTO client VALUES (1, 'Müller GmbH', 'Zürich', 'Suisse'), (2, 'Société Générale', 'Île-de-France', 'France'),
    (3, 'Peña e Hijos', 'Córdoba', 'España'), (4, '北京贸易公司', '北京', '中国'), (5, 'شركة النور', 'القاهرة', 'مصر'),
    (6, '上海商行', '上海', '中国');
ANALYZE client;
-- what builtin says
SELECT text2sql('Wie viele Kunden gibt es in Zürich?');
SELECT text2sql('Combien de clients y a-t-il en France ?');
SELECT text2sql('¿Cuántos clientes hay en Córdoba?');
SELECT text2sql('有多少客户在北京？');
SELECT text2sql('كم عدد العملاء في القاهرة؟');
-- the code and the words are those of any refusal
SELECT sqlstate, reason, suggestion IS NOT NULL AS has_hint FROM text2sql.answer('Wie viele Kunden gibt es in Zürich?');
-- a name in another language makes no other question
SELECT text2sql('How many clients are in 北京?');
SELECT text2sql('How many clients are in Zurich?');
SELECT text2sql('How many clients are from Société Générale de la Peña?');
-- what a model is told
CREATE SERVER t_language FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script');
SET text2sql.server = 't_language';
CREATE FUNCTION values_told(question text) RETURNS text LANGUAGE sql AS $$
    SELECT substring(content FROM '<matched_values>\n(.*)\n</matched_values>')
    FROM text2sql.preview(question) WHERE role = 'user'
$$;
SELECT values_told('Wie viele Kunden gibt es in ZURICH?');
SELECT values_told('Combien de clients viennent de l’Ile-de-France ?');
SELECT values_told('¿Cuántos clientes hay en Cordoba?');
SELECT values_told('有多少客户在北京？');
SELECT values_told('كم عدد العملاء في القاهرة؟');
-- and with an index of values
CREATE EXTENSION pg_trgm SCHEMA t_language;
SELECT count(*) > 0 AS indexed FROM text2sql.index_values('{client}');
SELECT values_told('Wie viele Kunden gibt es in ZURICH?');
SELECT values_told('有多少客户在上海？');
SELECT values_told('كم عدد العملاء في القاهرة؟');
-- what it answers
SELECT * FROM ask('Wie viele Kunden gibt es in Zürich?') AS t(answer);
SELECT * FROM ask('有多少客户在北京？') AS t(answer);
SELECT ask_summary('有多少客户在北京？');
RESET text2sql.server;
DROP SERVER t_language CASCADE;
DROP SCHEMA t_language CASCADE;
