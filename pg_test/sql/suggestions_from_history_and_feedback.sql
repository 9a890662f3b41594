-- text2sql.feedback on one's own questions, and what history and feedback suggest to those who
-- administer: questions to vouch for, terms for the glossary, labels. One call accepts.
SET client_min_messages = warning;
TRUNCATE text2sql.history_entry RESTART IDENTITY;
TRUNCATE text2sql.glossary, text2sql.verified_question;
CREATE ROLE regress_analyst;
CREATE ROLE regress_steward;
CREATE SCHEMA t_suggest AUTHORIZATION regress_steward;
SET search_path = t_suggest, public;
SET text2sql.schemas = 't_suggest';
SET ROLE regress_steward;
CREATE TABLE sale (id int PRIMARY KEY, price numeric, discount numeric, phone text);
INSERT INTO sale VALUES (1, 10, 1, '0123'), (2, 20, 0, '4567');
GRANT USAGE ON SCHEMA t_suggest TO PUBLIC;
GRANT SELECT ON sale TO PUBLIC;
RESET ROLE;
SELECT text2sql.grant('regress_steward', 'administer');

SET ROLE regress_analyst;
SELECT text2sql('What is the average price of all sales?');
SELECT text2sql('What is the total price of all sales?');
SELECT text2sql('List the phone of all sales');
SELECT text2sql('What is the turnover?');
SELECT text2sql('How high was the turnover?');
SELECT text2sql.feedback(1, 'right');
SELECT text2sql.feedback(2, 'wrong', 'revenue is net of discounts');
SELECT text2sql.feedback(3, 'wrong', 'sale.phone should be hidden');
SELECT * FROM text2sql.suggestion;
SELECT text2sql.accept_suggestion(1);
RESET ROLE;

SET ROLE regress_steward;
SELECT id, kind, subject, proposal, times, said FROM text2sql.suggestion ORDER BY kind, subject;
SELECT text2sql.accept_suggestion(1);
SELECT text2sql.accept_suggestion(2, 'revenue', 'price - discount');
SELECT text2sql.accept_suggestion(3);
-- what a word means the history does not know
SELECT text2sql.accept_suggestion(5, 'turnover');
SELECT text2sql.accept_suggestion(5, 'turnover', 'revenue');
SELECT text2sql.dismiss_suggestion(4);
SELECT text2sql.dismiss_suggestion(5);
SELECT text2sql.accept_suggestion(77);
SELECT count(*) FROM text2sql.suggestion;
RESET ROLE;
SELECT question, sql, verified_by FROM text2sql.verified_question;
SELECT term, meaning FROM text2sql.glossary ORDER BY term;
SELECT relation, column_name, label FROM text2sql.label;
SET ROLE regress_analyst;
SELECT text2sql.explain('What is the average price of all sales?') -> 'steps' -> 0 ->> 'note' AS note;
SELECT text2sql('What is the total revenue?');
SELECT text2sql('List the phone of all sales');
RESET ROLE;

DELETE FROM text2sql.verified_question;
DELETE FROM text2sql.glossary;
TRUNCATE text2sql.history_entry;
DROP SCHEMA t_suggest CASCADE;
DROP OWNED BY regress_analyst, regress_steward;
DROP ROLE regress_analyst, regress_steward;
