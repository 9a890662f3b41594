-- Statistics of columns: those of ANALYZE, and of a sample if it never ran, also for a column
-- added since. A sample is read with the caller's rights; withheld columns have none.
LOAD 'text2sql';
SET client_min_messages = warning;
CREATE SCHEMA t_statistics;
SET search_path = t_statistics, public;
SET text2sql.schemas = 't_statistics';
CREATE FUNCTION pg_temp.known(phrase text) RETURNS SETOF text LANGUAGE sql VOLATILE AS
    $$ SELECT column_name || ': ' || statistics FROM text2sql.search_columns(phrase, 1) $$;
CREATE TABLE visit (id int, colour text, arrived text, amount numeric, phone text);
ALTER TABLE visit SET (autovacuum_enabled = off);
INSERT INTO visit SELECT n, (ARRAY['red', 'green', NULL, 'blue'])[1 + n % 4],
    to_char(date '2024-01-01' + n, 'DD/MM/YYYY'), n / 4.0, '555-' || n FROM generate_series(1, 400) n;
SECURITY LABEL FOR text2sql ON COLUMN visit.phone IS 'no_values';
SELECT pg_temp.known('colour');
SELECT pg_temp.known('arrived');
SELECT pg_temp.known('amount');
SELECT pg_temp.known('phone');
-- many pages: some of them are read, and the rest is estimated
CREATE TABLE long_one (number int, parity text);
ALTER TABLE long_one SET (autovacuum_enabled = off);
INSERT INTO long_one SELECT n, (ARRAY['even', 'odd'])[1 + n % 2] FROM generate_series(1, 200000) n;
SELECT pg_temp.known('parity');
SELECT substring(known FROM '(\d+) distinct')::int BETWEEN 100000 AND 400000 AS near FROM pg_temp.known('number') AS known;
-- analysed, and then a column more
ANALYZE visit;
ALTER TABLE visit ADD COLUMN paid boolean DEFAULT true;
SELECT pg_temp.known('colour');
SELECT pg_temp.known('paid');
SELECT pg_temp.known('phone');
-- row security: only rows that the role may read
CREATE ROLE regress_statistics;
GRANT USAGE ON SCHEMA t_statistics TO regress_statistics;
GRANT SELECT ON visit TO regress_statistics;
ALTER TABLE visit ENABLE ROW LEVEL SECURITY;
CREATE POLICY red ON visit TO regress_statistics USING (colour = 'red');
SET ROLE regress_statistics;
SELECT pg_temp.known('colour');
SELECT pg_temp.known('phone');
RESET ROLE;
DROP SCHEMA t_statistics CASCADE;
DROP OWNED BY regress_statistics;
DROP ROLE regress_statistics;
