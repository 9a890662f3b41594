-- A parallel worker has no gate, so none runs while the gate is closed, whatever a function sets
-- for itself and whenever its plan was made.
SET client_min_messages = warning;
CREATE SCHEMA t_workers;
SET search_path = t_workers, public;
CREATE EXTENSION dblink;
CREATE TABLE big AS SELECT g AS id FROM generate_series(1, 5000) g;
ANALYZE big;
CREATE TABLE caught (by text);
-- 16 has another name for it
SELECT CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'force_parallel_mode'
       ELSE 'debug_parallel_query' END AS forced,
       format('host=%s port=%s dbname=%s user=postgres', current_setting('unix_socket_directories'),
              current_setting('port'), current_database()) AS here \gset
-- what the gate refuses in the process that has it
CREATE FUNCTION reads_process() RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN RETURN 'it is ' || (pg_backend_pid() > 0); END $$;
CREATE FUNCTION reads_activity() RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN RETURN (SELECT 'it is ' || count(*) FROM pg_stat_get_activity(NULL)); END $$;
-- not echoed: it names this machine's folder
\set ECHO none
SELECT format($f$CREATE FUNCTION writes() RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN RETURN dblink_exec(%L, 'INSERT INTO t_workers.caught VALUES (''dblink'')'); END $$ $f$, :'here') \gexec
\set ECHO all
CREATE FUNCTION sends(sql text) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET :forced = on SET parallel_setup_cost = 0 SET parallel_tuple_cost = 0 SET min_parallel_table_scan_size = 0
AS $$ DECLARE x text; BEGIN EXECUTE sql INTO x; RETURN x; END $$;
CREATE FUNCTION returns_rows() RETURNS SETOF text LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET :forced = on SET parallel_setup_cost = 0 SET parallel_tuple_cost = 0 SET min_parallel_table_scan_size = 0
AS $$ BEGIN RETURN QUERY SELECT t_workers.reads_process() FROM t_workers.big WHERE id = 7; END $$;
CREATE FUNCTION has_a_plan() RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET :forced = on SET plan_cache_mode = force_generic_plan SET parallel_setup_cost = 0
    SET parallel_tuple_cost = 0 SET min_parallel_table_scan_size = 0
AS $$ DECLARE x text; BEGIN SELECT max(t_workers.reads_process()) INTO x FROM t_workers.big WHERE id = 7; RETURN x; END $$;

CREATE FUNCTION verdict(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n text;
BEGIN
    SELECT string_agg(r::text, ' ') INTO n FROM text2sql.run(sql) r;
    RETURN 'ran: ' || n;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
-- a superuser who insists, an ordinary role
CREATE ROLE regress_parallel;
GRANT USAGE ON SCHEMA t_workers TO regress_parallel;
GRANT SELECT ON ALL TABLES IN SCHEMA t_workers TO regress_parallel;
SET text2sql.allow_superuser = on;
SELECT verdict($$SELECT sends('SELECT t_workers.writes()')$$);
SELECT count(*) FROM caught;
SET ROLE regress_parallel;
SELECT verdict($$SELECT sends('SELECT t_workers.reads_process()')$$);
SELECT verdict($$SELECT sends('SELECT t_workers.reads_activity() FROM t_workers.big LIMIT 1')$$);
SELECT verdict('SELECT r FROM returns_rows() AS r');
-- with plans that were made while the gate was open
SELECT has_a_plan() LIKE 'it is %' AS ran, has_a_plan() LIKE 'it is %' AS again;
SELECT verdict('SELECT has_a_plan()');
BEGIN;
SELECT has_a_plan() LIKE 'it is %' AS ran;
SELECT verdict('SELECT has_a_plan()');
COMMIT;
SELECT has_a_plan() LIKE 'it is %' AS still;
-- and what is harmless runs, in this process
SELECT verdict($$SELECT sends('SELECT count(*) FROM t_workers.big')$$);
RESET ROLE;
DROP EXTENSION dblink;
DROP SCHEMA t_workers CASCADE;
DROP OWNED BY regress_parallel;
DROP ROLE regress_parallel;
