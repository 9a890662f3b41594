-- Labels kept by text2sql.label(). SECURITY LABEL does the same if the library is loaded; these
-- work in every session and are part of a pg_dump, for which a provider would have to be loaded.
--
-- The names are for the dump; the object numbers beside them follow renames.
CREATE TABLE text2sql.label (
    schema name NOT NULL,
    relation name,                          -- NULL: the schema
    column_name name CHECK (column_name IS NULL OR relation IS NOT NULL),     -- NULL: all of it
    label text NOT NULL CHECK (label IN ('hidden', 'no_values', 'values')),
    classoid oid NOT NULL,
    objoid oid NOT NULL,
    objsubid integer NOT NULL,
    PRIMARY KEY (classoid, objoid, objsubid)
);
COMMENT ON TABLE text2sql.label IS
    'Labels set by text2sql.label() and text2sql.label_schema(): hidden, no_values, values';
GRANT SELECT ON text2sql.label TO PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('text2sql.label', '');

-- A restored row has the numbers of another database. Without its object it is skipped, so that
-- the others are not lost.
CREATE FUNCTION text2sql.resolve_label() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF tg_relid <> 'text2sql.label'::regclass THEN
        RAISE EXCEPTION 'text2sql.resolve_label() is a trigger of text2sql.label alone' USING ERRCODE = '42501';
    END IF;
    SELECT CASE WHEN new.relation IS NULL THEN 'pg_namespace' ELSE 'pg_class' END::regclass,
           CASE WHEN new.relation IS NULL THEN n.oid ELSE c.oid END,
           coalesce(a.attnum, 0)
    INTO new.classoid, new.objoid, new.objsubid
    FROM pg_namespace n
    LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = new.relation
    LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = new.column_name AND a.attnum > 0
                            AND NOT a.attisdropped
    WHERE n.nspname = new.schema
      AND (new.relation IS NULL OR c.oid IS NOT NULL)
      AND (new.column_name IS NULL OR a.attnum IS NOT NULL);
    IF NOT FOUND THEN
        RAISE WARNING 'text2sql: the label ''%'' of %.%.% is lost: there is no such object',
            new.label, new.schema, new.relation, new.column_name
            USING HINT = 'SELECT text2sql.label(...) once it is there.';
        RETURN NULL;
    END IF;
    RETURN new;
END
$$;
REVOKE EXECUTE ON FUNCTION text2sql.resolve_label() FROM PUBLIC;
CREATE TRIGGER resolve BEFORE INSERT ON text2sql.label
    FOR EACH ROW EXECUTE FUNCTION text2sql.resolve_label();
ALTER TABLE text2sql.label ENABLE ALWAYS TRIGGER resolve;

-- Updates names after a rename, and deletes rows of what is gone. It looks for labels of what the command
-- touched alone: it runs in everybody's commands, and others may have made any number of labels.
CREATE FUNCTION text2sql.follow_labelled() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
    one oid;
