-- One question through every function that answers: SQL, JSON rows, typed rows, a cursor, the
-- report; none of them changes anything.
LOAD 'text2sql';
SET client_min_messages = warning;
CREATE SCHEMA t_shapes;
SET search_path = t_shapes, public;
SET text2sql.schemas = 't_shapes';
SET text2sql.strategy = 'builtin';
CREATE TABLE planet (id int PRIMARY KEY, name text, moons int);
INSERT INTO planet VALUES (1, 'Earth', 1), (2, 'Mars', 2), (3, 'Venus', 0);
ANALYZE planet;
SELECT text2sql('How many planets are there?');
SELECT * FROM ask('How many planets are there?');
SELECT * FROM ask_record('How many planets are there?') AS t(n bigint);
SELECT * FROM ask_record('How many planets are there?') AS t(n bigint, m text);
BEGIN;
SELECT ask_cursor('List the names of all planets', 'planets');
FETCH 2 FROM planets;
MOVE ALL FROM planets;
COMMIT;
SELECT report ->> 'strategy' AS strategy, report ->> 'sql' IS NOT NULL AS has_sql, report -> 'result' ->> 'rows' AS rows
FROM text2sql.explain('How many planets are there?', execute => true) AS report;
-- what cannot be answered
SELECT * FROM ask('Which submarines were sold by the ministry of silly walks?');
SELECT report ->> 'sql' IS NULL AS no_sql, report -> 'error' ->> 'sqlstate' AS sqlstate
FROM text2sql.explain('Which submarines were sold by the ministry of silly walks?') AS report;
DROP SCHEMA t_shapes CASCADE;
