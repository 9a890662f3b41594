-- The views of the extension show a role its own rows. A function that the role brings along, cheap
-- as it may be, sees no others while PostgreSQL looks for those.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS text2sql;
CREATE SCHEMA t_own;
SET search_path = t_own, public;
CREATE TABLE sale (id int, name text);
INSERT INTO sale VALUES (1, 'x');
CREATE ROLE regress_asker;
CREATE ROLE regress_curious;
GRANT ALL ON SCHEMA t_own TO regress_curious;
GRANT USAGE ON SCHEMA t_own TO regress_asker;
GRANT SELECT ON sale TO regress_asker;
INSERT INTO text2sql.quota (role, what, per, max, set_by) VALUES ('regress_asker', 'questions', 'day', 1000, 'curator of secrets');
SET ROLE regress_asker;
SELECT text2sql('How many sales are there?');
RESET ROLE;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
SELECT column_name, distinct_values FROM text2sql.index_values(ARRAY['sale']::regclass[]);
SET ROLE regress_curious;
CREATE FUNCTION peek(seen text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN
    IF seen ~ 'sales|sale$|curator' THEN RAISE WARNING 'seen: %', seen; END IF;
    RETURN true;
END $$;
SET client_min_messages = warning;
SELECT count(*) FROM text2sql.history WHERE peek(question);
SELECT count(*) FROM text2sql.slowest WHERE peek(question);
SELECT count(*) FROM text2sql.not_understood WHERE peek(last_question);
SELECT count(*) FROM text2sql.quota_usage WHERE peek(set_by);
SELECT count(*) FROM text2sql.value_index WHERE peek(table_name::text);
RESET ROLE;
-- every view of ours that anybody may read and that chooses by who reads it is such a barrier
SELECT c.relname FROM pg_class c
JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'text2sql'
WHERE c.relkind = 'v' AND pg_get_viewdef(c.oid) ~ 'current_user|session_user|_privilege\(|CURRENT_USER|SESSION_USER'
  AND has_table_privilege('regress_curious', c.oid, 'SELECT') AND NOT coalesce(c.reloptions::text ~ 'security_barrier', false);
DELETE FROM text2sql.quota WHERE set_by LIKE 'curator%';
SELECT text2sql.unindex_values(ARRAY['sale']::regclass[]) > 0 AS gone;
DROP SCHEMA t_own CASCADE;
DROP ROLE regress_asker, regress_curious;
