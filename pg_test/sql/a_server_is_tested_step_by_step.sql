-- Each step of a call to a model's server is tested, and the statement that is printed mends what is
-- wrong. Nothing of the database is sent; the calls count.
\set base_url `echo "$TEXT2SQL_MODEL/tested/v1"`
\set other_url `echo "$TEXT2SQL_MODEL/vectors/v1"`
-- a longest prompt of a known length
SET text2sql.max_schema_tokens = 1000;
CREATE ROLE tester;
CREATE SERVER tested FOREIGN DATA WRAPPER text2sql OPTIONS (model 'sqlcoder', retries '0');
CREATE USER MAPPING FOR PUBLIC SERVER tested OPTIONS (api_key 'right-key-0123456789');

-- The rows, with the model server's port masked, and what is timed.
CREATE VIEW test AS
SELECT step, ok, regexp_replace(regexp_replace(found, '127.0.0.1:\d+', 'HOST', 'g'), '\d+ ms', 'n ms') AS found,
       regexp_replace(statement, '127.0.0.1:\d+', 'HOST', 'g') AS statement
FROM text2sql.test_server('tested');
GRANT SELECT ON test TO tester;

-- USAGE is needed
SET ROLE tester;
SELECT * FROM text2sql.test_server('tested');
RESET ROLE;
GRANT USAGE ON FOREIGN SERVER tested TO tester;

-- an address with the path of a call, and a key that is wrong
SELECT :'base_url' || '/chat/completions' AS mistaken \gset
ALTER SERVER tested OPTIONS (ADD base_url :'mistaken');
SELECT step, ok, statement FROM test;
ALTER SERVER tested OPTIONS (SET base_url :'base_url');
ALTER USER MAPPING FOR PUBLIC SERVER tested OPTIONS (SET api_key 'wrong-key-0123456789');
SELECT * FROM test;
ALTER USER MAPPING FOR PUBLIC SERVER tested OPTIONS (SET api_key 'right-key-0123456789');

-- the model: the statement that is printed is run
CREATE TEMP TABLE first AS SELECT * FROM test;
SELECT * FROM first;
SELECT statement FROM first WHERE step = 'model listed' \gset
:statement
SELECT * FROM test;

-- vectors, by another server
CREATE SERVER vectors FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'other_url', model 'm', embedding_model 'e');
CREATE USER MAPPING FOR PUBLIC SERVER vectors OPTIONS (api_key 'right-key-0123456789');
ALTER SERVER tested OPTIONS (ADD embedding_server 'vectors');
SELECT step, ok, found FROM test WHERE step = 'one embedding';
SET ROLE tester;
SELECT step, ok, found, statement FROM test WHERE step = 'one embedding';
RESET ROLE;

-- a server without a model, as one row
CREATE SERVER unfinished FOREIGN DATA WRAPPER text2sql OPTIONS (provider 'ollama');
SELECT * FROM text2sql.test_server('unfinished');

-- calls and tokens are in the history
SELECT role, function, server, model, outcome, calls, tokens > 0 AS tokens FROM text2sql.history
WHERE function = 'test_server' ORDER BY id DESC LIMIT 3;

DROP VIEW test;
DROP TABLE first;
DROP SERVER unfinished;
DROP SERVER vectors, tested CASCADE;
DROP ROLE tester;
