-- Another session holds ACCESS EXCLUSIVE on tables, one of them never analysed: nothing waits for
-- them before a model is asked.
SET client_min_messages = warning;
CREATE EXTENSION dblink;
CREATE SCHEMA t_locks;
SET search_path = t_locks, public;
CREATE TABLE held (id int PRIMARY KEY, town text);
CREATE TABLE free (id int PRIMARY KEY, held_id int, town text);
CREATE VIEW seen AS SELECT town FROM held;
CREATE TABLE parts (id int, town text) PARTITION BY LIST (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
CREATE MATERIALIZED VIEW kept AS SELECT town FROM held;
INSERT INTO held VALUES (1, 'Rome');
INSERT INTO free VALUES (1, 1, 'Paris');
INSERT INTO parts VALUES (1, 'Oslo');
SELECT dblink_connect('locker', format('host=%s dbname=%s user=postgres',
    split_part(current_setting('unix_socket_directories'), ',', 1), current_database()));
SELECT dblink_exec('locker', 'BEGIN');
SELECT dblink_exec('locker', 'LOCK TABLE t_locks.held, t_locks.parts_1 IN ACCESS EXCLUSIVE MODE');
SELECT dblink_exec('locker', 'REFRESH MATERIALIZED VIEW t_locks.kept');
CREATE SERVER t_locks FOREIGN DATA WRAPPER text2sql OPTIONS (base_url 'http://127.0.0.1:1/v1', model 'm');
SET statement_timeout = '4s';
SELECT text2sql('How many free are there?', strategy => 'builtin');
SELECT value, column_name FROM text2sql.search_values('Paris');
SELECT count(*) > 0 AS asked FROM text2sql.preview('How many free are there?', strategy => 'zero_shot', server => 't_locks');
SELECT column_name, statistics FROM text2sql.search_columns('town of held', 1);
SELECT ok, sqlstate, reason FROM text2sql.check('SELECT town FROM held');
SHOW lock_timeout;
-- whose lock it is can be asked, also where the locked table stands behind one that the query names
SELECT text2sql.run('SELECT town FROM held');
SELECT text2sql.run('SELECT town FROM seen');
SET lock_timeout = '200ms';
SELECT text2sql.run('SELECT town FROM parts');
RESET lock_timeout;
SELECT text2sql.run('SELECT town FROM parts', options => '{"query_timeout": "200ms"}');
SELECT mode, application_name FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE relation = 't_locks.held'::regclass;
SELECT DISTINCT relation::regclass FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE mode = 'AccessExclusiveLock' AND datname = current_database() AND relation IN ('held'::regclass, 'parts_1'::regclass) ORDER BY 1;
SELECT dblink_exec('locker', 'COMMIT');
-- what could not be read is read once it can be
SELECT column_name, statistics FROM text2sql.search_columns('town of held', 1);
SELECT value, column_name FROM text2sql.search_values('Rome', '{held}');
SELECT ok, sqlstate, reason FROM text2sql.check('SELECT town FROM held');
RESET statement_timeout;
SELECT dblink_disconnect('locker');
DROP SERVER t_locks;
DROP SCHEMA t_locks CASCADE;
DROP EXTENSION dblink;
