-- text2sql.index_values() if it cannot work: what is wrong and the command that fixes it.
CREATE SCHEMA t_cannot;
SET search_path = t_cannot, public;
CREATE TABLE fruit (id int PRIMARY KEY, name text);
INSERT INTO fruit VALUES (1, 'Avocado'), (2, 'Quince');
-- pg_trgm is needed for this alone
SELECT * FROM text2sql.index_values();
SELECT value FROM text2sql.search_values('Avocado', '{fruit}');
CREATE EXTENSION pg_trgm;
BEGIN READ ONLY;
SELECT * FROM text2sql.index_values();
ROLLBACK;
BEGIN READ ONLY;
SELECT text2sql.unindex_values();
ROLLBACK;
SELECT * FROM text2sql.index_values('{fruit}', '{colour}');
SELECT * FROM text2sql.index_values('{pg_class}');
SELECT * FROM text2sql.index_values('{}');
-- it reports its steps, and a cancelled or failed one leaves nothing
SET text2sql.progress = on;
SELECT * FROM text2sql.index_values('{fruit}');
BEGIN;
INSERT INTO fruit SELECT g, 'Fruit ' || g FROM generate_series(10, 100000) g;
SET LOCAL statement_timeout = 60;
SELECT * FROM text2sql.index_values('{fruit}');
ROLLBACK;
RESET text2sql.progress;
SELECT "table", distinct_values FROM text2sql.value_index;
-- a read-only transaction searches
BEGIN READ ONLY;
SELECT value FROM text2sql.search_values('avacado', '{fruit}');
ROLLBACK;
SET client_min_messages = warning;
DROP SCHEMA t_cannot CASCADE;
DROP EXTENSION pg_trgm CASCADE;
