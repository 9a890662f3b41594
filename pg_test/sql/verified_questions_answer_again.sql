-- text2sql.remember: SQL that somebody vouched for answers the question from then on, for all who
-- could run it; GRANT decides who may vouch.
CREATE SCHEMA t_examples;
SET search_path = t_examples, public;
CREATE TABLE sale (id int PRIMARY KEY, region text NOT NULL, price numeric NOT NULL, state text NOT NULL);
CREATE TABLE wage (id int PRIMARY KEY, amount numeric NOT NULL);
INSERT INTO sale VALUES (1, 'north', 10, 'paid'), (2, 'south', 20, 'open'), (3, 'north', 30, 'paid');
INSERT INTO wage VALUES (1, 1000);
CREATE ROLE regress_curator;
CREATE ROLE regress_asker;
GRANT USAGE ON SCHEMA t_examples TO regress_curator, regress_asker;
GRANT SELECT ON sale, wage TO regress_curator;
GRANT SELECT ON sale TO regress_asker;

-- without an example the words mean nothing
SELECT text2sql('How are we doing?');
-- nobody but the owner vouches, unless it is granted
SET ROLE regress_curator;
SELECT text2sql.remember('How are we doing?', 'SELECT 1');
RESET ROLE;
GRANT SELECT, INSERT, UPDATE ON text2sql.verified_question TO regress_curator;
SET ROLE regress_curator;
SELECT text2sql.remember('How are we doing?', 'SELECT region, sum(price) AS paid FROM sale WHERE state = ''paid'' GROUP BY region;');
SELECT text2sql.remember('What do we pay?', 'SELECT sum(amount) FROM wage');
-- only what the guard lets through with the curator's rights
SELECT text2sql.remember('Clean up', 'DELETE FROM sale');
SELECT text2sql.remember('Who?', 'SELECT nobody FROM sale');
SELECT text2sql.remember('?', 'SELECT 1');
SELECT text2sql.remember('What?', NULL);

-- who may run it has it, and cannot read the others
SET ROLE regress_asker;
SELECT text2sql('how are we  DOING');
SELECT * FROM ask('How are we doing?');
SELECT r->>'strategy' AS strategy, r->>'confidence' AS confidence, r->'steps'->0->>'note' AS note, r->>'calls' AS calls
FROM text2sql.explain('How are we doing?') AS r;
SELECT count(*) FROM text2sql.preview('How are we doing?');
SELECT text2sql('What do we pay?');
SELECT question FROM text2sql.verified_question;
RESET ROLE;
-- names mean what they mean to the caller
SET search_path = public;
SELECT text2sql('How are we doing?');
SET search_path = t_examples, public;

-- given again, it is replaced; left out or removed, it is gone
SELECT text2sql.remember('How are we doing?', 'SELECT count(*) FROM sale');
SELECT text2sql('How are we doing?');
SELECT key, question, sql, verified_by = current_user AS mine FROM text2sql.verified_question ORDER BY key;
SET text2sql.skip_steps = 'examples';
SELECT text2sql('How are we doing?');
RESET text2sql.skip_steps;
-- after the table has changed, the question is answered as any other
ALTER TABLE sale RENAME TO sales;
SELECT text2sql('How are we doing?');
DELETE FROM text2sql.verified_question;

-- a standby and a read-only transaction cannot keep any
BEGIN READ ONLY;
SELECT text2sql.remember('How are we doing?', 'SELECT count(*) FROM sales');
ROLLBACK;
SELECT 'text2sql.verified_question'::regclass = ANY (extconfig) AS dumped FROM pg_extension WHERE extname = 'text2sql';

REVOKE ALL ON text2sql.verified_question FROM regress_curator;
DROP SCHEMA t_examples CASCADE;
DROP ROLE regress_curator, regress_asker;
