-- Labels extend to views, materialized views and WITH, to children by inheritance and to
-- partitions, and values of a child's rows stay private if its parent is shown; an object's own label
-- has the last word.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS text2sql;
LOAD 'text2sql';
CREATE SCHEMA t_follow;
SET search_path = t_follow;
SET text2sql.schemas = 't_follow';
CREATE TABLE patient (id int PRIMARY KEY, name text, tag text, city text);
CREATE TABLE staff (id int PRIMARY KEY, name text);
INSERT INTO patient VALUES (1, 'Ann Example', '123-45', 'Paris'), (2, 'Bob Example', '678-90', 'Rome');
INSERT INTO staff VALUES (1, 'Cyd Example');
CREATE VIEW plain AS SELECT id, name AS called, tag AS number, city FROM patient;
CREATE VIEW above AS SELECT upper(called) AS loud, left(number, 3) AS beginning, city FROM plain WHERE number <> '';
CREATE VIEW through AS
    WITH RECURSIVE w AS (SELECT id, name, tag FROM patient UNION ALL SELECT id, name, tag FROM w WHERE id < 0),
         g AS (SELECT city, count(*) AS patients, max(tag) AS last FROM patient GROUP BY city)
    SELECT w.id, w.name AS a, (SELECT p.tag FROM patient p WHERE p.id = w.id) AS b, j.last AS c, j.patients AS d,
           row(w.*)::text AS e, v.x AS f, s.name AS g, j.city AS h
    FROM w JOIN g AS j ON true LEFT JOIN staff s USING (id), LATERAL (VALUES (w.tag)) AS v(x);
CREATE VIEW either AS SELECT id, name AS who FROM staff UNION ALL SELECT id, tag FROM patient;
CREATE VIEW counted AS SELECT count(*) AS n, 1 AS one FROM staff;
CREATE MATERIALIZED VIEW stored AS SELECT id, name AS called, tag AS number FROM patient;
CREATE VIEW opened AS SELECT name, tag FROM patient;
CREATE TABLE animal (id int, name text, chip text);
CREATE TABLE dog (breed text) INHERITS (animal);
CREATE VIEW dogs AS SELECT chip, breed, name FROM dog;
INSERT INTO dog VALUES (1, 'Rex', 'chip77', 'Beagle');
CREATE TABLE event (id int, place text) PARTITION BY RANGE (id);
CREATE TABLE event_1 PARTITION OF event FOR VALUES FROM (0) TO (10);
INSERT INTO event VALUES (1, 'Oslo');
ANALYZE;
CREATE FUNCTION pg_temp.known() RETURNS TABLE (table_name text, columns text, found text) LANGUAGE sql VOLATILE AS $$
  WITH hit AS MATERIALIZED (SELECT v.* FROM unnest('{Ann Example,ANN EXAMPLE,123-45,Cyd Example,Rex,chip77,Beagle,Oslo,Paris}'::text[]) w,
                                   text2sql.search_values(w, NULL, 100) v WHERE v.value = w)
  SELECT t, (SELECT string_agg(a.attname::text, ', ' ORDER BY a.attnum) FROM pg_attribute a, text2sql.check(format('SELECT %I FROM %I', a.attname, t)) c
             WHERE a.attrelid = t::regclass AND a.attnum > 0 AND c.ok),
         (SELECT string_agg(DISTINCT value, ', ') FROM hit WHERE hit.table_name IN (t, 't_follow.' || t))
  FROM unnest('{patient,staff,plain,above,through,either,counted,stored,opened,animal,dog,dogs,event}'::text[]) WITH ORDINALITY AS u(t, n) ORDER BY n $$;
