-- What only PostgreSQL has: columns of several values, tables that inherit from others, and tables of
-- one name in several schemas. Each question is answered rightly or refused.
CREATE SCHEMA t_live;
CREATE SCHEMA t_old;
SET search_path = t_live, public;
SET text2sql.schemas = 't_live, t_old';

-- of two tables of one name the search_path decides, whichever has more columns
CREATE TABLE t_live.orders (id int PRIMARY KEY, placed_on date);
CREATE TABLE t_old.orders (id int PRIMARY KEY, placed_on date, note text, amount numeric, clerk text);
INSERT INTO t_live.orders VALUES (1, '2024-01-01'), (2, '2024-02-01');
INSERT INTO t_old.orders VALUES (1, '2019-01-01', 'a', 5, 'Ada');
SELECT text2sql('How many orders are there?', strategy => 'builtin');

-- a parent holds the rows of its children, and a child only its own
CREATE TABLE vehicles (id int PRIMARY KEY, plate text, wheels int);
CREATE TABLE trucks (load_tons numeric) INHERITS (vehicles);
INSERT INTO vehicles VALUES (1, 'A 1', 4), (2, 'B 2', 2);
INSERT INTO trucks VALUES (3, 'C 3', 6, 12), (4, 'D 4', 8, 20);
SELECT text2sql('How many vehicles are there?', strategy => 'builtin');
SELECT text2sql('How many trucks are there?', strategy => 'builtin');
SELECT text2sql('What are the plates of vehicles with more than 3 wheels?', strategy => 'builtin');

-- a column of several values is shown, and is neither compared, ranked nor grouped as one
CREATE TABLE articles (id int PRIMARY KEY, title text, tags text[], ratings int[]);
INSERT INTO articles VALUES (1, 'Tea', '{food,drink}', '{5,4}'), (2, 'Ink', '{art}', '{3}'), (3, 'Oil', '{art,food}', '{}');
ANALYZE articles;
CREATE FUNCTION pg_temp.asked(question text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE message text; detail text;
BEGIN
    RETURN text2sql(question, strategy => 'builtin');
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    RETURN message || ': ' || detail;
END $$;
SELECT pg_temp.asked('How many articles have the tag food?');
SELECT pg_temp.asked('Which articles are tagged art?');
SELECT pg_temp.asked('What are the titles of articles with the tag drink?');
SELECT pg_temp.asked('How many articles are there for each tag?');
SELECT pg_temp.asked('What is the highest rating of the articles?');
SELECT pg_temp.asked('What is the average rating of the articles?');
SELECT pg_temp.asked('Which articles have ratings above 4?');
SELECT pg_temp.asked('What are the different tags of articles?');
SELECT pg_temp.asked('What are the titles and tags of articles?');
SELECT pg_temp.asked('Which tag is the most common among articles?');

SET client_min_messages = warning;
DROP SCHEMA t_live, t_old CASCADE;
