-- Hypertables and continuous aggregates of TimescaleDB, as sql/layouts.sql.
SELECT c.oid AS relation, 'hypertable in chunks' AS words, 'by' AS preposition,
       array_agg(a.attnum ORDER BY d.id) AS numbers
FROM _timescaledb_catalog.hypertable h
JOIN _timescaledb_catalog.dimension d ON d.hypertable_id = h.id
JOIN pg_namespace n ON n.nspname = h.schema_name
JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = h.table_name
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = d.column_name
WHERE $1 IS NULL OR c.oid = ANY ($1)
GROUP BY c.oid
UNION ALL
SELECT c.oid, 'continuous aggregate, computed in advance', '', '{}'
FROM _timescaledb_catalog.continuous_agg g
JOIN pg_namespace n ON n.nspname = g.user_view_schema
JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = g.user_view_name
WHERE $1 IS NULL OR c.oid = ANY ($1)
