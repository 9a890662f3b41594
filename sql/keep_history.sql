-- An entry of src/store/history/mod.rs; its time is in microseconds since 2000, and one whose number nobody was told has none yet.
INSERT INTO text2sql.history_entry (id, asked_at, session_role, role, session_role_id, role_id, function, question,
    strategy, server, model, sql, outcome, sqlstate, reason, words, rows, ms, calls, tokens, cost, sent)
OVERRIDING SYSTEM VALUE
VALUES (coalesce($1, nextval('text2sql.history_entry_id_seq')),
        timestamptz '2000-01-01 00:00+00' + $2 * interval '1 microsecond',
        $3::name, $4::name, $5, $6, $7, $8, $9, $10::name, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22::json)
