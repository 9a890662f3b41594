-- Which of the words $1 occur in a value of the columns $2.
SELECT DISTINCT word
FROM text2sql.indexed_word
WHERE word = ANY ($1) AND ($2 IS NULL OR column_id + 0 = ANY ($2))
