-- $1 id, $2 verdict, $3 note, $4 and $5 the session's and the current role: kept on a question of theirs.
UPDATE text2sql.history_entry SET verdict = $2, note = $3, judged_at = now()
WHERE id = $1 AND (role_id = $5 OR session_role_id = $4 AND $4 = $5) RETURNING id
