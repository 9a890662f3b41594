-- Comments and security labels, which invalidate no cache of PostgreSQL, and labels of enums are
-- seen by the next call; values of withheld columns are not shown.
LOAD 'text2sql';
SET client_min_messages = warning;
CREATE SCHEMA t_columns;
SET search_path = t_columns, public;
SET text2sql.schemas = 't_columns';
CREATE TYPE mood AS ENUM ('sad');
CREATE TABLE person (id int PRIMARY KEY, feeling mood, nickname text);
INSERT INTO person VALUES (1, 'sad', 'Zed'), (2, 'sad', 'Zed');
ANALYZE person;
SELECT column_name, description, statistics FROM text2sql.search_columns('nickname', 1);
COMMENT ON COLUMN person.nickname IS 'height of the tower';
SELECT column_name, description FROM text2sql.search_columns('nickname', 1);
COMMENT ON COLUMN person.nickname IS 'depth of the well';
SELECT column_name, description FROM text2sql.search_columns('nickname', 1);
COMMENT ON COLUMN person.nickname IS NULL;
SELECT column_name, description FROM text2sql.search_columns('nickname', 1);
SECURITY LABEL FOR text2sql ON COLUMN person.nickname IS 'no_values';
SELECT column_name, statistics FROM text2sql.search_columns('nickname', 1);
SELECT column_name, statistics FROM text2sql.search_columns('feeling', 1);
ALTER TYPE mood ADD VALUE 'happy';
SELECT column_name, statistics FROM text2sql.search_columns('feeling', 1);
DROP SCHEMA t_columns CASCADE;
