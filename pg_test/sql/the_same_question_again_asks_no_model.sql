-- The same question again in a session is answered without a call, until something that the answer
-- was made from changes. The rows are always read anew.
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set shop :abs_srcdir '/fixtures/shop.sql'
\set base_url `echo "$TEXT2SQL_MODEL/adaptive/v1"`
SET client_min_messages = warning;
CREATE SCHEMA t_again;
SET search_path = t_again, public;
\set ECHO none
\i :shop
\set ECHO all
CREATE SERVER t_again FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script');
CREATE ROLE regress_again;
CREATE ROLE regress_again_other;
GRANT USAGE ON FOREIGN SERVER t_again TO regress_again, regress_again_other;
GRANT USAGE ON SCHEMA t_again TO regress_again, regress_again_other;
GRANT SELECT ON customer TO regress_again, regress_again_other;
CREATE FUNCTION asked(question text, OUT calls int, OUT sql text, OUT first_step text)
LANGUAGE sql AS $$
    SELECT (r->>'calls')::int, r->>'sql', r->'steps'->0->>'name' FROM text2sql.explain(question) AS r
$$;
SET text2sql.server = 't_again';
SET text2sql.schemas = 't_again';
SET ROLE regress_again;
SELECT * FROM asked('How many customers are there?');
SELECT * FROM asked('How many customers are there?');
SELECT count(*) FROM ask('How many customers are there?');
-- rows are those of now
RESET ROLE;
BEGIN;
TRUNCATE customer CASCADE;
SET LOCAL ROLE regress_again;
SELECT * FROM ask('How many customers are there?');
ROLLBACK;
-- another role asks for itself
SET ROLE regress_again_other;
SELECT * FROM asked('How many customers are there?');
-- the first one's answers are still there
SET ROLE regress_again;
SELECT * FROM asked('How many customers are there?');
-- another setting, another catalog, another model
SET text2sql.max_rows = 7;
SELECT * FROM asked('How many customers are there?');
RESET text2sql.max_rows;
RESET ROLE;
COMMENT ON TABLE customer IS 'People who buy';
SET ROLE regress_again;
SELECT * FROM asked('How many customers are there?');
SELECT calls FROM asked('How many customers are there?');
RESET ROLE;
ALTER SERVER t_again OPTIONS (SET model 'other');
SET ROLE regress_again;
SELECT calls FROM asked('How many customers are there?');
SELECT calls FROM asked('How many customers are there?');
-- who may not read the table any more is not told how it was read
RESET ROLE;
REVOKE SELECT ON customer FROM regress_again;
SET ROLE regress_again;
SELECT text2sql('How many customers are there?');
RESET ROLE;
GRANT SELECT ON customer TO regress_again;
-- a stored value that the question says is looked up anew
SET ROLE regress_again;
SELECT calls > 0 AS asked FROM asked('How many customers come from FRANCE?');
SELECT calls > 0 AS asked FROM asked('How many customers come from FRANCE?');
RESET ROLE;
UPDATE customer SET country = 'FRANCE' WHERE country = 'France';
ANALYZE customer;
SET ROLE regress_again;
SELECT calls > 0 AS asked FROM asked('How many customers come from FRANCE?');
-- a setting turns it off
SET text2sql.cache = off;
SELECT calls FROM asked('How many customers are there?');
SELECT calls FROM asked('How many customers are there?');
RESET text2sql.cache;
-- what row security shows depends on more than the role: nothing is kept
RESET ROLE;
ALTER TABLE customer ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON customer USING (country = current_setting('app.country', true));
SET ROLE regress_again;
SELECT calls FROM asked('How many customers are there?');
SELECT calls FROM asked('How many customers are there?');
RESET ROLE;
ALTER TABLE customer DISABLE ROW LEVEL SECURITY;
-- nor where values of a view stood in the prompt
SELECT calls FROM asked('How many customers are there?');
SELECT calls FROM asked('How many customers are there?');
-- DISCARD ALL forgets
SET ROLE regress_again;
SELECT calls FROM asked('How many customers are there?');
SELECT calls FROM asked('How many customers are there?');
DISCARD ALL;
SET client_min_messages = warning;
SET search_path = t_again, public;
SET text2sql.server = 't_again';
SET text2sql.schemas = 't_again';
SET ROLE regress_again;
SELECT calls FROM asked('How many customers are there?');
RESET ROLE;
RESET text2sql.server;
RESET text2sql.schemas;
DROP SERVER t_again CASCADE;
DROP SCHEMA t_again CASCADE;
DROP ROLE regress_again;
DROP ROLE regress_again_other;
