-- What one role makes in any number or size is read by everybody's sessions: once where many things share
-- it, to a bound where it may be of any size, and nobody else's is left out for it.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS text2sql;
CREATE SCHEMA t_many;
SET search_path = t_many;
CREATE ROLE regress_maker;
CREATE ROLE regress_other;
GRANT ALL ON SCHEMA t_many TO regress_maker;
GRANT USAGE ON SCHEMA t_many TO regress_other;
CREATE TABLE fact (id int, name text);
GRANT SELECT ON fact TO regress_other;
ALTER DEFAULT PRIVILEGES FOR ROLE regress_maker GRANT SELECT ON TABLES TO regress_other;
CREATE FUNCTION peak() RETURNS int LANGUAGE sql SECURITY DEFINER AS
    $$ SELECT substring(pg_read_file('/proc/self/status', 0, 2000) FROM 'VmHWM:\s*(\d+)')::int / 1024 $$;

-- an enum of 20,000 labels as the type of 300 columns, and a domain over it
SET ROLE regress_maker;
DO $$ BEGIN
    EXECUTE (SELECT 'CREATE TYPE big AS ENUM (' || string_agg(quote_literal('number ' || g), ', ') || ')' FROM generate_series(1, 20000) g);
    EXECUTE (SELECT 'CREATE TABLE wide (' || string_agg('c' || g || ' big', ', ') || ')' FROM generate_series(1, 300) g);
END $$;
CREATE DOMAIN over_big AS big;
CREATE TABLE narrow (state over_big);
\c -
SET client_min_messages = warning;
SET search_path = t_many;
SET ROLE regress_other;
SET statement_timeout = '60s';
SELECT peak() AS before \gset
SELECT ok FROM text2sql.check('SELECT count(*) FROM fact');
SELECT CASE WHEN peak() - :before > 80 THEN peak() - :before END AS too_many_megabytes;
SELECT content ~ 'one of: ''number 1'', ''number 2''' AS shows_the_first
FROM text2sql.preview('state of narrow', strategy => 'zero_shot') WHERE role = 'user';
SELECT statistics FROM text2sql.search_columns('state narrow', 1);
RESET ROLE;
DROP TABLE wide, narrow;
DROP TYPE big CASCADE;

-- views that are megabytes long: those of one owner that are too much together are not read, the short ones are
SET ROLE regress_maker;
CREATE TABLE one (a int, b text);
CREATE TABLE two (c int, d text);
DO $$
DECLARE
    long text := (SELECT string_agg('CASE ' || w || ' END AS c' || k, ', ')
                  FROM generate_series(1, 8) k,
                       (SELECT string_agg(format('WHEN a > %s AND b < ''%s'' THEN %s', k, k, k), ' ') FROM generate_series(1, 260) k) AS s(w));
BEGIN
    FOR n IN 1..24 LOOP
        EXECUTE format('CREATE TABLE near%s (a int, b text)', n);
        EXECUTE format('CREATE TABLE far%s (f int)', n);
        EXECUTE format('CREATE VIEW long%s AS SELECT %s FROM near%s JOIN far%s ON a = f', n, long, n, n);
    END LOOP;
