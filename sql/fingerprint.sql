-- Changes when a comment or a security label changes: PostgreSQL tells nobody of those.
-- The sum of row versions (transaction, and command within it) sees additions and updates; the
-- counts see removals.
SELECT (SELECT count(*)::text || ' ' || coalesce(sum(xmin::text::bigint + cmin::text::bigint), 0)
        FROM pg_description
        WHERE objoid >= 16384 AND classoid = 'pg_class'::regclass)      -- not PostgreSQL's own
    || ' ' ||
       (SELECT count(*)::text || ' ' || coalesce(sum(xmin::text::bigint + cmin::text::bigint), 0)
        FROM pg_seclabel)
    || ' ' ||
       (SELECT count(*)::text || ' ' || coalesce(sum(xmin::text::bigint + cmin::text::bigint), 0)
        FROM text2sql.label)
