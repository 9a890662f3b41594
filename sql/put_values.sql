-- Stores values $2 with their keys $3 for the column with id $1.
INSERT INTO text2sql.indexed_value (column_id, value, key)
SELECT $1, v.value, v.key FROM unnest($2, $3) AS v(value, key)
