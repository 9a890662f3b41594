-- What a session keeps of comments, of small tables' rows and of the index of values is told of
-- what changes it: in this session, in another, taken back, and where no event trigger tells.
LOAD 'text2sql';
SET client_min_messages = warning;
CREATE EXTENSION pg_trgm;
CREATE SCHEMA t_again;
SET search_path = t_again, public;
SET text2sql.schemas = 't_again';
CREATE TABLE place (id int PRIMARY KEY, name text, kind text);
INSERT INTO place VALUES (1, 'Lisbon', 'port'), (2, 'Porto', 'port');
ANALYZE place;
\setenv PGOPTIONS '-c client_min_messages=warning'
-- comments
CREATE FUNCTION seen() RETURNS text LANGUAGE sql VOLATILE AS
    $$ SELECT description FROM text2sql.search_columns('kind', 1) $$;
SET text2sql.comments_max_age = '1d';
SELECT seen();
COMMENT ON COLUMN place.kind IS 'as it is';
SELECT seen();
BEGIN;
COMMENT ON COLUMN place.kind IS 'not for long';
SELECT seen();
SAVEPOINT s;
COMMENT ON COLUMN place.kind IS 'shorter still';
SELECT seen();
ROLLBACK TO s;
SELECT seen();
ROLLBACK;
SELECT seen();
\! psql -X -q -d regression -c "COMMENT ON COLUMN t_again.place.kind IS 'from elsewhere'"
SELECT seen();
DO $$ BEGIN EXECUTE 'COMMENT ON COLUMN place.kind IS ''from a block'''; END $$;
SELECT seen();
ALTER EVENT TRIGGER text2sql_commented DISABLE;
COMMENT ON COLUMN place.kind IS 'told by nobody';
SELECT seen();
SET text2sql.comments_max_age = 0;
SELECT seen();
COMMENT ON COLUMN place.kind IS NULL;
SELECT seen();
COMMENT ON COLUMN place.kind IS 'forgotten';
SET text2sql.comments_max_age = '1d';
SELECT seen();
COMMENT ON COLUMN place.kind IS 'after DISCARD ALL';
DISCARD ALL;
SET client_min_messages = warning;
SET search_path = t_again, public;
SET text2sql.schemas = 't_again';
SET text2sql.comments_max_age = '1d';
SELECT seen();
ALTER EVENT TRIGGER text2sql_commented ENABLE;
-- nobody but the triggers tells
CREATE ROLE regress_again;
GRANT USAGE ON SCHEMA t_again TO regress_again;
SET ROLE regress_again;
SELECT text2sql.tell_of_change('t_again.place'::regclass);
-- rights
SELECT value FROM text2sql.search_values('Lisbon');
RESET ROLE;
GRANT SELECT ON place TO regress_again;
SET ROLE regress_again;
SELECT value FROM text2sql.search_values('Lisbon');
RESET ROLE;
REVOKE SELECT ON place FROM regress_again;
SET ROLE regress_again;
SELECT value FROM text2sql.search_values('Lisbon');
RESET ROLE;
-- rows of a small table
SELECT value FROM text2sql.search_values('Lisbon');
SELECT value FROM text2sql.search_values('Faro');
INSERT INTO place VALUES (3, 'Faro', 'beach');
SELECT value FROM text2sql.search_values('Faro');
UPDATE place SET name = 'Tavira' WHERE id = 3;
SELECT value FROM text2sql.search_values('Faro');
SELECT value FROM text2sql.search_values('Tavira');
DELETE FROM place WHERE id = 3;
SELECT value FROM text2sql.search_values('Tavira');
BEGIN;
INSERT INTO place VALUES (4, 'Braga', 'town');
SELECT value FROM text2sql.search_values('Braga');
ROLLBACK;
SELECT value FROM text2sql.search_values('Braga');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT value FROM text2sql.search_values('Evora');
\! psql -X -q -d regression -c "INSERT INTO t_again.place VALUES (5, 'Evora', 'town')"
SELECT value FROM text2sql.search_values('Evora');
COMMIT;
SELECT value FROM text2sql.search_values('Evora');
\! psql -X -q -d regression -c "UPDATE t_again.place SET name = 'Elvas' WHERE id = 5"
SELECT value FROM text2sql.search_values('Elvas');
SELECT value FROM text2sql.search_values('Evora');
-- rows that another session has not committed yet
\setenv PGOPTIONS '-c client_min_messages=warning -c synchronous_commit=off'
BEGIN;
UPDATE place SET name = 'Viseu' WHERE id = 5;
\! psql -X -At -q -d regression -c "SET client_min_messages = warning; SET text2sql.schemas = 't_again'; SELECT value FROM text2sql.search_values('Viseu')"
SELECT value FROM text2sql.search_values('Viseu');
COMMIT;
-- in a transaction that also writes its history, and by what is done with the history
SELECT value FROM text2sql.search_values('Evora');
BEGIN;
SELECT text2sql('How many places are there?', strategy => 'builtin');
UPDATE place SET name = 'Evora' WHERE id = 5;
COMMIT;
SELECT value FROM text2sql.search_values('Evora');
-- after other sessions that wrote their history, one of them with something else
\! psql -X -q -d regression -c "SELECT FROM text2sql('How many places are there?', strategy => 'builtin')" >/dev/null
SELECT value FROM text2sql.search_values('Evora');
\! psql -X -q -d regression -c "BEGIN" -c "SELECT FROM text2sql('How many places are there?', strategy => 'builtin')" -c "UPDATE t_again.place SET name = 'Fatima' WHERE id = 5" -c "COMMIT" >/dev/null
SELECT value FROM text2sql.search_values('Evora');
SELECT value FROM text2sql.search_values('Fatima');
CREATE FUNCTION with_history() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN UPDATE t_again.place SET name = 'Beja' WHERE id = 5; RETURN NULL; END $$;
CREATE TRIGGER with_history AFTER INSERT ON text2sql.history_entry EXECUTE FUNCTION with_history();
SELECT text2sql('How many places are there?', strategy => 'builtin');
SELECT value FROM text2sql.search_values('Beja');
DROP TRIGGER with_history ON text2sql.history_entry;
-- a child's, whose parent has other rows
CREATE TABLE harbour () INHERITS (place);
SELECT value FROM text2sql.search_values('Sines');
INSERT INTO harbour VALUES (6, 'Sines', 'port');
SELECT DISTINCT value FROM text2sql.search_values('Sines');
DROP TABLE harbour;
TRUNCATE place;
SELECT value FROM text2sql.search_values('Lisbon');
-- the index of values
INSERT INTO place VALUES (1, 'Lisbon', 'port');
SELECT value FROM text2sql.search_values('Lisbon');
\! psql -X -q -d regression -c "SELECT FROM text2sql.index_values('{t_again.place}')" >/dev/null
UPDATE place SET name = 'Setubal';
SELECT value FROM text2sql.search_values('Lisbon');
SELECT value FROM text2sql.search_values('Setubal');
\! psql -X -q -d regression -c "SELECT FROM text2sql.unindex_values('{t_again.place}')" >/dev/null
SELECT value FROM text2sql.search_values('Lisbon');
SELECT value FROM text2sql.search_values('Setubal');
BEGIN;
SELECT distinct_values FROM text2sql.index_values('{place}', '{name}');
UPDATE place SET name = 'Sagres';
SELECT value FROM text2sql.search_values('Setubal');
ROLLBACK;
SELECT value FROM text2sql.search_values('Setubal');
DROP SCHEMA t_again CASCADE;
DROP ROLE regress_again;
DROP EXTENSION pg_trgm CASCADE;
