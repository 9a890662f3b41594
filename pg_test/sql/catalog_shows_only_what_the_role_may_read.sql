-- Tables, columns, keys and comments are the caller's: what he may not read does not exist.
SET client_min_messages = warning;
CREATE SCHEMA t_rights;
CREATE SCHEMA t_rights_closed;
SET search_path = t_rights, public;
CREATE TABLE open_table (id int PRIMARY KEY, name text);
CREATE TABLE half_open (id int PRIMARY KEY, shown text, secret text, open_id int REFERENCES open_table);
CREATE TABLE closed_table (id int PRIMARY KEY);
CREATE TABLE t_rights_closed.unreachable (id int);
CREATE TABLE parted (id int, day date) PARTITION BY RANGE (day);
CREATE TABLE parted_2024 PARTITION OF parted FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE VIEW a_view AS SELECT * FROM closed_table;
CREATE MATERIALIZED VIEW a_matview AS SELECT 1 AS n;
CREATE ROLE regress_reader;
GRANT USAGE ON SCHEMA t_rights TO regress_reader;
GRANT SELECT ON open_table, parted, parted_2024, a_view, a_matview TO regress_reader;
GRANT SELECT (id, shown) ON half_open TO regress_reader;
GRANT SELECT ON t_rights_closed.unreachable TO regress_reader;
SET ROLE regress_reader;
CREATE TEMP TABLE mine (id int);
SELECT c.ok, c.sqlstate, c.reason, c.tables, c.columns
FROM unnest(ARRAY[
    'SELECT * FROM open_table', 'SELECT id, shown FROM half_open', 'SELECT * FROM half_open',
    'SELECT secret FROM half_open', 'SELECT half_open FROM half_open', 'SELECT count(*) FROM half_open',
    'SELECT 1 FROM half_open WHERE secret = ''x''', 'SELECT * FROM closed_table',
    'SELECT * FROM t_rights_closed.unreachable', 'SELECT * FROM parted', 'SELECT * FROM parted_2024',
    'SELECT * FROM a_view', 'SELECT * FROM a_matview', 'SELECT * FROM mine',
    'SELECT * FROM pg_class', 'SELECT * FROM information_schema.tables', 'SELECT ctid, tableoid FROM open_table'
]) WITH ORDINALITY AS q(sql, n), text2sql.check(q.sql) c ORDER BY n;
SELECT * FROM text2sql.join_path('{half_open.id}', '{open_table.id}');
RESET ROLE;
SELECT to_column, tables, conditions FROM text2sql.join_path('{half_open.id}', '{open_table.id}');
DROP SCHEMA t_rights, t_rights_closed CASCADE;
DROP OWNED BY regress_reader;
DROP ROLE regress_reader;
