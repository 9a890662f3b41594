-- Everybody's questions read past the views and tables that anybody made: what is deep, long or
-- doubles with each generation neither ends nor holds up a question of another role.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS text2sql;
CREATE SCHEMA t_made;
SET search_path = t_made;
CREATE TABLE fact (id int, name text);
INSERT INTO fact VALUES (1, 'x');
CREATE ROLE regress_maker;
CREATE ROLE regress_other;
GRANT ALL ON SCHEMA t_made TO regress_maker;
GRANT USAGE ON SCHEMA t_made TO regress_other;
GRANT SELECT ON fact TO regress_other;
CREATE FUNCTION asked(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE count int;
BEGIN
    SELECT count(*) INTO count FROM text2sql.run(sql);
    RETURN count || ' rows';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ': ' || left(SQLERRM, 60);
END $$;

SET ROLE regress_maker;
-- long values that nothing compresses, as many as ANALYZE keeps, in many tables; of letters, which are sooner known to be no secret
DO $$ BEGIN
    FOR n IN 1..5 LOOP
        EXECUTE format('CREATE TABLE heavy%s (a text)', n);
        EXECUTE format('ALTER TABLE heavy%s ALTER a SET STATISTICS 10000', n);
        EXECUTE format('INSERT INTO heavy%s SELECT (SELECT left(translate(string_agg(md5(''%s-'' || k || ''-'' || g / 2), ''''), '
            '''0123456789'', ''ghijklmnop''), 190) FROM generate_series(g - g, 5) k) FROM generate_series(1, 16000) g', n, n);
        EXECUTE format('ANALYZE heavy%s', n);
        EXECUTE format('GRANT SELECT ON heavy%s TO regress_other', n);
    END LOOP;
END $$;
RESET ROLE;
-- a session keeps a part of the values of all tables, and PostgreSQL's cache of their statistics is dropped
CREATE FUNCTION megabytes() RETURNS int LANGUAGE sql SECURITY DEFINER AS
    $$ SELECT (m[2] - m[3]) / 256 FROM (SELECT string_to_array(pg_read_file('/proc/self/statm', 0, 100), ' ')::int[]) AS s(m) $$;
\c -
SET search_path = t_made;
SET ROLE regress_other;
SELECT megabytes() AS before \gset
SELECT count(*) FROM text2sql.search_values('heavy');
SELECT CASE WHEN megabytes() - :before > 120 THEN megabytes() - :before END AS too_many_megabytes;
RESET ROLE;
SET allow_system_table_mods = on;
DO $$ BEGIN
    FOR n IN 6..45 LOOP
        EXECUTE format('CREATE TABLE t_made.heavy%s (a text)', n);
        EXECUTE format('GRANT SELECT ON t_made.heavy%s TO regress_other', n);
    END LOOP;
    EXECUTE (SELECT format('INSERT INTO pg_statistic SELECT (''t_made.heavy'' || n)::regclass, %s FROM pg_statistic, generate_series(6, 45) n '
                               || 'WHERE starelid = ''t_made.heavy1''::regclass', string_agg(attname, ', ' ORDER BY attnum))
             FROM pg_attribute WHERE attrelid = 'pg_statistic'::regclass AND attnum > 1);
END $$;
\c -
SET client_min_messages = warning;
SET search_path = t_made;
SET ROLE regress_other;
SELECT megabytes() AS before \gset
SELECT count(*) FROM generate_series(6, 45) n, text2sql.check(format('SELECT a FROM heavy%s', n)) WHERE ok;
SELECT CASE WHEN megabytes() - :before > 50 THEN megabytes() - :before END AS too_many_megabytes;
RESET ROLE;
DO $$ BEGIN
    FOR n IN 1..45 LOOP
        EXECUTE format('DROP TABLE t_made.heavy%s', n);
    END LOOP;
END $$;

SET ROLE regress_maker;
CREATE TABLE base (a int, b text);
INSERT INTO base VALUES (1, 'tag');
SELECT text2sql.label('base', 'b', 'no_values');
-- 4,000 WITH queries, each over the one before: the label follows through as many
DO $$ BEGIN
    EXECUTE (SELECT 'CREATE VIEW chain AS WITH c0 AS (SELECT a, b FROM t_made.base), '
                    || string_agg(format('c%s AS (SELECT a, b FROM c%s)', n, n - 1), ', ' ORDER BY n)
                    || ' SELECT a, b AS other FROM c4000' FROM generate_series(1, 4000) n);
    EXECUTE (SELECT 'CREATE VIEW shorter AS WITH c0 AS (SELECT a, b FROM t_made.base), '
                    || string_agg(format('c%s AS (SELECT a, b FROM c%s)', n, n - 1), ', ' ORDER BY n)
                    || ' SELECT a, b AS other FROM c80' FROM generate_series(1, 80) n);
