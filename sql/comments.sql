-- PostgreSQL tells no session that a comment changed: this does, as of a change of the relation.
CREATE FUNCTION text2sql.tell_of_comments() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM text2sql.tell_of_change(objid) FROM pg_event_trigger_ddl_commands()
    WHERE classid = 'pg_class'::regclass;
EXCEPTION WHEN OTHERS THEN
    RETURN;  -- where the library is gone or cannot be loaded, comments are made all the same
END
$$;
REVOKE EXECUTE ON FUNCTION text2sql.tell_of_comments() FROM PUBLIC;
CREATE EVENT TRIGGER text2sql_commented ON ddl_command_end WHEN tag IN ('COMMENT')
    EXECUTE FUNCTION text2sql.tell_of_comments();
