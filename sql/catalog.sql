-- The catalog: one row a relation that the caller may read, with its columns as arrays and its
-- keys as JSON.
--
-- PostgreSQL shows every name and comment to everybody; here only what the caller's rights
-- open is shown. They are read from the lists of rights themselves: has_table_privilege() leaves
-- the row of each table in the session's cache for good, and has_any_column_privilege() those of
-- the columns too. Runs with search_path pg_catalog, so no name can be hijacked.
--
-- $1 oid[]: only these relations; NULL for all.
-- $2 oid[]: the schemas in which generated SQL looks for bare names, in order, but for the one of
-- temporary tables, which comes last there and first in the caller's session.
-- $3 oid[], $4 smallint[], $5 text[]: columns with the labels that follow from others.
-- $6 oid[]: the foreign tables that are let in; NULL for all.
-- $7 oid[], $8 oid[], $9 integer[], $10 text[]: the labels that somebody gave (text2sql.labelled).
-- $11 integer: characters of a view's rule that are fetched.
WITH
-- Objects that a label hides, those whose values must stay, and those whose values may leave.
label AS (
    SELECT classoid, objoid, objsubid, bool_or(label = 'hidden') AS hidden,
           bool_or(label = 'no values') AS withheld, bool_or(label = 'values') AS released
    FROM (SELECT * FROM unnest($7, $8, $9, $10) AS l(classoid, objoid, objsubid, label)
          UNION ALL
          SELECT 'pg_class'::regclass, d.relation, d.number, d.label
          FROM unnest($3, $4, $5) AS d(relation, number, label)) said
    GROUP BY classoid, objoid, objsubid
),
-- A superuser, or with the rights of pg_read_all_data (6181, from 14 on).
reader AS (
    SELECT pg_has_role(6181, 'USAGE') AS everything
),
-- The reltuples of what was never analysed; before 14 the same as of an empty table.
never_analysed AS (
    SELECT CASE WHEN current_setting('server_version_num')::int < 140000 THEN 0 ELSE -1 END AS reltuples
),
relation AS (
    SELECT c.oid, n.oid AS schema, n.nspname, c.relname, c.relkind, c.reltuples, c.relowner,
           c.relrowsecurity, c.relkind = 'p' OR c.relhassubclass AS has_parts,
           (SELECT everything FROM reader)
               OR EXISTS (SELECT FROM aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) AS g
                          WHERE g.privilege_type = 'SELECT'
                            AND (g.grantee = 0 OR pg_has_role(g.grantee, 'USAGE'))) AS whole,
           -- a schema's or table's label holds for all columns below
           coalesce(own.withheld, false) OR coalesce(above.withheld, false) AS withheld,
           coalesce(own.released, false) OR coalesce(above.released, false) AS released
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN label own ON own.classoid = 'pg_class'::regclass
                       AND own.objoid = c.oid AND own.objsubid = 0
    LEFT JOIN label above ON above.classoid = 'pg_namespace'::regclass AND above.objoid = n.oid
    WHERE ($1 IS NULL OR c.oid = ANY ($1))
      AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
      AND (c.relkind <> 'f' OR $6 IS NULL OR c.oid = ANY ($6))
      -- the parent stands for its partitions, and as PostgreSQL's manual makes them by inheritance:
      -- without columns of their own, told apart by constraints
      AND NOT c.relispartition
      AND NOT EXISTS (
          SELECT FROM pg_inherits i
          JOIN pg_class p ON p.oid = i.inhparent
          JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'c' AND k.coninhcount = 0
          WHERE i.inhrelid = c.oid
            AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
                                                         AND a.attinhcount = 0 AND NOT a.attisdropped)
            AND ((SELECT everything FROM reader)
                 OR EXISTS (SELECT FROM aclexplode(coalesce(p.relacl, acldefault('r', p.relowner))) AS g
                            WHERE g.privilege_type = 'SELECT'
                              AND (g.grantee = 0 OR pg_has_role(g.grantee, 'USAGE')))))
      AND n.nspname NOT IN ('information_schema', 'text2sql', '_timescaledb_internal')
      AND (n.nspname !~ '^pg_' OR n.oid = pg_my_temp_schema())
      AND has_schema_privilege(n.oid, 'USAGE')
      AND NOT EXISTS (SELECT FROM pg_depend d
                      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
      AND own.hidden IS NOT TRUE AND above.hidden IS NOT TRUE
)
SELECT
    r.oid,
    r.schema,
    r.nspname::text,
    r.relname::text,
    r.relkind::text,
    described.description AS comment,
    -- never analysed is unknown
    CASE WHEN r.relkind = 'v' THEN NULL
         WHEN r.has_parts THEN parts.rows
         ELSE nullif(r.reltuples, (SELECT reltuples FROM never_analysed))
    END::float8 AS rows,
    -- whether the bare name means it, for the caller and in generated SQL
    NOT EXISTS (
        SELECT FROM pg_class o
        WHERE o.relname = r.relname AND o.oid <> r.oid
          AND (o.relnamespace = pg_my_temp_schema()
            OR array_position($2, o.relnamespace) < array_position($2, r.schema)
            OR r.schema = pg_my_temp_schema() AND o.relnamespace = ANY ($2))
    ) AND (r.schema = ANY ($2) OR r.schema = pg_my_temp_schema()) AS visible,
    columns.*,
    keys.list::text AS unique_keys,
    foreign_keys.list::text AS foreign_keys,
    CASE WHEN r.relkind IN ('v', 'm') THEN
        (SELECT left(w.ev_action::text, $11) FROM pg_rewrite w WHERE w.ev_class = r.oid AND w.ev_type = '1')
    END AS rule,
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
LEFT JOIN pg_description described ON described.classoid = 'pg_class'::regclass
                                  AND described.objoid = r.oid AND described.objsubid = 0
