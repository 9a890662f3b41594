-- Who may do what: text2sql.grant() and text2sql.revoke() give and take a privilege of this
-- extension, which is a handful of PostgreSQL's own. They are GRANT and REVOKE of the caller, so
-- nobody gives what is not theirs, \df+ and \dp show what was given, and pg_dump keeps it.
CREATE FUNCTION text2sql.rights(privilege text) RETURNS SETOF text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    asking CONSTANT text[] := ARRAY['text2sql', 'ask', 'ask_record', 'ask_cursor', 'ask_summary', 'ask_chart', 'answer',
        'explain', 'preview', 'turns', 'run', 'run_record', 'check', 'describe', 'fix', 'search_columns',
        'search_values', 'join_path', 'create_view', 'feedback'];
    vouching CONSTANT text[] := ARRAY['remember'];
    administering CONSTANT text[] := ARRAY['embed_columns', 'summarize_tables', 'test_server'];
    called text[] := CASE privilege WHEN 'ask' THEN asking WHEN 'vouch' THEN vouching
                                    WHEN 'administer' THEN asking || vouching || administering END;
BEGIN
    IF privilege IS NULL OR privilege NOT IN ('ask', 'vouch', 'administer', 'audit') THEN
        RAISE EXCEPTION 'there is no privilege "%"', privilege
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Privileges are ''ask'', ''vouch'', ''administer'' and ''audit''.';
    END IF;
    RETURN QUERY SELECT 'USAGE ON SCHEMA text2sql';
    RETURN QUERY SELECT format('EXECUTE ON FUNCTION %s', p.oid::regprocedure)
        FROM pg_proc p
        JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
        JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
        WHERE e.extname = 'text2sql' AND p.proname = ANY (called)
        ORDER BY p.oid;
    IF privilege IN ('vouch', 'administer') THEN
        RETURN QUERY SELECT 'SELECT, INSERT, UPDATE, DELETE ON text2sql.verified_question';
    END IF;
    IF privilege IN ('audit', 'administer') THEN
        RETURN QUERY SELECT 'SELECT ON text2sql.history_entry, text2sql.ledger';
    END IF;
    IF privilege = 'administer' THEN
        RETURN QUERY SELECT 'SELECT, INSERT, UPDATE, DELETE ON text2sql.glossary, text2sql.quota';
        RETURN QUERY SELECT 'SELECT ON text2sql.suggestion';
        RETURN QUERY SELECT 'UPDATE (settled_at) ON text2sql.history_entry';
    END IF;
END
$$;

CREATE FUNCTION text2sql.grantee(role text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE lower(role) WHEN 'public' THEN 'PUBLIC' ELSE role::regrole::text END
$$;

-- Who administers may hand on all of it.
CREATE FUNCTION text2sql.grant(role text, privilege text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one text;
BEGIN
    PERFORM text2sql.must_write('text2sql.grant()');
    FOR one IN SELECT text2sql.rights(privilege) LOOP
        EXECUTE format('GRANT %s TO %s %s', one, text2sql.grantee(role),
                       CASE privilege WHEN 'administer' THEN 'WITH GRANT OPTION' END);
    END LOOP;
END
$$;

CREATE FUNCTION text2sql.revoke(role text, privilege text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one text;
BEGIN
    PERFORM text2sql.must_write('text2sql.revoke()');
    FOR one IN SELECT text2sql.rights(privilege) LOOP
        -- who loses one privilege may have another, which the schema leads to
        CONTINUE WHEN one LIKE 'USAGE ON SCHEMA %';
        EXECUTE format('REVOKE %s FROM %s CASCADE', one, text2sql.grantee(role));
    END LOOP;
END
$$;
