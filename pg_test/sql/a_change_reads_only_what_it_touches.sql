-- A change to one table makes only that table be read again, as text2sql.progress shows. And the change
-- is seen: names hidden by others, keys of either side, types, partitions, views, statistics.
LOAD 'text2sql';
SET client_min_messages = warning;
CREATE SCHEMA t_first;
CREATE SCHEMA t_again;
SET search_path = t_first, t_again, public;
SET text2sql.schemas = 't_first, t_again';
CREATE TYPE t_again.mood AS ENUM ('sad');
CREATE TABLE t_again.person (id int PRIMARY KEY, nickname text, feeling mood);
CREATE TABLE t_again.pet (id int PRIMARY KEY, owner int, weight numeric);
CREATE TABLE t_again.measure (day date, humidity int) PARTITION BY RANGE (day);
CREATE TABLE t_again.measure_2024 PARTITION OF t_again.measure FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE FUNCTION pg_temp.named(phrase text) RETURNS SETOF text LANGUAGE sql VOLATILE AS
    $$ SELECT table_name || '.' || column_name || ' ' || data_type || ': ' || statistics FROM text2sql.search_columns(phrase, 1) $$;
CREATE FUNCTION pg_temp.joined() RETURNS SETOF text LANGUAGE sql VOLATILE AS
    $$ SELECT conditions::text FROM text2sql.join_path('{pet.owner}', '{person.id}') $$;
SELECT pg_temp.named('nickname');
SET client_min_messages = notice;
SET text2sql.progress = on;

-- nothing changed
SELECT pg_temp.named('nickname');
-- a column
ALTER TABLE pet ADD COLUMN fur_colour text;
SELECT pg_temp.named('colour of the fur');
ALTER TABLE pet RENAME fur_colour TO coat;
SELECT pg_temp.named('coat');
SELECT pg_temp.named('nickname');
-- a key: both sides; then the referenced column's name
ALTER TABLE pet ADD CONSTRAINT pet_owner FOREIGN KEY (owner) REFERENCES person;
SELECT pg_temp.joined();
ALTER TABLE person RENAME id TO number;
SELECT conditions FROM text2sql.join_path('{pet.owner}', '{person.number}');
ALTER TABLE person RENAME number TO id;
ALTER TABLE pet DROP CONSTRAINT pet_owner;
SELECT pg_temp.joined();
-- a comment, and another one in the same transaction
BEGIN;
COMMENT ON COLUMN pet.weight IS 'heaviness';
SELECT pg_temp.named('heaviness');
COMMENT ON COLUMN pet.weight IS 'quokka';
SELECT pg_temp.named('quokka');
ROLLBACK;
SELECT count(*) FROM pg_temp.named('quokka');
-- a type's name, an enum's labels
ALTER TYPE mood RENAME TO temper;
SELECT pg_temp.named('feeling');
ALTER TYPE temper ADD VALUE 'happy';
SELECT pg_temp.named('feeling');
-- statistics alone: nothing to read but them
INSERT INTO person VALUES (1, 'Zed', 'sad'), (2, 'Zed', 'sad');
ANALYZE person;
SELECT pg_temp.named('nickname');
UPDATE person SET nickname = 'Zoe';
ANALYZE person;
SELECT pg_temp.named('nickname');
-- the rows of a partitioned table are those of its partitions
INSERT INTO measure SELECT date '2024-01-01' + n, n FROM generate_series(1, 30) n;
ANALYZE measure_2024;
SELECT pg_temp.named('humidity');
-- a table, a view or an index of the same name in an earlier schema, and without it again
CREATE TABLE t_first.person (id int);
SELECT pg_temp.named('nickname');
DROP TABLE t_first.person;
SELECT pg_temp.named('nickname');
CREATE TABLE t_first.other (id int);
CREATE INDEX person ON t_first.other (id);
SELECT pg_temp.named('nickname');
DROP INDEX t_first.person;
SELECT pg_temp.named('nickname');
CREATE TEMP TABLE person (id int);
SELECT pg_temp.named('nickname');
DROP TABLE pg_temp.person;
SELECT pg_temp.named('nickname');
-- a column gone, a table gone, another of the same name
ALTER TABLE pet DROP COLUMN coat;
SELECT count(*) FROM pg_temp.named('coat');
DROP TABLE pet;
SELECT count(*) FROM pg_temp.named('weight of the pet');
CREATE TABLE t_again.pet (id int PRIMARY KEY, owner int REFERENCES person, weight real);
SELECT pg_temp.named('weight of the pet');
SELECT pg_temp.joined();
-- rights: a column's, row security
CREATE ROLE regress_again;
GRANT USAGE ON SCHEMA t_again TO regress_again;
GRANT SELECT (id) ON person TO regress_again;
SET ROLE regress_again;
SELECT pg_temp.named('nickname of the person');
RESET ROLE;
GRANT SELECT (nickname) ON person TO regress_again;
SET ROLE regress_again;
SELECT pg_temp.named('nickname of the person');
-- more rights for the role that asks, given by another session
\! psql -X -q -d regression -c 'GRANT SELECT ON t_again.pet TO regress_again'
SELECT pg_temp.named('weight of the pet');
\! psql -X -q -d regression -c 'ALTER TABLE t_again.person ENABLE ROW LEVEL SECURITY'
SELECT pg_temp.named('nickname of the person');
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA t_first, t_again CASCADE;
DROP OWNED BY regress_again;
DROP ROLE regress_again;
