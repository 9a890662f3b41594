-- A function that somebody replaces while a query calls it is judged again at its next call.
SET client_min_messages = warning;
CREATE SCHEMA t_again;
SET search_path = t_again, public;
CREATE EXTENSION dblink;
CREATE ROLE regress_mallory;
GRANT USAGE, CREATE ON SCHEMA t_again TO regress_mallory;
CREATE TABLE number AS SELECT g AS id FROM generate_series(1, 3000) g;
-- slow; it looks something up, by which a session hears of changes
CREATE FUNCTION makes_slow() RETURNS text LANGUAGE sql AS $f$ SELECT $$
    CREATE OR REPLACE FUNCTION t_again.slow(n int) RETURNS int LANGUAGE plpgsql STABLE AS 'DECLARE x int; BEGIN
        PERFORM to_regcollation(format(''none_%s'', n));
        FOR i IN 1..20000 LOOP x := i; END LOOP;
        RETURN 0;
    END' $$ $f$;
-- a query in another session, and what a third one does once it has begun
CREATE FUNCTION meanwhile(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN
    PERFORM dblink_exec('makes', makes_slow());
    PERFORM dblink_send_query('asks', $q$SELECT r::text FROM text2sql.run(
        'SELECT sum(t_again.slow(id)) > 0 AS replaced FROM t_again.number') r$q$);
    FOR i IN 1..500 LOOP
        EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE relation = 't_again.number'::regclass);
        PERFORM pg_sleep(0.02);
    END LOOP;
    PERFORM pg_sleep(0.5);
    PERFORM dblink_exec('makes', change);
    SELECT r INTO answer FROM dblink_get_result('asks', false) AS t(r text);
    answer := coalesce(answer, split_part(dblink_error_message('asks'), E'\n', 1));
    PERFORM FROM dblink_get_result('asks') AS t(r text);
    RETURN answer;
END $$;
-- not echoed: it names this machine's folder
\set ECHO none
SELECT format('host=%s port=%s dbname=%s user=postgres', current_setting('unix_socket_directories'),
              current_setting('port'), current_database()) AS here \gset
SELECT dblink_connect('asks', :'here'), dblink_connect('makes', :'here');
\set ECHO all
SELECT dblink_exec('asks', 'SET text2sql.query_timeout = 60000'),
       dblink_exec('asks', 'SET text2sql.allow_superuser = on'), dblink_exec('makes', 'SET ROLE regress_mallory');
-- so that its next query begins at once
SELECT ok FROM dblink('asks', $$SELECT ok FROM text2sql.check('SELECT count(*) FROM t_again.number')$$) AS t(ok boolean);
-- it is as good as before
SELECT meanwhile('CREATE OR REPLACE FUNCTION t_again.slow(n int) RETURNS int LANGUAGE plpgsql STABLE AS ''BEGIN RETURN 1; END''');
-- it is volatile, by its text or only by its mark; it sets what others see
SELECT meanwhile('CREATE OR REPLACE FUNCTION t_again.slow(n int) RETURNS int LANGUAGE plpgsql VOLATILE AS ''BEGIN RETURN 1; END''');
SELECT meanwhile('ALTER FUNCTION t_again.slow(int) VOLATILE');
SELECT meanwhile('ALTER FUNCTION t_again.slow(int) SET application_name = ''told''');
SELECT dblink_disconnect('asks'), dblink_disconnect('makes');
DROP OWNED BY regress_mallory;
DROP SCHEMA t_again CASCADE;
DROP ROLE regress_mallory;
