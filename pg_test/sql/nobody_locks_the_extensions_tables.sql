-- What everybody asks reads tables of the extension: no right that PUBLIC has on one of them allows a
-- lock on which others wait.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS text2sql;
CREATE ROLE regress_holder;

-- the rights of PUBLIC, on columns too, other than to read
SELECT c.relname, g.privilege_type
FROM pg_depend d
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid AND e.extname = 'text2sql'
JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
CROSS JOIN LATERAL (
    SELECT * FROM aclexplode(c.relacl)
    UNION ALL
    SELECT (aclexplode(a.attacl)).* FROM pg_attribute a WHERE a.attrelid = c.oid
) g
WHERE d.deptype = 'e' AND g.grantee = 0 AND g.privilege_type <> 'SELECT';

-- and what an ordinary role may lock with them: nothing that another lock of a reader or writer waits for
GRANT USAGE ON SCHEMA text2sql TO regress_holder;
SET ROLE regress_holder;
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT c.oid::regclass AS name, mode
               FROM pg_class c, unnest('{ROW SHARE,ROW EXCLUSIVE,SHARE UPDATE EXCLUSIVE,SHARE,ACCESS EXCLUSIVE}'::text[]) mode
               WHERE c.relnamespace = 'text2sql'::regnamespace AND c.relkind IN ('r', 'p', 'v') ORDER BY 1, 2
    LOOP
        BEGIN
            EXECUTE format('LOCK TABLE %s IN %s MODE NOWAIT', one.name, one.mode);
            RAISE WARNING '% was locked in % MODE', one.name, one.mode;
        EXCEPTION WHEN insufficient_privilege THEN NULL;
        END;
    END LOOP;
END $$;
RESET ROLE;
DROP OWNED BY regress_holder;
DROP ROLE regress_holder;
