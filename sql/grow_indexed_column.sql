-- The index holds $2 more values of the column with id $1, and not yet all.
UPDATE text2sql.indexed_column
SET distinct_values = distinct_values + $2, rows_seen = NULL
WHERE id = $1