LEFT JOIN LATERAL (
    -- the tables that hold the rows of one that has partitions or children (pg_partition_tree would
    -- lock each of them until the transaction ends)
    WITH RECURSIVE part AS (
        SELECT r.oid, r.relkind, r.reltuples
        UNION
        SELECT c.oid, c.relkind, c.reltuples
        FROM part JOIN pg_inherits i ON i.inhparent = part.oid
                  JOIN pg_class c ON c.oid = i.inhrelid)
    SELECT sum(reltuples) FILTER (WHERE reltuples > (SELECT reltuples FROM never_analysed)) AS rows, count(*) AS count,
           bool_or(relkind = 'f') AS elsewhere
    FROM part WHERE relkind <> 'p'
) parts ON r.has_parts
CROSS JOIN LATERAL (
    -- one array an attribute of the columns: building JSON of all of them takes ten times as long
    SELECT array_agg(c.number) AS numbers, array_agg(c.name) AS names,
           array_agg(c.type_id) AS type_ids, array_agg(c.type) AS types,
           array_agg(c.nullable) AS nullables, array_agg(c.comment) AS comments,
           array_agg(c.labels) AS labels, array_agg(c.withheld) AS withhelds,
           array_agg(c.released) AS releaseds
    FROM (
        SELECT a.attnum AS number,
               a.attname::text AS name,
               a.atttypid AS type_id,
               -- PostgreSQL compares a domain over an enum with nothing that is not cast to the enum
               format_type(a.atttypid, a.atttypmod)
                   || coalesce(' over ' || (SELECT format_type(b.oid, NULL) FROM pg_type b
                                            WHERE b.oid = t.typbasetype AND b.typtype = 'e'), '') AS type,
               NOT a.attnotnull AS nullable,
               d.description AS comment,
               CASE WHEN t.typtype IN ('e', 'd') THEN                   -- also a domain over an enum
                   (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder)::text FROM pg_enum e
                    WHERE e.enumtypid IN (t.oid, t.typbasetype))
               END AS labels,
               r.withheld OR coalesce(own.withheld, false) AS withheld,
               r.released OR coalesce(own.released, false) AS released
        FROM pg_attribute a
        JOIN pg_type t ON t.oid = a.atttypid
        LEFT JOIN pg_description d ON d.classoid = 'pg_class'::regclass
                                  AND d.objoid = r.oid AND d.objsubid = a.attnum
        LEFT JOIN label own ON own.classoid = 'pg_class'::regclass
                           AND own.objoid = r.oid AND own.objsubid = a.attnum
        WHERE a.attrelid = r.oid
          AND a.attnum > 0
          AND NOT a.attisdropped
          AND own.hidden IS NOT TRUE
          AND (r.whole OR EXISTS (SELECT FROM aclexplode(a.attacl) AS g
                                  WHERE g.privilege_type = 'SELECT'
                                    AND (g.grantee = 0 OR pg_has_role(g.grantee, 'USAGE'))))
        ORDER BY a.attnum
    ) c
) columns
CROSS JOIN LATERAL (
    -- partial and expression indexes say nothing about the columns as a whole
    SELECT json_agg(json_build_object(
               'primary', i.indisprimary,
               'columns', (SELECT json_agg(k.attnum ORDER BY k.place)
                           FROM unnest(i.indkey::int2[]) WITH ORDINALITY k(attnum, place)
                           WHERE k.place <= i.indnkeyatts))
           ORDER BY i.indisprimary DESC, i.indexrelid) AS list
    FROM pg_index i
    WHERE i.indrelid = r.oid AND i.indisunique AND i.indisvalid
      AND i.indpred IS NULL AND i.indexprs IS NULL
) keys
CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object(
               'name', f.conname,
               'columns', f.conkey,
               'to', f.confrelid::bigint,
               'to_columns', f.confkey)
           ORDER BY f.conname) AS list
    FROM pg_constraint f
    WHERE f.conrelid = r.oid AND f.contype = 'f'
      AND f.conparentid = 0                                         -- not those cloned for partitions
) foreign_keys
WHERE columns.numbers IS NOT NULL
