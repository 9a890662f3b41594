-- What index_values() must know about the columns of the relations $1 (oid[]).
SELECT a.attrelid, a.attnum,
       pg_has_role(c.relowner, 'USAGE') AS own,
       c.relrowsecurity,
       EXISTS (SELECT FROM pg_constraint k
               WHERE k.conrelid = c.oid AND k.contype IN ('p', 'f') AND a.attnum = ANY (k.conkey)) AS is_key
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.oid = ANY ($1) AND c.relkind IN ('r', 'p', 'm', 'f')
