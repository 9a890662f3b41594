-- The entry with id $1, which stays locked, if transaction $2 was the last to write it and the table still has the
-- file that was read.
SELECT i.id::bigint
FROM text2sql.indexed_column i
JOIN pg_class c ON c.oid = i.relation
WHERE i.id = $1 AND i.xmin::text::bigint = $2 AND c.relfilenode = i.filenode
FOR UPDATE OF i
