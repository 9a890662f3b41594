-- What relations $1 (oid[]) that changed are called, and the partitioned tables above them, whose
-- row counts are sums. One row a relation that exists, itself included among its parents.
SELECT c.relname::text, coalesce(parent.relid, c.oid)::oid
FROM pg_class c
LEFT JOIN LATERAL pg_partition_ancestors(c.oid) parent ON c.relispartition
WHERE c.oid = ANY ($1)
