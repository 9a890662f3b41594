SELECT f, role, has_function_privilege(role, f, 'EXECUTE') AS may, has_function_privilege(role, f, 'EXECUTE WITH GRANT OPTION') AS grants
FROM unnest(ARRAY['ask(text,text,text,text[],text,json)', 'text2sql.run(text,json)', 'text2sql.check(text,json)']) f,
     unnest(ARRAY['clerk', 'auditor']) role
ORDER BY f, role;
\echo pg_dump keeps them: they are not rights that the extension gave
SELECT count(*) FROM pg_init_privs WHERE objoid = 'ask(text,text,text,text[],text,json)'::regprocedure;
SELECT has_table_privilege('auditor', 'text2sql.ledger', 'SELECT') AS ledger,
       has_table_privilege('auditor', 'text2sql.history_entry', 'SELECT') AS history,
       has_table_privilege('clerk', 'text2sql.hint', 'INSERT') AS hint;
\echo who kept no ledger keeps no history
SELECT s.setconfig FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole WHERE rolname = 'clerk';
