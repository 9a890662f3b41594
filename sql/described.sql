-- Comments and security labels by what they are on: catalog, object, how many, and the sum of
-- their row versions. Where fingerprint.sql differs, this tells what is described otherwise.
SELECT classoid, objoid, count(*), sum(version)::bigint
FROM (
    SELECT classoid, objoid, xmin::text::bigint + cmin::text::bigint AS version
    FROM pg_description
    WHERE objoid >= 16384 AND classoid = 'pg_class'::regclass          -- not PostgreSQL's own
    UNION ALL
    SELECT classoid, objoid, xmin::text::bigint + cmin::text::bigint FROM pg_seclabel
    UNION ALL
    SELECT classoid, objoid, xmin::text::bigint + cmin::text::bigint FROM text2sql.label
) described
GROUP BY classoid, objoid
