-- Of the types $1 (oid[]) the enums and the domains over enums: `(type, the enum's name where it is a
-- domain over one, the enum, the enum's owner)`.
SELECT t.oid, CASE WHEN base.oid IS NOT NULL THEN format_type(base.oid, NULL) END AS over,
       coalesce(base.oid, t.oid), coalesce(base.typowner, t.typowner)
FROM pg_type t
LEFT JOIN pg_type base ON base.oid = t.typbasetype AND base.typtype = 'e'
WHERE t.oid = ANY ($1) AND (t.typtype = 'e' OR base.oid IS NOT NULL)
ORDER BY t.oid
