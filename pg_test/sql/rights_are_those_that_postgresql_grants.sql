-- The catalog reads the lists of rights itself: a role sees just the columns that
-- has_column_privilege() says it may read, however it came by the right.
SET client_min_messages = warning;
CREATE SCHEMA t_granted;
SET search_path = t_granted, public;
SET text2sql.schemas = 't_granted';
CREATE ROLE regress_owner;
CREATE ROLE regress_group;
CREATE ROLE regress_inherits IN ROLE regress_group;
CREATE ROLE regress_must_set NOINHERIT IN ROLE regress_group;
-- in 13 only a superuser reads all
SELECT current_setting('server_version_num')::int < 140000 AS without_that_role \gset
\if :without_that_role
CREATE ROLE regress_reads_all SUPERUSER;
\else
CREATE ROLE regress_reads_all IN ROLE pg_read_all_data;
\endif
CREATE ROLE regress_nobody;
CREATE ROLE regress_superuser SUPERUSER;
GRANT USAGE, CREATE ON SCHEMA t_granted TO PUBLIC;
SET ROLE regress_owner;
CREATE TABLE untouched (thing_a int, thing_b int);
CREATE TABLE taken_from_owner (thing_a int, thing_b int);
REVOKE ALL ON taken_from_owner FROM regress_owner;
CREATE TABLE only_written (thing_a int, thing_b int);
REVOKE ALL ON only_written FROM regress_owner;
GRANT INSERT ON only_written TO PUBLIC;
CREATE TABLE to_public (thing_a int, thing_b int);
GRANT SELECT ON to_public TO PUBLIC;
CREATE TABLE to_group (thing_a int, thing_b int);
GRANT SELECT ON to_group TO regress_group;
CREATE TABLE to_one (thing_a int, thing_b int);
GRANT SELECT ON to_one TO regress_nobody WITH GRANT OPTION;
CREATE TABLE column_to_public (thing_a int, thing_b int);
GRANT SELECT (thing_b) ON column_to_public TO PUBLIC;
CREATE TABLE column_to_group (thing_a int, thing_b int);
GRANT SELECT (thing_a), UPDATE (thing_b) ON column_to_group TO regress_group;
CREATE VIEW a_view AS SELECT 1 AS thing_a;
GRANT SELECT ON a_view TO regress_group;
RESET ROLE;
CREATE FUNCTION seen() RETURNS TABLE (name text) LANGUAGE sql AS $$
    SELECT table_name || '.' || column_name FROM text2sql.search_columns('thing', 1000)
    WHERE column_name LIKE 'thing%' $$;
CREATE FUNCTION allowed() RETURNS TABLE (name text) LANGUAGE sql AS $$
    SELECT relname || '.' || attname FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
    WHERE relnamespace = 't_granted'::regnamespace AND attname LIKE 'thing%'
      AND has_column_privilege(c.oid, attnum, 'SELECT') $$;
CREATE FUNCTION differences(role name) RETURNS TABLE (columns bigint, hidden text[], shown text[]) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SET LOCAL ROLE %I', role);
    RETURN QUERY SELECT (SELECT count(*) FROM seen()), ARRAY(SELECT * FROM allowed() EXCEPT SELECT * FROM seen()),
                        ARRAY(SELECT * FROM seen() EXCEPT SELECT * FROM allowed());
    RESET ROLE;
END
$$;
SELECT role, d.* FROM unnest('{regress_owner, regress_group, regress_inherits, regress_must_set, regress_reads_all,
                               regress_nobody, regress_superuser}'::name[]) role, differences(role) d;
RESET text2sql.schemas;
DROP SCHEMA t_granted CASCADE;
DROP ROLE regress_owner, regress_group, regress_inherits, regress_must_set, regress_reads_all, regress_nobody,
    regress_superuser;
