-- $1 table, $2 fingerprint: the summary kept for exactly this form of the table.
SELECT summary FROM text2sql.summary WHERE relation = $1 AND fingerprint = $2
