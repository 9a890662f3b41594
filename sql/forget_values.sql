-- Values $2 are no longer in the column with id $1.
DELETE FROM text2sql.indexed_value v
USING unnest($2) AS gone(value)
WHERE v.column_id = $1 AND v.value = gone.value
