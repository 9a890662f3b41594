-- The tables that hold the rows of table $1, at most about $2 of them, the first and the last by name
-- and the one made last among them: `(oid, count)`, with how many there are in all.
WITH RECURSIVE part AS (
    SELECT c.oid, c.relkind, c.relnamespace, c.relname FROM pg_class c WHERE c.oid = $1
    UNION
    SELECT c.oid, c.relkind, c.relnamespace, c.relname
    FROM part JOIN pg_inherits i ON i.inhparent = part.oid
              JOIN pg_class c ON c.oid = i.inhrelid
),
numbered AS (
    SELECT part.oid, n.nspname, part.relname, row_number() OVER (ORDER BY n.nspname, part.relname) AS place,
           part.oid = max(part.oid) OVER () AS last_made,
           count(*) OVER () AS count
    FROM part JOIN pg_namespace n ON n.oid = part.relnamespace
    WHERE part.relkind <> 'p'
)
SELECT oid, count::integer
FROM numbered
WHERE place = count OR last_made OR (place - 1) % greatest((count + $2 - 1) / $2, 1) = 0
