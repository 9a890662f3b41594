-- text2sql.index_values(): what is indexed and what is not, what a later call changes, what is
-- found meanwhile; in one transaction and in parts.
SET client_min_messages = warning;
CREATE SCHEMA t_index;
CREATE SCHEMA "odd Schema";
CREATE EXTENSION pg_trgm SCHEMA "odd Schema";
SET search_path = t_index, public;
SET text2sql.value_search_timeout = 10000;
SET work_mem = '64kB';                                         -- less than the values take

CREATE TABLE country (code text PRIMARY KEY, name text);
INSERT INTO country VALUES ('DE', 'Germany'), ('FR', 'France');
CREATE TABLE place (id int PRIMARY KEY, country text REFERENCES country, name varchar(80), kind char(12), remark text, size int);
INSERT INTO place SELECT g, 'DE', 'Village ' || g, 'village', repeat('long ', 50) || g, g FROM generate_series(1, 3000) g;
INSERT INTO place VALUES
    (5001, 'FR', 'Akiak ', 'village'), (5002, 'FR', 'Fresno County Office of Education', 'office'),
    (5003, 'DE', 'Łódź', 'town'), (5004, 'DE', 'Northern Trail Outfitters', 'shop'), (5005, 'FR', 'New York', 'town'),
    (5006, 'FR', 'Avocado', 'shop'), (5007, 'FR', '+/-', 'shop'), (5008, 'FR', ' ', 'shop'), (5009, 'FR', NULL, 'shop');
SELECT table_name, column_name, distinct_values, added, removed, skipped FROM text2sql.index_values('{country, place}');

-- exact stored values come back, ignoring case, accents, blanks and punctuation
CREATE FUNCTION pg_temp.found(phrase text) RETURNS TABLE (value text) LANGUAGE sql AS
    $$ SELECT '[' || value || ']' FROM text2sql.search_values(phrase, '{place}', k => 2) $$;
SELECT * FROM pg_temp.found('akiak');
SELECT * FROM pg_temp.found('lodz');
SELECT * FROM pg_temp.found('new-york');
SELECT * FROM pg_temp.found('newyork');
SELECT * FROM pg_temp.found('+/-');
-- plural, part of a longer value, typing mistakes in one word and in several
SELECT * FROM pg_temp.found('avocados');
SELECT * FROM pg_temp.found('Fresno County');
SELECT * FROM pg_temp.found('Educat');
SELECT * FROM pg_temp.found('avacado');
SELECT * FROM pg_temp.found('Fersno County Ofice');
SELECT * FROM pg_temp.found('Nothern Trail Outfiters');
SELECT * FROM pg_temp.found('Village 2024');
-- what no value is like, and what is only punctuation
SELECT * FROM pg_temp.found('Zzyzx');
SELECT * FROM pg_temp.found('%%%%');
SELECT * FROM pg_temp.found('');

-- a later call writes only what changed
UPDATE place SET name = 'New Amsterdam' WHERE id = 5005;
DELETE FROM place WHERE id = 5006;
INSERT INTO place VALUES (6001, 'DE', 'Ånge', 'town');
SELECT * FROM pg_temp.found('New York');                       -- until then the index is as it was, and no probe looks
SELECT * FROM pg_temp.found('Ange');
SELECT column_name, distinct_values, added, removed FROM text2sql.index_values('{place}') WHERE skipped IS NULL;
SELECT * FROM pg_temp.found('New York');
SELECT * FROM pg_temp.found('avacado');
SELECT * FROM pg_temp.found('Ange');
SELECT column_name, distinct_values, added, removed FROM text2sql.index_values('{place}') WHERE skipped IS NULL;
SELECT count(*) AS words_of_deleted_values FROM text2sql.indexed_word WHERE word IN ('avocado', 'york');

-- a key or a column by name; too many values; a column taken out
SELECT column_name, distinct_values, skipped FROM text2sql.index_values('{country}', '{code}');
SELECT column_name, distinct_values, skipped FROM text2sql.index_values('{place}', '{name}', max_distinct => 100);
SELECT table_name, column_name, distinct_values FROM text2sql.value_index ORDER BY 1, 2;
SELECT text2sql.unindex_values('{country}', '{code}');
SELECT table_name, column_name, distinct_values, rewritten FROM text2sql.value_index ORDER BY 1, 2;

-- a table that was emptied or rewritten is not searched until it is read again
SELECT count(*) FROM text2sql.index_values('{place}', '{name}');
TRUNCATE place;
SELECT * FROM pg_temp.found('Akiak');
SELECT table_name, column_name, rewritten FROM text2sql.value_index ORDER BY 1, 2;
SELECT column_name, distinct_values, removed FROM text2sql.index_values('{place}', '{name}');
SELECT table_name, column_name, rewritten FROM text2sql.value_index ORDER BY 1, 2;

