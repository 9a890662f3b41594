-- Distribution of tables of Greenplum and Cloudberry, as sql/layouts.sql.
SELECT p.localoid AS relation,
       CASE WHEN p.policytype = 'r' THEN 'replicated on every segment'
            WHEN p.distkey::text = '' THEN 'distributed over segments at random'
            ELSE 'distributed over segments' END AS words,
       'by' AS preposition,
       CASE WHEN p.policytype = 'r' THEN '{}' ELSE p.distkey::int2[] END AS numbers
FROM pg_catalog.gp_distribution_policy p
WHERE $1 IS NULL OR p.localoid = ANY ($1)
