-- Readings between which nothing decides are the asker's choice (22T07), each by a call that answers.
SET client_min_messages = warning;
CREATE SCHEMA t_two;
SET search_path = t_two, public;
SET text2sql.schemas = 't_two';
CREATE TABLE country (id int PRIMARY KEY, name text, population int, capital_id int);
CREATE TABLE city (id int PRIMARY KEY, name text, population int, country_id int REFERENCES country);
ALTER TABLE country ADD FOREIGN KEY (capital_id) REFERENCES city;
INSERT INTO country VALUES (1, 'France', 67, NULL), (2, 'Spain', 47, NULL);
INSERT INTO city VALUES (1, 'Paris', 2, 1), (2, 'Lyon', 1, 1), (3, 'Madrid', 3, 2);
UPDATE country SET capital_id = CASE id WHEN 1 THEN 1 ELSE 3 END;
ANALYZE;
SELECT text2sql('What is the population of the capital of France?');
SELECT sqlstate FROM text2sql.answer('What is the population of the capital of France?');
CREATE FUNCTION each_call_answers(question text) RETURNS TABLE (call text, gives text) LANGUAGE plpgsql AS $$
BEGIN
    FOR call IN SELECT regexp_split_to_table(suggestion, E'\n') FROM text2sql.answer(question) LOOP
        EXECUTE call INTO gives;
        RETURN NEXT;
    END LOOP;
END $$;
SELECT * FROM each_call_answers('What is the population of the capital of France?');
-- without a choice it is refused: no reading is likely enough
SET text2sql.ambiguity = 'likeliest';
SELECT sqlstate FROM text2sql.answer('What is the population of the capital of France?');
RESET text2sql.ambiguity;
DROP SCHEMA t_two CASCADE;
