-- Verified questions, the newest first.
SELECT CAST(question AS TEXT), CAST(sql AS TEXT) FROM main.text2sql_verified_question
WHERE question IS NOT NULL AND sql IS NOT NULL ORDER BY rowid DESC LIMIT 2000
