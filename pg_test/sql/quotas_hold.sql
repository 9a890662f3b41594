-- text2sql.quota: limits that a role cannot raise, counted by all sessions together, whatever is
-- rolled back.
SELECT text2sql(NULL);
SET client_min_messages = warning;
TRUNCATE text2sql.quota RESTART IDENTITY;   -- other tests have used numbers
CREATE SCHEMA t_quota;
SET search_path = t_quota, public;
CREATE TABLE planet (id int PRIMARY KEY, name text);
INSERT INTO planet SELECT g, 'planet ' || g FROM generate_series(1, 300) g;
ANALYZE planet;
CREATE ROLE regress_group;
CREATE ROLE regress_analyst IN ROLE regress_group;
CREATE ROLE regress_colleague IN ROLE regress_group;
CREATE ROLE regress_other;
CREATE ROLE regress_steward;
GRANT USAGE ON SCHEMA t_quota TO PUBLIC;
GRANT SELECT ON planet TO PUBLIC;
-- the end of a month as a word
CREATE FUNCTION said(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer text; detail text; hint text;
BEGIN
    EXECUTE command INTO answer;
    RETURN answer;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN regexp_replace(concat_ws(' | ', SQLSTATE, SQLERRM, nullif(detail, ''), hint),
                          to_char(date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') + interval '1 month',
                                  'YYYY-MM-DD HH24:MI'), 'THE END OF THE MONTH');
END $$;

-- who administers sets them
SELECT text2sql.grant('regress_steward', 'administer');
SET ROLE regress_steward;
INSERT INTO text2sql.quota VALUES
    ('regress_analyst', NULL, 'rows', 'query', 3),
    ('regress_analyst', NULL, 'time', 'query', 100),
    ('regress_analyst', NULL, 'cost', 'query', 1000000000),
    ('regress_analyst', NULL, 'bytes', 'query', 3000),
    ('regress_group', NULL, 'questions', 'month', 5);
INSERT INTO text2sql.quota VALUES ('regress_group', NULL, 'rows', 'month', 5);
INSERT INTO text2sql.quota VALUES ('regress_group', NULL, 'calls', 'month', -5);
INSERT INTO text2sql.quota VALUES ('regress_nobody', NULL, 'calls', 'month', 5);
RESET ROLE;

-- of a query: no SET and no option goes beyond, and the words say whom to ask
SET ROLE regress_analyst;
SELECT count(*) FROM text2sql.run('SELECT id FROM planet');
SET text2sql.max_rows = 1000;
SELECT count(*) FROM text2sql.run('SELECT id FROM planet', options => '{"max_rows": 50}');
SET text2sql.max_rows = 2;
SELECT count(*) FROM text2sql.run('SELECT id FROM planet');
RESET text2sql.max_rows;
SELECT said($$SELECT text2sql.run('SELECT count(*) FROM planet a, planet b, planet c, planet d', '{"query_timeout": 60000}')$$);
SELECT regexp_replace(said($$SELECT text2sql.run('SELECT 1 FROM planet a, planet b, planet c, planet d, planet e', '{"max_cost": 1e18}')$$), 'is \d{9,},', 'is N,');
SELECT said($$SELECT text2sql.run('SELECT repeat(name, 1000) FROM planet', '{"max_result_size": "100MB"}')$$);
SELECT said($$UPDATE text2sql.quota SET max = 1000$$), said($$SELECT setval('text2sql.quota_5', 1)$$);
SELECT said($$DROP SEQUENCE text2sql.quota_5$$);
-- of a month: counted together for the group, also when the transaction, or a part of it, is undone
SELECT said($$SELECT text2sql('How many planets are there?')$$);
BEGIN;
SELECT said($$SELECT text2sql('How many planets are there?')$$);
ROLLBACK;
SELECT said($$SELECT text2sql('How many zeppelins are there?')$$);
BEGIN READ ONLY;
SELECT said($$SELECT text2sql('How many planets are there?')$$);
SHOW transaction_read_only;
ROLLBACK;
SELECT role, max, used, until > now() AS later FROM text2sql.quota_usage WHERE what = 'questions';
RESET ROLE;
SET ROLE regress_colleague;
SELECT said($$SELECT rows FROM text2sql.answer('How many planets are there?', execute => true)$$);
SELECT said($$SELECT text2sql('How many planets are there?')$$);
SELECT sqlstate, reason FROM text2sql.answer('How many planets are there?');
-- what asks no question is not counted
SELECT said($$SELECT text2sql.run('SELECT count(*) FROM planet')$$);
-- others are not concerned
SET ROLE regress_other;
SELECT said($$SELECT text2sql('How many planets are there?')$$);
SELECT count(*) FROM text2sql.quota_usage;
RESET ROLE;
SELECT said($$SELECT text2sql('How many planets are there?')$$) AS superuser;
-- nobody gets away by another role
SET SESSION AUTHORIZATION regress_analyst;
CREATE TEMP TABLE me AS SELECT 1;
SET ROLE regress_group;
SELECT said($$SELECT text2sql('How many planets are there?')$$);
RESET SESSION AUTHORIZATION;
-- more of it
SET ROLE regress_steward;
UPDATE text2sql.quota SET max = 6 WHERE what = 'questions';
SELECT role, server, what, per, max, used, set_by FROM text2sql.quota_usage ORDER BY what;
RESET ROLE;
SET ROLE regress_analyst;
SELECT said($$SELECT text2sql('How many planets are there?')$$);
SELECT said($$SELECT text2sql('How many planets are there?')$$);
RESET ROLE;
-- a period that is over counts for nothing
SELECT setval(format('text2sql.quota_%s', id), ((SELECT number - 1 FROM text2sql.period('month')) << 40) + 1000) > 0 AS a_month_ago
FROM text2sql.quota WHERE what = 'questions';
SELECT used FROM text2sql.quota_usage WHERE what = 'questions';
SET ROLE regress_analyst;
SELECT said($$SELECT text2sql('How many planets are there?')$$);
RESET ROLE;
SELECT used FROM text2sql.quota_usage WHERE what = 'questions';
-- where two hold and one is reached, the other is as it was
INSERT INTO text2sql.quota VALUES (NULL, NULL, 'questions', 'day', 1);
SELECT said($$SELECT text2sql('How many planets are there?')$$);
SET ROLE regress_analyst;
SELECT sqlstate FROM text2sql.answer('How many planets are there?');
RESET ROLE;
SELECT what, per, max, used FROM text2sql.quota_usage WHERE what = 'questions' ORDER BY per;

DELETE FROM text2sql.quota;
SELECT count(*) AS sequences_left FROM pg_class WHERE relname ~ '^quota_\d+$';
DROP SCHEMA t_quota CASCADE;
DROP OWNED BY regress_group, regress_analyst, regress_colleague, regress_other, regress_steward;
DROP ROLE regress_analyst, regress_colleague, regress_group, regress_other, regress_steward;
