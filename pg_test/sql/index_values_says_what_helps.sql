-- text2sql.index_values() if it cannot work: what is wrong and the command that fixes it.
CREATE SCHEMA t_cannot;
SET search_path = t_cannot, public;
CREATE TABLE fruit (id int PRIMARY KEY, name text);
INSERT INTO fruit VALUES (1, 'Avocado'), (2, 'Quince');
-- pg_trgm is needed for this alone
SELECT * FROM text2sql.index_values();
SELECT value FROM text2sql.search_values('Avocado', '{fruit}');
CREATE EXTENSION pg_trgm;
-- another session's first index of values, not committed yet: the wait is told, and ends as any does
SET client_min_messages = warning;
CREATE EXTENSION dblink;
SELECT dblink_connect('first', format('host=%s dbname=%s user=postgres',
    split_part(current_setting('unix_socket_directories'), ',', 1), current_database()));
SELECT dblink_exec('first', 'CREATE TABLE t_cannot.nut (name text); INSERT INTO t_cannot.nut VALUES (''Pecan'')');
RESET client_min_messages;
SELECT dblink_exec('first', 'BEGIN');
SELECT * FROM dblink('first', $$SELECT added FROM text2sql.index_values('{t_cannot.nut}')$$) AS t(added bigint);
SET lock_timeout = 100;
SELECT * FROM text2sql.index_values('{fruit}');
RESET lock_timeout;
SELECT dblink_send_query('first', 'SELECT pg_sleep(1); COMMIT');
SELECT * FROM text2sql.index_values('{fruit}');
SELECT dblink_disconnect('first');
SELECT text2sql.unindex_values();
DROP TABLE nut;
DROP EXTENSION dblink;
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
SELECT table_name, distinct_values FROM text2sql.value_index;
-- a read-only transaction searches
BEGIN READ ONLY;
SELECT value FROM text2sql.search_values('avacado', '{fruit}');
ROLLBACK;
SET client_min_messages = warning;
DROP SCHEMA t_cannot CASCADE;
DROP EXTENSION pg_trgm CASCADE;
