-- A package brings a new library, ALTER EXTENSION text2sql UPDATE the objects: in between, every function that users
-- call says so, whatever its arguments are.
SET allow_system_table_mods = on;

BEGIN;
UPDATE pg_extension SET extversion = '0.0.9' WHERE extname = 'text2sql';
SAVEPOINT older;
SELECT text2sql('How many orders are there?');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK TO older;
-- functions of that version, with fewer parameters than the library knows
CREATE FUNCTION pg_temp.text2sql_without_options(question text) RETURNS text LANGUAGE c AS 'text2sql', 'text2sql_wrapper';
SELECT pg_temp.text2sql_without_options('How many orders are there?');
ROLLBACK;

BEGIN;
UPDATE pg_extension SET extversion = '0.10.0' WHERE extname = 'text2sql';
SELECT * FROM ask('How many orders are there?');
ROLLBACK;

-- Those that do not say so: what triggers, indexes, views and servers call.
BEGIN;
UPDATE pg_extension SET extversion = '0.0.9' WHERE extname = 'text2sql';
DO $$
DECLARE
    f record;
    state text;
BEGIN
    FOR f IN
        SELECT p.oid::regprocedure AS name, p.proretset AND p.prorettype = 'record'::regtype AND p.proallargtypes IS NULL AS untyped,
               (SELECT string_agg('NULL::' || t::regtype, ', ') FROM unnest(p.proargtypes) t) AS arguments,
               p.pronamespace::regnamespace || '.' || quote_ident(p.proname) AS called
        FROM pg_proc p
        JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
        JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'text2sql'
        JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'c'
        ORDER BY p.oid::regprocedure::text
    LOOP
        state := 'none';
        BEGIN
            EXECUTE format('SELECT * FROM %s(%s) %s', f.called, f.arguments, CASE WHEN f.untyped THEN 'AS t(a int)' END);
        EXCEPTION WHEN OTHERS THEN
            state := sqlstate;
        END;
        IF state <> '55000' THEN
            RAISE INFO '% says: %', f.name, state;
        END IF;
    END LOOP;
END
$$;
ROLLBACK;

-- Where the library is gone, cannot be loaded, or is one without a function, tables are altered, described and dropped all the same.
CREATE TABLE t_gone (id int PRIMARY KEY, name text);
INSERT INTO text2sql.indexed_column (relation, number, filenode, rows_written, built_at)
VALUES ('t_gone', 2, 0, 0, now());
BEGIN;
UPDATE pg_proc SET probin = 'text2sql_that_is_gone' WHERE oid = 'text2sql.tell_of_change(oid)'::regprocedure;
ALTER TABLE t_gone ADD COLUMN note text;
COMMENT ON TABLE t_gone IS 'described';
DROP TABLE t_gone;
SELECT count(*) FROM text2sql.indexed_column WHERE relation::oid NOT IN (SELECT oid FROM pg_class);
ROLLBACK;
BEGIN;
UPDATE pg_proc SET probin = current_setting('data_directory') WHERE oid = 'text2sql.tell_of_change(oid)'::regprocedure;
COMMENT ON TABLE t_gone IS 'described';
DROP TABLE t_gone;
ROLLBACK;
UPDATE pg_proc SET prosrc = 'a_function_that_is_gone' WHERE oid = 'text2sql.tell_of_change(oid)'::regprocedure;
COMMENT ON TABLE t_gone IS 'described';
DROP TABLE t_gone;
UPDATE pg_proc SET prosrc = 'tell_of_change_wrapper' WHERE oid = 'text2sql.tell_of_change(oid)'::regprocedure;
