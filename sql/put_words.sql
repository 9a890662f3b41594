-- Stores the words of the keys of the column with id $1 that are new.
INSERT INTO text2sql.indexed_word (column_id, word)
SELECT $1, k.word
FROM (SELECT DISTINCT unnest(string_to_array(key, ' ')) FROM text2sql.indexed_value WHERE column_id = $1) AS k(word)
ON CONFLICT DO NOTHING
