-- A call that waits on the model ends when the statement does; the session and its transaction
-- go on. (tests/test_faults.py does the same from other sessions, for every fault.)
\set base_url `echo "$TEXT2SQL_MODEL/faults/v1"`
CREATE TABLE customer (id int PRIMARY KEY, name text);
CREATE SERVER faults FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'm');
SET text2sql.server = 'faults';
SET text2sql.strategy = 'zero_shot';
SET statement_timeout = '300ms';
SELECT text2sql('fault hang now');
SELECT text2sql('fault head now');
SELECT text2sql('fault drip now');
SELECT text2sql('fault slow now');
SELECT text2sql('fault busy now');
RESET statement_timeout;

-- nothing of it waits on the server
SELECT pg_sleep(0.1);
\! "$TEXT2SQL_TOOLS/model" status faults | grep -o '"open":[0-9]*'

BEGIN;
INSERT INTO customer VALUES (1, 'kept');
SAVEPOINT before;
SET LOCAL statement_timeout = '200ms';
SELECT text2sql('fault hang now');
ROLLBACK TO before;
SELECT text2sql('any customer');
COMMIT;
SELECT * FROM customer;

-- the caller's statement_timeout strikes once: where it meets a limit of ours it is not taken for that,
-- for then what the statement does next would have no limit
CREATE FUNCTION lazy(int) RETURNS int STABLE LANGUAGE plpgsql AS
    $$ BEGIN FOR i IN 1 .. 1000000000 LOOP END LOOP; RETURN $1; END $$;
CREATE VIEW nap AS SELECT lazy(id) AS id FROM customer;
SET text2sql.query_timeout = 100;
SELECT FROM text2sql.check('SELECT 1');
\set VERBOSITY terse
SELECT format('SET statement_timeout = %s', 100 + g / 2),
       'DO $$ BEGIN BEGIN PERFORM text2sql.run(''SELECT id FROM nap''); EXCEPTION WHEN program_limit_exceeded THEN NULL; END; PERFORM pg_sleep(2); END $$',
       'SET statement_timeout = 0'
FROM generate_series(1, 20) g \gexec
\set VERBOSITY default
RESET text2sql.query_timeout;
RESET statement_timeout;
DROP VIEW nap;
DROP FUNCTION lazy(int);

RESET text2sql.server;
RESET text2sql.strategy;
DROP SERVER faults;
DROP TABLE customer;
