-- What was read of a query to judge it is the answer: sorts and aggregates are paid once.
\set VERBOSITY terse
SET text2sql.strategy = builtin;
CREATE TABLE reading (id int PRIMARY KEY, level int NOT NULL);
INSERT INTO reading SELECT n, n % 7 FROM generate_series(1, 300000) n;
ANALYZE reading;

CREATE FUNCTION executions(question text, execute boolean) RETURNS SETOF jsonb
LANGUAGE sql AS $$
  SELECT jsonb_array_elements(text2sql.explain(question, execute => execute)::jsonb -> 'executions') - 'ms'
$$;

-- one execution, whether the rows are asked for or not
SELECT * FROM executions('How many readings are there?', execute => false);
SELECT * FROM executions('How many readings are there?', execute => true);
SELECT text2sql.explain('How many readings are there?', execute => true)::jsonb #- '{result,ms}' -> 'result' AS result;

-- more rows than are looked at: still one
SELECT * FROM executions('readings', execute => true);
SELECT count(*) FROM ask('readings');

-- a trial that its time ended says so; who wants rows gets them, in one execution
SET text2sql.dry_run_timeout = 1;
SELECT * FROM executions('average level of the readings', execute => false);
SELECT * FROM executions('average level of the readings', execute => true);
SELECT * FROM ask('average level of the readings');
SELECT * FROM ask_record('average level of the readings') AS t(level numeric);

-- without a trial time nothing is tried
SET text2sql.dry_run_timeout = 0;
SELECT count(*) FROM executions('How many readings are there?', execute => false);
SELECT * FROM executions('How many readings are there?', execute => true);
RESET text2sql.dry_run_timeout;

-- rows of a type that was asked for: a value that does not fit is told with the types that do
SELECT * FROM ask_record('How many readings are there?') AS t(n smallint);

-- the limit of an answer ends it, and it is not run again
SET text2sql.query_timeout = 1;
SELECT e - 'question' - 'steps' -> 'executions' -> 0 ->> 'error' AS error, jsonb_array_length(e -> 'executions') AS executions
FROM (SELECT text2sql.explain('average level of the readings', execute => true)::jsonb AS e) AS told;
RESET text2sql.query_timeout;

DROP FUNCTION executions;
DROP TABLE reading;
