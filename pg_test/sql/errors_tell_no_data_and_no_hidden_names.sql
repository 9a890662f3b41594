-- An error tells neither what is in a row, even if the query contains it as a guess, nor the name of a
-- column, type or table that the caller's catalog does not show; what helps to mend a query stays.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS text2sql;
LOAD 'text2sql';
CREATE SCHEMA t_told;
SET search_path = t_told;
CREATE TYPE secret_kind AS ENUM ('a', 'b');
CREATE TABLE person (id int PRIMARY KEY, town text, born date, salary int, kind secret_kind);
CREATE TABLE vault (id int, combination text, hint int[]);
CREATE TABLE log (id int, entry vault);
INSERT INTO person VALUES (1, 'hunter2', '2000-01-01', 54321, 'a'), (2, '16', NULL, 31, 'b');
INSERT INTO vault VALUES (1, 'hunter2', '{1}');
SECURITY LABEL FOR text2sql ON COLUMN person.salary IS 'hidden';
SECURITY LABEL FOR text2sql ON COLUMN person.kind IS 'hidden';
SECURITY LABEL FOR text2sql ON TABLE vault IS 'hidden';
CREATE FUNCTION told(query text) RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE named text; state text; more text; help text; place text;
BEGIN
    PERFORM FROM text2sql.run(query);
    RETURN 'ran';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, named = MESSAGE_TEXT, more = PG_EXCEPTION_DETAIL, help = PG_EXCEPTION_HINT;
    -- as PostgreSQL 13 and 14 say it
    named := regexp_replace(named, '^(timestamp with time zone) units (".*") not recognized$', 'unit \2 not recognized for type \1');
    RETURN concat_ws(' | ', state, named, nullif(more, ''), nullif(help, ''));
