-- text2sql.label(): the first command of a session, through renames, dump and restore.
SET client_min_messages = warning;
CREATE DATABASE t_labels_from;
CREATE DATABASE t_labels_to;
\c t_labels_from
SET client_min_messages = warning;
CREATE EXTENSION text2sql;
\c t_labels_from
SET client_min_messages = warning;
CREATE SCHEMA hr;
CREATE SCHEMA "Odd ""name""";
CREATE TABLE hr.person (gone int, id int PRIMARY KEY, name text, "Phone ""no""" text, city text);
ALTER TABLE hr.person DROP COLUMN gone;                     -- its columns get other numbers
INSERT INTO hr.person VALUES (1, 'Ann', '12345', 'Paris');
CREATE TABLE "Odd ""name"""."T.x" (id int, secret text);
CREATE TABLE public.plain (id int, note text, password text);
CREATE VIEW public.seen AS SELECT city FROM hr.person;
\c t_labels_from
SET client_min_messages = warning;
SELECT text2sql.label('hr.person', 'Phone "no"', 'no_values');
SELECT text2sql.label('hr.person', 'name', 'hidden');
SELECT text2sql.label('"Odd ""name"""."T.x"', 'hidden');
SELECT text2sql.label_schema('hr', 'no_values');
SELECT text2sql.label('seen', 'city', 'hidden');
SELECT text2sql.label('plain', 'password', 'values');
-- objects are renamed and moved: the labels go along
ALTER TABLE hr.person RENAME COLUMN name TO called;
ALTER TABLE hr.person RENAME TO people;
ALTER SCHEMA hr RENAME TO staff;
ALTER VIEW seen RENAME COLUMN city TO town;
ALTER TABLE plain SET SCHEMA staff;
SELECT schema, relation, column_name, label FROM text2sql.label ORDER BY 1, 2, 3;
SELECT ok, reason FROM text2sql.check('SELECT called FROM staff.people');
SELECT ok, reason FROM text2sql.check('SELECT id FROM "Odd ""name"""."T.x"');
SELECT ok, reason FROM text2sql.check('SELECT town FROM seen');
-- by whatever command: of others than tables too, of children, with an extension, under replication
CREATE TABLE by_index (id int, secret text);
CREATE MATERIALIZED VIEW by_table AS SELECT 1 AS id, 'x'::text AS secret;
CREATE TABLE parent (id int, secret text);
CREATE TABLE child () INHERITS (parent);
CREATE TYPE shape AS (id int, secret text);
CREATE TABLE typed OF shape;
CREATE TABLE replicated (id int, secret text);
CREATE TABLE owned (id int, secret text);
SELECT count(text2sql.label(t::regclass, 'secret', 'hidden'))
FROM unnest('{by_index,by_table,parent,child,typed,replicated,owned}'::text[]) t;
ALTER INDEX by_index RENAME TO by_index_2;
ALTER TABLE by_table RENAME TO by_table_2;
ALTER TABLE parent RENAME COLUMN secret TO secret_2;
ALTER TYPE shape RENAME ATTRIBUTE secret TO secret_2 CASCADE;
SET session_replication_role = replica;
ALTER TABLE replicated RENAME TO replicated_2;
RESET session_replication_role;
CREATE SCHEMA moved;
CREATE EXTENSION citext;
ALTER EXTENSION citext ADD TABLE owned;
ALTER EXTENSION citext SET SCHEMA moved;
ALTER EXTENSION citext DROP TABLE moved.owned;
SELECT schema, relation, column_name FROM text2sql.label WHERE column_name LIKE 'secret%' ORDER BY 1, 2;
-- a dump includes them, also into a database that already has the extension
\c t_labels_to
SET client_min_messages = warning;
CREATE EXTENSION text2sql;
CREATE SCHEMA first_of_all;               -- other numbers
\! "$PG_BIN/pg_dump" -U postgres t_labels_from | "$PG_BIN/psql" -XAtq -v ON_ERROR_STOP=1 -U postgres t_labels_to 2>&1 >/dev/null
\c t_labels_to
SET client_min_messages = warning;
SELECT schema, relation, column_name, label FROM text2sql.label ORDER BY 1, 2, 3;
SELECT ok, reason FROM text2sql.check('SELECT called FROM staff.people');
SELECT ok, reason FROM text2sql.check('SELECT id, "Phone ""no""", city FROM staff.people');
SELECT ok, reason FROM text2sql.check('SELECT id FROM "Odd ""name"""."T.x"');
SELECT ok, reason FROM text2sql.check('SELECT town FROM seen');
SELECT count(*) FROM text2sql.search_values('Paris');
SELECT text2sql.label_schema('staff', NULL);
SELECT value, column_name FROM text2sql.search_values('Paris');
SELECT count(*) FROM text2sql.search_values('12345');
-- what is dropped leaves no label, and what is not there gets none
DROP TABLE "Odd ""name"""."T.x";
ALTER TABLE staff.people DROP COLUMN called;
INSERT INTO text2sql.label (schema, relation, label) VALUES ('staff', 'nothing', 'hidden');
SELECT schema, relation, column_name, label FROM text2sql.label ORDER BY 1, 2, 3;
-- only its owner may label it; a wrong label, a wrong column, a temporary table
SELECT text2sql.label('staff.people', 'city', 'secret');
SELECT text2sql.label('staff.people', 'town', 'hidden');
CREATE TEMP TABLE passing (id int);
SELECT text2sql.label('passing', 'hidden');
CREATE ROLE t_labels_owner;
CREATE ROLE t_labels_other;
GRANT ALL ON SCHEMA staff TO t_labels_owner, t_labels_other;
ALTER TABLE staff.people OWNER TO t_labels_owner;
SET ROLE t_labels_owner;
SELECT text2sql.label('staff.people', 'city', 'hidden');
SELECT text2sql.label_schema('staff', 'hidden');
RESET ROLE;
GRANT ALL ON ALL TABLES IN SCHEMA staff TO t_labels_other;
SET ROLE t_labels_other;
SELECT text2sql.label('staff.people', 'city', NULL);
DELETE FROM text2sql.label;
RESET ROLE;
SELECT count(*) FROM text2sql.label WHERE column_name = 'city';
DROP VIEW seen;
DROP OWNED BY t_labels_owner, t_labels_other;
DROP ROLE t_labels_owner, t_labels_other;
\c regression
SET client_min_messages = warning;
DROP DATABASE t_labels_from;
DROP DATABASE t_labels_to;
