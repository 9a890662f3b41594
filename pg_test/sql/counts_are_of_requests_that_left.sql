-- usage.calls and the ledger count requests that left the database: a question that was refused
-- before, or whose server was not reached, is counted among the questions alone.
\set base_url `echo "$TEXT2SQL_MODEL/ledger/v1"`
SET client_min_messages = warning;
TRUNCATE text2sql.history_entry;
CREATE SCHEMA t_counts;
SET search_path = t_counts, public;
SET text2sql.schemas = 't_counts';
SET text2sql.strategy = 'zero_shot';
SET text2sql.cache = off;
CREATE TABLE person (id int PRIMARY KEY, name text, note text);
INSERT INTO person VALUES (1, 'Ann', 'a note');
CREATE ROLE regress_counts;
GRANT USAGE ON SCHEMA t_counts TO regress_counts;
GRANT SELECT ON person TO regress_counts;
CREATE SERVER t_counts FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script', retries '0');
CREATE SERVER t_nowhere FOREIGN DATA WRAPPER text2sql OPTIONS (base_url 'http://127.0.0.1:1/v1', model 'script', retries '1');
GRANT USAGE ON FOREIGN SERVER t_nowhere TO regress_counts;
CREATE FUNCTION came(question text, server text) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce(sqlstate, 'answered') FROM text2sql.answer(question, server => server) $$;
SET ROLE regress_counts;
-- may not use the server, three times; reaches none
SELECT came('Which persons are there?', 't_counts') FROM generate_series(1, 3);
SELECT came('Which persons are there?', 't_nowhere');
RESET ROLE;
GRANT USAGE ON FOREIGN SERVER t_counts TO regress_counts;
SET ROLE regress_counts;
SELECT came('Which persons are there?', 't_counts') FROM generate_series(1, 2);
RESET ROLE;
-- its limit of calls is reached
INSERT INTO text2sql.quota (role, what, per, max) VALUES ('regress_counts', 'calls', 'day', 1);
SET ROLE regress_counts;
SELECT came('Which persons are there?', 't_counts') FROM generate_series(1, 3);
RESET ROLE;
SELECT sum(questions) AS questions, sum(answered) AS answered, sum(calls) AS calls FROM text2sql.usage WHERE role = 'regress_counts';
SELECT count(*) AS ledger_rows, sum(requests) AS requests FROM text2sql.ledger WHERE role = 'regress_counts';
DELETE FROM text2sql.quota;
TRUNCATE text2sql.history_entry;
DROP SERVER t_counts CASCADE;
DROP SERVER t_nowhere CASCADE;
DROP SCHEMA t_counts CASCADE;
DROP OWNED BY regress_counts;
DROP ROLE regress_counts;
