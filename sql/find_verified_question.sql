-- $1 key: the SQL of that verified question, unless it has more than $2 bytes.
SELECT sql FROM text2sql.verified_question WHERE key = $1 AND octet_length(sql) <= $2
