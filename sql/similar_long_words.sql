-- Words of the columns $2 that contain a third of $1 ($3, $4, $5, patterns), most likely first: in
-- a long word with two mistakes or two swapped letters, one third is intact.
SELECT word
FROM text2sql.indexed_word
WHERE (word LIKE $3 OR word LIKE $4 OR word LIKE $5) AND ($2 IS NULL OR column_id + 0 = ANY ($2))
GROUP BY word
ORDER BY max({trgm}.similarity(word, $1)) DESC, length(word), word
LIMIT 12
