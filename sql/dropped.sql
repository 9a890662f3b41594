-- The shared catalogs of a database go with the extension: what is about to be dropped may be it.
CREATE FUNCTION text2sql.before_drop() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM text2sql.watch_drop();
EXCEPTION WHEN OTHERS THEN
    RETURN;  -- where the library is gone or cannot be loaded, things are dropped all the same
END
$$;
REVOKE EXECUTE ON FUNCTION text2sql.before_drop() FROM PUBLIC;
CREATE EVENT TRIGGER text2sql_before_drop ON ddl_command_start WHEN tag IN ('DROP EXTENSION', 'DROP OWNED', 'DROP SCHEMA')
    EXECUTE FUNCTION text2sql.before_drop();
