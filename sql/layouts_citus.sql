-- Distributed and reference tables of Citus, as sql/layouts.sql. (partkey is a Var of PostgreSQL's,
-- in PostgreSQL's own text of it.)
SELECT p.logicalrelid::oid AS relation,
       CASE p.partmethod WHEN 'n' THEN 'reference table, on every node' ELSE 'distributed over nodes' END AS words,
       'by' AS preposition,
       CASE WHEN p.partmethod = 'n' THEN '{}'
            ELSE ARRAY[substring(p.partkey::text FROM ':varattno (\d+)')::int2] END AS numbers
FROM pg_catalog.pg_dist_partition p
WHERE $1 IS NULL OR p.logicalrelid::oid = ANY ($1)
