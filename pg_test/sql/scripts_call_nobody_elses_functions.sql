-- CREATE EXTENSION runs as a superuser, with the extension's schema on the search path. What others have
-- put there is not called, however well it fits, and no view of the extension is made of it.
SET client_min_messages = warning;
CREATE DATABASE regress_scripts;
\connect regress_scripts
SET client_min_messages = warning;
CREATE SCHEMA shared;
CREATE ROLE regress_first;
GRANT ALL ON SCHEMA shared TO regress_first;
SET ROLE regress_first;
CREATE FUNCTION shared.caught() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'called as %', current_user;
END $$;
CREATE FUNCTION shared.same(oid, regclass) RETURNS boolean LANGUAGE sql AS 'SELECT shared.caught()';
CREATE FUNCTION shared.same(oid, regprocedure) RETURNS boolean LANGUAGE sql AS 'SELECT shared.caught()';
CREATE FUNCTION shared.same(regclass, oid) RETURNS boolean LANGUAGE sql AS 'SELECT shared.caught()';
CREATE FUNCTION shared.same(name, text) RETURNS boolean LANGUAGE sql AS 'SELECT shared.caught()';
CREATE OPERATOR shared.= (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = shared.same);
CREATE OPERATOR shared.= (LEFTARG = oid, RIGHTARG = regprocedure, FUNCTION = shared.same);
CREATE OPERATOR shared.= (LEFTARG = regclass, RIGHTARG = oid, FUNCTION = shared.same);
CREATE OPERATOR shared.= (LEFTARG = name, RIGHTARG = text, FUNCTION = shared.same);
CREATE FUNCTION shared.has_column_privilege(oid, smallint, text) RETURNS boolean LANGUAGE sql AS 'SELECT shared.caught()';
RESET ROLE;
CREATE EXTENSION text2sql SCHEMA shared;
SELECT DISTINCT pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
FROM pg_depend d
JOIN pg_proc p ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid
               OR d.refclassid = 'pg_operator'::regclass AND d.refobjid IN (SELECT o.oid FROM pg_operator o WHERE o.oprcode = p.oid)
WHERE p.proowner = 'regress_first'::regrole AND d.classid = 'pg_rewrite'::regclass;
SELECT count(*) FROM text2sql.value_index;
SELECT count(*) FROM text2sql.column_vectors;
-- nor does a view of an answer bind to it, or what looks whether there is one
CREATE TABLE shared.sale (id int, name text);
SET search_path = shared;
SELECT text2sql.create_view('counted', 'How many sales are there?');
SELECT * FROM counted;
-- and it is made of the table that the query was judged for, which a temporary one does not hide
SET text2sql.schemas = 'shared';
CREATE TEMP TABLE sale (id int, name text);
SELECT text2sql.create_view('named', 'List the names of all sales');
SELECT pg_get_viewdef('shared.named'::regclass) ~ 'FROM shared.sale' AS of_that_table;
\connect regression
DROP DATABASE regress_scripts;
DROP ROLE regress_first;
