-- A DBA's first hour, in the steps of docs/administrators.md: install, a server for the database, the
-- right to ask for one of two roles, labels, limits, and a restore into a cluster that lacks a role.
\set base_url `echo "$TEXT2SQL_MODEL/ledger/v1"`
SET client_min_messages = warning;
DROP DATABASE IF EXISTS t_dba_copy;
DROP DATABASE IF EXISTS t_dba;
CREATE DATABASE t_dba;
CREATE ROLE regress_analyst LOGIN;
CREATE ROLE regress_visitor LOGIN;
\c t_dba
SET client_min_messages = warning;
CREATE TABLE person (id int PRIMARY KEY, name text, note text, phone text);
INSERT INTO person VALUES (1, 'Ann', 'tall', '0123'), (2, 'Bob', 'small', '4567');
CREATE TABLE salary (person_id int REFERENCES person, amount int);
GRANT SELECT ON person, salary TO PUBLIC;
-- installing
CREATE EXTENSION IF NOT EXISTS text2sql;
SELECT text2sql('How many persons are there?');
-- a server for the database
CREATE SERVER gpt FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script', retries '0');
CREATE USER MAPPING FOR PUBLIC SERVER gpt OPTIONS (api_key 'sk-0123456789abcdef');
ALTER DATABASE t_dba SET text2sql.server = 'gpt';
-- who may ask: both, one of them a model
GRANT USAGE ON FOREIGN SERVER gpt TO regress_analyst;
\c t_dba regress_analyst
SELECT text2sql('Which persons are there?');
SELECT strategy, calls FROM text2sql.history;
\c t_dba regress_visitor
SELECT text2sql('How many persons are there?');
\c t_dba postgres
SET client_min_messages = warning;
SELECT text2sql.revoke('public', 'ask');
SELECT text2sql.grant('regress_analyst', 'ask');
\c t_dba regress_visitor
SELECT text2sql('How many persons are there?');
\c t_dba postgres
SET client_min_messages = warning;
SELECT text2sql.grant('public', 'ask');
-- what may leave
SELECT text2sql.label('person', 'phone', 'no_values');
SELECT text2sql.label('salary', 'hidden');
\c t_dba regress_analyst
SELECT string_agg(content, '') ~ '0123' AS shows_phones, string_agg(content, '') ~ 'salary' AS shows_salaries
FROM text2sql.preview('Which persons are there?', strategy => 'zero_shot');
SELECT text2sql('How many salaries are there?');
\c t_dba postgres
SET client_min_messages = warning;
SELECT role, server, requests, stored_values FROM text2sql.ledger;
-- limits
INSERT INTO text2sql.quota (role, what, per, max) VALUES
    ('regress_visitor', 'questions', 'day', 3), ('regress_analyst', 'calls', 'month', 100), (NULL, 'rows', 'query', 1000);
\c t_dba regress_visitor
SELECT sqlstate FROM generate_series(1, 4) AS n, LATERAL text2sql.answer('How many persons are there?' || repeat(' ', n), strategy => 'builtin') AS a;
SELECT what, per, max, used FROM text2sql.quota_usage ORDER BY what;
SELECT text2sql.feedback(min(id), 'right') FROM text2sql.history;
\c t_dba postgres
SET client_min_messages = warning;
INSERT INTO text2sql.glossary (term, meaning) VALUES ('colleague', 'person');
SELECT role, count(*) AS questions FROM text2sql.history GROUP BY role ORDER BY role;
-- a restore where a role is missing loses what is the role's, says so, and nothing else
\! pg_dump t_dba > "$PWD/t_dba.sql"
\c regression
SET client_min_messages = warning;
DROP DATABASE t_dba;
DROP ROLE regress_visitor;
CREATE DATABASE t_dba_copy;
\! psql -X -q -d t_dba_copy -f "$PWD/t_dba.sql" 2>&1 >/dev/null | sed 's/^psql:[^ ]* //' | grep -v 'already exists'
\! rm "$PWD/t_dba.sql"
\c t_dba_copy
SELECT role, what, per, max FROM text2sql.quota ORDER BY what;
SELECT role, count(*) AS questions FROM text2sql.history GROUP BY role ORDER BY role;
SELECT schema, relation, column_name, label FROM text2sql.label ORDER BY relation;
SELECT term, meaning FROM text2sql.glossary;
INSERT INTO text2sql.quota (role, what, per, max) VALUES ('regress_visitor', 'rows', 'query', 1);
ALTER ROLE regress_analyst RENAME TO regress_renamed;
SELECT role, what FROM text2sql.quota WHERE role IS NOT NULL;
\c regression
DROP DATABASE t_dba_copy;
DROP ROLE regress_renamed;
