-- Verified questions, newest first.
SELECT question, sql FROM text2sql.example ORDER BY verified_at DESC, key LIMIT 2000