END $$;
CREATE VIEW short AS SELECT b, d FROM one JOIN two ON a = c;
\c -
SET client_min_messages = warning;
SET search_path = t_many;
SET ROLE regress_other;
SET statement_timeout = '60s';
SELECT peak() AS before \gset
SELECT ok FROM text2sql.check('SELECT count(*) FROM fact');
SELECT CASE WHEN peak() - :before > 60 THEN peak() - :before END AS too_many_megabytes;
CREATE FUNCTION pg_temp.joined(a text, b text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (SELECT FROM text2sql.join_path(ARRAY[a], ARRAY[b]) p WHERE p.alternative IS NOT NULL);
EXCEPTION WHEN OTHERS THEN RETURN false;
END $$;
SELECT pg_temp.joined('one.a', 'two.c') AS short_one,
       (SELECT count(*) FILTER (WHERE pg_temp.joined('near' || n || '.a', 'far' || n || '.f')) BETWEEN 4 AND 20
        FROM generate_series(1, 24) n) AS some_long_ones;
RESET ROLE;
DO $$ BEGIN
    FOR n IN 1..24 LOOP
        EXECUTE format('DROP TABLE near%s, far%s CASCADE', n, n);
    END LOOP;
END $$;

-- labels: 40,000 of one owner. What somebody else's command costs is what it touches.
SET ROLE regress_maker;
DO $$ BEGIN
    FOR n IN 1..40 LOOP
        EXECUTE (SELECT format('CREATE TABLE labelled%s (', n) || string_agg('c' || g || ' int', ', ') || ')' FROM generate_series(1, 1000) g);
    END LOOP;
END $$;
RESET ROLE;
INSERT INTO text2sql.label (schema, relation, column_name, label)
SELECT 't_many', 'labelled' || n, 'c' || g, 'hidden' FROM generate_series(1, 40) n, generate_series(1, 999) g;
ANALYZE text2sql.label;
\c -
SET client_min_messages = warning;
SET search_path = t_many;
SET ROLE regress_other;
SET statement_timeout = '60s';
SELECT tables, columns FROM text2sql.check('SELECT c1000 FROM labelled7');
SELECT ok, reason FROM text2sql.check('SELECT c1 FROM labelled7');
RESET ROLE;
CREATE FUNCTION labels_read() RETURNS bigint LANGUAGE sql AS $$
    SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::bigint FROM pg_stat_xact_all_tables
    WHERE relid = 'text2sql.label'::regclass $$;
CREATE FUNCTION command(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    before bigint := t_many.labels_read();
BEGIN
    EXECUTE sql;
    RETURN CASE WHEN t_many.labels_read() - before < 20 THEN 'few are read' ELSE t_many.labels_read() - before || ' are read' END;
END $$;
SELECT text2sql.label('fact', 'name', 'no_values');
CREATE SCHEMA t_other;
SELECT sql, command(sql) FROM unnest(ARRAY['ALTER TABLE fact ADD extra int', 'ALTER TABLE fact RENAME name TO called',
    'ALTER TABLE fact RENAME TO facts', 'ALTER TABLE facts SET SCHEMA t_other', 'ALTER SCHEMA t_other RENAME TO t_others',
    'ALTER TABLE one RENAME a TO x', 'DROP TABLE two CASCADE']) WITH ORDINALITY AS s(sql, n) ORDER BY n;
SELECT schema, relation, column_name, label FROM text2sql.label WHERE relation NOT LIKE 'labelled%';
SELECT command('DROP TABLE t_others.facts');
SELECT schema, relation, column_name, label FROM text2sql.label WHERE relation NOT LIKE 'labelled%';
-- names follow where a command renames more than what it names
CREATE TABLE above (a int);
CREATE TABLE below () INHERITS (above);
CREATE TYPE shape AS (a int);
CREATE TABLE typed OF shape;
SELECT text2sql.label(t, 'a', 'no_values') FROM unnest('{above,below,typed}'::regclass[]) t;
ALTER TABLE above RENAME a TO b;
ALTER TYPE shape RENAME ATTRIBUTE a TO b CASCADE;
SELECT relation, column_name FROM text2sql.label WHERE relation NOT LIKE 'labelled%' ORDER BY 1;
ALTER TABLE above DROP b;
SELECT relation, column_name FROM text2sql.label WHERE relation NOT LIKE 'labelled%' ORDER BY 1;
SELECT text2sql.label_schema('t_others', 'no_values');
ALTER SCHEMA t_others RENAME TO t_again;
SELECT schema, label FROM text2sql.label WHERE relation IS NULL;
DROP SCHEMA t_again;
SELECT schema, label FROM text2sql.label WHERE relation IS NULL;
DROP TABLE typed, above CASCADE;
DO $$ BEGIN
    FOR n IN 1..40 LOOP
        EXECUTE format('DROP TABLE t_many.labelled%s', n);
    END LOOP;
END $$;
SELECT count(*) FROM text2sql.label;

-- a wide view over an expression of megabytes: each column leads to it, and it is read once
SET ROLE regress_maker;
CREATE TABLE base (a int, b text);
SELECT text2sql.label('base', 'b', 'no_values');
DO $$ BEGIN
    FOR v IN 1..4 LOOP
        EXECUTE (SELECT format('CREATE VIEW fan%s AS SELECT ', v) || string_agg('x || ''' || k || ''' AS c' || k, ', ')
                        || ' FROM (SELECT CASE ' || max(w) || ' END AS x FROM base) s'
                 FROM generate_series(1, 1500) k,
                      (SELECT string_agg(format('WHEN a > %s AND b < ''%s'' THEN b', k, k), ' ') FROM generate_series(1, 1600) k) AS s(w));
    END LOOP;
END $$;
-- a chain of tables, each the child of the one before
DO $$ BEGIN
    CREATE TABLE chain0 (v text);
    FOR n IN 1..300 LOOP
        EXECUTE format('CREATE TABLE chain%s () INHERITS (chain%s)', n, n - 1);
    END LOOP;
END $$;
INSERT INTO chain300 VALUES ('a value');
-- long comments of many columns: short ones of each are read
DO $$ BEGIN
    EXECUTE (SELECT 'CREATE TABLE told (' || string_agg('c' || g || ' int', ', ') || ')' FROM generate_series(1, 1500) g);
    FOR n IN 1..1500 LOOP
        EXECUTE format('COMMENT ON COLUMN told.c%s IS %L', n, 'begin' || n || ' ' || (SELECT string_agg('word' || n * 1000 + g, ' ')
                       FROM generate_series(1, 1200) g) || ' end' || n);
    END LOOP;
END $$;
\c -
SET client_min_messages = warning;
SET search_path = t_many;
SET ROLE regress_other;
SET statement_timeout = '60s';
SELECT peak() AS before \gset
SELECT tables, columns FROM text2sql.check('SELECT c7 FROM fan3');
SELECT content ~ 'fan3' AS shows_it, content ~ 'begin1 ' AS says_it
FROM text2sql.preview('fan3', strategy => 'zero_shot') WHERE role = 'user';
SELECT tables FROM text2sql.check('SELECT v FROM chain7');
SELECT count(*) FILTER (WHERE s.found = 'c' || n) AS begins, count(*) FILTER (WHERE e.found = 'c' || n) < 700 AS some_ends
FROM generate_series(1, 1500, 300) n,
     LATERAL (SELECT max(column_name) FROM text2sql.search_columns('begin' || n, 1) WHERE table_name = 'told') AS s(found),
     LATERAL (SELECT max(column_name) FROM text2sql.search_columns('end' || n, 1) WHERE table_name = 'told') AS e(found);
SELECT CASE WHEN peak() - :before > 220 THEN peak() - :before END AS too_many_megabytes;
RESET ROLE;

-- verified questions and terms of the glossary, by somebody who may write them
INSERT INTO text2sql.verified_question (key, question, sql)
VALUES ('how many facts are there', 'How many facts are there?', 'SELECT 1 AS small'),
       ('how many long facts are there', 'How many long facts are there?', 'SELECT 2 /* ' || repeat('long ', 4000000) || '*/');
INSERT INTO text2sql.glossary VALUES ('small term', 'c7 of fan3'), ('long term', repeat('long ', 4000000));
\c -
SET client_min_messages = warning;
SET search_path = t_many;
SET ROLE regress_other;
SET statement_timeout = '60s';
SELECT peak() AS before \gset
SELECT public.text2sql('How many facts are there?');
SELECT sum(length(content)) < 1000000 AS is_bounded FROM text2sql.preview('How many long facts are there? The long term and the small term?', strategy => 'zero_shot');
SELECT CASE WHEN peak() - :before > 220 THEN peak() - :before END AS too_many_megabytes;
RESET ROLE;
DELETE FROM text2sql.verified_question;
DELETE FROM text2sql.glossary;
DROP SCHEMA t_many CASCADE;
DROP OWNED BY regress_maker;
DROP ROLE regress_maker, regress_other;
