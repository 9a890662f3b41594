-- Follow-ups: a session that asks for a conversation has one, for each role of its own, until it is
-- turned off, the session is discarded, or the transaction that turned it on ends.
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set shop :abs_srcdir '/fixtures/shop.sql'
\set base_url `echo "$TEXT2SQL_MODEL/follow/v1"`
SET client_min_messages = warning;
CREATE SCHEMA t_follow;
SET search_path = t_follow, public;
\set ECHO none
\i :shop
\set ECHO all
CREATE SERVER t_follow FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script');
CREATE ROLE regress_follow;
CREATE ROLE regress_follow_other;
GRANT USAGE ON FOREIGN SERVER t_follow TO regress_follow;
GRANT USAGE ON SCHEMA t_follow TO regress_follow, regress_follow_other;
GRANT SELECT ON customer, orders TO regress_follow, regress_follow_other;
SET ROLE regress_follow;
SET client_min_messages = notice;
-- a session keeps none by itself, and says how to have one
SELECT text2sql('How many customers are from Spain?');
SELECT text2sql('the top 3 of them');
SELECT count(*) FROM text2sql.conversation;
\set VERBOSITY terse
SET text2sql.follow_ups = on;
SELECT text2sql('How many customers are from Spain?');
SELECT text2sql('what about France?');
-- what is looked at first and run then is one question
SELECT * FROM ask('what about France?') AS t(answer);
SELECT text2sql('Which customers are from France?');
SELECT text2sql('how many are there?');
SELECT turn, question, read_as, columns, strategy FROM text2sql.conversation;
-- a question that stands alone is read as if nothing had been asked
SELECT text2sql('How many customers are there?');
-- right or refused
\set VERBOSITY default
SELECT text2sql('the top 3 of them');
\set VERBOSITY terse
SELECT sqlstate, reason FROM text2sql.answer('and zeppelins?');
-- explain() says what was carried over, and adds nothing
SELECT text2sql('Which customers are from Spain?');
SELECT jsonb_pretty((r::jsonb) -> 'follows') FROM text2sql.explain('how many are there?') AS r;
SELECT question FROM text2sql.conversation ORDER BY turn DESC LIMIT 1;
-- begun anew
SELECT text2sql('How many orders are there?', options => '{"follow_ups": false}');
SELECT turn, question FROM text2sql.conversation;
-- a conversation is its role's
SET ROLE regress_follow_other;
SELECT count(*) FROM text2sql.conversation;
SELECT text2sql('How many customers are from Spain?');
SET ROLE regress_follow;
SELECT turn, question FROM text2sql.conversation;
-- turned off it is forgotten, also by the end of the transaction that turned it on
SET text2sql.follow_ups = off;
SET text2sql.follow_ups = on;
SELECT count(*) FROM text2sql.conversation;
RESET text2sql.follow_ups;
BEGIN;
SET LOCAL text2sql.follow_ups = on;
SELECT text2sql('How many customers are from Spain?');
SELECT text2sql('what about France?');
COMMIT;
SET text2sql.follow_ups = on;
SELECT count(*) FROM text2sql.conversation;
-- turned on for one call there is none either
RESET text2sql.follow_ups;
SELECT text2sql('How many customers are from Spain?', options => '{"follow_ups": true}');
SELECT sqlstate FROM text2sql.answer('how many of them are there?', options => '{"follow_ups": true}');
-- a model sees the question before with its SQL, and what it answers is built on in turn
SET text2sql.follow_ups = on;
SET text2sql.server = 't_follow';
SELECT text2sql('How many customers are from Spain?');
SELECT text2sql('und in Frankreich?');
SELECT text2sql('and all of them?');
SELECT turn, question, sql FROM text2sql.conversation;
SELECT substring(content FROM '<conversation>.*</conversation>') AS shown
FROM text2sql.preview('and now?') WHERE role = 'user';
-- asked again it costs no call; after another question the same words are another question
SELECT (r ->> 'calls')::int AS calls FROM text2sql.explain('and all of them?') AS r;
SELECT text2sql('How many customers are from Spain?', options => '{"follow_ups": false}');
SELECT (r ->> 'calls')::int AS calls FROM text2sql.explain('and all of them?') AS r;
-- DISCARD ALL forgets, also where the role has it on for good
RESET ROLE;
ALTER DATABASE regression SET text2sql.follow_ups = on;
\c -
SET search_path = t_follow, public;
SET client_min_messages = warning;
SELECT text2sql('How many customers are from Spain?');
SELECT count(*) FROM text2sql.conversation;
DISCARD ALL;
SHOW text2sql.follow_ups;
SELECT count(*) FROM text2sql.conversation;
ALTER DATABASE regression RESET text2sql.follow_ups;
SET client_min_messages = warning;
DROP SERVER t_follow CASCADE;
DROP SCHEMA t_follow CASCADE;
DROP ROLE regress_follow;
DROP ROLE regress_follow_other;
