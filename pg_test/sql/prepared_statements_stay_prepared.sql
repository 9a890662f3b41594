-- A generated query runs no plan that was made before it was judged; the caller's prepared statements
-- are afterwards as ready as before, and what was out of date stays so. PLANNED tells when PostgreSQL
-- plans one.
CREATE SCHEMA t_prepared;
SET search_path = t_prepared, public;
SET plan_cache_mode = force_generic_plan;
CREATE TABLE t AS SELECT 7 AS a, g AS id FROM generate_series(1, 200) g;
ANALYZE t;
CREATE FUNCTION planned() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE NOTICE 'PLANNED'; RETURN 1; END $$;
PREPARE mine(int) AS SELECT planned() + $1 AS sum;
EXECUTE mine(1);
EXECUTE mine(2);
SELECT count(*) FROM text2sql.run('SELECT count(*) FROM t');
EXECUTE mine(3);
SELECT ok FROM text2sql.check('SELECT nope FROM t');
SELECT * FROM text2sql.run('SELECT 1 / (a - 7) FROM t');
EXECUTE mine(4);

-- what changed before a question
CREATE OR REPLACE FUNCTION planned() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE NOTICE 'PLANNED ANEW'; RETURN 10; END $$;
SELECT count(*) FROM text2sql.run('SELECT count(*) FROM t');
EXECUTE mine(5);
EXECUTE mine(6);

-- and no function of a generated query runs or gives up one
CREATE FUNCTION sends(sql text) RETURNS text LANGUAGE plpgsql STABLE AS $$ DECLARE x text; BEGIN EXECUTE sql INTO x; RETURN x; END $$;
EXECUTE mine(7);
SELECT * FROM text2sql.run($$ SELECT sends('EXECUTE mine(8)') $$);
SELECT * FROM text2sql.run($$ SELECT sends('DEALLOCATE mine') $$);
EXECUTE mine(9);
DEALLOCATE ALL;
RESET plan_cache_mode;
DROP FUNCTION planned, sends;
DROP TABLE t;
DROP SCHEMA t_prepared;
