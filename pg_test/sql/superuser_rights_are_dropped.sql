-- A superuser's generated SQL runs as pg_read_all_data, which 13 has not: there it is refused;
-- text2sql.allow_superuser insists.
SET client_min_messages = warning;
SET text2sql.allow_superuser = off;
CREATE SCHEMA t_super;
SET search_path = t_super, public;
CREATE TABLE t (id int);
INSERT INTO t VALUES (1), (2);
CREATE FUNCTION whoami() RETURNS text LANGUAGE sql STABLE AS $$ SELECT current_user::text $$;
SELECT * FROM text2sql.run('SELECT whoami(), count(*) FROM t');
SET text2sql.allow_superuser = on;
SELECT * FROM text2sql.run('SELECT whoami(), count(*) FROM t');
SET text2sql.allow_superuser = off;
-- what only a superuser may execute
REVOKE EXECUTE ON FUNCTION whoami() FROM PUBLIC;
SELECT * FROM text2sql.run('SELECT whoami()');
-- row security: an error rather than silently missing rows
ALTER TABLE t ENABLE ROW LEVEL SECURITY;
CREATE POLICY half ON t USING (id = 1);
SELECT * FROM text2sql.run('SELECT count(*) FROM t');
-- an ordinary role sees what a direct SELECT shows, and may not insist
CREATE ROLE regress_ordinary;
GRANT USAGE ON SCHEMA t_super TO regress_ordinary;
GRANT SELECT ON t TO regress_ordinary;
SET ROLE regress_ordinary;
SELECT count(*) FROM t;
SELECT * FROM text2sql.run('SELECT count(*) FROM t');
SET text2sql.allow_superuser = on;
RESET ROLE;
DROP SCHEMA t_super CASCADE;
DROP ROLE regress_ordinary;
