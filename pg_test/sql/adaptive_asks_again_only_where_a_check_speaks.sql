-- Strategy adaptive, which auto means if a server is set: one call if no check objects to its
-- query, a second one with what a check found, and no trial longer than its timeout.
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set shop :abs_srcdir '/fixtures/shop.sql'
\set base_url `echo "$TEXT2SQL_MODEL/adaptive/v1"`
SET client_min_messages = warning;
CREATE SCHEMA t_adaptive;
SET search_path = t_adaptive, public;
\set ECHO none
\i :shop
\set ECHO all
CREATE SERVER t_adaptive FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script');
SET text2sql.server = 't_adaptive';
SET text2sql.schemas = 't_adaptive';
CREATE FUNCTION pg_temp.asked(question text, OUT strategy text, OUT calls text, OUT sql text, OUT notices text)
LANGUAGE sql AS $$
    SELECT r->>'strategy', r->>'calls', r->>'sql', r->>'notices' FROM text2sql.explain(question) AS r
$$;
SELECT * FROM pg_temp.asked('How many customers are there?');
SELECT * FROM pg_temp.asked('How many customers come from FRANCE?');
SET text2sql.effort = 'low';
SELECT * FROM pg_temp.asked('How many customers come from FRANCE?');
RESET text2sql.effort;
-- a billion rows are not counted to see whether they can be
SET text2sql.dry_run_timeout = '50ms';
SELECT * FROM pg_temp.asked('How long does it take?');
SET text2sql.dry_run_timeout = 0;
SELECT strategy, calls, sql FROM pg_temp.asked('How long does it take?');
RESET text2sql.dry_run_timeout;
SET text2sql.adaptive_min_confidence = 0.99;
SELECT text2sql('How many customers are there?');
RESET text2sql.adaptive_min_confidence;
RESET text2sql.server;
DROP SERVER t_adaptive;
DROP SCHEMA t_adaptive CASCADE;
