-- Some of the oldest questions go whose $1 days are over, but those that somebody judges or removes just now.
DELETE FROM text2sql.history_entry
WHERE id IN (SELECT id FROM text2sql.history_entry
             WHERE asked_at < now() - $1 * interval '1 day' ORDER BY asked_at LIMIT 10000 FOR UPDATE SKIP LOCKED)
