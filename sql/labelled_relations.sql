-- The relations affected by labels: labelled ones, those above and below them by inheritance, and the
-- views and materialized views over any of these. One row per relation; each step joins what it needs
-- once, for a role may label as many things as it has.
--
-- $1 oid[], $2 oid[]: the relations and the schemas that have a label, or have one for a column.
WITH RECURSIVE
labelled AS (
    SELECT c.oid FROM unnest($1) AS said (oid) JOIN pg_class c USING (oid)
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
    UNION
    SELECT c.oid FROM unnest($2) AS said (oid) JOIN pg_class c ON c.relnamespace = said.oid
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
),
concerned (oid) AS (
    SELECT oid FROM labelled
    UNION
    SELECT other.oid
    FROM concerned
    CROSS JOIN LATERAL (
        SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = concerned.oid
        UNION ALL
        SELECT i.inhparent FROM pg_inherits i WHERE i.inhrelid = concerned.oid
        UNION ALL
        SELECT w.ev_class
        FROM pg_depend d
        JOIN pg_rewrite w ON w.oid = d.objid AND w.ev_type = '1'
        WHERE d.classid = 'pg_rewrite'::regclass
          AND d.refclassid = 'pg_class'::regclass AND d.refobjid = concerned.oid
    ) other (oid)
),
columns AS (
    SELECT a.attrelid, array_agg(a.attnum ORDER BY a.attnum) AS numbers,
           array_agg(a.attname::text ORDER BY a.attnum) AS names,
           array_agg(a.attnum) FILTER (WHERE a.attgenerated <> '') AS generated
    FROM concerned JOIN pg_attribute a ON a.attrelid = concerned.oid
    WHERE a.attnum > 0 AND NOT a.attisdropped
    GROUP BY a.attrelid
)
SELECT c.oid, c.relkind::text, c.relowner, c.relnamespace,
       ARRAY(SELECT i.inhparent FROM pg_inherits i WHERE i.inhrelid = c.oid) AS parents,
       coalesce(columns.numbers, '{}') AS numbers,
       coalesce(columns.names, '{}') AS names,
       coalesce(columns.generated, '{}') AS generated
FROM concerned
JOIN pg_class c USING (oid)
LEFT JOIN columns ON columns.attrelid = c.oid
