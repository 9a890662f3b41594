-- A phrase without accents finds the value that has them: in statistics, in the index of values and
-- in a scan of the table, whatever the column's collation. The stored spelling comes back.
SET client_min_messages = warning;
CREATE SCHEMA t_accents;
SET search_path = t_accents, public;
SET text2sql.value_search_timeout = 10000;
CREATE TABLE town (id int PRIMARY KEY, name text);
INSERT INTO town VALUES (1, 'Gdańsk'), (2, 'ŁÓDŹ '), (3, 'Weißenfels'), (4, 'Älmhult'), (5, 'plain');
CREATE FUNCTION found(phrase text) RETURNS TABLE (value text) LANGUAGE sql AS
    $$ SELECT '[' || value || ']' FROM text2sql.search_values(phrase, '{town}', k => 1) $$;
\set phrases 'unnest(ARRAY[\'gdansk\', \'GDAŃSK\', \'lodz\', \'Weissenfels\', \'almhult\', \'PLAIN\']) AS phrase'
-- nothing was analysed: the table is read
SELECT phrase, value FROM :phrases LEFT JOIN LATERAL found(phrase) ON true;
-- a collation that PostgreSQL does not search in
CREATE COLLATION t_accents.no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
ALTER TABLE town ALTER name TYPE text COLLATE t_accents.no_case;
SELECT phrase, value FROM :phrases LEFT JOIN LATERAL found(phrase) ON true;
ALTER TABLE town ALTER name TYPE text;
-- statistics
INSERT INTO town SELECT 10 * t.id + g, t.name FROM town t, generate_series(1, 9) g;
ANALYZE town;
SELECT phrase, value FROM :phrases LEFT JOIN LATERAL found(phrase) ON true;
-- the index
CREATE EXTENSION pg_trgm SCHEMA t_accents;
SELECT count(*) FROM text2sql.index_values('{town}');
SELECT phrase, value FROM :phrases LEFT JOIN LATERAL found(phrase) ON true;
DROP SCHEMA t_accents CASCADE;
