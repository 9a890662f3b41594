-- Every function of pg_catalog of this server is denied, allowed by a rule, or among those that were
-- looked through; and the guard decides each as the rules say.
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set reviewed :abs_srcdir '/fixtures/reviewed_functions.txt'
\set rules `cat "$TEXT2SQL_TOOLS/../src/exec/functions.txt"`
SET client_min_messages = error;
CREATE TEMP TABLE reviewed (name text);
COPY reviewed FROM :'reviewed';
DELETE FROM reviewed WHERE name LIKE '#%';
CREATE TEMP TABLE rule AS
SELECT n, split_part(line, ' ', 1) AS action,
       '^' || replace(regexp_replace(split_part(line, ' ', 2), '([.+?$^()])', '\\\1', 'g'), '*', '.*') || '$' AS pattern
FROM regexp_split_to_table(split_part(split_part(:'rules', '[pg_catalog]', 2), '[elsewhere]', 1), E'\n')
     WITH ORDINALITY AS r(line, n)
WHERE line ~ '^(allow|deny|written) ';
CREATE TEMP TABLE function AS
SELECT p.oid, p.proname AS name, p.provolatile = 'v' AS volatile, p.proargtypes,
       (SELECT r.action FROM rule r WHERE p.proname ~ r.pattern ORDER BY r.n LIMIT 1) AS action
FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.oid < 16384;
SELECT count(*) > 3000 AS all_of_them FROM function;
SELECT DISTINCT name AS undecided FROM function f
WHERE action IS NULL AND NOT volatile AND name NOT IN (SELECT r.name FROM reviewed r);

-- a call of each: of those that SQL can write
CREATE TEMP TABLE call AS
SELECT f.*, format('SELECT pg_catalog.%I(%s)', name, (
    SELECT string_agg('NULL::' || CASE
        WHEN t.typname IN ('anyarray', 'anycompatiblearray') THEN 'int[]'
        WHEN t.typname IN ('anyrange', 'anycompatiblerange') THEN 'int4range'
        WHEN t.typname IN ('anymultirange', 'anycompatiblemultirange') THEN 'int4multirange'
        WHEN t.typname LIKE 'any%' THEN 'int' ELSE format_type(t.oid, NULL) END, ', ' ORDER BY u.n)
    FROM unnest(proargtypes) WITH ORDINALITY AS u(type, n) JOIN pg_type t ON t.oid = u.type)) AS query
FROM function f;
CREATE TEMP TABLE verdict AS
SELECT c.name, c.query, coalesce(action = 'allow', NOT volatile) AS may, v.ok, v.sqlstate, v.reason
FROM call c, text2sql.check(c.query) v;
-- what is refused by the list or as volatile, and what is not: each as the rules say, unless
-- PostgreSQL itself has no such call
SELECT query, reason FROM verdict WHERE ok AND NOT may;
SELECT query, reason FROM verdict WHERE NOT ok AND may AND reason LIKE 'function %may not be called%';
SELECT count(*) FILTER (WHERE ok) > 1500 AS many_pass,
       count(*) FILTER (WHERE reason LIKE '%reaches beyond%') > 300 AS many_are_denied,
       count(*) FILTER (WHERE reason LIKE '%it is volatile%') > 40 AS some_are_volatile FROM verdict;
