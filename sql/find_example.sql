-- $1 key: the SQL of that verified question.
SELECT sql FROM text2sql.example WHERE key = $1
