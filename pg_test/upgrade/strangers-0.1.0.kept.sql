\echo nothing of theirs was called, or stands in a view
SELECT extversion >= '0.2.0' AS updated FROM pg_extension WHERE extname = 'text2sql';
SELECT pg_describe_object(classid, objid, objsubid) FROM pg_depend
WHERE refobjid IN (SELECT oid FROM pg_operator WHERE oprowner = 'stranger'::regrole) AND classid = 'pg_rewrite'::regclass;
