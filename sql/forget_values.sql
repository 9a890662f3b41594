-- Deletes the values of the column with id $1 that were not found in it; returns how many.
WITH gone AS (
    DELETE FROM text2sql.indexed_value v
    WHERE v.column_id = $1 AND NOT EXISTS (SELECT FROM found f WHERE f.value = v.value)
    RETURNING 1
)
SELECT count(*) FROM gone
