-- The names of the changed relations $1 (oid[]), and the tables above them by partitioning and
-- inheritance, whose row counts are sums. One row per existing relation, which counts among its
-- own parents.
WITH RECURSIVE above AS (
    SELECT c.oid, c.relname, c.oid AS parent FROM pg_class c WHERE c.oid = ANY ($1)
    UNION
    SELECT above.oid, above.relname, i.inhparent
    FROM above JOIN pg_inherits i ON i.inhrelid = above.parent
)
SELECT relname::text, parent FROM above
