-- What PostgreSQL calls by itself, without a call in any query: a range's SUBTYPE_DIFF while it
-- estimates, CANONICAL while it reads a value, the functions of operator classes. What has become
-- dangerous since it was made is refused; and no utility statement runs, whoever sends it.
SET client_min_messages = warning;
CREATE SCHEMA t_itself;
SET search_path = t_itself, public;
CREATE ROLE regress_mallory;
CREATE ROLE regress_alice;
GRANT pg_execute_server_program TO regress_alice;
GRANT USAGE, CREATE ON SCHEMA t_itself TO regress_mallory;
GRANT USAGE ON SCHEMA t_itself TO regress_alice;
CREATE TABLE counted AS SELECT g AS id FROM generate_series(1, 5) g;
CREATE FUNCTION verdict(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n text;
BEGIN
    SELECT string_agg(r::text, ' ') INTO n FROM text2sql.run(sql) r;
    RETURN 'ran: ' || n;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
SET ROLE regress_mallory;
CREATE FUNCTION apart(float8, float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN $1 - $2; END $$;
CREATE TYPE span AS RANGE (subtype = float8, subtype_diff = apart);
CREATE TYPE steps AS RANGE (subtype = int);
CREATE TABLE stay (id int, during span, many span[]);
INSERT INTO stay SELECT g, span(g, g + 10), ARRAY[span(g, g + 10)] FROM generate_series(1, 300) g;
ANALYZE stay;
CREATE TYPE visit AS (at span, note text);
CREATE DOMAIN short_span AS span;
CREATE VIEW visits AS SELECT id, ROW(during, 'x')::visit AS visit, during::short_span AS short FROM stay;
GRANT SELECT ON stay, visits TO regress_alice;
RESET ROLE;
SET ROLE regress_alice;
-- as it was made
SELECT verdict('SELECT count(*) FROM stay WHERE during && span(10, 11)');
SELECT verdict('SELECT count(*) FROM visits WHERE (visit).at && short');
RESET ROLE;

-- made again, in the same session: it starts a program, for who may
SET ROLE regress_mallory;
CREATE OR REPLACE FUNCTION apart(float8, float8) RETURNS float8 LANGUAGE plpgsql VOLATILE AS $$
BEGIN EXECUTE $c$COPY (SELECT 1) TO PROGRAM 'touch /tmp/attacked_by_estimate'$c$; RETURN $1 - $2; END $$;
RESET ROLE;
SET ROLE regress_alice;
SELECT ok, reason FROM text2sql.check('SELECT count(*) FROM stay WHERE during && span(10, 11)');
SELECT verdict('SELECT count(*) FROM stay WHERE during && span(10, 11)');
SELECT verdict('SELECT during FROM stay WHERE id = 1');
SELECT verdict('SELECT many FROM stay WHERE id = 1');
SELECT verdict('SELECT count(*) FROM visits WHERE visit IS NULL');
SELECT verdict('SELECT count(*) FROM visits WHERE short IS NULL');
SELECT verdict('SELECT NULL::span');
SELECT verdict('SELECT count(*) FROM (SELECT 1 FROM stay ORDER BY during) s');
SELECT verdict('SELECT id FROM stay WHERE id = 1');
SET text2sql.max_cost = 1e9;
SELECT ok FROM text2sql.check('SELECT count(*) FROM stay WHERE during && span(10, 11)');
RESET text2sql.max_cost;
RESET ROLE;
SELECT verdict('SELECT count(*) FROM stay WHERE during && span(10, 11)');
SET text2sql.allow_superuser = on;
SELECT verdict('SELECT count(*) FROM stay WHERE during && span(10, 11)');
RESET text2sql.allow_superuser;
SELECT pg_stat_file('/tmp/attacked_by_estimate', true) IS NULL AS no_file;

-- it says that it is immutable, and gathers statistics, which nothing takes back
SET ROLE regress_mallory;
CREATE OR REPLACE FUNCTION apart(float8, float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN PERFORM t_itself.looks(); RETURN $1 - $2; END $$;
CREATE FUNCTION looks() RETURNS int LANGUAGE plpgsql VOLATILE AS $$ BEGIN ANALYZE t_itself.stay; RETURN 1; END $$;
INSERT INTO stay SELECT g, span(g, g + 10) FROM generate_series(1, 500) g;
RESET ROLE;
SELECT reltuples = 300 AS as_before FROM pg_class WHERE oid = 'stay'::regclass;
SET ROLE regress_alice;
SELECT verdict('SELECT count(*) FROM stay WHERE during && span(10, 11)');
RESET ROLE;
SELECT reltuples = 300 AS as_before FROM pg_class WHERE oid = 'stay'::regclass;

-- utility statements, sent by a function that may be volatile: a superuser's, of an extension, of this name
CREATE EXTENSION pgcrypto SCHEMA t_itself;
CREATE FUNCTION gen_random_sent(sql text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$ BEGIN EXECUTE sql; RETURN 'sent'; END $$;
ALTER EXTENSION pgcrypto ADD FUNCTION gen_random_sent(text);
SELECT sql, verdict(format('SELECT gen_random_sent(%L)', sql)) FROM unnest(ARRAY[
    'SELECT 1', 'SHOW work_mem', 'EXPLAIN SELECT 1', 'CHECKPOINT', 'LISTEN x', 'SET work_mem = 64',
    'ANALYZE counted', 'LOCK TABLE stay IN ACCESS SHARE MODE', 'DISCARD PLANS', 'PREPARE p AS SELECT 1', 'DO ''BEGIN END''',
    'COPY (SELECT 1) TO STDOUT', 'DECLARE c CURSOR FOR SELECT 1']) AS sql;
SET text2sql.allow_superuser = on;
SELECT verdict($$SELECT gen_random_sent('COPY (SELECT 1) TO PROGRAM ''touch /tmp/attacked_by_estimate''')$$);
SELECT verdict('SELECT gen_random_sent(''ANALYZE counted'')');
RESET text2sql.allow_superuser;
SELECT pg_stat_file('/tmp/attacked_by_estimate', true) IS NULL AS no_file;
SELECT reltuples = 5 AS counted FROM pg_class WHERE oid = 'counted'::regclass;
-- outside of questions they do as always
SELECT gen_random_sent('SHOW work_mem'), gen_random_sent('ANALYZE counted');
SELECT reltuples = 5 AS counted FROM pg_class WHERE oid = 'counted'::regclass;
ALTER EXTENSION pgcrypto DROP FUNCTION gen_random_sent(text);

-- functions of an operator class that a superuser made of an ordinary role's: in the type's own, in an
-- index, in a partition key
SET ROLE regress_mallory;
CREATE FUNCTION order_of(int, int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN btint4cmp($1, $2); END $$;
CREATE FUNCTION hash_of(int, int8) RETURNS int8 LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN $1; END $$;
RESET ROLE;
CREATE OPERATOR CLASS backwards FOR TYPE int USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 order_of(int, int);
CREATE OPERATOR CLASS plain_hash FOR TYPE int USING hash AS OPERATOR 1 =, FUNCTION 2 hash_of(int, int8);
CREATE TABLE indexed AS SELECT g AS id FROM generate_series(1, 300) g;
CREATE INDEX ON indexed (id backwards);
CREATE TABLE parted (id int) PARTITION BY HASH (id plain_hash);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
GRANT SELECT ON indexed, parted TO regress_alice;
SET ROLE regress_alice;
SELECT verdict('SELECT count(*) FROM indexed WHERE id = 7');
SELECT verdict('SELECT count(*) FROM parted WHERE id = 7');
RESET ROLE;
SET ROLE regress_mallory;
ALTER FUNCTION order_of(int, int) VOLATILE;
ALTER FUNCTION hash_of(int, int8) VOLATILE;
RESET ROLE;
SET ROLE regress_alice;
SELECT verdict('SELECT count(*) FROM indexed WHERE id = 7');
SELECT verdict('SELECT count(*) FROM parted WHERE id = 7');
RESET ROLE;

-- in the states of an aggregate, and in its last step
SET ROLE regress_mallory;
CREATE FUNCTION sized(span) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT upper($1)';
CREATE FUNCTION ends(int) RETURNS int LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN $1; END $$;
CREATE FUNCTION widens(span, int) RETURNS span LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE AGGREGATE ended(int) (SFUNC = int4pl, STYPE = int, FINALFUNC = ends, INITCOND = '0');
CREATE AGGREGATE spanned(int) (SFUNC = widens, STYPE = span, FINALFUNC = sized, INITCOND = '[1,2]');
RESET ROLE;
SET ROLE regress_alice;
SELECT ok, reason FROM text2sql.check('SELECT ended(id) FROM stay');
SELECT ok, reason FROM text2sql.check('SELECT spanned(id) FROM stay');
SELECT ok, reason FROM text2sql.check('SELECT spanned(id) OVER (ORDER BY id) FROM stay');
RESET ROLE;
SET ROLE regress_mallory;
ALTER FUNCTION apart(float8, float8) VOLATILE;
RESET ROLE;
SET ROLE regress_alice;
SELECT ok, reason FROM text2sql.check('SELECT spanned(id) FROM stay');
RESET ROLE;
-- comparisons of a superuser's type by an ordinary role's functions, which no node of the query names
CREATE TYPE grade AS (n int);
CREATE FUNCTION grade_lt(grade, grade) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT ($1).n < ($2).n';
CREATE FUNCTION grade_le(grade, grade) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT ($1).n <= ($2).n';
CREATE FUNCTION grade_eq(grade, grade) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT ($1).n = ($2).n';
CREATE OPERATOR <# (FUNCTION = grade_lt, LEFTARG = grade, RIGHTARG = grade, COMMUTATOR = ># );
CREATE OPERATOR <=# (FUNCTION = grade_le, LEFTARG = grade, RIGHTARG = grade);
CREATE OPERATOR =# (FUNCTION = grade_eq, LEFTARG = grade, RIGHTARG = grade, COMMUTATOR = =# );
CREATE FUNCTION grade_gt(grade, grade) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT ($1).n > ($2).n';
CREATE OPERATOR ># (FUNCTION = grade_gt, LEFTARG = grade, RIGHTARG = grade, COMMUTATOR = <# );
CREATE OPERATOR >=# (FUNCTION = grade_le, LEFTARG = grade, RIGHTARG = grade);
SET ROLE regress_mallory;
CREATE FUNCTION grade_cmp(grade, grade) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN btint4cmp(($1).n, ($2).n); END $$;
RESET ROLE;
CREATE OPERATOR CLASS grades DEFAULT FOR TYPE grade USING btree AS
    OPERATOR 1 <#, OPERATOR 2 <=#, OPERATOR 3 =#, OPERATOR 4 >=#, OPERATOR 5 >#, FUNCTION 1 grade_cmp(grade, grade);
CREATE TABLE graded AS SELECT ROW(g)::grade AS grade FROM generate_series(1, 5) g;
GRANT SELECT ON graded TO regress_alice;
SET ROLE regress_alice;
SELECT verdict('SELECT grade FROM graded ORDER BY grade DESC LIMIT 1');
SELECT verdict('SELECT count(DISTINCT grade), count(*) FILTER (WHERE grade <# ROW(3)::grade) FROM graded');
RESET ROLE;
SET ROLE regress_mallory;
ALTER FUNCTION grade_cmp(grade, grade) VOLATILE;
RESET ROLE;
SET ROLE regress_alice;
SELECT verdict('SELECT grade FROM graded ORDER BY grade DESC LIMIT 1');
SELECT verdict('SELECT count(*) FROM graded WHERE grade <# ROW(3)::grade');
SELECT verdict('SELECT max(ARRAY[grade]) FROM graded');
RESET ROLE;

DROP OWNED BY regress_mallory CASCADE;
DROP SCHEMA t_itself CASCADE;
DROP OWNED BY regress_alice;
DROP ROLE regress_mallory, regress_alice;
