-- The names of the changed relations $1 (oid[]), and the partitioned tables above them, whose row
-- counts are sums. One row per existing relation, which counts among its own parents.
SELECT c.relname::text, coalesce(parent.relid, c.oid)::oid
FROM pg_class c
LEFT JOIN LATERAL pg_partition_ancestors(c.oid) parent ON c.relispartition
WHERE c.oid = ANY ($1)
