-- Joins: declared keys; equalities in views that the caller may read; and, if neither connects
-- two tables, keys that names suggest and the data confirms. A role learns none of them
-- through tables, columns or views that it may not read.
SET client_min_messages = warning;
CREATE SCHEMA t_joins;
SET search_path = t_joins, public;
SET text2sql.schemas = 't_joins';
CREATE TABLE city (code text PRIMARY KEY, name text);
CREATE TABLE station (station_no int PRIMARY KEY, place text, opened date);
CREATE TABLE reading (taken timestamp, post int, sensor int, celsius numeric);
CREATE TABLE device (post int, sensor int, maker text, UNIQUE (post, sensor));
CREATE TABLE depot (id int PRIMARY KEY, name text);
CREATE TABLE lorry (id int PRIMARY KEY, depot_id int, spare_depot_id int, plate text);
CREATE TABLE tyre (id int PRIMARY KEY, lorry_id int);
INSERT INTO city VALUES ('B', 'Berlin'), ('P', 'Paris');
INSERT INTO depot SELECT n, 'Depot ' || n FROM generate_series(1, 20) n;
INSERT INTO lorry SELECT n, 1 + n % 20, 1 + n % 7, 'L ' || n FROM generate_series(1, 100) n;
INSERT INTO tyre SELECT n, 1000 + n FROM generate_series(1, 100) n;      -- of no lorry that is there
-- in WHERE, in ON, inside a subquery, with two columns; one under OR does not count
CREATE VIEW stations AS
    SELECT s.station_no, c.name FROM station s, city c WHERE s.place::text = c.code;
CREATE VIEW warm AS
    SELECT d.maker FROM (SELECT * FROM reading WHERE celsius > 20) r
    JOIN device d ON d.post = r.post AND d.sensor = r.sensor;
CREATE VIEW either AS
    SELECT 1 AS one FROM station s JOIN reading r ON s.station_no = r.post OR s.station_no = r.sensor;
CREATE VIEW near AS
    SELECT s.station_no FROM station s WHERE EXISTS (SELECT FROM reading r WHERE r.post = s.station_no);
CREATE FUNCTION pg_temp.way(one text, other text) RETURNS SETOF text LANGUAGE sql VOLATILE AS $$
    SELECT coalesce(array_to_string(conditions, ' and ') || ' (' || array_to_string(keys, ', ') || ', ' || weight || ')', 'none')
    FROM text2sql.join_path(ARRAY[one], ARRAY[other]) $$;
SELECT pg_temp.way('station.place', 'city.name');
SELECT pg_temp.way('reading.celsius', 'device.maker');
SELECT pg_temp.way('reading.celsius', 'station.opened');
-- two keys to one table are two paths, distinguished by their columns
SELECT pg_temp.way('lorry.plate', 'depot.name');
-- the data says no
SELECT pg_temp.way('tyre.id', 'lorry.plate');
INSERT INTO lorry SELECT 1000 + n, 1, 1, 'T ' || n FROM generate_series(1, 100) n;
ANALYZE lorry;
SELECT pg_temp.way('tyre.id', 'lorry.plate');
-- what a key connects is not guessed
ALTER TABLE lorry ADD CONSTRAINT stands_in FOREIGN KEY (depot_id) REFERENCES depot;
SELECT pg_temp.way('lorry.plate', 'depot.name');

CREATE ROLE regress_joins;
GRANT USAGE ON SCHEMA t_joins TO regress_joins;
GRANT SELECT ON station, city, reading, device, depot TO regress_joins;
GRANT SELECT (id, plate) ON lorry TO regress_joins;
SET ROLE regress_joins;
-- the views are not his
SELECT pg_temp.way('station.place', 'city.name');
-- nor is the column of the key
SELECT pg_temp.way('lorry.plate', 'depot.name');
RESET ROLE;
GRANT SELECT ON stations, warm TO regress_joins;
REVOKE SELECT ON city FROM regress_joins;
GRANT SELECT (name) ON city TO regress_joins;
SET ROLE regress_joins;
-- the view is, the joined column is not
SELECT pg_temp.way('station.place', 'city.name');
SELECT pg_temp.way('reading.celsius', 'device.maker');
RESET ROLE;
-- row security: rows that the role may not read confirm nothing
GRANT SELECT ON lorry TO regress_joins;
ALTER TABLE lorry DROP CONSTRAINT stands_in;
SET ROLE regress_joins;
SELECT pg_temp.way('lorry.plate', 'depot.name');
RESET ROLE;
ALTER TABLE depot ENABLE ROW LEVEL SECURITY;
CREATE POLICY none ON depot TO regress_joins USING (false);
SET ROLE regress_joins;
SELECT pg_temp.way('lorry.plate', 'depot.name');
RESET ROLE;
-- where no key is declared at all, what identifies rows is inferred, too; a polymorphic pair joins
-- each table that it names
CREATE TABLE skipper (skipper_no int, name text);
CREATE TABLE trawler (name text, trawler_id int, skipper_no int);
CREATE TABLE logged (entry int, about_type text, about_id int);
INSERT INTO skipper SELECT n, 'S ' || n FROM generate_series(1, 30) n;
INSERT INTO trawler SELECT 'T ' || n, n, 1 + n % 30 FROM generate_series(1, 60) n;
INSERT INTO logged SELECT n, CASE n % 2 WHEN 0 THEN 'Skipper' ELSE 'Trawler' END, n FROM generate_series(1, 30) n;
SELECT pg_temp.way('trawler.name', 'skipper.name');
SELECT pg_temp.way('logged.entry', 'skipper.name');
DROP SCHEMA t_joins CASCADE;
DROP OWNED BY regress_joins;
DROP ROLE regress_joins;
