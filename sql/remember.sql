-- Keeps $1 key, $2 question, $3 SQL, replacing an older row.
INSERT INTO text2sql.verified_question (key, question, sql) VALUES ($1, $2, $3)
ON CONFLICT (key) DO UPDATE
SET question = excluded.question, sql = excluded.sql, verified_by = DEFAULT, verified_at = DEFAULT
