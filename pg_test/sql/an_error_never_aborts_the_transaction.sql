-- Cases 24 and point 5 of the promises: text2sql.check() reports errors as rows, also at run
-- time of constants; and an error of a run, once caught, leaves the transaction as it was.
SET client_min_messages = warning;
CREATE SCHEMA t_error;
SET search_path = t_error, public;
CREATE TABLE t (id int, note text);
INSERT INTO t VALUES (1, 's3cret'), (2, '7');
BEGIN;
INSERT INTO t VALUES (3, '8');
SELECT ok, sqlstate, reason, position FROM text2sql.check('SELECT nope FROM t');
SELECT ok, sqlstate, reason, position FROM text2sql.check('SELECT 1/0');
SELECT ok, sqlstate, reason, position FROM text2sql.check('SELEC 1');
SELECT ok, sqlstate, reason, position FROM text2sql.check('SELECT ''x''::int');
DO $$
BEGIN
    PERFORM text2sql.run('SELECT note::int FROM t');
EXCEPTION WHEN invalid_text_representation THEN
    RAISE WARNING 'caught %: %', SQLSTATE, SQLERRM;
END $$;
INSERT INTO t VALUES (4, '9');
COMMIT;
SELECT count(*) FROM t;
-- the data does not show in the message, in detail or in context
SELECT * FROM text2sql.run('SELECT note::int FROM t');
SELECT * FROM text2sql.run('SELECT (''{"a":'' || note || ''}'')::json FROM t');
SELECT * FROM text2sql.run('SELECT to_date(note, ''YYYY'') FROM t');
SELECT * FROM text2sql.run('SELECT 1 / (id - 1) FROM t');
SELECT * FROM text2sql.run('SELECT (SELECT id FROM t)');
CREATE FUNCTION talks(text) RETURNS text LANGUAGE plpgsql STABLE AS
    $$ BEGIN RAISE EXCEPTION 'value is %', $1 USING DETAIL = $1, HINT = $1, ERRCODE = 'ABCDE'; END $$;
SELECT * FROM text2sql.run('SELECT talks(note) FROM t');
-- what the query itself contains is not secret
SELECT * FROM text2sql.run('SELECT note FROM t WHERE id = ''abc''');
DROP SCHEMA t_error CASCADE;
