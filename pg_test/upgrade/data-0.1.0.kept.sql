-- What is stored is there, and means the same.
SET timezone = 'UTC';
\echo glossary
SELECT * FROM text2sql.hint ORDER BY term;
\echo verified questions
SELECT * FROM text2sql.example;
\echo summaries
SELECT * FROM text2sql.summary;
\echo ledger
SELECT at, session_role, role, server, model, step, requests, bytes, names, comments, "values" FROM text2sql.ledger ORDER BY at;
SELECT asked_at, role, function, question, server, model, outcome, calls FROM text2sql.history ORDER BY asked_at;
\echo values
SELECT "table", "column", distinct_values, built_at FROM text2sql.value_index;
SELECT value, "column" FROM text2sql.search_values('Gdansk');
SELECT value, "column" FROM text2sql.search_values('Pomeranai');
\echo vectors
SELECT "table", "column", server, model, embedded_at, stale FROM text2sql.column_vectors WHERE "column" = 'region';
\echo labels, servers, keys
SELECT objoid::regclass, objsubid, label FROM text2sql.labelled;
SELECT s.srvname, m.usename, m.umoptions, s.srvacl FROM pg_foreign_server s JOIN pg_user_mappings m ON m.srvid = s.oid;
\echo questions
SELECT text2sql('Which cities do we serve?');
SELECT text2sql('How many coastal cities are there?');
SELECT count(*) FILTER (WHERE "column" = 'mayors_phone') FROM text2sql.search_columns('mayors phone');
\echo what is new
COMMENT ON TABLE cities IS 'Told by an event trigger';
SELECT text2sql.label('cities', 'region', 'no values');
SELECT count(*) FROM text2sql.value_index;
INSERT INTO text2sql.quota (role, what, per, most) VALUES ('analyst', 'calls', 'day', 5);
SELECT most, used FROM text2sql.quota_usage;
