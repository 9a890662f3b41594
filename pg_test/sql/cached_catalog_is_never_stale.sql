-- The next call sees every change of schema, rights or search path.
SET client_min_messages = warning;
CREATE SCHEMA t_stale;
CREATE SCHEMA t_stale_other;
SET search_path = t_stale, public;
CREATE FUNCTION seen(sql text) RETURNS text LANGUAGE sql VOLATILE AS
    $$ SELECT CASE WHEN ok THEN 'ok ' || tables::text || columns::text ELSE sqlstate || ' ' || reason END FROM text2sql.check(sql) $$;
SELECT seen('SELECT * FROM a');
CREATE TABLE a (x int);
SELECT seen('SELECT * FROM a');
ALTER TABLE a ADD COLUMN y int;
SELECT seen('SELECT * FROM a');
ALTER TABLE a RENAME COLUMN y TO z;
SELECT seen('SELECT z FROM a');
ALTER TABLE a DROP COLUMN x;
SELECT seen('SELECT a FROM a');
ALTER TABLE a RENAME TO b;
SELECT seen('SELECT * FROM b');
ALTER TABLE b SET SCHEMA t_stale_other;
SELECT seen('SELECT * FROM t_stale_other.b');
SET search_path = t_stale, t_stale_other, public;
SELECT seen('SELECT * FROM b');
ALTER SCHEMA t_stale_other RENAME TO t_stale_renamed;
SELECT seen('SELECT * FROM t_stale_renamed.b');
SET search_path = t_stale, t_stale_renamed, public;
-- a rolled back change
BEGIN;
CREATE TABLE c (x int);
SELECT seen('SELECT * FROM c');
ROLLBACK;
SELECT seen('SELECT * FROM c');
-- rights and roles
CREATE ROLE regress_stale;
GRANT USAGE ON SCHEMA t_stale, t_stale_renamed TO regress_stale;
SET ROLE regress_stale;
SELECT seen('SELECT * FROM b');
RESET ROLE;
GRANT SELECT ON b TO regress_stale;
SET ROLE regress_stale;
SELECT seen('SELECT * FROM b');
RESET ROLE;
REVOKE SELECT ON b FROM regress_stale;
SET ROLE regress_stale;
SELECT seen('SELECT * FROM b');
RESET ROLE;
SELECT current_setting('server_version_num')::int < 140000 AS without_that_role \gset
\if :without_that_role
GRANT SELECT ON b TO regress_stale;
\else
GRANT pg_read_all_data TO regress_stale;
\endif
SET ROLE regress_stale;
SELECT seen('SELECT * FROM b');
RESET ROLE;
-- another session's change
\setenv PGOPTIONS '-c client_min_messages=warning'
\! psql -X -q -d regression -c 'CREATE TABLE t_stale.elsewhere (n int)'
SELECT seen('SELECT * FROM elsewhere');
-- keys
CREATE TABLE person (id int PRIMARY KEY);
CREATE TABLE pet (owner int);
SELECT conditions FROM text2sql.join_path('{pet.owner}', '{person.id}');
ALTER TABLE pet ADD FOREIGN KEY (owner) REFERENCES person;
SELECT conditions FROM text2sql.join_path('{pet.owner}', '{person.id}');
DROP SCHEMA t_stale, t_stale_renamed CASCADE;
DROP OWNED BY regress_stale;
DROP ROLE regress_stale;
