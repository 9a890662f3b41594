-- The index of stored values: what text2sql.index_values() keeps of text columns, so that a
-- question's words are found among millions of values without reading the tables.
--
-- Only the extension reads and writes it, as its owner, and shows callers what they may read. It
-- is derived from data, so pg_dump leaves its content out.
CREATE TABLE text2sql.indexed_column (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    relation regclass NOT NULL,
    number smallint NOT NULL,
    filenode oid NOT NULL,                  -- TRUNCATE and a rewrite of the table change it
    rows_written bigint NOT NULL,           -- PostgreSQL's counters when it was read
    built_at timestamptz NOT NULL,
    distinct_values bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    UNIQUE (relation, number),
    complete boolean NOT NULL DEFAULT false, -- all of its values are there; it is not searched before
    rows_seen bigint                        -- a checksum of the rows that were read, if they were seen
);
CREATE TABLE text2sql.indexed_value (
    column_id integer NOT NULL,
    value text NOT NULL,                    -- as it is stored
    key text NOT NULL                       -- the stems of its words, divided by blanks
);
CREATE INDEX indexed_value_column ON text2sql.indexed_value (column_id);
CREATE INDEX indexed_value_key ON text2sql.indexed_value USING hash (replace(key, ' ', ''));
CREATE INDEX indexed_value_words ON text2sql.indexed_value USING gin (string_to_array(key, ' '));
-- The words of all keys of a column, which are fewer than the values: mistyped words are searched
-- here. index_values() adds the trigram index on them, for which it needs pg_trgm.
CREATE TABLE text2sql.indexed_word (
    word text COLLATE "C" NOT NULL,
    column_id integer NOT NULL,
    PRIMARY KEY (word, column_id)
);
CREATE INDEX indexed_word_column ON text2sql.indexed_word (column_id);

-- A column's values go with its entry. (A foreign key would check each of a million rows.) Only the extension deletes
-- entries, as the tables' owner, so its triggers need no rights but those of whoever deletes.
CREATE FUNCTION text2sql.forget_values_of_column() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF tg_relid <> 'text2sql.indexed_column'::regclass THEN
        RAISE EXCEPTION 'text2sql.forget_values_of_column() is a trigger of text2sql.indexed_column alone' USING ERRCODE = '42501';
    END IF;
    DELETE FROM text2sql.indexed_value WHERE column_id = old.id;
    DELETE FROM text2sql.indexed_word WHERE column_id = old.id;
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION text2sql.forget_values_of_column() FROM PUBLIC;
CREATE TRIGGER forget_values AFTER DELETE ON text2sql.indexed_column
    FOR EACH ROW EXECUTE FUNCTION text2sql.forget_values_of_column();

-- Sessions keep which columns are indexed; this tells them of a change as of one of the table.
CREATE FUNCTION text2sql.tell_of_index() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF tg_relid <> 'text2sql.indexed_column'::regclass THEN
        RAISE EXCEPTION 'text2sql.tell_of_index() is a trigger of text2sql.indexed_column alone' USING ERRCODE = '42501';
    END IF;
    BEGIN
        PERFORM text2sql.tell_of_change(tg_relid);
    EXCEPTION WHEN OTHERS THEN
        NULL;  -- where the library is gone or cannot be loaded, tables are altered and dropped all the same
    END;
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION text2sql.tell_of_index() FROM PUBLIC;
CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON text2sql.indexed_column
    FOR EACH ROW EXECUTE FUNCTION text2sql.tell_of_index();
CREATE TRIGGER tell_of_all AFTER TRUNCATE ON text2sql.indexed_column
    FOR EACH STATEMENT EXECUTE FUNCTION text2sql.tell_of_index();