END $$;
CREATE FUNCTION raises(word text) RETURNS int LANGUAGE plpgsql STABLE AS $$
BEGIN RAISE EXCEPTION 'x' USING ERRCODE = upper(left(word, 5)); END $$;
CREATE FUNCTION places(n int) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN EXECUTE repeat(' ', n % 100) || 'nothing'; RETURN ''; END $$;
-- data, outside of quotes and in them, and as a guess
SELECT told(query) FROM (VALUES
  ('SELECT set_byte(''a''::bytea, salary_like, 0) FROM (SELECT 54320 + id AS salary_like FROM person) s'),
  ('SELECT make_date(54320 + id, 13, 40) FROM person'), ('SELECT make_time(id + 53, 0, 0) FROM person'),
  ('SELECT set_masklen(''10.0.0.1''::inet, 54320 + id) FROM person'), ('SELECT (town || ''()'')::regprocedure FROM person'),
  ('SELECT town::int FROM person WHERE ''hunter2'' <> '''''), ('SELECT (town || ''5'')::numeric FROM person'),
  ('SELECT to_number(town, ''999'')::int / (id - 1) FROM person'), ('SELECT to_timestamp(town, ''YYYY'') FROM person'),
  ('SELECT town::interval FROM person'), ('SELECT (town || '' '')::uuid FROM person'), ('SELECT town::inet FROM person'),
  ('SELECT (''{'' || town || ''}'')::json FROM person'), ('SELECT jsonb_path_query(''{}'', town::jsonpath) FROM person'),
  ('SELECT regexp_replace(''a'', ''('' || town, '''') FROM person'), ('SELECT town::bit(3) FROM person'),
  ('SELECT to_tsquery(town::regconfig, ''a'') FROM person'), ('SELECT encode(''a'', town) FROM person'),
  ('SELECT convert_from(''a'', town) FROM person'), ('SELECT date_trunc(town, now()) FROM person'),
  ('SELECT extract(''year'' FROM (town || '''')::date) FROM person'), ('SELECT date_part(town, now()) FROM person'),
  ('SELECT format(''%'' || town) FROM person'), ('SELECT chr(54320 + id * 9999999) FROM person'),
  ('SELECT raises(town) FROM person'), ('SELECT places(54320 + id) FROM person')) AS t(query);
-- names that nobody wrote
SELECT told(query) FROM (VALUES
  ('SELECT * FROM person GROUP BY id'), ('SELECT p.* FROM person p GROUP BY town'), ('SELECT person FROM person GROUP BY id'),
  ('SELECT * FROM person UNION SELECT 1, '''', now()::date, 1, 1'), ('SELECT * FROM person EXCEPT SELECT * FROM vault'),
  ('SELECT salry FROM person'), ('SELECT kid FROM person'), ('SELECT nothing FROM vault'), ('SELECT * FROM vault GROUP BY id'),
  ('SELECT id FROM person NATURAL JOIN (SELECT 1 AS salary, 2 AS salary) x'), ('SELECT kind + 1 FROM person'),
  ('SELECT salary || 1 FROM person'), ('SELECT count(*) FROM person WHERE kind = ''zzz'''), ('SELECT sum(person) FROM person'),
  ('SELECT (NULL::vault).*'), ('SELECT (NULL::vault).nothing'), ('SELECT row_to_json(NULL::vault)'), ('SELECT (NULL::person).*'),
  ('SELECT to_jsonb(NULL::t_told.person)'), ('SELECT jsonb_populate_record(NULL::vault, ''{}'')'), ('SELECT * FROM json_populate_record(NULL::vault, ''{}'')'),
  ('SELECT * FROM jsonb_populate_recordset(NULL::vault, ''[{}]'')'), ('SELECT ''(1,2)''::vault'), ('SELECT ''(1)''::vault'), ('SELECT (''(1,2,{})''::text)::vault'),
  ('SELECT ROW(1, '''', NULL)::vault'), ('SELECT (ARRAY[]::vault[])[1]'), ('SELECT NULL::vault[]'), ('SELECT * FROM json_to_record(''{}'') AS x(a vault)'),
  ('SELECT (entry).* FROM log'), ('SELECT row_to_json(entry) FROM log'), ('SELECT (entry).nothing FROM log'), ('SELECT pg_typeof(entry) FROM log'),
  ('WITH vault AS (SELECT 1 AS id) SELECT nothing FROM vault'), ('WITH w AS (SELECT * FROM vault) SELECT nothing FROM w')) AS t(query);
-- what an honest query is told
SELECT told(query) FROM (VALUES
  ('SELECT twon FROM person'), ('SELECT p.twon FROM person p'), ('SELECT person.town FROM person p'), ('SELECT id FROM persn'), ('SELECT nothing.id FROM person'),
  ('SELECT town, count(*) FROM person'), ('SELECT town FROM person GROUP BY id, born HAVING max(id) > min(town)'), ('SELECT id FROM person p JOIN person q ON true'),
  ('SELECT sum(town) FROM person'), ('SELECT town + 1 FROM person'), ('SELECT id = born FROM person'), ('SELECT lenght(town) FROM person'),
  ('SELECT id FROM person UNION SELECT town FROM person'), ('SELECT id, town FROM person UNION SELECT id FROM person'), ('SELECT id FROM person WHERE town'),
  ('SELECT id FROM person WHERE sum(id) > 1'), ('SELECT id FROM person WHERE id = ''abc'''), ('SELECT DISTINCT id FROM person ORDER BY town'),
  ('SELECT id FROM person ORDER BY 9'), ('SELECT rank() FROM person'), ('SELECT (SELECT id, town FROM person)'), ('SELECT CASE WHEN true THEN id ELSE born END FROM person'),
  ('SELEC 1'), ('SELECT id FROM person WHERE'), ('SELECT ''a'), ('SELECT 1/0'), ('SELECT 2147483647 + id FROM person'),
  ('SELECT (SELECT id FROM person)'), ('SELECT town::int FROM person'), ('SELECT ''99999''::int2'), ('SELECT * FROM person LIMIT -1'), ('SELECT nextval(''x'')'),
  ('SELECT id::person FROM person'), ('SELECT row_to_json(p) FROM (SELECT id, town FROM person) p'), ('SELECT town::nothing FROM person'), ('SELECT sum(id) OVER w FROM person'),
  ('SELECT tableoid, ctid FROM person'), ('SELECT count(person.id) FROM person'), ('SELECT (NULL::log).id')) AS t(query);
DROP SCHEMA t_told CASCADE;
