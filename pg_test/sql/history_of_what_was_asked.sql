-- text2sql.history: who asked what and what came of it; kept although the caller rolls back, a
-- role's own for the role, everybody's for auditors.
SELECT text2sql(NULL);
\set base_url `echo "$TEXT2SQL_MODEL/ledger/v1"`
SET client_min_messages = warning;
TRUNCATE text2sql.history_entry RESTART IDENTITY;
CREATE SCHEMA t_history;
SET search_path = t_history, public;
CREATE TABLE person (id int PRIMARY KEY, name text, note text);
INSERT INTO person VALUES (1, 'Ann', 'a note'), (2, 'Bob', 'another');
CREATE ROLE regress_ann;
CREATE ROLE regress_bob;
CREATE ROLE regress_auditor;
GRANT USAGE ON SCHEMA t_history TO PUBLIC;
GRANT SELECT ON person TO PUBLIC;
CREATE SERVER t_history FOREIGN DATA WRAPPER text2sql
    OPTIONS (base_url :'base_url', model 'script', price_per_million_prompt_tokens '1', price_per_million_completion_tokens '2');
GRANT USAGE ON FOREIGN SERVER t_history TO regress_ann;
SELECT text2sql.grant('regress_auditor', 'audit');

SET ROLE regress_ann;
SELECT text2sql('How many persons are there?');
SELECT * FROM ask('List the names of all persons');
SELECT text2sql('How many zeppelins are there?');
SELECT * FROM ask('Which persons are there?', server => 't_history', strategy => 'zero_shot', options => '{"query_timeout": "5s"}');
SELECT sqlstate FROM text2sql.answer('How many persons are there?', strategy => 'gsr');
-- rolled back, as a whole and in part; and a part that fails
BEGIN;
SELECT text2sql('How many persons are there?');
SELECT * FROM ask('How many persons are there?');
ROLLBACK;
BEGIN;
SAVEPOINT s;
SELECT * FROM ask_record('How many persons are there?') AS t(n bigint);
ROLLBACK TO s;
DO $$
BEGIN
    PERFORM text2sql('How many balloons are there?');
EXCEPTION WHEN OTHERS THEN
    RAISE INFO '%', SQLERRM;
END $$;
COMMIT;
BEGIN READ ONLY;
SELECT ask_summary('How many persons are there?');
SELECT text2sql.explain('How many persons are there?', execute => true) ->> 'sql' AS sql;
COMMIT;
-- interrupted
RESET ROLE;
CREATE FUNCTION lazy(int) RETURNS int STABLE LANGUAGE plpgsql AS
    $$ BEGIN FOR i IN 1 .. 1000000000 LOOP END LOOP; RETURN $1; END $$;
CREATE VIEW beds AS SELECT lazy(id) AS nap FROM person;
GRANT SELECT ON beds TO PUBLIC;
SET ROLE regress_ann;
SET statement_timeout = 200;
SELECT * FROM ask('List the nap of all beds', options => '{"dry_run_timeout": 0}');
RESET statement_timeout;
SET ROLE regress_bob;
SELECT text2sql('How many persons are there?');

-- one's own
\set columns 'id, role, function, question, strategy, sql, outcome, sqlstate, words, rows, calls'
SELECT :columns FROM text2sql.history ORDER BY id;
SET ROLE regress_ann;
SELECT :columns FROM text2sql.history ORDER BY id;
SELECT id, server, model, tokens > 50 AS tokens, cost > 0 AS cost, ms > 0 AS ms, asked_at BETWEEN now() - interval '1 minute' AND now() AS at
FROM text2sql.history WHERE server IS NOT NULL ORDER BY id;
SELECT count(*) FROM text2sql.history_entry;
UPDATE text2sql.history SET question = 'harmless';
-- feedback, on one's own
SELECT text2sql.feedback(2, 'wrong', 'without those who left');
SELECT text2sql.feedback(1, 'right');
SELECT text2sql.feedback(1, 'perhaps');
SELECT id, verdict, note FROM text2sql.history WHERE verdict IS NOT NULL ORDER BY id;
SET ROLE regress_bob;
SELECT text2sql.feedback(2, 'right');
-- an auditor's
SET ROLE regress_auditor;
SELECT role, count(*) FROM text2sql.history GROUP BY role ORDER BY role;
SELECT role, server, model, questions, answered, refused, failed, calls FROM text2sql.usage ORDER BY role, server;
SELECT word, questions, roles, last_question FROM text2sql.not_understood ORDER BY questions DESC, word;
SELECT count(*), bool_and(ms > 0) AS timed FROM text2sql.slowest;
SELECT role, server, step, stored_values FROM text2sql.ledger;
DELETE FROM text2sql.history_entry;
RESET ROLE;

