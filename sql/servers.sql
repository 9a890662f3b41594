-- A model is a foreign server: GRANT USAGE is the permission to spend, keys live in user
-- mappings, pg_dump and \des know it. It has no handler, because it has no tables.
CREATE FOREIGN DATA WRAPPER text2sql VALIDATOR text2sql.validate_server_options;

COMMENT ON FOREIGN DATA WRAPPER text2sql IS 'language models that text2sql() and ask() may use';

-- A key was given for the endpoint that its server had then. Someone who may alter the server but
-- is not a superuser may not send other users' keys elsewhere.
CREATE FUNCTION text2sql.endpoints() RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(jsonb_object_agg(s.oid::text,
               ARRAY(SELECT o FROM unnest(s.srvoptions) AS o
                     WHERE split_part(o, '=', 1) IN
                           ('provider', 'base_url', 'query', 'key_header', 'headers', 'extra', 'embedding_extra')
                     ORDER BY o)), '{}')
    FROM pg_foreign_server s
    JOIN pg_foreign_data_wrapper w ON w.oid = s.srvfdw AND w.fdwname = 'text2sql'
$$;
CREATE FUNCTION text2sql.keep_endpoints() RETURNS event_trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before CONSTANT text := 'text2sql_servers.before';
    server text;
BEGIN
    IF tg_event = 'ddl_command_start' THEN
        PERFORM set_config(before, text2sql.endpoints()::text, true);
        RETURN;
    END IF;
    SELECT m.srvname INTO server
    FROM pg_event_trigger_ddl_commands() AS c
    JOIN pg_user_mappings m ON m.srvid = c.objid
    WHERE c.classid = 'pg_foreign_server'::regclass
      AND text2sql.endpoints() -> c.objid::text
          IS DISTINCT FROM nullif(current_setting(before, true), '')::jsonb -> c.objid::text
      AND (m.umuser = 0 OR NOT pg_has_role(m.umuser, 'USAGE'))
      AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user);
    IF FOUND THEN
        RAISE EXCEPTION 'server "%" has user mappings of others, whose keys would go elsewhere', server
            USING ERRCODE = 'insufficient_privilege',
                  HINT = 'DROP USER MAPPING of the others first, or let a superuser alter the server.';
    END IF;
END
$$;
REVOKE EXECUTE ON FUNCTION text2sql.keep_endpoints() FROM PUBLIC;
CREATE EVENT TRIGGER text2sql_before_server ON ddl_command_start WHEN tag IN ('ALTER SERVER')
    EXECUTE FUNCTION text2sql.keep_endpoints();
CREATE EVENT TRIGGER text2sql_server ON ddl_command_end WHEN tag IN ('ALTER SERVER')
    EXECUTE FUNCTION text2sql.keep_endpoints();
