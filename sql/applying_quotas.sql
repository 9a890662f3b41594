-- The limits that hold for who asks. $1 oid[]: the session's role and the current one. $2 the
-- server, empty for none.
SELECT q.what, q.per, q.max::float8,
       coalesce('role ' || q.role::text, 'everybody') || coalesce(' on server ' || quote_ident(q.server), ''),
       q.set_by::text, coalesce(c.oid, 0)::oid, coalesce(p.number, 0),
       coalesce(to_char(p.until AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), '')
FROM text2sql.quota q
CROSS JOIN LATERAL text2sql.period(q.per) p
LEFT JOIN pg_class c ON c.oid = to_regclass(format('text2sql.quota_%s', q.id))
WHERE (q.server IS NULL OR q.server = $2)
  AND EXISTS (SELECT FROM unnest($1) AS asks(role) WHERE text2sql.is_of(asks.role, q.role))
ORDER BY q.id
