-- The tables that the login may ask about, by the guard's verdict, with their comments.
SELECT to_json(t)::text
FROM (
    SELECT format('%I.%I', n.nspname, c.relname) AS "table", obj_description(c.oid, 'pg_class') AS comment
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
      AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'text2sql') AND n.nspname NOT LIKE 'pg\_%'
      AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
    ORDER BY 1 LIMIT 1000
) AS t
WHERE (SELECT ok FROM text2sql.check('SELECT 1 FROM ' || t."table"))
