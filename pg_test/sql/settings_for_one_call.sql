-- options => '{…}': settings for one call, of the same names, rules and errors as SET. Nothing of
-- them stays, so that a pooler hands the connection on as it was.
SELECT text2sql(NULL);
SET client_min_messages = warning;
CREATE SCHEMA t_options;
SET search_path = t_options, public;
CREATE TABLE planet (id int PRIMARY KEY, name text);
INSERT INTO planet SELECT g, 'planet ' || g FROM generate_series(1, 9) g;
ANALYZE planet;
CREATE ROLE regress_options;
GRANT USAGE ON SCHEMA t_options TO regress_options;
GRANT SELECT ON planet TO regress_options;
SET ROLE regress_options;

SELECT count(*) FROM ask('List the names of all planets', options => '{"max_rows": 4}');
SHOW text2sql.max_rows;
-- every function that asks or runs takes them
CREATE TEMP TABLE settings AS SELECT '{"schemas": ["t_options"], "strategy": "builtin", "max_rows": 3}'::json AS these;
SELECT text2sql('How many planets are there?', options => these) FROM settings;
SELECT t.* FROM settings, ask_record('List the names of all planets', options => these) AS t(name text);
SELECT ask_summary('How many planets are there?', options => these) FROM settings;
SELECT text2sql.explain('How many planets are there?', options => these) ->> 'strategy' AS strategy FROM settings;
SELECT count(*) FROM settings, text2sql.run('SELECT * FROM planet', these);
SELECT count(*) FROM settings, text2sql.run_record('SELECT id FROM planet', these) AS t(id int);
SELECT a.truncated FROM settings, text2sql.answer('List the names of all planets', execute => true, options => these) a;
SELECT count(*) FROM settings, text2sql.preview('How many planets are there?', options => these);
SELECT ok, reason FROM text2sql.check('SELECT * FROM planet', '{"schemas": "pg_temp"}');
SELECT text2sql.describe('SELECT 1', options => '{"server": "nowhere"}');
SELECT text2sql.fix('SELECT nothing', options => '{"server": "nowhere", "max_refinements": 1}');
-- a cursor takes them along to where it is read
BEGIN;
SELECT ask_cursor('List the names of all planets', 'planets', options => these) FROM settings;
FETCH ALL FROM planets;
COMMIT;
-- an argument is nearer than an option, an option nearer than SET
SET text2sql.strategy = 'mag';
SELECT text2sql.explain('How many planets are there?', options => '{"strategy": "builtin"}') ->> 'strategy' AS option,
       text2sql.explain('How many planets are there?', strategy => 'builtin', options => '{"strategy": "gsr"}') ->> 'strategy' AS argument;
RESET text2sql.strategy;
-- units as SET takes them, a NULL as if it were not there
SELECT count(*) FROM text2sql.run('SELECT 1', '{"query_timeout": "2s", "max_rows": null}');

-- what SET refuses is refused, in its words; neither the error nor what stood beside it stays
SELECT text2sql('How many planets are there?', options => '{"max_rows": 0}');
SELECT text2sql('How many planets are there?', options => '{"max_calls": 3, "strategy": "magic"}');
SELECT text2sql('How many planets are there?', options => '{"max_calls": 3, "history": "off"}');
SELECT text2sql('How many planets are there?', options => '{"allow_superuser": "on"}');
\set VERBOSITY terse
SELECT text2sql('How many planets are there?', options => '{"max_row": 5}');
SELECT text2sql('How many planets are there?', options => '{"search_path": "public"}');
\set VERBOSITY default
SELECT text2sql('How many planets are there?', options => '[1]');
SELECT text2sql('How many planets are there?', options => '{');
SHOW text2sql.max_calls;
BEGIN;
SAVEPOINT before;
SELECT text2sql('How many zeppelins are there?', options => '{"max_calls": 3}');
ROLLBACK TO before;
SHOW text2sql.max_calls;
-- a setting of the transaction is there again after a call
SET LOCAL text2sql.max_rows = 7;
SELECT count(*) FROM ask('List the names of all planets', options => '{"max_rows": 2}');
SHOW text2sql.max_rows;
COMMIT;
RESET ROLE;
-- a superuser may what a superuser may
SELECT text2sql('How many planets are there?', options => '{"schemas": "t_options", "history": "off"}');
SHOW text2sql.history;
DROP TABLE pg_temp.settings;
DROP SCHEMA t_options CASCADE;
DROP ROLE regress_options;
