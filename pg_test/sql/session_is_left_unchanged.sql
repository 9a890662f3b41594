-- Settings, role, locks, transaction mode, search path: compared before and after, with and
-- without an error, in read-only transactions too.
SET client_min_messages = warning;
CREATE SCHEMA t_session;
SET search_path = t_session, public;
CREATE TABLE t AS SELECT 1 AS id;
CREATE TABLE p (id int) PARTITION BY LIST (id);
CREATE FUNCTION settings() RETURNS text LANGUAGE sql AS
    $$ SELECT md5(string_agg(name || '=' || setting, ',' ORDER BY name)) FROM pg_settings $$;
CREATE FUNCTION locks() RETURNS bigint LANGUAGE sql AS
    $$ SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
       WHERE l.pid = pg_backend_pid() AND c.relnamespace = 't_session'::regnamespace $$;
DO 'BEGIN END';                           -- loads plpgsql, which brings settings
SELECT count(*) FROM text2sql.run('SELECT 1');
SELECT settings() AS before \gset
CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);  -- the catalog is read again, in the transaction
BEGIN;
SELECT count(*) FROM text2sql.run('SELECT * FROM t');
SELECT count(*) FROM text2sql.check('SELECT nope FROM t');
SELECT settings() = :'before' AS same_settings, locks(), current_user, current_setting('transaction_read_only');
INSERT INTO t VALUES (2);
SAVEPOINT s;
SELECT * FROM text2sql.run('SELECT 1/(id-1) FROM t');
ROLLBACK TO s;
SELECT settings() = :'before' AS same_settings, locks(), current_user, current_setting('transaction_read_only');
COMMIT;
SELECT count(*) FROM t;
-- a volatile function is refused although it would only change a setting
CREATE FUNCTION sneaky() RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM set_config('work_mem', '1MB', false); RETURN 1; END $$;
SELECT * FROM text2sql.run('SELECT sneaky()');
SELECT settings() = :'before' AS same_settings;
-- a function of a superuser's in C that says it is stable is believed; it writes nothing, for the
-- transaction is read-only, and what a sequence gave would not come back with a rollback
CREATE SEQUENCE numbers;
GRANT ALL ON SEQUENCE numbers TO PUBLIC;
CREATE FUNCTION liar(regclass) RETURNS bigint LANGUAGE internal STABLE STRICT AS 'nextval_oid';
SELECT ok FROM text2sql.check($$ SELECT liar('numbers') $$);
SELECT * FROM text2sql.run($$ SELECT liar('numbers') $$);
SELECT is_called FROM numbers;
-- read-only and repeatable-read transactions, and no transaction id is taken
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT count(*) FROM text2sql.run('SELECT * FROM t');
SELECT count(*) FROM text2sql.search_values('x');
SELECT pg_current_xact_id_if_assigned() IS NULL AS no_transaction_id;
COMMIT;
-- pending notifications of the caller survive, temporary tables too
BEGIN;
CREATE TEMP TABLE mine (id int) ON COMMIT DROP;
SELECT count(*) FROM text2sql.run('SELECT * FROM mine');
COMMIT;
-- the environment of the process, which programs inherit
CREATE TABLE environment (line text);
COPY environment FROM PROGRAM 'env | grep BACKTRACE || true';
SELECT * FROM environment;
DROP SCHEMA t_session CASCADE;
