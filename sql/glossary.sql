-- The terms that the caller may read, by the rights and row security of text2sql.hint.
SELECT term, meaning FROM text2sql.hint ORDER BY term
