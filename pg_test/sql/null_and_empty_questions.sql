-- NULL gives NULL (or no rows); empty and far too long questions are errors of their own; the
-- session goes on after each.
\set VERBOSITY verbose
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA t_null;
SET search_path = t_null, public;
CREATE TABLE thing (id int PRIMARY KEY, name text);
SELECT text2sql(NULL) IS NULL AS null_question;
SELECT count(*) FROM ask(NULL);
SELECT count(*) FROM ask_record(NULL) AS t(a int);
SELECT ask_cursor(NULL) IS NULL AS null_cursor;
SELECT text2sql.explain(NULL) IS NULL AS null_report;
SELECT count(*) FROM text2sql.run(NULL);
SELECT count(*) FROM text2sql.check(NULL);
SELECT count(*) FROM text2sql.search_columns(NULL);
SELECT count(*) FROM text2sql.search_values(NULL);
SELECT count(*) FROM text2sql.join_path(NULL, NULL);
CREATE FUNCTION state_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
SELECT state_of($$SELECT text2sql('')$$);
SELECT state_of($$SELECT text2sql('   ')$$);
SELECT state_of($$SELECT text2sql('?!')$$);
SELECT state_of($$SELECT * FROM ask('')$$);
SELECT state_of($$SELECT text2sql.explain('')$$);
SELECT state_of($$SELECT text2sql(repeat('x', 1048576))$$);
SELECT state_of($$SELECT * FROM text2sql.run('')$$);
SELECT state_of($$SELECT * FROM text2sql.run(repeat(' ', 2000000) || 'SELECT 1')$$);
SELECT state_of($$SELECT * FROM text2sql.run('SELECT 1 -- ' || repeat('x', 1048576))$$);
SELECT state_of($$SELECT text2sql('כמה שורות יש', strategy => 'nonsense')$$);
SELECT state_of($$SELECT text2sql('things', tables => '{nowhere}')$$);
SELECT 1 AS the_session_goes_on;
DROP SCHEMA t_null CASCADE;
