-- The interface, which docs/functions.md is made from: functions with their arguments, results and
-- comments, and the tables and views of the extension with their columns.
\pset format unaligned
SELECT n.nspname, p.proname, regexp_replace(pg_get_function_arguments(p.oid), '\mIN ', '', 'g') AS arguments,
       pg_get_function_result(p.oid) AS result, p.provolatile, p.proparallel,
       has_function_privilege('pg_monitor', p.oid, 'EXECUTE') AS for_all,
       obj_description(p.oid, 'pg_proc') AS comment
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'text2sql'
ORDER BY 1, 2, 3;
SELECT c.relname, c.relkind, has_any_column_privilege('pg_monitor', c.oid, 'SELECT') AS for_all,
       (SELECT string_agg(format('%s %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum)
        FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
       obj_description(c.oid, 'pg_class') AS comment
FROM pg_class c
JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'text2sql'
WHERE c.relkind IN ('r', 'v')
ORDER BY 1;
