-- The terms that the caller may read, by the rights and row security of text2sql.hint: $1 of them at most,
-- and none with more than $2 bytes.
SELECT term, meaning FROM text2sql.hint
WHERE octet_length(term) <= $2 AND octet_length(meaning) <= $2
ORDER BY term LIMIT $1
