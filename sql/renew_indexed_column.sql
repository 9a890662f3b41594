-- Column $2 of relation $1, if the rows of the table, with the checksum $3, are those that were read and there are no
-- more than $4 values: it is up to date. Returns how many values there are.
UPDATE text2sql.indexed_column i
SET rows_written = text2sql.rows_written(c.oid), built_at = statement_timestamp()
FROM pg_class c
WHERE c.oid = i.relation AND c.relfilenode = i.filenode
  AND i.relation = $1 AND i.number = $2 AND i.complete AND i.rows_seen = $3 AND i.distinct_values <= $4
RETURNING i.distinct_values
