-- Stores $1 table, $2 fingerprint, $3 summary.
INSERT INTO text2sql.summary (relation, fingerprint, summary) VALUES ($1::oid::regclass, $2, $3)
ON CONFLICT (relation) DO UPDATE
SET fingerprint = excluded.fingerprint, summary = excluded.summary
WHERE (summary.fingerprint, summary.summary) IS DISTINCT FROM (excluded.fingerprint, excluded.summary)
