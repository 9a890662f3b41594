-- How tables are laid out, by PostgreSQL's own catalogs: `(relation, words, preposition, column
-- numbers)`, for the relations $1 (oid[]) or all. The words are ours: what others call things stays
-- out of them.
SELECT t.partrelid AS relation,
       'partitioned by '
       || CASE t.partstrat WHEN 'r' THEN 'range' WHEN 'l' THEN 'list' WHEN 'h' THEN 'hash' ELSE 'a key' END
       || CASE WHEN t.partexprs IS NULL THEN '' ELSE ' of an expression' END AS words,
       CASE WHEN t.partexprs IS NULL THEN 'of' ELSE 'over' END AS preposition,
       CASE WHEN t.partexprs IS NULL THEN t.partattrs::int2[]
            -- PostgreSQL has these columns depend on the table
            ELSE ARRAY(SELECT DISTINCT d.objsubid::int2 FROM pg_depend d
                       WHERE d.classid = 'pg_class'::regclass AND d.objid = t.partrelid AND d.objsubid > 0
                         AND d.refclassid = 'pg_class'::regclass AND d.refobjid = t.partrelid
                         AND d.refobjsubid = 0 AND d.deptype = 'i' ORDER BY 1)
       END AS numbers
FROM pg_partitioned_table t
WHERE $1 IS NULL OR t.partrelid = ANY ($1)
UNION ALL
-- partitions made by inheritance: what their constraints compare, under the parent's numbers
SELECT i.inhparent, 'partitioned by conditions', 'on', array_agg(DISTINCT above.attnum)
FROM (SELECT DISTINCT k.conrelid, own.attname
      FROM pg_constraint k
      JOIN pg_class c ON c.oid = k.conrelid AND c.relkind IN ('r', 'f') AND NOT c.relispartition
      CROSS JOIN LATERAL unnest(k.conkey) AS compared (number)
      JOIN pg_attribute own ON own.attrelid = c.oid AND own.attnum = compared.number
      WHERE k.contype = 'c' AND k.coninhcount = 0
        AND c.oid IN (SELECT inhrelid FROM pg_inherits WHERE $1 IS NULL OR inhparent = ANY ($1))
        AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
                                                     AND a.attinhcount = 0 AND NOT a.attisdropped)
     ) AS child
JOIN pg_inherits i ON i.inhrelid = child.conrelid
JOIN pg_attribute above ON above.attrelid = i.inhparent AND above.attname = child.attname
WHERE $1 IS NULL OR i.inhparent = ANY ($1)
GROUP BY i.inhparent
UNION ALL
SELECT c.oid, 'foreign table', '', '{}'
FROM pg_class c
WHERE c.relkind = 'f' AND ($1 IS NULL OR c.oid = ANY ($1))
UNION ALL
-- Citus, Hydra and Greenplum bring methods of their own that keep rows by columns
SELECT c.oid, 'stored by columns', '', '{}'
FROM pg_class c
JOIN pg_am m ON m.oid = c.relam AND m.amname IN ('columnar', 'ao_column')
WHERE c.relkind IN ('r', 'm') AND ($1 IS NULL OR c.oid = ANY ($1))
