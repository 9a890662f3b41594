-- Verified questions, newest first: $1 of them at most, none with a question or SQL of more than $2 bytes.
SELECT question, sql FROM text2sql.verified_question
WHERE octet_length(question) <= $2 AND octet_length(sql) <= $2
ORDER BY verified_at DESC, key LIMIT $1
