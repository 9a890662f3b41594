-- One session: the first question (reads the catalog), the same again, again after an ALTER TABLE;
-- beside them PostgreSQL's own information_schema in the same session.
CREATE FUNCTION pg_temp.ms(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    began timestamptz := clock_timestamp();
BEGIN
    BEGIN
        EXECUTE query;
    EXCEPTION WHEN OTHERS THEN
        NULL;  -- an abstention has read the catalog too
    END;
    RETURN round(1000 * extract(epoch FROM clock_timestamp() - began), 2);
END
$$;
\set question 'SELECT text2sql(\'What is the total amount of ticket_15?\')'
SELECT pg_temp.ms(:'question') AS cold \gset
SELECT pg_temp.ms(:'question') AS warm \gset
ALTER TABLE ticket_15 ALTER note SET STATISTICS 50;
SELECT pg_temp.ms(:'question') AS altered \gset
SELECT pg_temp.ms('SELECT count(*) FROM information_schema.columns') AS plain \gset
\echo :cold :warm :altered :plain
