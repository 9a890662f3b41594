-- The glossary: what words mean in this database, for everyone who may read it. A meaning is an SQL
-- expression over columns, a condition, the name of a table or column, or other words. A measure is
-- computed by an expression over the rows of a table, its grain, those that fulfil the filter.
CREATE TABLE text2sql.glossary (
    term text PRIMARY KEY,
    meaning text,
    expression text,
    grain regclass,
    filter text,
    CONSTRAINT defined CHECK (meaning IS NOT NULL OR expression IS NOT NULL),
    CONSTRAINT measure CHECK ((expression IS NULL) = (grain IS NULL) AND (filter IS NULL OR grain IS NOT NULL))
);
COMMENT ON TABLE text2sql.glossary IS 'Terms of questions and what they stand for, measures among them';
COMMENT ON COLUMN text2sql.glossary.meaning IS
    'A column, a condition or a computation as in SQL, or other words';
COMMENT ON COLUMN text2sql.glossary.expression IS 'How a measure is computed, in SQL';
COMMENT ON COLUMN text2sql.glossary.grain IS 'The table whose rows a measure is computed from';
COMMENT ON COLUMN text2sql.glossary.filter IS 'The condition on those rows, in SQL; NULL for all of them';
GRANT SELECT ON text2sql.glossary TO PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('text2sql.glossary', '');

-- A measure must be a read-only query over its grain, as the one who defines it may run it. In a
-- dump, one that no longer is one is skipped, so that the other terms are not lost. Names are looked
-- up as the caller does, so it has no search_path of its own.
CREATE FUNCTION text2sql.check_measure() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    verdict record;
BEGIN
    IF tg_relid OPERATOR(pg_catalog.<>) 'text2sql.glossary'::pg_catalog.regclass THEN
        RAISE EXCEPTION 'text2sql.check_measure() is a trigger of text2sql.glossary alone' USING ERRCODE = '42501';
    END IF;
    SELECT c.* INTO verdict
    FROM text2sql.check(pg_catalog.format(E'SELECT (%s\n) FROM %s WHERE (%s\n)', new.expression, new.grain,
                                          coalesce(new.filter, 'true')), '{"schemas": ""}') AS c;
    IF verdict.ok THEN
        RETURN new;
    ELSIF pg_catalog.lower(pg_catalog.current_query()) OPERATOR(pg_catalog.~) '^\s*copy\s' THEN
        RAISE WARNING 'text2sql: the measure "%" is lost: %', new.term, verdict.reason
            USING HINT = 'INSERT INTO text2sql.glossary (term, expression, grain, filter) VALUES (...);';
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the measure "%" cannot be computed: %', new.term, verdict.reason
        USING ERRCODE = verdict.sqlstate, TABLE = 'glossary', SCHEMA = 'text2sql';
END
$$;
REVOKE EXECUTE ON FUNCTION text2sql.check_measure() FROM PUBLIC;
CREATE TRIGGER check_measure BEFORE INSERT OR UPDATE ON text2sql.glossary
    FOR EACH ROW WHEN (new.expression IS NOT NULL) EXECUTE FUNCTION text2sql.check_measure();