BEGIN
    IF tg_event = 'ddl_command_start' THEN
        -- pg_upgrade keeps the numbers of tables, not those of schemas
        UPDATE text2sql.label l SET objoid = n.oid FROM pg_namespace n
        WHERE l.classoid = 'pg_namespace'::regclass AND n.nspname = l.schema AND l.objoid <> n.oid;
        RETURN;
    END IF;
    IF tg_event = 'sql_drop' THEN
        DELETE FROM text2sql.label l USING pg_event_trigger_dropped_objects() d
        WHERE d.classid = 'pg_class'::regclass AND l.classoid = d.classid AND l.objoid = d.objid
          AND d.objsubid IN (0, l.objsubid);
        DELETE FROM text2sql.label l USING pg_event_trigger_dropped_objects() d
        WHERE d.classid = 'pg_namespace'::regclass AND l.classoid = d.classid AND l.schema = d.object_name;
        RETURN;
    END IF;
    -- names change by commands whose tag does not say of what: ALTER INDEX renames tables and ALTER
    -- EXTENSION moves them
    IF tg_tag NOT LIKE 'ALTER %' THEN
        RETURN;
    END IF;
    UPDATE text2sql.label l SET schema = n.nspname
    FROM pg_event_trigger_ddl_commands() d JOIN pg_namespace n ON n.oid = d.objid
    WHERE d.classid = 'pg_namespace'::regclass AND l.classoid = d.classid AND l.objoid = n.oid AND l.schema <> n.nspname;
    -- the relations of the command, of a renamed schema, of a type that tables are of, of a moved extension,
    -- and those below by inheritance, whose columns are renamed with it
    FOR one IN
    WITH RECURSIVE touched (oid) AS (
        SELECT objid FROM pg_event_trigger_ddl_commands() WHERE classid = 'pg_class'::regclass
        UNION
        SELECT c.oid
        FROM pg_event_trigger_ddl_commands() d JOIN pg_class c ON c.relnamespace = d.objid
        WHERE d.classid = 'pg_namespace'::regclass
        UNION
        SELECT other.objid
        FROM pg_event_trigger_ddl_commands() d
        LEFT JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid AND c.relkind = 'c'
        JOIN pg_depend other ON other.refclassid = CASE WHEN c.oid IS NULL THEN d.classid ELSE 'pg_type'::regclass END
                            AND other.refobjid = coalesce(c.reltype, d.objid)
                            AND other.classid = 'pg_class'::regclass
        WHERE d.classid IN ('pg_type'::regclass, 'pg_extension'::regclass) OR c.oid IS NOT NULL
        UNION
        SELECT i.inhrelid FROM touched JOIN pg_inherits i ON i.inhparent = touched.oid
    )
    SELECT oid FROM touched
    LOOP
        -- one at a time: a plan for many would read all labels
        UPDATE text2sql.label l SET schema = n.nspname, relation = c.relname, column_name = now.name
        FROM (SELECT k.objsubid, a.attname AS name
              FROM text2sql.label k
              LEFT JOIN pg_attribute a ON a.attrelid = k.objoid AND a.attnum = k.objsubid AND a.attnum > 0 AND NOT a.attisdropped
              WHERE k.classoid = 'pg_class'::regclass AND k.objoid = one AND (k.objsubid = 0 OR a.attnum IS NOT NULL)) AS now,
             pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.oid = one AND l.classoid = 'pg_class'::regclass AND l.objoid = one AND l.objsubid = now.objsubid
          AND (l.schema, l.relation, l.column_name) IS DISTINCT FROM (n.nspname, c.relname, now.name);
    END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION text2sql.follow_labelled() FROM PUBLIC;
CREATE EVENT TRIGGER text2sql_before_rename ON ddl_command_start WHEN tag IN ('ALTER SCHEMA')
    EXECUTE FUNCTION text2sql.follow_labelled();
CREATE EVENT TRIGGER text2sql_renamed ON ddl_command_end
    EXECUTE FUNCTION text2sql.follow_labelled();
CREATE EVENT TRIGGER text2sql_label_dropped ON sql_drop EXECUTE FUNCTION text2sql.follow_labelled();

-- Also for a session that replicates (session_replication_role).
ALTER EVENT TRIGGER text2sql_before_rename ENABLE ALWAYS;
ALTER EVENT TRIGGER text2sql_renamed ENABLE ALWAYS;
ALTER EVENT TRIGGER text2sql_label_dropped ENABLE ALWAYS;

-- All labels of both kinds; the stricter one if an object has two.
CREATE VIEW text2sql.labelled AS
SELECT DISTINCT ON (classoid, objoid, objsubid) classoid, objoid, objsubid, label
FROM (SELECT classoid, objoid, objsubid, label
      FROM pg_catalog.pg_seclabel WHERE provider = 'text2sql'
      UNION ALL
      SELECT l.classoid, coalesce(n.oid, l.objoid), l.objsubid, l.label
      FROM text2sql.label l
      LEFT JOIN pg_catalog.pg_namespace n ON l.relation IS NULL AND n.nspname = l.schema) said
ORDER BY classoid, objoid, objsubid, label = 'hidden' DESC, label = 'no_values' DESC;
COMMENT ON VIEW text2sql.labelled IS 'Labels of text2sql.label() and of SECURITY LABEL FOR text2sql';
GRANT SELECT ON text2sql.labelled TO PUBLIC;
