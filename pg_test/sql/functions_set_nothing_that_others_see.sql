-- A setting that an ordinary role's function has for itself: what formats, finds names or helps to plan is
-- allowed, and what only SQL reads; not what other sessions see, what ends the session or lifts a limit.
SET client_min_messages = warning;
CREATE SCHEMA t_sets;
SET search_path = t_sets, public;
CREATE ROLE regress_mallory;
GRANT USAGE, CREATE ON SCHEMA t_sets TO regress_mallory;
CREATE EXTENSION pg_trgm SCHEMA t_sets;
CREATE FUNCTION verdict(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n text;
BEGIN
    SELECT string_agg(r::text, ' ') INTO n FROM text2sql.run(sql) r;
    RETURN 'ran: ' || n;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
SET ROLE regress_mallory;
SELECT show_limit() > 0 AS loaded;
CREATE FUNCTION sets() RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN 1; END $$;
RESET ROLE;
-- set by a superuser, who alone may name a setting that nobody has defined; the function stays the role's
CREATE FUNCTION tried(setting text, value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n text;
BEGIN
    EXECUTE format('ALTER FUNCTION sets() SET %s = %L', setting, value);
    n := verdict('SELECT sets()');
    ALTER FUNCTION sets() RESET ALL;
    RETURN n;
END $$;
SELECT setting, tried(setting, value) FROM (VALUES
    ('application_name', 'told'), ('exit_on_error', 'on'), ('client_encoding', 'LATIN1'), ('jit', 'on'),
    ('lock_timeout', '0'), ('seed', '0.5'), ('debug_print_plan', 'on'), ('client_min_messages', 'debug1'),
    ('text2sql.max_memory', '1000000'), ('text2sql.foreign_tables', 'on'), ('postgres_fdw.application_name', 'told'),
    ('"Application_Name"', 'told')) AS s(setting, value);
SELECT setting, tried(setting, value) FROM (VALUES
    ('search_path', 't_sets'), ('"TimeZone"', 'UTC'), ('datestyle', 'ISO'), ('work_mem', '1MB'), ('enable_seqscan', 'off'),
    ('random_page_cost', '1'), ('plan_cache_mode', 'force_generic_plan'), ('statement_timeout', '1000'), ('row_security', 'on'),
    ('client_min_messages', 'warning'), ('app.tenant', 'one'), ('pg_trgm.similarity_threshold', '0.5'),
    ('max_parallel_workers_per_gather', '0'), ('default_text_search_config', 'simple')) AS s(setting, value);
SET ROLE regress_mallory;
-- as part of another, in a view, in a type
ALTER FUNCTION sets() SET application_name = 'told';
CREATE FUNCTION calls() RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN t_sets.sets(); END $$;
CREATE FUNCTION apart(float8, float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE SET application_name = 'told' AS $$ BEGIN RETURN $1 - $2; END $$;
CREATE TYPE span AS RANGE (subtype = float8, subtype_diff = apart);
SELECT verdict('SELECT calls()');
SELECT verdict('SELECT span(1, 2)');
-- outside of questions they do as always
SELECT calls(), upper(span(1, 2));
RESET ROLE;
-- a superuser's function is what it says
CREATE FUNCTION sets_as_superuser() RETURNS int LANGUAGE plpgsql STABLE SET application_name = 'told' AS $$ BEGIN RETURN 1; END $$;
SELECT verdict('SELECT sets_as_superuser()');
DROP OWNED BY regress_mallory CASCADE;
DROP SCHEMA t_sets CASCADE;
DROP ROLE regress_mallory;
