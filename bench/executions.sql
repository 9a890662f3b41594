-- How often the query of a question is run over :rows rows, and for how long: the query itself,
-- text2sql(), which has text2sql.dry_run_timeout for it, ask(), and explain() with its rows.
\set ON_ERROR_STOP on
\pset footer off
\pset border 2
SET client_min_messages = warning;
CREATE UNLOGGED TABLE reading AS
    SELECT n AS id, 'sensor ' || n % 1000 AS sensor, n % 97 * 0.5 AS level FROM generate_series(1, :rows) n;
ALTER TABLE reading ADD PRIMARY KEY (id);
VACUUM ANALYZE reading;
SET text2sql.strategy = builtin;
SET text2sql.schemas = public;
SET text2sql.query_timeout = '10min';
SET max_parallel_workers_per_gather = 0;  -- as a generated query runs
CREATE TEMP TABLE run (n serial, call text, executions bigint, ms numeric);

-- Scans that this transaction began of the table, those of a rolled-back sandbox among them.
CREATE FUNCTION pg_temp.scans() RETURNS bigint LANGUAGE sql AS
    $$ SELECT pg_stat_get_xact_numscans('reading'::regclass) $$;

CREATE FUNCTION pg_temp.measure(call text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    before bigint := pg_temp.scans();
    began timestamptz := clock_timestamp();
BEGIN
    EXECUTE 'SELECT count(*) FROM (' || call || ') AS called';
    INSERT INTO run (call, executions, ms) VALUES
        (call, pg_temp.scans() - before, round(1000 * extract(epoch FROM clock_timestamp() - began), 1));
END
$$;

SELECT text2sql('average level of the readings for each sensor') AS sql \gset
\echo :sql
SELECT pg_temp.measure(:'sql') \g /dev/null
TRUNCATE run;
SELECT pg_temp.measure(call) FROM (VALUES
    (:'sql'),
    ($$SELECT ask('average level of the readings for each sensor')$$),
    (:'sql'),
    ($$SELECT text2sql('average level of the readings for each sensor')$$),
    ($$SELECT text2sql.explain('average level of the readings for each sensor', execute => true)$$)
) AS calls (call) \g /dev/null
SET text2sql.dry_run_timeout = 0;
SELECT pg_temp.measure($$SELECT text2sql('average level of the readings for each sensor')$$) \g /dev/null
RESET text2sql.dry_run_timeout;
\echo figures: executions
SELECT call, executions, ms FROM run ORDER BY n;
SELECT json_pretty.line AS "what explain() says was run"
FROM jsonb_array_elements(text2sql.explain('average level of the readings for each sensor', execute => true)::jsonb -> 'executions') AS json_pretty (line);
DROP TABLE reading;
