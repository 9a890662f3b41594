-- A call that waits on the model ends when the statement does; the session and its transaction
-- go on. (tools/faults does the same from other sessions, for every fault.)
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

RESET text2sql.server;
RESET text2sql.strategy;
DROP SERVER faults;
DROP TABLE customer;
