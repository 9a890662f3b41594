-- Cases 19 to 22: rows, bytes, time, cost, size, depth and memory; the backend lives on.
SET client_min_messages = warning;
CREATE SCHEMA t_limits;
SET search_path = t_limits, public;
CREATE TABLE t AS SELECT g AS id, 'abcdefgh' AS note FROM generate_series(1, 2000) g;
ANALYZE t;
CREATE FUNCTION state_of(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
    SELECT count(*) INTO n FROM text2sql.run(sql);
    RETURN n || ' rows';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ': ' || left(SQLERRM, 70);
END $$;
SET text2sql.max_rows = 7;
SELECT id FROM text2sql.run('SELECT id FROM t ORDER BY id') AS r(j), LATERAL (SELECT (j ->> 'id')::int AS id) i;
SET client_min_messages = error;
SET text2sql.max_rows = 256;
SELECT state_of('SELECT id FROM t');
SET text2sql.max_rows = 2000;
SELECT state_of('SELECT id FROM t');
RESET text2sql.max_rows;
SET text2sql.max_result_size = '2kB';
SELECT state_of('SELECT note FROM t');
RESET text2sql.max_result_size;
SET text2sql.max_cost = 1000;
SELECT state_of('SELECT 1 FROM t'),
       regexp_replace(state_of('SELECT 1 FROM t a, t b, t c'), 'is \d{9},', 'is N,') AS costly;
SELECT ok, cost > 1000 AS costly FROM text2sql.check('SELECT 1 FROM t a, t b, t c');
RESET text2sql.max_cost;
-- the own timer, although the session has none
SET text2sql.query_timeout = 200;
SHOW statement_timeout;
SELECT state_of('SELECT count(*) FROM t a, t b, t c');
SELECT state_of('SELECT * FROM generate_series(1, 1000000000)');
SELECT state_of('WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT sum(n) FROM r');
-- a function that catches its end is ended again
CREATE FUNCTION stubborn() RETURNS int STABLE LANGUAGE plpgsql AS $$ BEGIN
    BEGIN LOOP END LOOP; EXCEPTION WHEN query_canceled THEN NULL; END;
    LOOP END LOOP;
END $$;
SELECT state_of('SELECT stubborn()');
-- one that catches its end and calls itself: no call begins once the time is over, for no row
CREATE FUNCTION again() RETURNS int STABLE LANGUAGE plpgsql AS $$ BEGIN
    BEGIN PERFORM t_limits.again(); EXCEPTION WHEN query_canceled OR OTHERS THEN NULL; END;
    BEGIN PERFORM count(*) FROM pg_catalog.pg_class; EXCEPTION WHEN query_canceled OR OTHERS THEN NULL; END;
    RETURN 1;
END $$;
SELECT clock_timestamp() AS before \gset
SELECT state_of('SELECT sum(id) FILTER (WHERE again() > 0) OVER (ORDER BY id) FROM t WHERE id <= 50');
SELECT clock_timestamp() - :'before' < '6 s' AS soon;
-- the caller's own timeout goes on as what it is
SET text2sql.query_timeout = 5000;
SET statement_timeout = 200;
SELECT count(*) FROM text2sql.run('SELECT count(*) FROM t a, t b, t c');
RESET statement_timeout;
-- a search looks for no interrupt: it is stopped when it is done, and the error says so
CREATE FUNCTION detail_of(sql text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE why text; BEGIN
    PERFORM text2sql.run(sql);
    RETURN 'ran';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS why = PG_EXCEPTION_DETAIL;
    RETURN SQLERRM || ' / ' || regexp_replace(why, '\d{3,} ms', 'N ms');
END $$;
SET text2sql.query_timeout = 100;
SELECT detail_of('SELECT strpos(repeat(''a'', 200000), ''b'' || repeat(''a'', 8000)) FROM t WHERE id <= 2');
SET text2sql.query_timeout = 5000;
-- size and depth
SELECT state_of('SELECT ' || repeat('(', 20000) || '1' || repeat(')', 20000));
SELECT state_of('SELECT ' || repeat('1 + ', 60000) || '1');
-- what is deep is no reason to refuse, nor to refuse everything from then on
SELECT n, state_of('SELECT ' || repeat('1 + ', n) || '1') FROM unnest(ARRAY[500, 1000, 2000]) n;
SELECT state_of('SELECT 1 -- ' || repeat('x', 1000000));
SELECT state_of('SELECT ' || repeat('NOT ', 50000) || 'true');
-- PostgreSQL's scanner reads the rest of a run of signs again for each comment or operator in it
SELECT state_of(repeat('/*', 50000) || repeat('*/', 50000) || 'SELECT 1');
SELECT state_of('SELECT ' || repeat('*', 200000) || '1');
SELECT state_of('/* ' || repeat('*', 4000) || ' */ SELECT 1');
SELECT state_of('SELECT length(repeat(''x'', 1000000000)) + length(repeat(''y'', 1000000000))') LIKE '5%' AS stopped;
-- memory: of one query, in its plan and in its run, however the session bounds sorts and hashes
RESET text2sql.query_timeout;
SET text2sql.max_memory = '64MB';
SELECT state_of('SELECT ' || string_agg(format('length(repeat(chr(64 + %s), 300000000))', n), ' + ')) FROM generate_series(1, 20) n;
SELECT state_of('SELECT cardinality(array_agg(g)) FROM (SELECT generate_series(1, 100000000) AS g) s');
SELECT state_of('SELECT id FROM t');
RESET text2sql.max_memory;
-- a value of more than PostgreSQL's 1 GB, which it calls an internal error or out of memory
SET text2sql.max_memory = '8GB';
SELECT state_of('SELECT repeat(''x'', 300000000) ~ ''y''');
SELECT state_of('SELECT length(string_agg(repeat(''x'', 100000000), '''')) FROM generate_series(1, 100)');
RESET text2sql.max_memory;
SELECT 1 AS the_backend_lives_on;
-- a function that asks for debugging messages: after each PostgreSQL looks for interrupts, also while a
-- subtransaction begins, where an error ended the session
CREATE FUNCTION talks() RETURNS int LANGUAGE plpgsql STABLE SET client_min_messages = debug5 AS $$ BEGIN
    LOOP BEGIN PERFORM 1; EXCEPTION WHEN query_canceled OR OTHERS THEN NULL; END; END LOOP;
END $$;
CREATE FUNCTION warns() RETURNS int LANGUAGE plpgsql STABLE SET client_min_messages = warning AS $$ BEGIN RETURN 1; END $$;
SELECT state_of('SELECT talks()');
SELECT state_of('SELECT warns()');
DROP SCHEMA t_limits CASCADE;