SET text2sql.value_search_timeout = '10s';
CREATE EXTENSION pg_trgm SCHEMA public;
SELECT table_name, column_name, distinct_values FROM text2sql.index_values('{stored,dog}');
SELECT * FROM pg_temp.known();
SECURITY LABEL FOR text2sql ON COLUMN patient.name IS 'no_values';
SECURITY LABEL FOR text2sql ON COLUMN patient.tag IS 'hidden';
SECURITY LABEL FOR text2sql ON TABLE staff IS 'hidden';
SECURITY LABEL FOR text2sql ON COLUMN animal.chip IS 'hidden';
SECURITY LABEL FOR text2sql ON COLUMN dog.name IS 'no_values';
SECURITY LABEL FOR text2sql ON TABLE event_1 IS 'no_values';
SECURITY LABEL FOR text2sql ON COLUMN opened.tag IS 'values';
SELECT * FROM pg_temp.known();
-- of the index of values the copies go with its next update
SELECT count(*) FROM text2sql.index_values('{patient}');
SELECT relation, number FROM text2sql.indexed_column WHERE relation IN ('stored'::regclass, 'dog'::regclass) ORDER BY 1, 2;
-- what changes later is followed, and back
CREATE OR REPLACE VIEW plain AS SELECT id, city AS called, tag AS number, name AS city FROM patient;
CREATE TABLE cat () INHERITS (animal);
SELECT * FROM pg_temp.known() WHERE table_name IN ('plain', 'above');
SELECT ok, reason FROM text2sql.check('SELECT chip FROM cat');
SECURITY LABEL FOR text2sql ON COLUMN patient.tag IS NULL;
SECURITY LABEL FOR text2sql ON COLUMN patient.name IS NULL;
SELECT * FROM pg_temp.known() WHERE table_name IN ('plain', 'above', 'through');
-- a schema's label holds in it, and for views elsewhere; taken back, all is there again
CREATE SCHEMA t_follow_2;
RESET text2sql.schemas;
CREATE VIEW t_follow_2.elsewhere AS SELECT name, city FROM patient;
SECURITY LABEL FOR text2sql ON SCHEMA t_follow IS 'hidden';
SELECT ok, reason FROM text2sql.check('SELECT city FROM t_follow_2.elsewhere');
SECURITY LABEL FOR text2sql ON SCHEMA t_follow IS NULL;
SELECT ok, reason FROM text2sql.check('SELECT city FROM t_follow_2.elsewhere');
SELECT ok, reason FROM text2sql.check('SELECT city FROM patient');
-- a generated column is what it is made of, also in a child and in a view
CREATE TABLE made (id int, name text, tag text, loud text GENERATED ALWAYS AS (upper(name)) STORED,
                   mixed text GENERATED ALWAYS AS (tag || name) STORED, twice int GENERATED ALWAYS AS (2 * id) STORED);
CREATE TABLE made_child () INHERITS (made);
CREATE VIEW made_view AS SELECT lower(loud) AS low, mixed AS pair, twice FROM made;
INSERT INTO made VALUES (1, 'Dan Example', '99-9');
CREATE FUNCTION pg_temp.made() RETURNS TABLE (called text, labelled text) LANGUAGE sql AS $$
  SELECT c, (SELECT ok::text FROM text2sql.check(format('SELECT %s FROM %s', split_part(c, '.', 2), split_part(c, '.', 1)))) || ' ' ||
         (SELECT count(*) FROM text2sql.search_values('DAN EXAMPLE', ARRAY[split_part(c, '.', 1)]::regclass[], 9) v WHERE v.column_name = split_part(c, '.', 2))
  FROM unnest('{made.name,made.loud,made.mixed,made.twice,made_child.loud,made_view.low,made_view.pair,made_view.twice}'::text[]) c $$;
SELECT * FROM pg_temp.made();
SECURITY LABEL FOR text2sql ON COLUMN made.name IS 'no_values';
SECURITY LABEL FOR text2sql ON COLUMN made.tag IS 'hidden';
SELECT * FROM pg_temp.made();
-- one that is made later too, and one that is labelled otherwise has the last word
ALTER TABLE made ADD later text GENERATED ALWAYS AS (left(tag, 1)) STORED;
SECURITY LABEL FOR text2sql ON COLUMN made.mixed IS 'values';
SELECT ok, reason FROM text2sql.check('SELECT later FROM made');
SELECT * FROM pg_temp.made() WHERE called ~ 'mixed|pair';
DROP SCHEMA t_follow_2, t_follow CASCADE;
DROP EXTENSION pg_trgm CASCADE;
