-- Words of the columns $2 that may be $1 mistyped or contain it ($3, a pattern), most likely first.
-- {trgm} is the schema of pg_trgm, whose setting similarity_threshold applies.
SELECT word
FROM text2sql.indexed_word
WHERE (word OPERATOR({trgm}.%) $1 OR word LIKE $3) AND ($2 IS NULL OR column_id + 0 = ANY ($2))
GROUP BY word
ORDER BY max({trgm}.similarity(word, $1)) DESC, length(word), word
LIMIT 12
