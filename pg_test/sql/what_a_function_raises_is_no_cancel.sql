-- Only what interrupts the caller ends a question. What a function raises, under any SQLSTATE, is an
-- error of the one query that called it, and never reveals its arguments.
SET client_min_messages = warning;
CREATE SCHEMA t_raised;
SET search_path = t_raised, public;
CREATE TABLE note (id int, town text, word text);
INSERT INTO note VALUES (1, 'Paris', 's3cret'), (2, 'Rome', 's3cret');
CREATE FUNCTION tells(state text, word text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RAISE EXCEPTION 'row: %', word USING ERRCODE = state, DETAIL = word, HINT = word;
END $$;
CREATE FUNCTION tells_early() RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RAISE EXCEPTION 'row: %', (SELECT word FROM t_raised.note LIMIT 1) USING ERRCODE = 'ABCDE';
END $$;
CREATE FUNCTION divides_early() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN (SELECT word::int FROM t_raised.note LIMIT 1);
END $$;
CREATE FUNCTION makes(word text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE made text;
BEGIN
    EXECUTE format('SELECT %I FROM t_raised.note', word) INTO made;
    RETURN made;
END $$;
CREATE VIEW trap AS SELECT id, tells('57014', word) AS said FROM note;
-- a view that raises a cancel is in reach of each of these
SELECT value, column_name FROM text2sql.search_values('Rome');
SELECT text2sql('How many notes are there?', strategy => 'builtin');
CREATE SERVER t_raised FOREIGN DATA WRAPPER text2sql OPTIONS (base_url 'http://127.0.0.1:1/v1', model 'm');
SELECT count(*) > 0 AS asked FROM text2sql.preview('Which notes?', strategy => 'zero_shot', server => 't_raised');
DROP SERVER t_raised;
-- no SQLSTATE lets a message through
SELECT * FROM text2sql.run('SELECT said FROM trap');
SELECT * FROM text2sql.run('SELECT tells(''42703'', word) FROM note');
SELECT * FROM text2sql.run('SELECT tells(''54000'', word) FROM note');
SELECT * FROM text2sql.run('SELECT tells(''08006'', word) FROM note');
SELECT * FROM text2sql.run('SELECT tells(''57P01'', word) FROM note');
SELECT * FROM text2sql.run('SELECT makes(word) FROM note');
-- nor is it revealed while the query is only checked, for which it is planned
SET text2sql.max_cost = 1e12;
SELECT ok, sqlstate, reason FROM text2sql.check('SELECT tells_early()');
SELECT ok, sqlstate, reason FROM text2sql.check('SELECT divides_early()');
RESET text2sql.max_cost;
-- PostgreSQL's own words about the query stay
SELECT ok, sqlstate, reason FROM text2sql.check('SELECT Nothing FROM note');
SELECT ok, sqlstate, reason FROM text2sql.check('SELECT id FROM note WHERE id = ''abc''');
-- the caller's timeout ends the caller's statement
SET statement_timeout = '300ms';
SELECT * FROM text2sql.run('SELECT count(*) FROM generate_series(1, 1000000000)');
RESET statement_timeout;
SELECT 'goes on' AS session;
DROP SCHEMA t_raised CASCADE;
