-- The catalog: one row per relation that the caller may read. Its columns, comments and keys are read
-- beside it (src/catalog/columns.rs, keys.rs).
--
-- PostgreSQL shows every name and comment to everybody; here only what the caller's rights
-- open is shown. They are read from the lists of rights themselves: has_table_privilege() leaves
-- the row of each table in the session's cache for good, and has_any_column_privilege() those of
-- the columns too. Runs with search_path pg_catalog, so no name can be hijacked.
--
-- $1 oid[]: only these relations; NULL for all.
-- $2 oid[]: the schemas in which generated SQL looks for bare names, in order, but for the one of
-- temporary tables, which comes last there and first in the caller's session.
-- $3 oid[]: the foreign tables that are let in; NULL for all.
-- $4 oid[], $5 oid[], $6 integer[], $7 text[]: the labels that somebody gave (text2sql.labelled).
-- $8 integer: levels of inheritance that are looked through for parts.
WITH RECURSIVE
-- Objects that a label hides, those whose values must stay, and those whose values may leave.
label AS (
    SELECT classoid, objoid, bool_or(label = 'hidden') AS hidden,
           bool_or(label = 'no_values') AS withheld, bool_or(label = 'values') AS released
    FROM unnest($4, $5, $6, $7) AS said(classoid, objoid, objsubid, label)
    WHERE objsubid = 0
    GROUP BY classoid, objoid
),
-- A superuser, or with the rights of pg_read_all_data (6181, from 14 on).
reader AS (
    SELECT pg_has_role(6181, 'USAGE') AS everything
),
-- The reltuples of what was never analysed; before 14 the same as of an empty table.
never_analysed AS (
    SELECT CASE WHEN current_setting('server_version_num')::int < 140000 THEN 0 ELSE -1 END AS reltuples
),
-- Lists of rights, of which many tables have the same, and whether they let the caller read.
rights AS MATERIALIZED (
    SELECT list, (SELECT everything FROM reader)
                 OR EXISTS (SELECT FROM aclexplode(list) AS g
                            WHERE g.privilege_type = 'SELECT'
                              AND (g.grantee = 0 OR pg_has_role(g.grantee, 'USAGE'))) AS whole
    FROM (SELECT DISTINCT coalesce(relacl, acldefault('r', relowner)) AS list
          FROM pg_class
          WHERE ($1 IS NULL OR oid = ANY ($1)) AND relkind IN ('r', 'p', 'v', 'm', 'f')) AS given
),
relation AS MATERIALIZED (
    SELECT c.oid, n.oid AS schema, n.nspname, c.relname, c.relkind, c.reltuples, c.relowner,
           c.relrowsecurity, c.relkind = 'p' OR c.relhassubclass AS has_parts, rights.whole,
           -- a schema's or table's label holds for all columns below
           coalesce(own.withheld, false) OR coalesce(above.withheld, false) AS withheld,
           coalesce(own.released, false) OR coalesce(above.released, false) AS released
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN rights ON rights.list = coalesce(c.relacl, acldefault('r', c.relowner))
    LEFT JOIN label own ON own.classoid = 'pg_class'::regclass AND own.objoid = c.oid
    LEFT JOIN label above ON above.classoid = 'pg_namespace'::regclass AND above.objoid = n.oid
    WHERE ($1 IS NULL OR c.oid = ANY ($1))
      AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
      AND (c.relkind <> 'f' OR $3 IS NULL OR c.oid = ANY ($3))
      -- the parent stands for its partitions, and as PostgreSQL's manual makes them by inheritance:
      -- without columns of their own, told apart by constraints
      AND NOT c.relispartition
      AND (c.oid NOT IN (SELECT inhrelid FROM pg_inherits)
           OR NOT EXISTS (SELECT FROM pg_constraint k
                          WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.coninhcount = 0)
           OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
                                                  AND a.attinhcount = 0 AND NOT a.attisdropped)
           OR NOT EXISTS (
               SELECT FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent
               WHERE i.inhrelid = c.oid
                 AND ((SELECT everything FROM reader)
                      OR EXISTS (SELECT FROM aclexplode(coalesce(p.relacl, acldefault('r', p.relowner))) AS g
                                 WHERE g.privilege_type = 'SELECT'
                                   AND (g.grantee = 0 OR pg_has_role(g.grantee, 'USAGE'))))))
      AND n.nspname NOT IN ('information_schema', 'text2sql', '_timescaledb_internal')
      AND (n.nspname !~ '^pg_' OR n.oid = pg_my_temp_schema())
      AND has_schema_privilege(n.oid, 'USAGE')
      -- a list that is made once: a look for each table takes several times as long
      AND c.oid NOT IN (SELECT d.objid FROM pg_depend d
                        WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
                          AND d.classid = 'pg_class'::regclass)
      AND own.hidden IS NOT TRUE AND above.hidden IS NOT TRUE
),
-- The tables that hold the rows of those that have partitions or children (pg_partition_tree would lock
-- each of them until the transaction ends). What is deeper is not looked for: in a chain of tables each
-- would be met once for each above it.
part AS (
    SELECT r.oid AS root, r.oid, 0 AS depth FROM relation r WHERE r.has_parts
    UNION
    SELECT part.root, i.inhrelid, part.depth + 1
    FROM part JOIN pg_inherits i ON i.inhparent = part.oid
    WHERE part.depth < $8
),
parts AS (
    SELECT part.root AS oid,
           sum(c.reltuples) FILTER (WHERE c.reltuples > (SELECT reltuples FROM never_analysed)) AS rows,
           count(*) AS count, bool_or(c.relkind = 'f' OR part.depth = $8) AS elsewhere
    FROM (SELECT root, oid, max(depth) AS depth FROM part GROUP BY root, oid) AS part
    JOIN pg_class c USING (oid)
    WHERE c.relkind <> 'p'
    GROUP BY part.root
)
SELECT
    r.oid,
    r.schema,
    r.nspname::text,
    r.relname::text,
    r.relkind::text,
    -- never analysed is unknown
    CASE WHEN r.relkind = 'v' THEN NULL
         WHEN r.has_parts THEN parts.rows
         ELSE nullif(r.reltuples, (SELECT reltuples FROM never_analysed))
    END::float8 AS rows,
    -- whether the bare name means it, for the caller and in generated SQL; of many tables, only those
    -- are looked at whose name another has
    ($1 IS NULL AND r.relname NOT IN (
        SELECT relname FROM pg_class
        WHERE relnamespace = ANY ($2) OR relnamespace = pg_my_temp_schema()
        GROUP BY relname HAVING count(*) > 1
    ) OR NOT EXISTS (
        SELECT FROM pg_class o
        WHERE o.relname = r.relname AND o.oid <> r.oid
          AND (o.relnamespace = pg_my_temp_schema()
            OR array_position($2, o.relnamespace) < array_position($2, r.schema)
            OR r.schema = pg_my_temp_schema() AND o.relnamespace = ANY ($2))
    )) AND (r.schema = ANY ($2) OR r.schema = pg_my_temp_schema()) AS visible,
    r.whole,
    r.withheld,
    r.released,
    r.relowner,
    -- a view runs what its owner wrote: with the rights of one who may read everything it could
    -- show what its owner may not read
    CASE r.relkind
        WHEN 'f' THEN false
        WHEN 'p' THEN NOT coalesce(parts.elsewhere, false)
        WHEN 'v' THEN NOT (SELECT everything FROM reader) OR pg_has_role(r.relowner, 6181, 'USAGE')
        ELSE true
    END AS looked_into,
    r.relkind = 'v' OR r.relrowsecurity AS fleeting,
    coalesce(parts.count, 0)::integer AS parts
FROM relation r
LEFT JOIN parts ON parts.oid = r.oid
