-- The values that were found in the column with id $1 and are not in the index. Shortest first: a search that takes
-- only so many of the values that hold a word takes the first.
SELECT f.value
FROM found f
WHERE NOT EXISTS (SELECT FROM text2sql.indexed_value v WHERE v.column_id = $1 AND v.value = f.value)
ORDER BY octet_length(f.value)
