-- Of the types $1 (oid[]) the enums and the domains over enums: `(type, the enum's name where it is a
-- domain over one, labels in order)`.
SELECT t.oid,
       CASE WHEN base.oid IS NOT NULL THEN format_type(base.oid, NULL) END AS over,
       array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FILTER (WHERE e.oid IS NOT NULL) AS labels
FROM pg_type t
LEFT JOIN pg_type base ON base.oid = t.typbasetype AND base.typtype = 'e'
LEFT JOIN pg_enum e ON e.enumtypid IN (t.oid, base.oid)
WHERE t.oid = ANY ($1) AND (t.typtype = 'e' OR base.oid IS NOT NULL)
GROUP BY t.oid, base.oid
