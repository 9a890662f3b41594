-- The SQL of the verified question with key ?1.
SELECT CAST(sql AS TEXT) FROM main.text2sql_verified_question WHERE key = ?1 AND sql IS NOT NULL
