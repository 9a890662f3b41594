-- What a prompt shows of unusual columns can be copied into a query, or is not shown: line breaks and
-- tabs in values, money, NaN, control characters; no samples of bytes, geometry and UUIDs. Tables are
-- called by their kind, and a domain over an enum has its labels.
LOAD 'text2sql';
SET client_min_messages = warning;
CREATE SCHEMA t_unusual;
SET search_path = t_unusual, public;
SET text2sql.schemas = 't_unusual';
CREATE FUNCTION pg_temp.shown(question text) RETURNS SETOF text LANGUAGE sql VOLATILE AS $$
    SELECT line FROM text2sql.preview(question, strategy => 'zero_shot') AS p,
        regexp_split_to_table(p.content, '\n') AS line
    WHERE p.role = 'user' AND line ~ '^(  |[A-Z][a-z ]+ \w+|\w+\.\w+ = )' AND line !~ '^(Write|Answer) ' $$;
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE DOMAIN feeling AS mood;
CREATE TABLE sight (id int PRIMARY KEY, note text, price money, score numeric, shape point, picture bytea, code uuid,
    garbled text, mood feeling);
INSERT INTO sight SELECT n, (ARRAY[E'two\nlines', E'a\tb', 'it''s \plain'])[1 + n % 3], n::text::money,
    CASE WHEN n % 10 = 0 THEN 'NaN' ELSE n + 0.5 END, point(n, n), '\x0a0b', gen_random_uuid(), E'x\x01y', 'ok'
FROM generate_series(1, 300) n;
ANALYZE sight;
CREATE MATERIALIZED VIEW gallery AS SELECT note, count(*) AS total FROM sight GROUP BY note;
CREATE VIEW cheap AS SELECT id, price FROM sight WHERE price < 5::money;
SELECT * FROM pg_temp.shown('Which sights have two lines?');
SELECT count(*) FROM sight WHERE note = E'two\nlines' AND mood::mood = 'ok';
DROP SCHEMA t_unusual CASCADE;
