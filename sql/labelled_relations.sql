-- The relations affected by labels, with their labels: labelled ones, those above and below them
-- by inheritance, and the views and materialized views over any of these.
--
-- $1 integer: characters of a view's rule, and of a generated column's expression, that are fetched.
WITH RECURSIVE
label AS (
    SELECT classoid, objoid, objsubid, label FROM text2sql.labelled
),
concerned (oid) AS (
    SELECT c.oid
    FROM label l
    JOIN pg_class c ON l.classoid = 'pg_class'::regclass AND c.oid = l.objoid
                    OR l.classoid = 'pg_namespace'::regclass AND c.relnamespace = l.objoid
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
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
)
SELECT c.oid,
       c.relkind = 'f' AS is_foreign,
       (SELECT l.label FROM label l WHERE l.classoid = 'pg_class'::regclass
                                      AND l.objoid = c.oid AND l.objsubid = 0) AS own,
       (SELECT l.label FROM label l WHERE l.classoid = 'pg_namespace'::regclass
                                      AND l.objoid = c.relnamespace) AS of_schema,
       ARRAY(SELECT i.inhparent FROM pg_inherits i WHERE i.inhrelid = c.oid) AS parents,
       columns.*,
       CASE WHEN c.relkind IN ('v', 'm') THEN
           (SELECT left(w.ev_action::text, $1) FROM pg_rewrite w WHERE w.ev_class = c.oid AND w.ev_type = '1')
       END AS rule,
       generated.*
FROM concerned
JOIN pg_class c USING (oid)
CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(a.attnum), '{}') AS numbers,
           coalesce(array_agg(a.attname::text), '{}') AS names,
           coalesce(array_agg(l.label), '{}') AS labels
    FROM pg_attribute a
    LEFT JOIN label l ON l.classoid = 'pg_class'::regclass
                     AND l.objoid = a.attrelid AND l.objsubid = a.attnum
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
) columns
CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(a.attnum), '{}') AS generated,
           coalesce(array_agg(left(d.adbin::text, $1)), '{}') AS expressions
    FROM pg_attribute a
    JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = c.oid AND a.attgenerated <> '' AND NOT a.attisdropped
) generated
