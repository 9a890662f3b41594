-- :n distinct stored values: building their index, and look-ups of values as they are, of some of
-- their words, and mistyped, beside ILIKE and plain pg_trgm over the same column, and beside all
-- other tables of the database.
\pset footer off
\pset border 2
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS text2sql;

-- Names of one to four made-up words, some frequent and most rare, as names are. No chance in it.
CREATE FUNCTION pg_temp.number(seed bigint, below float8) RETURNS int LANGUAGE sql IMMUTABLE AS
    $$ SELECT floor((hashint8extended(seed, 7) & 2147483647) / 2147483648.0 * below)::int $$;
CREATE FUNCTION pg_temp.pick(seed bigint) RETURNS int LANGUAGE sql IMMUTABLE AS
    $$ SELECT floor(power(pg_temp.number(seed, 1e6) / 1e6, 3) * 45000)::int $$;
CREATE TEMP TABLE syllable AS
SELECT row_number() OVER () - 1 AS n, s FROM regexp_split_to_table('ba be bi bo bu ca ce co da de di do fa fe fi ga ge go ha he hi
ho ka ke ki la le li lo lu ma me mi mo mu na ne ni no pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu va ve vi wa we wi za ze
zo stra bran chel tor mar lin ner ton ster berg field wick ford ham land gard dale shire vale hurst brook wood stein heim dorf', '\s+') s;
CREATE TEMP TABLE word AS
SELECT row_number() OVER (ORDER BY hashtext(word)) - 1 AS n, word FROM (
    SELECT DISTINCT string_agg(s, '' ORDER BY k) AS word
    FROM generate_series(1, 60000) w, generate_series(1, 4) k, syllable y
    WHERE k <= 2 + pg_temp.number(w, 3) AND y.n = pg_temp.number(100 * w + k, 92)
    GROUP BY w) made;
ANALYZE word;
CREATE TABLE place AS
SELECT name FROM (
    SELECT DISTINCT initcap(concat_ws(' ', a.word, b.word, c.word, d.word)) AS name
    FROM generate_series(1, current_setting('bench.n')::bigint * 2) v
    JOIN word a ON a.n = pg_temp.pick(10 * v)
    LEFT JOIN word b ON b.n = pg_temp.pick(10 * v + 1) AND v % 4 > 0
    LEFT JOIN word c ON c.n = pg_temp.pick(10 * v + 2) AND v % 4 > 1
    LEFT JOIN word d ON d.n = pg_temp.pick(10 * v + 3) AND v % 4 > 2) made
ORDER BY hashtext(name) LIMIT current_setting('bench.n')::bigint;
VACUUM ANALYZE place;

CREATE TABLE timing (what text, ms float8, found bool);
CREATE FUNCTION pg_temp.ms_since(began timestamptz) RETURNS float8 LANGUAGE sql AS
    $$ SELECT 1000 * extract(epoch FROM clock_timestamp() - began)::float8 $$;

-- building, and beside it the trigram index that one would make by hand
DO $$
DECLARE began timestamptz := clock_timestamp();
BEGIN
    PERFORM text2sql.index_values('{place}', max_distinct => 100000000);
    INSERT INTO timing VALUES ('build', pg_temp.ms_since(began));
    began := clock_timestamp();
    PERFORM text2sql.index_values('{place}', max_distinct => 100000000);
    INSERT INTO timing VALUES ('refresh', pg_temp.ms_since(began));
    began := clock_timestamp();
    CREATE INDEX place_trigrams ON place USING gin (name gin_trgm_ops);
    INSERT INTO timing VALUES ('plain', pg_temp.ms_since(began));
END
$$;
VACUUM ANALYZE place, text2sql.indexed_value, text2sql.indexed_word;

\echo figures: values_index
SELECT what AS "index", round(count(*)::numeric / 1000) || ' k' AS "values", round(max(ms)::numeric / 1000, 1) AS "s",
       round(count(*) / max(ms)) AS "values a ms", pg_size_pretty(max(bytes)) AS size
FROM place, (SELECT what, ms, CASE what
    WHEN 'plain' THEN pg_relation_size('place_trigrams')
    WHEN 'build' THEN pg_total_relation_size('text2sql.indexed_value') + pg_total_relation_size('text2sql.indexed_word') END AS bytes
  FROM timing) t GROUP BY what ORDER BY what;
DELETE FROM timing;

-- Look-ups: of each sample the value as it is, its last words, and with two neighbouring letters
-- exchanged in its longest word. Found: the value is among the first ten.
CREATE FUNCTION pg_temp.mistyped(name text) RETURNS text LANGUAGE sql AS $$
    SELECT replace(name, word, overlay(word PLACING substr(word, 5, 1) || substr(word, 4, 1) FROM 4 FOR 2))
    FROM unnest(string_to_array(name, ' ')) word ORDER BY length(word) DESC, word LIMIT 1
$$;
CREATE TABLE written ();
DO 'BEGIN CREATE ROLE bench_reader; EXCEPTION WHEN duplicate_object THEN NULL; END';
GRANT SELECT ON ALL TABLES IN SCHEMA public TO bench_reader;
REVOKE ALL ON timing FROM bench_reader;
GRANT INSERT ON written TO bench_reader;
CREATE TABLE sample AS
SELECT lower(name) AS whole, substr(name, 1 + strpos(name, ' ')) AS part, pg_temp.mistyped(name) AS mistyped, name
FROM place WHERE name LIKE '% %' AND length(name) BETWEEN 12 AND 40 ORDER BY hashtext(name || 'x') LIMIT 200;

-- As a role that reads neither the samples nor the times. Nothing is written meanwhile, unless `before` says so.
CREATE FUNCTION pg_temp.measure(what text, how text, samples int, before text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    names text[];
    phrases text[];
    began timestamptz;
    got text[];
    ms float8[];
    found bool[];
BEGIN
    EXECUTE format('SELECT array_agg(name), array_agg(%I) FROM (SELECT * FROM sample LIMIT %s) s', what, samples) INTO names, phrases;
    SET ROLE bench_reader;
    FOR round IN 0 .. 1 LOOP
        FOR i IN 1 .. cardinality(names) LOOP
            EXECUTE before;
            began := clock_timestamp();
            EXECUTE how INTO got USING phrases[i];
            CONTINUE WHEN round = 0;  -- warms the caches
            ms := ms || (1000 * extract(epoch FROM clock_timestamp() - began))::float8;
            found := found || (names[i] = ANY (got));
        END LOOP;
    END LOOP;
    RESET ROLE;
    INSERT INTO timing SELECT rpad(what, 9) || split_part(how, '--', 2), * FROM unnest(ms, found);
END
$$;
-- What reads all values is tried less often where there are many.
CREATE FUNCTION pg_temp.samples(most int) RETURNS int LANGUAGE sql AS
    $$ SELECT ceil(most * least(1, 2e6 / current_setting('bench.n')::float8))::int $$;
\o /dev/null
SELECT format('SELECT pg_temp.measure(%L, %L, %s, %L)', what, how, samples, before) FROM
    unnest(ARRAY['whole', 'part', 'mistyped']) what,
    (VALUES ('SELECT array_agg(value) FROM text2sql.search_values($1, ''{place}'', 10) -- search_values()', 200, 'SELECT'),
            ('SELECT array_agg(value) FROM text2sql.search_values($1, k => 10) -- search_values() in all tables', 200, 'SELECT'),
            ('SELECT array_agg(value) FROM text2sql.search_values($1, k => 10) -- the same after a row was written', 200,
             'INSERT INTO written DEFAULT VALUES'),
            ('SELECT array_agg(name) FROM (SELECT name FROM place WHERE name % $1 ORDER BY similarity(name, $1) DESC LIMIT 10) x -- pg_trgm, name % phrase',
             pg_temp.samples(25), 'SELECT'),
            ('SELECT array_agg(name) FROM (SELECT /*+ scan */ name FROM place WHERE name || '''' ILIKE ''%'' || $1 || ''%'' LIMIT 10) x -- ILIKE, a scan',
             pg_temp.samples(10), 'SELECT')
    ) h(how, samples, before)
\gexec
\o

\echo figures: values_lookup
SELECT what AS "look-up", count(*) AS samples, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric, 2) AS "median ms",
       round(percentile_cont(0.95) WITHIN GROUP (ORDER BY ms)::numeric, 2) AS "p95 ms",
       round(100.0 * count(*) FILTER (WHERE found) / count(*)) || ' %' AS found,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) / min(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms))
              OVER (PARTITION BY split_part(what, ' ', 1)))::numeric, 1) AS "x the fastest"
FROM timing GROUP BY what ORDER BY split_part(what, ' ', 1) DESC, 3;
DELETE FROM timing;

-- Values for a prompt of strategy mag (longest common substring), of questions of several phrases;
-- beside it what reading the column once takes, which a scan of it cannot beat.
DO $$
DECLARE
    s record;
    began timestamptz;
BEGIN
    SET text2sql.skip_steps = 'mag.summaries, mag.decomposer';
    FOR round IN 0 .. 1 LOOP
        FOR s IN SELECT * FROM sample LIMIT pg_temp.samples(50) LOOP
            began := clock_timestamp();
            PERFORM text2sql.preview('How many visitors came to ' || s.mistyped || ' or ' || s.part || ' last year?', strategy => 'mag');
            CONTINUE WHEN round = 0;
            INSERT INTO timing VALUES ('mag, values and prompt', pg_temp.ms_since(began));
            began := clock_timestamp();
            PERFORM max(length(name)) FROM place;
            INSERT INTO timing VALUES ('reading the column once', pg_temp.ms_since(began));
        END LOOP;
    END LOOP;
END
$$;
\echo figures: values_substring
SELECT what AS "longest common substring", count(*) AS samples,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric, 2) AS "median ms",
       round(percentile_cont(0.95) WITHIN GROUP (ORDER BY ms)::numeric, 2) AS "p95 ms"
FROM timing GROUP BY what ORDER BY what;
DROP TABLE place, sample, timing, written;
