-- Deletes words that no key of the column with id $1 has any more.
DELETE FROM text2sql.indexed_word w
WHERE w.column_id = $1
  AND NOT EXISTS (SELECT FROM text2sql.indexed_value v
                  CROSS JOIN unnest(string_to_array(v.key, ' ')) AS k(word)
                  WHERE v.column_id = $1 AND k.word = w.word)
