-- The extension's own functions lend nobody the rights of its owner, a superuser: neither called nor attached to a table
-- of somebody's own. (Once they did: a temporary table with such a trigger made its owner a superuser.)
SET client_min_messages = warning;
CREATE ROLE regress_plain;
CREATE SCHEMA t_lends;
SET search_path = t_lends, public;
SET text2sql.schemas = 't_lends';
GRANT CREATE, USAGE ON SCHEMA t_lends TO regress_plain;
CREATE TABLE comet (id int PRIMARY KEY, name text);
INSERT INTO comet VALUES (1, 'Halley'), (2, 'Encke');
GRANT SELECT ON comet TO PUBLIC;
CREATE EXTENSION pg_trgm SCHEMA public;
SELECT sum(added) AS indexed FROM text2sql.index_values('{comet}');
INSERT INTO text2sql.quota VALUES ('regress_plain', NULL, 'questions', 'month', 2) RETURNING id \gset
CREATE FUNCTION attempt(command text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE command;
    RETURN 'done';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- what an ordinary role puts into a row of its own: SQL, a type whose cast to integer it wrote, the number of a limit
SET ROLE regress_plain;
CREATE TEMP TABLE injected (id text);
INSERT INTO injected VALUES ('0; ALTER ROLE regress_plain SUPERUSER');
CREATE TYPE t_lends.odd AS (n int);
CREATE FUNCTION t_lends.odd_number(t_lends.odd) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'ALTER ROLE regress_plain SUPERUSER';
    RETURN 0;
END $$;
CREATE CAST (t_lends.odd AS int) WITH FUNCTION t_lends.odd_number(t_lends.odd) AS IMPLICIT;
CREATE TEMP TABLE cast_away (id t_lends.odd);
INSERT INTO cast_away VALUES (ROW(1));
CREATE TEMP TABLE numbered (id int, per text);
INSERT INTO numbered VALUES (:id, 'month');
CREATE TEMP TABLE indexed (id int);
INSERT INTO indexed SELECT generate_series(1, 1000);
CREATE TEMP TABLE bare (id int);
-- nobody else may attach one of the extension's functions to anything
SELECT p.proname, attempt(format('CREATE TRIGGER %I AFTER DELETE ON bare FOR EACH ROW EXECUTE FUNCTION text2sql.%1$I()',
                                 p.proname)) AS attached
FROM pg_proc p
WHERE p.pronamespace = 'text2sql'::regnamespace AND p.prorettype = 'trigger'::regtype
ORDER BY 1;
RESET ROLE;

-- even where somebody was lent the right to do so, they serve no table but their own
SELECT format('GRANT EXECUTE ON FUNCTION %s TO regress_plain', p.oid::regprocedure)
FROM pg_proc p
WHERE p.pronamespace = 'text2sql'::regnamespace AND p.prorettype = 'trigger'::regtype
ORDER BY 1 \gexec
SET ROLE regress_plain;
CREATE TABLE outcome (what text, came_of_it text);
DO $$
DECLARE
    function text;
    place text;
    came_of_it text;
BEGIN
    FOR function IN SELECT proname FROM pg_proc
                    WHERE pronamespace = 'text2sql'::regnamespace AND prorettype = 'trigger'::regtype ORDER BY 1 LOOP
        FOREACH place IN ARRAY '{injected,cast_away,numbered,indexed}'::text[] LOOP
            came_of_it := attempt(format('CREATE TRIGGER lent AFTER DELETE ON %I FOR EACH ROW EXECUTE FUNCTION text2sql.%I()',
                                         place, function));
            IF came_of_it = 'done' THEN
                came_of_it := attempt(format('DELETE FROM %I', place));
                EXECUTE format('DROP TRIGGER lent ON %I', place);
            END IF;
            INSERT INTO outcome VALUES (function || ' on ' || place, came_of_it);
        END LOOP;
    END LOOP;
END $$;
SELECT * FROM outcome ORDER BY 1;
RESET ROLE;
SELECT rolsuper FROM pg_roles WHERE rolname = 'regress_plain';
SELECT count(*) AS limits_that_count FROM text2sql.quota q WHERE to_regclass(format('text2sql.quota_%s', q.id)) IS NOT NULL;
SELECT count(*) AS indexed_values FROM text2sql.indexed_value v
JOIN text2sql.indexed_column c ON c.id = v.column_id WHERE c.relation = 'comet'::regclass;
SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM regress_plain', p.oid::regprocedure)
FROM pg_proc p
WHERE p.pronamespace = 'text2sql'::regnamespace AND p.prorettype = 'trigger'::regtype
ORDER BY 1 \gexec

-- so a limit of two stays one of two
SET ROLE regress_plain;
SELECT attempt($$SELECT text2sql('How many comets are there?')$$) FROM generate_series(1, 2);
SELECT left(attempt($$SELECT text2sql('How many comets are there?')$$), 5);
RESET ROLE;

-- each function that runs with its owner's rights, with the reason why
CREATE TEMP VIEW own AS
SELECT p.* FROM pg_proc p
JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'text2sql';
CREATE TEMP TABLE lends (name text, reason text);
INSERT INTO lends VALUES
    ('before_drop', 'an event trigger: whoever drops something may not call watch_drop()'),
    ('follow_labelled', 'an event trigger: whoever renames something may not write labels'),
    ('forget_lost_columns', 'an event trigger: whoever drops something may not write the index of values'),
    ('keep_count', 'who administers limits does not own the sequences that count them'),
    ('quota_used', 'shows one''s own count; nobody else may read the sequences'),
    ('tell_of_comments', 'an event trigger: whoever comments on something may not call tell_of_change()');
SELECT coalesce(own.proname, lends.name) AS differs FROM own FULL JOIN lends ON own.proname = lends.name
WHERE own.prosecdef IS DISTINCT FROM (lends.name IS NOT NULL);
-- they look names up among PostgreSQL's own, with temporary ones last, and take and return PostgreSQL's own types
SELECT proname AS wrong_search_path FROM own
WHERE prosecdef AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false);
SELECT proname AS foreign_types FROM own, unnest(proargtypes || prorettype) AS t(type)
WHERE prosecdef AND (SELECT typnamespace FROM pg_type WHERE oid = type) <> 'pg_catalog'::regnamespace;
-- what they make SQL of is quoted
SELECT proname AS unquoted FROM own
WHERE prosecdef AND (prosrc ~* '\mexecute\M[^;]*\|\|' OR prosrc ~* '\mexecute\M[^;]*%([0-9]+\$)?s');
-- PUBLIC calls one of them, and none that is a trigger or for the extension's own use
SELECT proname FROM own
WHERE has_function_privilege('regress_plain', oid, 'EXECUTE')
  AND (prosecdef OR prorettype IN ('trigger'::regtype, 'event_trigger'::regtype)
       OR proname IN ('tell_of_change', 'watch_drop', 'forget_lost_values'));
