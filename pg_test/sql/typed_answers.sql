-- run_record fills a column definition list; if it does not fit, the error has one that does.
SET client_min_messages = warning;
CREATE SCHEMA t_typed;
SET search_path = t_typed, public;
CREATE TABLE sale (country text, amount numeric, day date, tags text[], info jsonb);
INSERT INTO sale VALUES ('FR', 10.5, '2024-01-01', '{a,b}', '{"k": 1}'), ('ES', NULL, NULL, NULL, NULL);
SELECT * FROM text2sql.run('SELECT * FROM sale ORDER BY country');
SELECT * FROM text2sql.run('SELECT 1 AS a, 2 AS a, 1.50::numeric AS n, true AS b, ''NaN''::float8 AS x, ''{"z": [1]}''::json AS j, now() IS NULL AS t, NULL AS e, ROW(1, ''x'') AS r, interval ''1 day'' AS i');
SELECT *, pg_typeof(amount) FROM text2sql.run_record('SELECT country, sum(amount), max(day), count(*) FROM sale GROUP BY 1 ORDER BY 1') AS t(country text, amount numeric, day date, n int);
SELECT * FROM text2sql.run_record('SELECT tags, info FROM sale ORDER BY country DESC') AS t(tags text[], info jsonb);
CREATE TABLE kept AS SELECT * FROM text2sql.run_record('SELECT country FROM sale') AS t(country text);
SELECT count(*) FROM kept;
SELECT * FROM text2sql.run_record('SELECT country, amount FROM sale') AS t(country text);
SELECT * FROM text2sql.run_record('SELECT country, amount AS "My Amount" FROM sale') AS t(country text, amount date);
SELECT * FROM text2sql.run_record('SELECT country FROM sale') AS t(n int);
SELECT * FROM text2sql.run_record('SELECT amount FROM sale') AS t(n int);
SELECT * FROM text2sql.run_record('SELECT country FROM sale') AS t(country varchar(1));
SELECT text2sql.run_record('SELECT 1');
-- columns added later with a default, and dropped ones
ALTER TABLE sale ADD COLUMN later int DEFAULT 5, DROP COLUMN day, ADD COLUMN last text DEFAULT 'z';
SELECT * FROM text2sql.run('SELECT * FROM sale ORDER BY country');
SELECT * FROM text2sql.run('SELECT sale FROM sale WHERE amount IS NULL');
DROP SCHEMA t_typed CASCADE;
