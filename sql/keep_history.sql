-- $1 entries of src/history.rs, as a JSON array; times are microseconds since 2000, and an entry whose number nobody was
-- told has none yet. With each question some of the oldest go whose time is over.
WITH entry AS (
    SELECT e.*, timestamptz '2000-01-01 00:00+00' + e.at * interval '1 microsecond' AS asked_at
    FROM jsonb_to_recordset($1::jsonb) AS e (
        id bigint, at bigint, session_role name, role name, session_role_id oid, role_id oid, function text, question text, strategy text,
        server name, model text, sql text, outcome text, sqlstate text, reason text, words text[],
        rows bigint, ms float8, calls integer, tokens bigint, cost float8, sent jsonb, days integer)
), gone AS (
    DELETE FROM text2sql.history_entry
    WHERE id IN (SELECT id FROM text2sql.history_entry
                 WHERE asked_at < now() - (SELECT min(nullif(days, 0)) FROM entry) * interval '1 day'
                 ORDER BY asked_at LIMIT 100)
)
INSERT INTO text2sql.history_entry (id, asked_at, session_role, role, session_role_id, role_id, function, question,
    strategy, server, model, sql, outcome, sqlstate, reason, words, rows, ms, calls, tokens, cost, sent)
OVERRIDING SYSTEM VALUE
SELECT coalesce(id, nextval('text2sql.history_entry_id_seq')), asked_at, session_role, role, session_role_id, role_id, function, question, strategy, nullif(server, ''), model, sql,
       outcome, sqlstate, reason, words, rows, ms, calls, tokens, cost, sent
FROM entry ORDER BY at
