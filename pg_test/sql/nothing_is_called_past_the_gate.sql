-- What the gate does not see called: expressions that a plpgsql function has ready, functions of
-- operators that the planner estimates with.
SET client_min_messages = warning;
CREATE SCHEMA t_past;
SET search_path = t_past, public;
CREATE TABLE t AS SELECT 7 AS a, g AS id FROM generate_series(1, 200) g;
ANALYZE t;
CREATE ROLE regress_past;
GRANT ALL ON SCHEMA t_past TO regress_past;
GRANT SELECT ON t TO regress_past;
CREATE FUNCTION verdict(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n text;
BEGIN
    SELECT string_agg(r::text, ' ') INTO n FROM text2sql.run(sql) r;
    RETURN 'ran: ' || n;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
CREATE VIEW locks AS SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
GRANT SELECT ON locks TO regress_past;
SET ROLE regress_past;

-- a function that ran in the same transaction
CREATE FUNCTION locks_once(n int) RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$ BEGIN RETURN pg_try_advisory_lock(n); END $$;
CREATE FUNCTION casts(n int) RETURNS text LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$ DECLARE x text; BEGIN x := pg_backend_pid() + n; RETURN 'read'; END $$;
BEGIN;
SELECT locks_once(1), casts(1);
SELECT verdict('SELECT locks_once(2)');
SELECT verdict('SELECT casts(2)');
SELECT * FROM locks;
-- it is as ready afterwards as it was before
SELECT locks_once(3), casts(3);
SELECT * FROM locks;
COMMIT;
SELECT pg_advisory_unlock_all();

-- operators over functions of PostgreSQL's, in what a function sends, by themselves and as the
-- commutator or negator of another
CREATE OPERATOR ~=~ (FUNCTION = pg_advisory_unlock, LEFTARG = int, RIGHTARG = int, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE FUNCTION harmless(int, int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN false; END $$;
CREATE OPERATOR <~> (FUNCTION = harmless, LEFTARG = int, RIGHTARG = int, NEGATOR = ~=~, RESTRICT = neqsel);
CREATE OPERATOR <=~ (FUNCTION = harmless, LEFTARG = int, RIGHTARG = int, COMMUTATOR = ~>=, RESTRICT = scalarltsel);
CREATE OPERATOR ~>= (FUNCTION = pg_advisory_unlock, LEFTARG = int, RIGHTARG = int, COMMUTATOR = <=~, RESTRICT = scalargtsel);
CREATE FUNCTION sends(sql text) RETURNS text LANGUAGE plpgsql STABLE AS $$ DECLARE x text; BEGIN EXECUTE sql INTO x; RETURN x; END $$;
CREATE FUNCTION written_out(int, int) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT $1 OPERATOR(t_past.~=~) $2';
CREATE FUNCTION rows_of() RETURNS SETOF int LANGUAGE sql STABLE AS 'SELECT id FROM t_past.t WHERE a OPERATOR(t_past.~=~) 7';
CREATE FUNCTION any_type(anyelement) RETURNS SETOF int LANGUAGE sql STABLE AS 'SELECT id FROM t_past.t WHERE a OPERATOR(t_past.~=~) 7';
SELECT pg_advisory_lock(7, 7);
SELECT verdict($$SELECT sends('SELECT count(*) FROM t_past.t WHERE a OPERATOR(t_past.~=~) 7')$$);
SELECT verdict($$SELECT sends('SELECT count(*) FROM t_past.t WHERE a OPERATOR(t_past.<~>) 7')$$);
SELECT verdict($$SELECT sends('SELECT count(*) FROM t_past.t WHERE 7 OPERATOR(t_past.<=~) a')$$);
SELECT verdict($$SELECT sends('SELECT count(*) FROM t_past.t WHERE t_past.written_out(a, 7)')$$);
SELECT verdict($$SELECT count(*) FROM t WHERE written_out(a, 7)$$);
SELECT verdict($$SELECT count(*) FROM rows_of()$$);
SELECT verdict($$SELECT count(*) FROM any_type(1)$$);
SELECT * FROM locks;
SELECT pg_advisory_unlock(7, 7);
-- the cost is not estimated with them either
SET text2sql.max_cost = 1e9;
SELECT pg_advisory_lock(7, 7);
SELECT ok FROM text2sql.check('SELECT count(*) FROM t WHERE written_out(a, 7)');
SELECT ok FROM text2sql.check('SELECT count(*) FROM rows_of()');
SELECT * FROM locks;
SELECT pg_advisory_unlock(7, 7);
RESET text2sql.max_cost;

-- what is harmless runs: SQL functions of one's own, polymorphic ones, operators
CREATE FUNCTION net(numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT round($1 / 1.19, 2)';
CREATE FUNCTION at_least(int) RETURNS SETOF t LANGUAGE sql STABLE AS 'SELECT * FROM t_past.t WHERE id >= $1';
CREATE FUNCTION either(anyelement, anyelement) RETURNS anyelement LANGUAGE sql IMMUTABLE AS 'SELECT coalesce($1, $2)';
CREATE FUNCTION counted(int) RETURNS bigint LANGUAGE plpgsql STABLE AS $$ DECLARE n bigint; BEGIN SELECT count(*) INTO n FROM t_past.t WHERE id > $1; RETURN n; END $$;
SELECT verdict('SELECT net(119), (SELECT count(*) FROM at_least(190)), either(NULL, 5), counted(100)');
RESET ROLE;
DROP OWNED BY regress_past;
DROP SCHEMA t_past CASCADE;
DROP ROLE regress_past;
