-- The target of a label of relation $1 (oid) or its column $2: schema, relation, whether the caller
-- owns it, whether it has the column, whether it is permanent.
SELECT n.nspname::text, c.relname::text, pg_has_role(c.relowner, 'USAGE'),
       $2::text IS NULL OR EXISTS (SELECT FROM pg_attribute a
                                   WHERE a.attrelid = c.oid AND a.attname = $2 AND a.attnum > 0
                                     AND NOT a.attisdropped),
       c.relpersistence <> 't' AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = $1
