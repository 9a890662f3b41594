-- Rights, labels and row security that another session changes hold for the next call, in a
-- transaction that keeps one snapshot of the data too, whether it has written or not.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS text2sql;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
LOAD 'text2sql';
CREATE SCHEMA t_meanwhile;
SET search_path = t_meanwhile, public;
CREATE TABLE person (id int PRIMARY KEY, name text);
CREATE TABLE pet (id int PRIMARY KEY, name text);
CREATE TABLE place (id int PRIMARY KEY, name text);
CREATE TABLE note (id int);
INSERT INTO person SELECT n, 'Ann Example ' || n FROM generate_series(1, 500) n;
INSERT INTO pet SELECT n, 'Rex Example ' || n FROM generate_series(1, 500) n;
INSERT INTO place SELECT n, 'Paris Example ' || n FROM generate_series(1, 500) n;
ANALYZE;
SELECT table_name, distinct_values FROM text2sql.index_values('{person,pet,place}');
CREATE ROLE regress_meanwhile;
GRANT USAGE ON SCHEMA t_meanwhile TO regress_meanwhile;
GRANT SELECT ON person, pet, place TO regress_meanwhile;
GRANT SELECT, INSERT ON note TO regress_meanwhile;
\setenv PGOPTIONS '-c client_min_messages=warning -c session_preload_libraries=text2sql'
SET ROLE regress_meanwhile;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT w, (SELECT string_agg(value, ', ') FROM text2sql.search_values(w, NULL, 1)) FROM unnest('{Ann Example 7,Rex Example 7,Paris Example 7}'::text[]) w;
\! psql -X -q -d regression -c 'REVOKE SELECT ON t_meanwhile.person FROM regress_meanwhile'
\! psql -X -q -d regression -c "SECURITY LABEL FOR text2sql ON COLUMN t_meanwhile.pet.name IS 'no_values'"
\! psql -X -q -d regression -c 'ALTER TABLE t_meanwhile.place ENABLE ROW LEVEL SECURITY'
SELECT w, (SELECT string_agg(value, ', ') FROM text2sql.search_values(w, NULL, 1)) FROM unnest('{Ann Example 7,Rex Example 7,Paris Example 7}'::text[]) w;
SELECT table_name, column_name FROM text2sql.search_columns('name of the person', 5);
COMMIT;
RESET ROLE;
\! psql -X -q -d regression -c 'GRANT SELECT ON t_meanwhile.person TO regress_meanwhile'
SET ROLE regress_meanwhile;
BEGIN ISOLATION LEVEL REPEATABLE READ;
INSERT INTO note VALUES (1);
SELECT w, (SELECT string_agg(value, ', ') FROM text2sql.search_values(w, NULL, 1)) FROM unnest('{Ann Example 7}'::text[]) w;
\! psql -X -q -d regression -c 'REVOKE SELECT ON t_meanwhile.person FROM regress_meanwhile'
SELECT w, (SELECT string_agg(value, ', ') FROM text2sql.search_values(w, NULL, 1)) FROM unnest('{Ann Example 7}'::text[]) w;
ROLLBACK;
-- a summary is read by those who may read the whole table
RESET ROLE;
INSERT INTO text2sql.summary VALUES ('pet', 1, 'Pets');
REVOKE SELECT ON pet FROM regress_meanwhile;
GRANT SELECT (id) ON pet TO regress_meanwhile;
SET ROLE regress_meanwhile;
SELECT count(*) FROM text2sql.summary;
RESET ROLE;
GRANT SELECT ON pet TO regress_meanwhile;
SET ROLE regress_meanwhile;
SELECT count(*) FROM text2sql.summary;
RESET ROLE;
SELECT text2sql.unindex_values('{person,pet,place}');
DELETE FROM text2sql.summary WHERE relation = 'pet'::regclass;
DROP SCHEMA t_meanwhile CASCADE;
DROP ROLE regress_meanwhile;
DROP EXTENSION pg_trgm CASCADE;
