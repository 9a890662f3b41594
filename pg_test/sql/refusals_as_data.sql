-- text2sql.answer: one row for any question, answered or refused, which no program has to catch.
SET client_min_messages = warning;
CREATE SCHEMA t_answer;
SET search_path = t_answer, public;
SET text2sql.schemas = 't_answer';
CREATE TABLE planet (id int PRIMARY KEY, name text, moons int, mass numeric(6,2));
INSERT INTO planet VALUES (1, 'Earth', 1, 5.97), (2, 'Mars', 2, 0.64), (3, 'Venus', 0, 4.87);
ANALYZE planet;
\set columns 'sql, columns, confidence, notices, readings, sqlstate, reason, words, suggestion, rows, truncated, history_id > 0 AS is_in_history'
\x on
SELECT sql, columns, confidence BETWEEN 0 AND 1 AS has_confidence, notices, readings -> 0 ->> 'sql' AS reading,
       sqlstate, reason, words, suggestion, rows, truncated
FROM text2sql.answer('How many planets are there?');
SELECT sql, columns, rows, truncated FROM text2sql.answer('List the name and mass of all planets', execute => true);
SELECT rows, truncated FROM text2sql.answer('List the names of all planets', execute => true, options => '{"max_rows": 2}');
-- what cannot be answered
SELECT :columns FROM text2sql.answer('Which submarines were sold by the ministry of silly walks?');
SELECT :columns FROM text2sql.answer('?');
SELECT :columns FROM text2sql.answer('How many planets are there?', tables => '{pg_authid}');
SELECT :columns FROM text2sql.answer('How many planets are there?', strategy => 'gsr');
-- what a query runs into
SELECT sql, columns, sqlstate, reason, suggestion, rows
FROM text2sql.answer('List the names of all planets', execute => true, options => '{"max_cost": 0.001}');
CREATE VIEW orbits AS SELECT id, 1 / (id - 2) AS tilt FROM planet;
SELECT sql, sqlstate, reason FROM text2sql.answer('List the tilt of all orbits', execute => true);
\x off
SELECT count(*) FROM text2sql.answer(NULL);
-- as programs read it, and the transaction goes on
BEGIN;
DO $$
DECLARE
    question text;
    a record;
BEGIN
    FOREACH question IN ARRAY ARRAY['How many planets are there?', 'How many zeppelins are there?'] LOOP
        SELECT * INTO STRICT a FROM text2sql.answer(question, execute => true);
        IF a.sqlstate IS NULL THEN
            RAISE INFO '% -> % %', question, a.columns -> 0 ->> 'type', a.rows -> 0 ->> 'count';
        ELSE
            RAISE INFO '% -> % %', question, a.sqlstate, a.words;
        END IF;
    END LOOP;
END $$;
COMMIT;
-- a cancel is no refusal
SET statement_timeout = 100;
CREATE FUNCTION lazy(int) RETURNS int STABLE LANGUAGE plpgsql AS
    $$ BEGIN FOR i IN 1 .. 1000000000 LOOP END LOOP; RETURN $1; END $$;
CREATE VIEW beds AS SELECT lazy(id) AS nap FROM planet;
SELECT sqlstate FROM text2sql.answer('List the nap of all beds', execute => true, options => '{"dry_run_timeout": 0}');
RESET statement_timeout;
-- nor is a wrong option the question's
\set VERBOSITY terse
SELECT :columns FROM text2sql.answer('How many planets are there?', options => '{"max_row": 5}');
DROP SCHEMA t_answer CASCADE;
