-- The interface: names, arguments, results, and that each has a comment.
\pset format unaligned
SELECT n.nspname, p.proname, pg_get_function_arguments(p.oid) AS arguments,
       pg_get_function_result(p.oid) AS result, p.provolatile, p.proparallel,
       obj_description(p.oid, 'pg_proc') IS NOT NULL AS commented,
       has_function_privilege('pg_monitor', p.oid, 'EXECUTE') AS for_all
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'text2sql'
ORDER BY 1, 2, 3;
