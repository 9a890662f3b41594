-- Names, values and questions with control characters and such that turn the order of text round: no
-- message shows them. What is returned as data has them.
CREATE SCHEMA t_terminal;
SET search_path = t_terminal, public;
CREATE FUNCTION said(statement text) RETURNS TABLE (field text, text text) LANGUAGE plpgsql AS $$
DECLARE
    message text;
    detail text;
    hint text;
BEGIN
    EXECUTE statement;
    RETURN QUERY VALUES ('no error', NULL);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN QUERY SELECT f, t FROM (VALUES ('message', message), ('detail', detail), ('hint', hint)) AS v(f, t) WHERE t <> '';
END $$;
CREATE TABLE lamp (id int PRIMARY KEY, town text);
INSERT INTO lamp VALUES (1, E'Rome\x1b[2J'), (2, E'Rome\x1b[2J'), (3, U&'Par\202Eis');
DO $$ BEGIN EXECUTE format('CREATE TABLE %I (id int, %I text)', E'od\x1b]0;d', E'c\u009bol'); END $$;

-- the caller's words and names of others, in errors and in SQL that they point into
SELECT * FROM said($$SELECT text2sql('How many lamps are there?', strategy => E'\x1b[31mred')$$);
SELECT * FROM said($$SELECT text2sql(E'How many \x1b[31mqwzx are there?')$$);
SELECT * FROM text2sql.run(E'SELECT "a\x1b[2J", nowhere FROM lamp');
SELECT * FROM text2sql.run(E'SELECT 1 AS a; SELECT \r2');
SELECT * FROM said(format('SELECT * FROM text2sql.run(%L)', format('SELECT nothing FROM %I', E'od\x1b]0;d')));
-- a notice
SELECT text2sql.create_view(E'"la\x1bmps"', 'How many lamps are there?');
SELECT text2sql.create_view(E'"la\x1bmps"', 'List the towns of lamps');
-- data
SELECT encode(convert_to(value, 'UTF8'), 'escape') AS value FROM text2sql.search_values('Rome', '{lamp}');
SET client_min_messages = warning;
DROP SCHEMA t_terminal CASCADE;
