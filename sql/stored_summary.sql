-- The summary of $1 table, stored for exactly this form of it ($2 fingerprint): $3 characters at most.
SELECT left(summary, $3) FROM text2sql.summary WHERE relation = $1 AND fingerprint = $2
