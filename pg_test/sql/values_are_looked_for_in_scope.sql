-- A search reads a bounded number of tables, chosen among those in scope, so that a value in the
-- one schema asked about is found however many other tables exist.
SET client_min_messages = warning;
CREATE SCHEMA t_many;
CREATE SCHEMA t_scope;
DO $$ BEGIN
  FOR n IN 1..80 LOOP
    EXECUTE format('CREATE TABLE t_many.kind_%s (id int PRIMARY KEY, label text)', n);
    EXECUTE format('INSERT INTO t_many.kind_%s VALUES (1, %L)', n, 'other ' || n);
  END LOOP;
END $$;
CREATE TABLE t_scope.zone (id int PRIMARY KEY, label text);
INSERT INTO t_scope.zone SELECT n, 'zone ' || n FROM generate_series(1, 500) AS n;
INSERT INTO t_scope.zone VALUES (1000, 'Quietwater');
SET text2sql.value_search_timeout = '10s';
SELECT value, table_name FROM text2sql.search_values('quietwater', k => 1);
SET text2sql.schemas = 't_scope';
SELECT value, table_name FROM text2sql.search_values('quietwater', k => 1);
SELECT text2sql('What is the id of the zone Quietwater?');
RESET text2sql.schemas;
DROP SCHEMA t_many, t_scope CASCADE;
