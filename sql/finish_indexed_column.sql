-- What the index now holds of the column with id $1.
UPDATE text2sql.indexed_column
SET distinct_values = $2, bytes = $3
WHERE id = $1
