-- Stores $1 table, $2 fingerprint, $3 summary, if the caller owns the table.
INSERT INTO text2sql.summary (relation, fingerprint, summary)
SELECT c.oid::regclass, $2, $3 FROM pg_class c
WHERE c.oid = $1 AND pg_has_role(c.relowner, 'USAGE')
ON CONFLICT (relation) DO UPDATE
SET fingerprint = excluded.fingerprint, summary = excluded.summary
WHERE (summary.fingerprint, summary.summary) IS DISTINCT FROM (excluded.fingerprint, excluded.summary)
