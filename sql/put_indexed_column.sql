-- Creates or renews the entry of column $2 of relation $1, which stays locked. Returns its id.
INSERT INTO text2sql.indexed_column AS i (relation, number, filenode, rows_written, built_at)
SELECT c.oid, $2, c.relfilenode, text2sql.rows_written(c.oid), statement_timestamp()
FROM pg_class c WHERE c.oid = $1
ON CONFLICT (relation, number) DO UPDATE
SET filenode = excluded.filenode, rows_written = excluded.rows_written, built_at = excluded.built_at,
    complete = i.complete AND i.filenode = excluded.filenode
RETURNING i.id::bigint