-- the other functions in SQL look names up likewise, unless there is a reason
SELECT proname AS without_search_path FROM own
WHERE prolang IN (SELECT oid FROM pg_language WHERE lanname IN ('sql', 'plpgsql'))
  AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)
ORDER BY 1;

-- those two name all that they call with schemas: what somebody puts before PostgreSQL's own is not called
SET ROLE regress_plain;
CREATE FUNCTION t_lends.caught() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'called as %', current_user;
END $$;
CREATE FUNCTION t_lends.same(bigint, bigint) RETURNS boolean LANGUAGE sql AS 'SELECT t_lends.caught()';
CREATE FUNCTION t_lends.same(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT t_lends.caught()';
CREATE OPERATOR t_lends.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = t_lends.same);
CREATE OPERATOR t_lends.= (LEFTARG = text, RIGHTARG = text, FUNCTION = t_lends.same);
CREATE FUNCTION t_lends.lower(text) RETURNS text LANGUAGE sql AS 'SELECT t_lends.caught()::text';
CREATE FUNCTION t_lends.now() RETURNS timestamptz LANGUAGE sql AS 'SELECT t_lends.caught()::text::timestamptz';
CREATE FUNCTION t_lends.to_regclass(text) RETURNS regclass LANGUAGE sql AS 'SELECT t_lends.caught()::text::regclass';
CREATE FUNCTION t_lends.regexp_replace(text, text, text) RETURNS text LANGUAGE sql AS 'SELECT t_lends.caught()::text';
CREATE FUNCTION t_lends.quote_ident(text) RETURNS text LANGUAGE sql AS 'SELECT t_lends.caught()::text';
RESET ROLE;
DELETE FROM text2sql.quota;
SELECT text2sql.grant('regress_plain', 'ask');
SET ROLE regress_plain;
SELECT attempt($$SELECT text2sql('How many zeppelins are there?')$$);
SELECT attempt($$SELECT text2sql('How many comets are there?')$$);
SELECT text2sql.feedback((SELECT max(id) FROM text2sql.history), 'wrong', 'comet.name should be hidden');
SELECT attempt($$SELECT text2sql('Show all comets')$$);
SELECT text2sql.feedback((SELECT max(id) FROM text2sql.history), 'right');
RESET ROLE;
SET search_path = t_lends, pg_catalog, public;
SELECT kind, subject, text2sql.accept_suggestion(id, subject, coalesce(proposal, 'comets')) FROM text2sql.suggestion
WHERE said_by OPERATOR(pg_catalog.=) 'regress_plain' ORDER BY kind DESC;
CALL text2sql.index_values_in_parts('{comet}');
RESET search_path;
SELECT label FROM text2sql.label WHERE schema = 't_lends';
-- a hint is a command to type, whatever somebody called a table
CREATE TABLE t_lends."x'; ALTER ROLE regress_plain SUPERUSER; --" (id int);
GRANT SELECT ON t_lends."x'; ALTER ROLE regress_plain SUPERUSER; --" TO regress_plain;
SET ROLE regress_plain;
SELECT text2sql.label('t_lends."x''; ALTER ROLE regress_plain SUPERUSER; --"', 'hidden');
SELECT text2sql.label('t_lends."x''; ALTER ROLE regress_plain SUPERUSER; --"', 'id', 'hidden');
RESET ROLE;
DELETE FROM text2sql.verified_question WHERE question = 'Show all comets';
DELETE FROM text2sql.glossary WHERE term = 'zeppelins';
DROP SCHEMA t_lends CASCADE;
DROP EXTENSION pg_trgm CASCADE;
DROP OWNED BY regress_plain;
DROP ROLE regress_plain;
