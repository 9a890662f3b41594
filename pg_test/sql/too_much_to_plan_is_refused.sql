-- A planner looks for no interrupt while it copies: what doubles at each level is refused before
-- it is planned, and before views are written out, wherever the statement stands.
SET client_min_messages = warning;
CREATE SCHEMA t_bounds;
SET search_path = t_bounds, public;
SET text2sql.allow_superuser = on;
CREATE TABLE t AS SELECT g AS id, g % 7 AS a FROM generate_series(1, 50) g;
ANALYZE t;
CREATE FUNCTION verdict(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n bigint; why text;
BEGIN
    SELECT count(*) INTO n FROM text2sql.run(sql);
    RETURN n || ' rows';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS why = PG_EXCEPTION_DETAIL;
    RETURN SQLSTATE || ': ' || left(SQLERRM, 100) || coalesce(' / ' || substring(why, '^[^,.]*'), '');
END $$;
-- `step` once per level, %1$s its number and %2$s the one before; `last` reads the last
CREATE FUNCTION chain(levels int, step text, last text) RETURNS text LANGUAGE sql AS $$
    SELECT 'WITH c0 AS (SELECT id, a FROM t), ' || string_agg(format(step, n, n - 1), ', ' ORDER BY n) || format(last, levels)
    FROM generate_series(1, levels) n
$$;
-- references that the planner writes out
SELECT verdict(chain(12, 'c%1$s AS NOT MATERIALIZED (SELECT x.id, y.a FROM c%2$s x JOIN c%2$s y USING (id))', ' SELECT count(*) FROM c%s'));
SELECT verdict(chain(12, 'c%1$s AS NOT MATERIALIZED (SELECT * FROM c%2$s UNION ALL SELECT * FROM c%2$s)', ' SELECT count(*) FROM c%s'));
SELECT verdict(chain(40, 'c%1$s AS NOT MATERIALIZED (SELECT * FROM c%2$s WHERE id IN (SELECT a FROM c%2$s))', ' SELECT count(*) FROM c%s'));
-- depth, number, width
SELECT verdict(chain(120, 'c%1$s AS (SELECT * FROM c%2$s WHERE id > 0)', ' SELECT count(*) FROM c%s'));
SELECT verdict(chain(400, 'c%1$s AS MATERIALIZED (SELECT * FROM t)', ' SELECT count(*) FROM c%s'));
SELECT verdict('SELECT 1 WHERE ' || repeat('EXISTS (SELECT 1 WHERE ', 120) || 'true' || repeat(')', 120));
SELECT verdict('SELECT count(*) FROM ' || string_agg('t AS t' || n, ', ')) FROM generate_series(1, 250) n;
SELECT verdict('SELECT count(*) FROM t AS t0' || string_agg(format(' JOIN t AS t%s USING (id)', n), '')) FROM generate_series(1, 250) n;
-- before it is analysed, which finds more columns than a join may have
DO $$ BEGIN EXECUTE 'CREATE TABLE w (' || (SELECT string_agg('c' || n || ' int', ', ') FROM generate_series(1, 1600) n) || ')'; END $$;
SELECT verdict('SELECT count(*) FROM t AS t0' || (SELECT string_agg(format(' CROSS JOIN %s AS j%s', CASE WHEN n <= 200 THEN 't' ELSE 'w' END, n), '' ORDER BY n) FROM generate_series(1, 225) n));
SELECT verdict('WITH u0 AS (SELECT 1 AS n), ' || string_agg(format('u%s AS NOT MATERIALIZED (SELECT n FROM u%s UNION ALL SELECT n FROM u%2$s)', n, n - 1), ', ') || ' SELECT count(*) FROM u11') FROM generate_series(1, 11) n;
SELECT verdict('SELECT id FROM t WHERE id IN (' || string_agg(n::text, ', ') || ')') FROM generate_series(1, 25000) n;
-- columns that expand to more at each level
SELECT verdict(chain(22, 'c%1$s AS (SELECT id, a + a AS a FROM c%2$s)', ' SELECT max(a) FROM c%s WHERE a > 0'));
SELECT verdict(chain(22, 'c%1$s AS (SELECT DISTINCT a + a AS a FROM c%2$s)', ' SELECT a FROM c%s WHERE a > 0'));
SELECT verdict(chain(22, 'c%1$s AS (SELECT a + a AS a FROM c%2$s UNION ALL SELECT 1)', ' SELECT a FROM c%s WHERE a > 0'));
-- views, row policies and SQL functions
DO $$ BEGIN
    CREATE VIEW v0 AS SELECT * FROM t;
    CREATE FUNCTION f0() RETURNS int LANGUAGE sql STABLE AS 'SELECT 1';
    CREATE FUNCTION s0() RETURNS SETOF int LANGUAGE sql STABLE AS 'SELECT id FROM t_bounds.t';
    CREATE TABLE r0 (id int);
    FOR n IN 1..14 LOOP
        EXECUTE format('CREATE VIEW v%s AS SELECT x.* FROM v%s x JOIN v%s y USING (id)', n, n - 1, n - 1);
        EXECUTE format('CREATE FUNCTION f%s() RETURNS int LANGUAGE sql STABLE AS ''SELECT f%s() + f%s()''', n, n - 1, n - 1);
        EXECUTE format('CREATE FUNCTION s%s() RETURNS SETOF int LANGUAGE sql STABLE AS ''SELECT s%s() UNION ALL SELECT s FROM s%s() s''', n, n - 1, n - 1);
        EXECUTE format('CREATE TABLE r%s (id int)', n);
        EXECUTE format('ALTER TABLE r%s ENABLE ROW LEVEL SECURITY', n);
        EXECUTE format('CREATE POLICY p ON r%s USING (id IN (SELECT id FROM r%s) OR id IN (SELECT id FROM r%s))', n, n - 1, n - 1);
    END LOOP;
    CREATE VIEW wide AS SELECT x.* FROM v14 x, v14 y;
END $$;
CREATE ROLE regress_bounded;
GRANT ALL ON SCHEMA t_bounds TO regress_bounded;
GRANT SELECT ON ALL TABLES IN SCHEMA t_bounds TO regress_bounded;
DO $$ BEGIN
    FOR n IN 0..14 LOOP
        EXECUTE format('ALTER FUNCTION f%s() OWNER TO regress_bounded', n);
        EXECUTE format('ALTER FUNCTION s%s() OWNER TO regress_bounded', n);
    END LOOP;
END $$;
SET ROLE regress_bounded;
SELECT verdict('SELECT count(*) FROM v14');
SELECT verdict('SELECT count(*) FROM wide');
SELECT verdict('SELECT id FROM r14');
SELECT verdict('SELECT f14() + f14() + f14() + f14() + f14() + f14() + f14() + f14() + f14() + f14()');
SELECT verdict('SELECT count(*) FROM s14()');
-- a statement that a function sends, and a probe of a view
CREATE FUNCTION sends(sql text) RETURNS text LANGUAGE plpgsql STABLE AS $$ DECLARE x text; BEGIN EXECUTE sql INTO x; RETURN x; END $$;
SELECT verdict('SELECT sends(''SELECT count(*) FROM v14'')');
SELECT verdict(format('SELECT sends(%L)', chain(12, 'c%1$s AS NOT MATERIALIZED (SELECT x.id, y.a FROM c%2$s x JOIN c%2$s y USING (id))', ' SELECT count(*) FROM c%s')));
SELECT count(*) FROM text2sql.search_values('x');
-- the cost is estimated of what may be planned only
SET text2sql.max_cost = 1e9;
SELECT ok, sqlstate, reason FROM text2sql.check('SELECT count(*) FROM v14');
RESET text2sql.max_cost;
-- what people write passes
SELECT verdict(chain(60, 'c%1$s AS (SELECT id, coalesce(a, 0) AS a FROM c%2$s WHERE id > 0)', ' SELECT count(*) FROM c%s'));
SELECT verdict(chain(60, 'c%1$s AS (SELECT x.id, x.a, y.a AS b FROM c%2$s x JOIN c%2$s y USING (id))', ' SELECT count(*) FROM c%s'));
SELECT verdict('SELECT id FROM t WHERE id IN (' || string_agg(n::text, ', ') || ')') FROM generate_series(1, 1000) n;
SELECT verdict('SELECT count(*) FROM t AS t0' || string_agg(format(' JOIN t AS t%s USING (id)', n), '')) FROM generate_series(1, 29) n;
SELECT verdict('SELECT count(*) FROM v4');
SELECT verdict('SELECT f4()');
SELECT verdict('SELECT count(*) FROM s4()');
SELECT verdict('SELECT id FROM r3');
RESET ROLE;
DROP OWNED BY regress_bounded;
DROP SCHEMA t_bounds CASCADE;
DROP ROLE regress_bounded;