END $$;
-- a rule of more than four megabytes over what is labelled
DO $$ BEGIN
    EXECUTE (SELECT 'CREATE VIEW long AS SELECT ' || string_agg('CASE ' || w || ' END AS c' || n, ', ') || ' FROM t_made.base'
             FROM generate_series(1, 16) n,
                  (SELECT string_agg(format('WHEN a > %s AND b < ''%s'' THEN %s', k, k, k), ' ') FROM generate_series(1, 400) k) AS s(w));
END $$;
-- an expression so deep that PostgreSQL just stores it
DO $$
DECLARE deep int := 8000;
BEGIN
    LOOP
        BEGIN
            EXECUTE 'CREATE VIEW deep AS SELECT a' || repeat(' + a', deep) || ' AS a, b FROM t_made.base';
            EXIT;
        EXCEPTION WHEN statement_too_complex THEN deep := deep - 200;
        END;
    END LOOP;
END $$;
-- a ladder of tables with two parents each: the ways up it double with each rung
DO $$ BEGIN
    CREATE TABLE l0 (v text);
    CREATE TABLE r0 (v text);
    PERFORM text2sql.label('l0', 'no_values');
    FOR n IN 1..30 LOOP
        EXECUTE format('CREATE TABLE l%s () INHERITS (l%s, r%s)', n, n - 1, n - 1);
        EXECUTE format('CREATE TABLE r%s () INHERITS (l%s, r%s)', n, n - 1, n - 1);
    END LOOP;
    INSERT INTO r30 VALUES ('a value');
END $$;
-- comments as large as PostgreSQL keeps them
CREATE TABLE told (id int, height int, width int);
DO $$ BEGIN
    EXECUTE format('COMMENT ON COLUMN told.height IS %L', 'zebra ' || repeat('ä', 8000000) || ' giraffe');
    EXECUTE format('COMMENT ON COLUMN told.width IS %L',
                   'zebra ' || (SELECT string_agg('word' || n, ' ') FROM generate_series(1, 1000000) n) || ' giraffe');
END $$;
-- as many values as ANALYZE may keep, in many columns
CREATE TABLE fat (id int);
DO $$ BEGIN
    FOR n IN 1..15 LOOP
        EXECUTE format('ALTER TABLE fat ADD colour%s text', n);
        EXECUTE format('ALTER TABLE fat ALTER colour%s SET STATISTICS 10000', n);
    END LOOP;
    EXECUTE 'INSERT INTO fat SELECT g, '
        || (SELECT string_agg(format('%L || g / 2 || %L', 'Colour ', ' of the long and winding road'), ', ')
            FROM generate_series(1, 15))
        || ' FROM generate_series(2, 16001) g';
END $$;
ANALYZE fat;
GRANT SELECT ON base, chain, shorter, long, deep, l0, r30, told, fat TO regress_other;

SET ROLE regress_other;
SET statement_timeout = '60s';
SELECT asked('SELECT count(*) FROM fact');
SELECT asked('SELECT other FROM chain'), asked('SELECT other FROM shorter'), asked('SELECT c1 FROM long');
SELECT asked('SELECT a FROM deep') ~ '^(1 rows|54001|42T06)' AS read_or_too_deep;
SELECT asked('SELECT v FROM l0');
SELECT tables, columns FROM text2sql.check('SELECT v FROM r30');
SELECT count(*) FILTER (WHERE phrase = 'zebra') AS begins, count(*) FILTER (WHERE phrase = 'giraffe') AS ends
FROM unnest(ARRAY['zebra', 'giraffe']) phrase, text2sql.search_columns(phrase, 10) WHERE table_name = 'told';
SELECT count(*) AS columns, count(*) FILTER (WHERE statistics ~ 'winding') BETWEEN 6 AND 14 AS values_of_some
FROM text2sql.search_columns('colour', 50) WHERE table_name = 'fat';
-- the labels are known all the way
SELECT regexp_replace(content, '.*?(\y(?:chain|shorter|r30|long)\y)', '\1', 'g') ~ 'tag|a value' AS shows_values
FROM text2sql.preview('shorter', hint => 'chain shorter r30 long', strategy => 'zero_shot') WHERE role = 'user';
RESET ROLE;
DROP SCHEMA t_made CASCADE;
DROP ROLE regress_maker, regress_other;
