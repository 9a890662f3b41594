-- A value with a typing mistake is found without an index of values also where the table is too
-- large to be kept and the value too rare to be among the common ones.
LOAD 'text2sql';
SET client_min_messages = warning;
CREATE SCHEMA t_mistyped;
SET search_path = t_mistyped, public;
SET text2sql.schemas = 't_mistyped';
SET text2sql.value_search_timeout = '10s';
CREATE TABLE lighthouse (id integer PRIMARY KEY, name text NOT NULL);
INSERT INTO lighthouse SELECT n, 'Mark ' || n FROM generate_series(1, 3000) AS n;
INSERT INTO lighthouse VALUES (3001, 'Lindesnes'), (3002, 'Kjeungskjaer'), (3003, 'Fyrd');
ANALYZE lighthouse;
SELECT word, value
FROM unnest(ARRAY['Lindenses', 'Lindesns', 'Lindesness', 'Kjeungksjaer', 'Fryd', 'Zzyzx']) AS word
LEFT JOIN LATERAL text2sql.search_values(word, k => 1) ON true;
DROP SCHEMA t_mistyped CASCADE;
