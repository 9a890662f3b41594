-- The tables that hold the rows of table $1, quoted, where some are on other servers and the caller
-- may read each of them by itself; else nothing.
WITH RECURSIVE part AS (
    SELECT $1 AS oid
    UNION
    SELECT i.inhrelid FROM part JOIN pg_inherits i ON i.inhparent = part.oid
),
holder AS (
    SELECT c.oid, c.relkind, format('%I.%I', n.nspname, c.relname) AS name
    FROM part JOIN pg_class c USING (oid) JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind <> 'p'
)
SELECT name FROM holder
WHERE EXISTS (SELECT FROM holder WHERE relkind = 'f')
  AND NOT EXISTS (SELECT FROM holder WHERE NOT has_table_privilege(oid, 'SELECT'))
