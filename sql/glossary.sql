-- The terms that the caller may read: rights and row security of text2sql.hint say which.
SELECT term, meaning FROM text2sql.hint ORDER BY term
