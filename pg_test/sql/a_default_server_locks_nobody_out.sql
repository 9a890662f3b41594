-- A role without USAGE on the server of the settings is answered by builtin where strategy auto
-- decides, and told so once a session; what is named for a question stays an error.
SET client_min_messages = warning;
CREATE SCHEMA t_locked;
CREATE TABLE t_locked.planet (id int PRIMARY KEY, name text);
INSERT INTO t_locked.planet VALUES (1, 'Earth'), (2, 'Mars');
CREATE ROLE regress_granted LOGIN;
CREATE ROLE regress_other LOGIN;
GRANT USAGE ON SCHEMA t_locked TO PUBLIC;
GRANT SELECT ON t_locked.planet TO PUBLIC;
CREATE SERVER t_locked FOREIGN DATA WRAPPER text2sql OPTIONS (base_url 'http://127.0.0.1:1/v1', model 'm', retries '0');
GRANT USAGE ON FOREIGN SERVER t_locked TO regress_granted;
ALTER DATABASE regression SET text2sql.server = 't_locked';
ALTER DATABASE regression SET text2sql.schemas = 't_locked';
ALTER DATABASE regression SET search_path = t_locked, public;
\c regression regress_other
SELECT text2sql('How many planets are there?');
SELECT * FROM ask('How many planets are there?');
SELECT sql, sqlstate, notices FROM text2sql.answer('How many planets are there?');
SELECT text2sql.explain('How many planets are there?') ->> 'strategy' AS strategy;
SELECT server FROM text2sql.history ORDER BY id;
-- named for the question
SELECT text2sql('How many planets are there?', server => 't_locked');
SELECT text2sql('How many planets are there?', strategy => 'zero_shot');
SELECT text2sql('How many planets are there?', options => '{"server": "t_locked"}');
SELECT text2sql.describe('SELECT 1');
SET text2sql.strategy = 'adaptive';
SELECT text2sql('How many planets are there?');
RESET text2sql.strategy;
-- a new session hears it again, unless it wants no notices
DISCARD ALL;
SELECT text2sql('How many planets are there?');
DISCARD ALL;
SET text2sql.notices = off;
SELECT text2sql('How many planets are there?');
\c regression regress_granted
SELECT sqlstate FROM text2sql.answer('How many planets are there?');
\c regression postgres
ALTER DATABASE regression RESET text2sql.server;
ALTER DATABASE regression RESET text2sql.schemas;
ALTER DATABASE regression RESET search_path;
DROP SERVER t_locked CASCADE;
DROP SCHEMA t_locked CASCADE;
DROP ROLE regress_granted, regress_other;