-- what is dropped is not kept; a failed call leaves nothing
INSERT INTO place VALUES (1, 'DE', 'Akiak ', 'village', 'short');
SELECT count(*) FROM text2sql.index_values('{place, country}');
ALTER TABLE place DROP COLUMN name;
SELECT count(*) FROM text2sql.indexed_value WHERE value = 'Akiak ';
BEGIN;
DROP TABLE country CASCADE;
SELECT count(*) FROM text2sql.indexed_value WHERE value = 'France';
ROLLBACK;
SELECT count(*) FROM text2sql.indexed_value WHERE value = 'France';
DROP TABLE place, country;
SELECT (SELECT count(*) FROM text2sql.indexed_column) AS columns, (SELECT count(*) FROM text2sql.indexed_value) AS values,
       (SELECT count(*) FROM text2sql.indexed_word) AS words;

-- partitions are read as the table that they are parts of; a materialised view as a table
CREATE TABLE log (day date, note text) PARTITION BY RANGE (day);
CREATE TABLE log_1 PARTITION OF log FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
INSERT INTO log SELECT '2024-06-01', 'Entry ' || g FROM generate_series(1, 300) g;
CREATE MATERIALIZED VIEW log_copy AS SELECT note || ' copied' AS note FROM log;
SELECT table_name, column_name, distinct_values FROM text2sql.index_values('{log, log_copy}');
SELECT value, table_name FROM text2sql.search_values('Entry 77', '{log, log_copy}', k => 2) ORDER BY 1, 2;

-- rows that are those that were read are not read again: what is wrong in the index then stays
CREATE TABLE street (name text);
INSERT INTO street SELECT 'Street ' || g FROM generate_series(1, 200) g;
SELECT distinct_values, added, removed FROM text2sql.index_values('{street}');
DELETE FROM text2sql.indexed_value WHERE value = 'Street 7';
SELECT distinct_values, added, removed FROM text2sql.index_values('{street}');
UPDATE street SET name = name WHERE name = 'Street 8';         -- another version of a row
SELECT distinct_values, added, removed FROM text2sql.index_values('{street}');
SELECT distinct_values, added, removed, skipped FROM text2sql.index_values('{street}', max_distinct => 100);
SELECT distinct_values, added, removed FROM text2sql.index_values('{street}');

-- the procedure commits as it goes; what is not whole is not searched, and the next call goes on
SET client_min_messages = notice;
CALL text2sql.index_values_in_parts('{street}');
INSERT INTO street VALUES ('Lane 1');
CALL text2sql.index_values_in_parts('{street}', '{name}');
SELECT text2sql.unindex_values('{street}');
SELECT * FROM text2sql.index_part_of_column('street', 'name', false, 1000, 150);   -- where a cancel leaves it
SELECT complete, distinct_values FROM text2sql.value_index WHERE table_name = 'street'::regclass;
CALL text2sql.index_values_in_parts('{street}');
SET client_min_messages = warning;
SELECT complete, distinct_values FROM text2sql.value_index WHERE table_name = 'street'::regclass;
SELECT value FROM text2sql.search_values('street 1', '{street}', k => 1);
BEGIN;
CALL text2sql.index_values_in_parts('{street}');               -- which it cannot in a transaction
ROLLBACK;

-- one call reads a column once: what is written between its parts waits for the next call
CREATE PROCEDURE in_parts(part bigint, meanwhile text) LANGUAGE plpgsql AS $$
DECLARE
    done record;
BEGIN
    LOOP
        SELECT * INTO done FROM text2sql.index_part_of_column('street', 'name', true, 1000, part);
        COMMIT;
        RAISE NOTICE '% of % added, % removed', done.added, done.distinct_values, done.removed;
        EXIT WHEN NOT done.more;
        EXECUTE meanwhile;
    END LOOP;
END
$$;
SET client_min_messages = notice;
SELECT text2sql.unindex_values('{street}');
CALL in_parts(100, $$INSERT INTO street SELECT 'Lane ' || 1 + count(*) FROM street$$);
CALL text2sql.index_values_in_parts('{street}');
SELECT count(*), count(DISTINCT value) FROM text2sql.indexed_value v JOIN text2sql.indexed_column i ON i.id = v.column_id
WHERE i.relation = 'street'::regclass;
-- unless somebody else indexes it, empties the table or forbids it meanwhile
SELECT text2sql.unindex_values('{street}');
CALL in_parts(150, 'SELECT text2sql.index_values(''{street}'')');
SELECT text2sql.unindex_values('{street}');
CALL in_parts(150, 'TRUNCATE street');
INSERT INTO street SELECT 'Street ' || g FROM generate_series(1, 200) g;
CALL in_parts(150, 'SELECT text2sql.label(''street'', ''name'', ''no_values'')');
SELECT count(*) FROM text2sql.value_index WHERE table_name = 'street'::regclass;
SET client_min_messages = warning;

-- without pg_trgm the rest of the index goes on
DROP EXTENSION pg_trgm CASCADE;
SELECT value, table_name FROM text2sql.search_values('Entry 77', '{log, log_copy}', k => 2) ORDER BY 1, 2;
DROP SCHEMA t_index, "odd Schema" CASCADE;