-- what is refused before anything is read, and the number that a program is told: at once, also where only is read
TRUNCATE text2sql.history_entry;
SET ROLE regress_ann;
SELECT text2sql('  ');
SELECT text2sql(repeat('x', 20000));
SELECT text2sql('How many persons are there?', strategy => 'nonsense');
BEGIN READ ONLY;
SELECT history_id AS told, sqlstate FROM text2sql.answer('How many zeppelins are there?') \gset
COMMIT;
SELECT 1 AS transaction_that_writes_it;
SELECT left(question, 40) AS question, length(question), outcome, sqlstate, nullif(id = :told, false) AS told
FROM text2sql.history ORDER BY asked_at;
SELECT text2sql.feedback(:told, 'wrong', 'zeppelins are persons');
SELECT history_id AS told FROM text2sql.answer('?') \gset
SELECT question, outcome, sqlstate FROM text2sql.history WHERE id = :told;
RESET ROLE;
-- a role keeps its questions when it is renamed, and the next one of its name does not get them
ALTER ROLE regress_ann RENAME TO regress_anna;
CREATE ROLE regress_ann;
SET ROLE regress_ann;
SELECT count(*) FROM text2sql.history;
SELECT text2sql.feedback(:told, 'right');
SET ROLE regress_anna;
SELECT count(*) FROM text2sql.history;
SELECT text2sql.feedback(:told, 'right');
RESET ROLE;
SELECT role, questions FROM text2sql.usage ORDER BY role;
DROP ROLE regress_ann;
ALTER ROLE regress_anna RENAME TO regress_ann;

-- without texts, or not at all; a role may not turn it off
SET ROLE regress_ann;
SET text2sql.history = off;
RESET ROLE;
TRUNCATE text2sql.history_entry;
SET text2sql.history = without_texts;
SELECT text2sql('How many zeppelins are there?');
SELECT text2sql('How many persons are there?');
SELECT function, question, sql, outcome, sqlstate, reason, words FROM text2sql.history ORDER BY id;
SET text2sql.history = off;
SELECT text2sql('How many persons are there?');
SELECT count(*) FROM text2sql.history;
RESET text2sql.history;
-- what is older than text2sql.history_days goes
UPDATE text2sql.history_entry SET asked_at = asked_at - interval '10 days';
SET text2sql.history_days = 11;
SELECT text2sql('How many persons are there?');
SELECT count(*) FROM text2sql.history;
SET text2sql.history_days = 9;
SELECT text2sql('How many persons are there?');
SELECT count(*) FROM text2sql.history;
RESET text2sql.history_days;
-- where it cannot be written, the question is answered all the same
ALTER TABLE text2sql.history_entry ADD CONSTRAINT nothing CHECK (question <> 'How many persons are there?') NOT VALID;
SELECT text2sql('How many persons are there?');
ALTER TABLE text2sql.history_entry DROP CONSTRAINT nothing;
SELECT count(*) FROM text2sql.history;
-- nor does anybody wait at the end of a transaction because it is locked: no timeout strikes there
BEGIN;
LOCK TABLE text2sql.history_entry IN ACCESS EXCLUSIVE MODE;
\! timeout 10 psql -X -q -A -t -d regression -c "SELECT text2sql('How many persons are there?', tables => '{t_history.person}')" || echo it waits
COMMIT;
-- nor because somebody judges a question whose time is over
SELECT max(id) AS id FROM text2sql.history \gset
UPDATE text2sql.history_entry SET asked_at = '2001-01-01' WHERE id = :id;
BEGIN;
SELECT text2sql.feedback(:id, 'right');
\! timeout 10 psql -X -q -A -t -d regression -c "SELECT text2sql('How many persons are there?', tables => '{t_history.person}')" || echo it waits
COMMIT;
-- the end of a session writes what it holds
\c -
SET search_path = t_history, public;
TRUNCATE text2sql.history_entry;
SELECT text2sql('How many zeppelins are there?');
\c -
SELECT pg_sleep(0.2);
SELECT question, outcome FROM text2sql.history_entry;

SET client_min_messages = warning;
TRUNCATE text2sql.history_entry;
DROP SERVER t_history;
DROP SCHEMA t_history CASCADE;
DROP OWNED BY regress_ann, regress_bob, regress_auditor;
DROP ROLE regress_ann, regress_bob, regress_auditor;
