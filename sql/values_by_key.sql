-- Values of the columns $2 whose key is one of $1, ignoring blanks. (The sum keeps the planner
-- from reading a whole column by its number.)
SELECT column_id, value
FROM text2sql.indexed_value
WHERE replace(key, ' ', '') = ANY ($1) AND ($2 IS NULL OR column_id + 0 = ANY ($2))
LIMIT 10000
