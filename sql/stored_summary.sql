-- The summary of $1 table, stored for exactly this form of it ($2 fingerprint).
SELECT summary FROM text2sql.summary WHERE relation = $1 AND fingerprint = $2
