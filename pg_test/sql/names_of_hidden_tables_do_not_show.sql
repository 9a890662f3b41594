-- A number does not become the name of a hidden table, schema or role; what a row is of, and
-- tables that may be read, are named.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS text2sql;
LOAD 'text2sql';
CREATE SCHEMA t_naming;
SET search_path = t_naming;
CREATE TABLE orders (id int PRIMARY KEY, note text, made date) ;
CREATE TABLE part (id int) PARTITION BY RANGE (id);
CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (10);
INSERT INTO orders VALUES (1, 'a');
INSERT INTO part VALUES (1);
CREATE TABLE secret (id serial);
CREATE SEQUENCE numbers;
CREATE TYPE named AS (n int, r regclass);
CREATE TYPE held AS (inner_one named[]);
CREATE DOMAIN checked AS named CHECK (true);
CREATE TYPE between_names AS RANGE (subtype = regclass);
CREATE TABLE log (id int, of named);
INSERT INTO log VALUES (1, (1, 'orders'));
SECURITY LABEL FOR text2sql ON TABLE secret IS 'hidden';
SELECT 'secret'::regclass::oid AS secret, 'secret'::regtype::oid AS row, 't_naming'::regnamespace::oid AS schema \gset
CREATE FUNCTION pg_temp.tried(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE row text;
BEGIN
  SELECT string_agg(r::text, ' ') INTO row FROM text2sql.run(query) r;
  RETURN regexp_replace(row, '\d{5}', 'N');
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || regexp_replace(SQLERRM, '\d{5}', 'N');
END $$;
SELECT pg_temp.tried(replace(replace(replace(query, ':secret', :'secret'), ':row', :'row'), ':schema', :'schema')) FROM (VALUES
  ('SELECT :secret::regclass'), ('SELECT :secret::oid::regclass::text'), ('SELECT '':secret''::regclass'),
  ('SELECT ''secret''::regclass'), ('SELECT (:secret + id - 1)::bigint::regclass FROM orders'),
  ('SELECT '':secret''::text::regclass'), ('SELECT concat('':secret'')::regclass'), ('SELECT to_regclass(''secret'')'),
  ('SELECT ARRAY[:secret]::oid[]::regclass[]'), ('SELECT ''{:secret}''::regclass[]'),
  ('SELECT format(''%s'', :secret::regclass)'), ('SELECT to_json(:secret::regclass)'),
  ('SELECT * FROM json_to_record(''{"a": :secret}'') AS x(a regclass)'),
  ('SELECT * FROM ROWS FROM (json_to_record(''{"a": :secret}'') AS (a regclass), generate_series(1, 1))'),
  ('SELECT x.a FROM xmltable(''/r'' PASSING (''<r>:secret</r>''::xml) COLUMNS a regclass PATH ''.'') x'),
  ('SELECT :row::regtype'), ('SELECT '':row''::regtype'), ('SELECT format_type(:row, -1)'), ('SELECT oidvectortypes('':row'')'),
  ('SELECT :schema::regnamespace'), ('SELECT 10::regrole'), ('SELECT g::oid::regclass FROM generate_series(:secret, :secret) g'),
  ('SELECT ''(1,:secret)''::named'), ('SELECT (''(1,:secret)''::named).r'), ('SELECT ''{"(1,:secret)"}''::named[]'),
  ('SELECT (''(1,'' || :secret || '')'')::named'), ('SELECT ROW(1, :secret)::named'), ('SELECT ''(1,:secret)''::checked'),
  ('SELECT * FROM json_populate_record(NULL::named, ''{"r": :secret}'')'), ('SELECT jsonb_populate_record(NULL::held, ''{"inner_one": [{"r": :secret}]}'')'),
  ('SELECT * FROM json_populate_recordset(NULL::named, ''[{"r": :secret}]'')'), ('SELECT * FROM json_to_record(''{"a": {"r": :secret}}'') AS x(a named)'),
  ('SELECT ''[:secret,:secret]''::between_names'), ('SELECT (''['' || :secret || '',]'')::between_names'),
  ('SELECT ''secret_id_seq''::regclass'), ('SELECT regclassout(:secret)'), ('SELECT count(*) FROM orders WHERE tableoid = ''secret''::regclass')) AS a(query);
-- honest ones
SELECT pg_temp.tried(query) FROM (VALUES
  ('SELECT tableoid::regclass, count(*) FROM part GROUP BY 1'), ('SELECT tableoid::regclass::text AS t FROM orders'),
  ('SELECT count(*) FROM orders WHERE tableoid = ''orders''::regclass'), ('SELECT ''part_1''::regclass'),
  ('SELECT pg_relation_size(''orders_pkey'') > 0 AS there'), ('SELECT pg_typeof(note), pg_typeof(made)::text AS t FROM orders'),
  ('SELECT * FROM log'), ('SELECT (of).r, (of).n FROM log'), ('SELECT NULL::named AS nothing'),
  ('SELECT ''numbers''::regclass'), ('SELECT ''int''::regtype, ''orders''::regtype'), ('SELECT to_tsvector(''english'', note) FROM orders'),
  ('SELECT min(tableoid::regclass::text) AS t FROM orders'), ('SELECT coalesce(tableoid::regclass, NULL::regclass) AS t FROM orders')) AS a(query);
DROP SCHEMA t_naming CASCADE;
