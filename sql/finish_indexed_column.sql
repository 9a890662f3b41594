-- What the index now holds of the column with id $1, all of it, of rows with the checksum $4.
UPDATE text2sql.indexed_column
SET distinct_values = $2, bytes = $3, rows_seen = $4, complete = true
WHERE id = $1
