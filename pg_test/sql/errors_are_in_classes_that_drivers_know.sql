-- The codes of this extension are in PostgreSQL's classes: a driver makes its exceptions from them, and PL/pgSQL catches
-- them by condition.
SET client_min_messages = warning;
CREATE SCHEMA t_classes;
SET search_path = t_classes, public;
SET text2sql.schemas = 't_classes';
CREATE TABLE planet (id int PRIMARY KEY, name text);
CREATE TABLE moon (id int PRIMARY KEY, name text, planet int REFERENCES planet, orbited int REFERENCES planet);
INSERT INTO planet VALUES (1, 'Earth'), (2, 'Mars');
INSERT INTO moon VALUES (1, 'Moon', 1, 2), (2, 'Phobos', 2, 2);
ANALYZE planet, moon;
CREATE SERVER t_classes_nobody FOREIGN DATA WRAPPER text2sql
    OPTIONS (provider 'openai', base_url 'http://127.0.0.1:9/v1', model 'm', retries '0');
CREATE FUNCTION class_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'no error';
EXCEPTION
    WHEN data_exception THEN RETURN 'data_exception ' || SQLSTATE;
    WHEN syntax_error_or_access_rule_violation THEN RETURN 'syntax_error_or_access_rule_violation ' || SQLSTATE;
    WHEN insufficient_resources THEN RETURN 'insufficient_resources ' || SQLSTATE;
    WHEN object_not_in_prerequisite_state THEN RETURN 'object_not_in_prerequisite_state ' || SQLSTATE;
    WHEN system_error THEN RETURN 'system_error ' || SQLSTATE;
END $$;
SELECT class_of($q$SELECT text2sql('How many zeppelins are there?')$q$);
SELECT class_of($q$SELECT text2sql('')$q$);
SELECT class_of($q$SELECT text2sql.run('DELETE FROM planet')$q$);
SELECT class_of($q$SELECT text2sql('How many planets are there?', strategy => 'gsr')$q$);
SELECT class_of($q$SELECT text2sql('How many planets are there?', server => 't_classes_nobody')$q$);
BEGIN;
INSERT INTO text2sql.quota (role, what, per, max) VALUES (CURRENT_USER::text::regrole, 'questions', 'day', 0);
SELECT class_of($q$SELECT text2sql('How many planets are there?')$q$);
ROLLBACK;
DROP SERVER t_classes_nobody;
DROP SCHEMA t_classes CASCADE;