-- Deletes what was dropped, labelled or put under row security. (The search never shows it.) It runs with
-- everybody's commands: OFFSET 0 has each indexed column looked up, rather than all columns and labels that
-- there are, and to compile it would take longer than to run it.
CREATE FUNCTION text2sql.forget_lost_values() RETURNS bigint
LANGUAGE sql SET search_path = pg_catalog, pg_temp SET jit = off AS $$
    WITH gone AS (
    DELETE FROM text2sql.indexed_column i
    WHERE NOT EXISTS (SELECT FROM pg_class c
                      JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
                      WHERE c.oid = i.relation AND a.attnum = i.number AND NOT c.relrowsecurity OFFSET 0)
       OR EXISTS (SELECT FROM text2sql.label l
                  WHERE l.classoid = 'pg_class'::regclass AND l.objoid = i.relation
                    AND l.objsubid IN (0, i.number) AND l.label <> 'values' OFFSET 0)
       OR EXISTS (SELECT FROM pg_seclabel l
                  WHERE l.classoid = 'pg_class'::regclass AND l.objoid = i.relation
                    AND l.objsubid IN (0, i.number) AND l.provider = 'text2sql' AND l.label <> 'values' OFFSET 0)
       OR EXISTS (SELECT FROM pg_class c
                  JOIN text2sql.labelled l ON l.classoid = 'pg_namespace'::regclass AND l.objoid = c.relnamespace
                  WHERE c.oid = i.relation AND l.label <> 'values' OFFSET 0)
    RETURNING 1)
    SELECT count(*) FROM gone;
$$;
REVOKE EXECUTE ON FUNCTION text2sql.forget_lost_values() FROM PUBLIC;
CREATE FUNCTION text2sql.forget_lost_columns() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM text2sql.forget_lost_values();
END
$$;
REVOKE EXECUTE ON FUNCTION text2sql.forget_lost_columns() FROM PUBLIC;
CREATE EVENT TRIGGER text2sql_dropped ON sql_drop
    EXECUTE FUNCTION text2sql.forget_lost_columns();
CREATE EVENT TRIGGER text2sql_withdrawn ON ddl_command_end
    WHEN tag IN ('SECURITY LABEL', 'ALTER TABLE')
    EXECUTE FUNCTION text2sql.forget_lost_columns();

-- Rows inserted, updated and deleted so far, by PostgreSQL's own counters.
CREATE FUNCTION text2sql.rows_written(relation regclass) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(sum(pg_stat_get_tuples_inserted(t) + pg_stat_get_tuples_updated(t)
                        + pg_stat_get_tuples_deleted(t)), 0)::bigint
    FROM (SELECT rows_written.relation UNION SELECT relid FROM pg_partition_tree(rows_written.relation)) AS tree(t)
$$;

-- text2sql.index_values() that commits as it goes; the last argument is how many values a cancel may cost. It names all that
-- it calls with schemas: a procedure that commits has no search_path of its own.
CREATE PROCEDURE text2sql.index_values_in_parts(
    tables regclass[] DEFAULT NULL, columns text[] DEFAULT NULL, max_distinct integer DEFAULT 1000000
) LANGUAGE plpgsql AS $$
DECLARE
    place record;
    done record;
BEGIN
    FOR place IN SELECT relation, name FROM text2sql.columns_to_index(tables, columns) LOOP
        LOOP
            SELECT * INTO done
            FROM text2sql.index_part_of_column(place.relation, place.name, columns IS NOT NULL, max_distinct, 2500000);
            COMMIT;
            RAISE NOTICE '%.%: %', place.relation, pg_catalog.quote_ident(place.name), CASE
                WHEN done.skipped IS NOT NULL THEN pg_catalog.format('left out: %s', done.skipped)
                ELSE pg_catalog.format('%s values added, %s removed, %s', done.added, done.removed,
                                       CASE WHEN done.more THEN 'more to come' ELSE 'done' END)
                END;
            EXIT WHEN NOT done.more;
        END LOOP;
    END LOOP;
END
$$;

CREATE VIEW text2sql.value_index WITH (security_barrier) AS
SELECT i.relation AS table_name,
       a.attname::text AS column_name,
       i.distinct_values,
       i.bytes,
       i.built_at,
       greatest(text2sql.rows_written(i.relation) - i.rows_written, 0) AS rows_written_since,
       c.relfilenode <> i.filenode AS rewritten,
       i.complete
FROM text2sql.indexed_column i
JOIN pg_class c ON c.oid = i.relation
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.number
WHERE NOT c.relrowsecurity
  AND has_schema_privilege(c.relnamespace, 'USAGE')
  AND has_column_privilege(c.oid, a.attnum, 'SELECT');
COMMENT ON COLUMN text2sql.value_index.complete IS 'Whether all values are there; before, the column is not searched in it';
COMMENT ON VIEW text2sql.value_index IS
    'Columns whose values text2sql.index_values() has indexed, of those that you may read';
GRANT SELECT ON text2sql.value_index TO PUBLIC;
