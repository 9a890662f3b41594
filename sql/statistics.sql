-- What PostgreSQL knows about the columns of the relations $1 (oid[]), named $2 (text[]) in the
-- schemas $3 (text[]), one row per column.
--
-- The view pg_stats leaves out what the caller may not read and, if row security applies to the
-- caller, whole tables. For a partitioned table, the statistics over all partitions count. The view
-- is a security barrier: only conditions that compare names with constants reach its tables,
-- otherwise all statistics of the database would be read.
SELECT DISTINCT ON (a.attrelid, a.attnum)
    a.attrelid,
    a.attnum,
    s.n_distinct::float8,
    s.null_frac::float4,
    s.most_common_vals::text::text[],
    s.most_common_freqs::float4[],
    bounds.list[1],
    bounds.list[array_length(bounds.list, 1)],
    c.reltuples::float8,
    a.attname::text
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_stats s ON s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = a.attname
-- (NaN, which sorts last, is no bound)
CROSS JOIN LATERAL (SELECT array_remove(s.histogram_bounds::text::text[], 'NaN')) AS bounds(list)
WHERE c.oid = ANY ($1)
  AND s.tablename = ANY ($2::name[]) AND s.schemaname = ANY ($3::name[])
ORDER BY a.attrelid, a.attnum, s.inherited DESC
