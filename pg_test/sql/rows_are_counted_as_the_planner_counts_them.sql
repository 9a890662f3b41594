-- The number of rows that a prompt shows: of a table that has grown since the last ANALYZE as many
-- more as its file has grown, of a parent with its children; none for a role that row security
-- keeps from seeing all.
LOAD 'text2sql';
SET client_min_messages = warning;
CREATE SCHEMA t_counted;
SET search_path = t_counted, public;
SET text2sql.schemas = 't_counted';
CREATE FUNCTION pg_temp.shown() RETURNS TABLE (header text, rows numeric) LANGUAGE sql VOLATILE AS $$
    SELECT substring(line FROM '^Table \w+'), substring(line FROM '\((?:about )?(\d+) rows\)')::numeric
    FROM text2sql.preview('How many are there?', strategy => 'zero_shot') AS p,
        regexp_split_to_table(p.content, '\n') AS line
    WHERE p.role = 'user' AND line ~ '^Table' $$;
CREATE TABLE grown (n int) WITH (autovacuum_enabled = off);
INSERT INTO grown SELECT * FROM generate_series(1, 2000);
CREATE TABLE parent (n int) WITH (autovacuum_enabled = off);
CREATE TABLE child () INHERITS (parent) WITH (autovacuum_enabled = off);
INSERT INTO child SELECT * FROM generate_series(1, 300);
CREATE TABLE emptied (n int) WITH (autovacuum_enabled = off);
INSERT INTO emptied SELECT * FROM generate_series(1, 500);
ANALYZE grown, parent, child, emptied;
INSERT INTO grown SELECT * FROM generate_series(1, 100000);
TRUNCATE emptied;
SELECT header, rows BETWEEN 90000 AND 110000 AS near FROM pg_temp.shown() WHERE header = 'Table grown';
SELECT * FROM pg_temp.shown() WHERE header <> 'Table grown';
CREATE ROLE regress_counted;
GRANT USAGE ON SCHEMA t_counted TO regress_counted;
GRANT SELECT ON parent, emptied TO regress_counted;
ALTER TABLE parent ENABLE ROW LEVEL SECURITY;
SET ROLE regress_counted;
SELECT * FROM pg_temp.shown();
RESET ROLE;
DROP SCHEMA t_counted CASCADE;
DROP ROLE regress_counted;
