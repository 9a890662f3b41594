-- Tables that have one of the names $1, with the names of the columns that refer to them. Whether the
-- caller may read them, the session's catalog knows.
SELECT c.oid, c.relname::text,
       ARRAY(SELECT DISTINCT a.attname::text
             FROM pg_constraint k
             JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
             WHERE k.contype = 'f' AND k.confrelid = c.oid)
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname = ANY ($1::name[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND NOT c.relispartition AND n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'text2sql')
