-- SECURITY LABEL FOR text2sql: 'hidden' is not there, 'no_values' keeps values in.
SET client_min_messages = warning;
SELECT text2sql(NULL);                    -- loads the library, which is the label provider
CREATE SCHEMA t_labels;
SET search_path = t_labels, public;
CREATE TABLE patient (id int PRIMARY KEY, name text, badge text, city text);
INSERT INTO patient VALUES (1, 'Ann Example', '123-45', 'Paris'), (2, 'Bob Example', '678-90', 'Rome');
CREATE TABLE visit (id int PRIMARY KEY, patient_id int REFERENCES patient, note text);
INSERT INTO visit VALUES (1, 1, 'Paris was fine');
ANALYZE patient, visit;
SELECT value, column_name FROM text2sql.search_values('Ann Example') UNION ALL SELECT value, column_name FROM text2sql.search_values('123-45');
SECURITY LABEL FOR text2sql ON COLUMN patient.name IS 'no_values';
SECURITY LABEL FOR text2sql ON COLUMN patient.badge IS 'hidden';
SELECT value, column_name FROM text2sql.search_values('Ann Example') UNION ALL SELECT value, column_name FROM text2sql.search_values('123-45');
SELECT ok, reason FROM text2sql.check('SELECT badge FROM patient');
SELECT ok, reason FROM text2sql.check('SELECT * FROM patient');
SELECT ok, reason FROM text2sql.check('SELECT name, city FROM patient');
SECURITY LABEL FOR text2sql ON TABLE visit IS 'hidden';
SELECT ok, reason FROM text2sql.check('SELECT * FROM visit');
SECURITY LABEL FOR text2sql ON TABLE visit IS NULL;
SELECT ok, reason FROM text2sql.check('SELECT * FROM visit');
SECURITY LABEL FOR text2sql ON SCHEMA t_labels IS 'no_values';
SELECT count(*) FROM text2sql.search_values('Paris', '{patient,visit}');
SECURITY LABEL FOR text2sql ON SCHEMA t_labels IS 'hidden';
SELECT ok, reason FROM text2sql.check('SELECT * FROM visit');
SECURITY LABEL FOR text2sql ON SCHEMA t_labels IS NULL;
-- wrong labels, and objects that have none
SECURITY LABEL FOR text2sql ON COLUMN patient.name IS 'secret';
SECURITY LABEL FOR text2sql ON FUNCTION text2sql.run(text, json) IS 'hidden';
DROP SCHEMA t_labels CASCADE;
