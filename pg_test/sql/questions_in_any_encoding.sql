-- Case 32: right-to-left and combining text, and databases of other encodings, in which questions,
-- names, values, prompts and errors are converted: an answer or a clear error, and the session
-- goes on.
\set base_url `echo "$TEXT2SQL_MODEL/preview/v1"`
SET client_min_messages = warning;
CREATE DATABASE regress_ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
CREATE DATABASE regress_latin1 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
CREATE DATABASE regress_japan ENCODING 'EUC_JP' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
CREATE SCHEMA t_encoding;
SET search_path = t_encoding, public;
CREATE TABLE "מוצר" (id int PRIMARY KEY, "שם" text);
INSERT INTO "מוצר" VALUES (1, 'אוהל'), (2, 'חבל');
SET text2sql.schemas = 't_encoding';
CREATE FUNCTION said(question text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT string_agg(a::text, ' ') FROM ask(question, strategy => 'builtin') a);
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
SELECT said('כמה מוצר');
SELECT said(E'how many \u202Eמוצר\u202C are there?');
SELECT said(E'e\u0301\u0301\u0301 \U0001F468\u200D\U0001F469\u200D\U0001F467 \uFEFF?');
DROP SCHEMA t_encoding CASCADE;

\c regress_latin1
SET client_encoding = 'UTF8';
SET client_min_messages = warning;
CREATE EXTENSION text2sql;
CREATE TABLE thing (id int PRIMARY KEY, name text);
INSERT INTO thing VALUES (1, 'weiß'), (2, 'blau');
\set VERBOSITY terse
SELECT * FROM ask('How many things are there?', strategy => 'builtin');
SELECT * FROM ask('How many things are named weiß?', strategy => 'builtin');
SELECT * FROM text2sql.run('SELECT name FROM thing WHERE id = 2');
SELECT * FROM text2sql.run('SELECT name FROM thing WHERE id = 1');
CREATE TABLE "größe" (id int PRIMARY KEY, "maß" text);
COMMENT ON COLUMN "größe"."maß" IS 'Länge über alles';
INSERT INTO "größe" VALUES (1, 'fünf'), (2, 'vierzig');
ANALYZE;
SELECT * FROM text2sql.run('SELECT "maß" FROM "größe" WHERE "maß" = ''fünf''');
SELECT * FROM text2sql.run_record('SELECT "maß" FROM "größe" ORDER BY id') AS t(a text);
SELECT ok, tables, columns FROM text2sql.check('SELECT "maß" FROM "größe"');
SELECT value, table_name, column_name FROM text2sql.search_values('fünf');
SELECT text2sql.create_view('länge', 'How many größe are there?', strategy => 'builtin');
SELECT *, obj_description('länge'::regclass) FROM "länge";
DROP VIEW "länge";
SELECT column_name, description FROM text2sql.search_columns('Länge', 1);
\set VERBOSITY default
SELECT * FROM text2sql.run('SELECT "maße" FROM "größe"');
\set VERBOSITY terse
-- a model is sent UTF-8, and its reply is converted; what the encoding lacks is reported
CREATE SERVER latin FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'größe');
SELECT content LIKE '%Länge über alles%' AND content LIKE '%''fünf''%' AS shown
FROM text2sql.preview('Wie groß?', strategy => 'zero_shot', server => 'latin') WHERE role = 'user';
SELECT text2sql('Wie groß ist fünf, latin?', strategy => 'zero_shot', server => 'latin');
SELECT text2sql('Wie groß ist fünf, cyrillic?', strategy => 'zero_shot', server => 'latin');
\set requests `"$TEXT2SQL_TOOLS/model" requests preview | grep -c 'Wie groß ist fünf, latin'`
SELECT :requests > 0 AS sent_as_utf8;
SELECT DISTINCT model, stored_values FROM text2sql.ledger WHERE stored_values <> '{}';
SELECT 1 AS the_session_goes_on;

\c regress_ascii
SET client_min_messages = warning;
CREATE EXTENSION text2sql;
CREATE TABLE thing (id int PRIMARY KEY, name text);
INSERT INTO thing VALUES (1, E'caf\xe9'), (2, 'tea');
SELECT * FROM ask('How many things are there?', strategy => 'builtin');
\set VERBOSITY terse
SELECT * FROM ask(E'How many things are named caf\xe9?', strategy => 'builtin');
SELECT * FROM text2sql.run(E'SELECT 1 AS n FROM thing WHERE name = ''caf\xe9''');
SELECT * FROM text2sql.run('SELECT name FROM thing WHERE id = 1');
-- a comment that is no text spoils only itself and is named
COMMENT ON TABLE thing IS 'things of a shop';
COMMENT ON COLUMN thing.name IS E'caf\xe9';
SELECT * FROM ask('How many things are there?', strategy => 'builtin');
SELECT content LIKE '%things of a shop%' AS others, content LIKE '%caf%' AS spoilt
FROM text2sql.preview('Which things are there?', strategy => 'zero_shot') WHERE role = 'user';
SELECT 1 AS the_session_goes_on;

\c regress_japan
SET client_encoding = 'UTF8';
SET client_min_messages = warning;
CREATE EXTENSION text2sql;
CREATE TABLE "国" (id int PRIMARY KEY, "名" text);
INSERT INTO "国" VALUES (1, '日本'), (2, 'ドイツ');
SELECT * FROM text2sql.run('SELECT "名" FROM "国" WHERE id = 1');
SELECT value, table_name, column_name FROM text2sql.search_values('ドイツ');

\c regression
DROP DATABASE regress_japan;
DROP DATABASE regress_ascii;
DROP DATABASE regress_latin1;
