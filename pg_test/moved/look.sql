-- What a database that was moved must show as before.
SET client_min_messages = warning;
SET text2sql.history = off;               -- looking leaves nothing
SET text2sql.server = 'words';
-- (from 17 on, the types of rows are members too)
SELECT classid::regclass, pg_describe_object(classid, objid, objsubid) AS member
FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND classid <> 'pg_type'::regclass
    AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'text2sql') ORDER BY 1, 2;
SELECT evtname, evtenabled FROM pg_event_trigger ORDER BY 1;
SELECT * FROM text2sql.rights('ask') ORDER BY 1;
SELECT srvname, array(SELECT unnest(srvoptions) ORDER BY 1) AS options, srvacl FROM pg_foreign_server;
SELECT has_function_privilege('public', 'text2sql(text, text, text, text[], text, json)', 'EXECUTE') AS all_may_ask,
    has_function_privilege('anna', 'text2sql(text, text, text, text[], text, json)', 'EXECUTE') AS anna_may_ask,
    has_table_privilege('otto', 'text2sql.quota', 'INSERT') AS otto_administers,
    has_table_privilege('otto', 'text2sql.history_entry', 'SELECT') AS otto_audits;

SELECT schema, relation, column_name, label FROM text2sql.label ORDER BY 1, 2 NULLS FIRST, 3 NULLS FIRST;
SELECT * FROM text2sql.glossary ORDER BY 1;
SELECT * FROM text2sql.verified_question;
SELECT * FROM text2sql.summary;
SELECT * FROM text2sql.history_entry ORDER BY id;
SELECT role, server, what, per, max, set_by, used FROM text2sql.quota_usage ORDER BY what;
SELECT table_name, column_name, distinct_values, rewritten FROM text2sql.value_index ORDER BY table_name::text, 2;
SELECT value, table_name, column_name FROM text2sql.search_values('Gdnsk');
SELECT table_name, column_name, stale FROM text2sql.column_vectors ORDER BY table_name::text, 2 NULLS FIRST;
SELECT table_name, column_name FROM text2sql.search_columns('Verdienst', 1);
SELECT ok, reason FROM text2sql.check('SELECT phone FROM shop.person');
SELECT ok, reason FROM text2sql.check('SELECT page FROM shop.diary');
SELECT content LIKE '%tall%' AS note_leaves, content LIKE '%Bonn%' AS name_leaves
FROM text2sql.preview('Which persons are there?', server => 'words', strategy => 'zero_shot') WHERE role = 'user';

SET search_path = shop, public;
SELECT text2sql('how are we doing');
SELECT text2sql('What is the total pay?', strategy => 'builtin');
SELECT * FROM ask('How many persons live in the town Gdansk?', strategy => 'builtin');
SELECT * FROM by_town ORDER BY 1;
