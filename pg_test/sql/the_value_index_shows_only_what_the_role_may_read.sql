-- Case 26: values are indexed by whoever owns the table; each caller finds those that the caller
-- may read at that moment.
SET client_min_messages = warning;
SELECT text2sql(NULL);                    -- loads the library, which is the label provider
CREATE SCHEMA t_rights;
SET search_path = t_rights, public;
CREATE EXTENSION pg_trgm SCHEMA t_rights;
CREATE ROLE regress_owner;
CREATE ROLE regress_reader;
GRANT USAGE, CREATE ON SCHEMA t_rights TO regress_owner;
GRANT USAGE ON SCHEMA t_rights TO regress_reader;
SET text2sql.value_search_timeout = 10000;
CREATE FUNCTION found(phrase text) RETURNS TABLE (value text, column_name text) LANGUAGE sql AS
    $$ SELECT value, table_name || '.' || column_name FROM text2sql.search_values(phrase, k => 3) $$;

SET ROLE regress_owner;
CREATE TABLE ship (id int PRIMARY KEY, name text, captain text, cargo text);
INSERT INTO ship SELECT g, 'Ship ' || g, 'Captain ' || g, 'Cargo ' || g FROM generate_series(1, 3000) g;
INSERT INTO ship VALUES (9001, 'Aurora Borealis', 'Ann Example', 'Contraband');
CREATE TABLE crew (id int PRIMARY KEY, nickname text, captain text);
INSERT INTO crew VALUES (1, 'Barnacle', 'regress_owner'), (2, 'Jellyfish', 'regress_reader');
ALTER TABLE crew ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON crew USING (captain = current_user);
CREATE VIEW secret_ship AS SELECT name AS alias FROM ship;
GRANT SELECT (id, name, captain) ON ship TO regress_reader;
GRANT SELECT ON crew TO regress_reader;
-- a table under row security is left out, a view has no values of its own
SELECT table_name, column_name, distinct_values, skipped FROM text2sql.index_values();
SELECT column_name FROM text2sql.value_index ORDER BY 1;
SELECT * FROM found('aurora borealis');
SELECT * FROM found('contrabnad');
SELECT * FROM found('Ann Example');

-- nobody reads the tables of the index
SELECT count(*) FROM text2sql.indexed_value;
SELECT count(*) FROM text2sql.indexed_word;
SELECT count(*) FROM text2sql.indexed_column;

-- columns that are not granted, exact and mistyped
SET ROLE regress_reader;
SELECT column_name FROM text2sql.value_index ORDER BY 1;
SELECT * FROM found('aurora borealis');
SELECT * FROM found('Contraband');
SELECT * FROM found('contrabnad');
SELECT * FROM found('Barnacle');

-- a right that is withdrawn after the index was built, in the same session, and given back
SET ROLE regress_owner;
REVOKE SELECT (name) ON ship FROM regress_reader;
SET ROLE regress_reader;
SELECT * FROM found('aurora borealis');
SELECT * FROM found('Ann Example');
SET ROLE regress_owner;
GRANT SELECT (name) ON ship TO regress_reader;
SET ROLE regress_reader;
SELECT * FROM found('aurora borealis');

-- only the owner builds, and takes out
SELECT * FROM text2sql.index_values('{ship}');
SELECT * FROM text2sql.index_values();
SELECT text2sql.unindex_values('{ship}');

-- a label that is set later hides at once, and what it hides is not kept
RESET ROLE;
SECURITY LABEL FOR text2sql ON COLUMN ship.captain IS 'no_values';
SELECT * FROM found('Ann Example');
SELECT count(*) FROM text2sql.indexed_value WHERE value = 'Ann Example';
SECURITY LABEL FOR text2sql ON COLUMN ship.captain IS NULL;
SELECT column_name, skipped FROM text2sql.index_values('{ship}', '{captain}');
SECURITY LABEL FOR text2sql ON SCHEMA t_rights IS 'no_values';
SELECT count(*) FROM text2sql.indexed_value;
SELECT column_name, skipped FROM text2sql.index_values('{ship}');
SECURITY LABEL FOR text2sql ON SCHEMA t_rights IS NULL;

-- row security that is enabled later, the same
SELECT column_name, skipped FROM text2sql.index_values('{ship}');
SELECT * FROM found('Ann Example');
ALTER TABLE ship ENABLE ROW LEVEL SECURITY;
SELECT count(*) FROM text2sql.indexed_value;
SET ROLE regress_reader;
SELECT * FROM found('Ann Example');
RESET ROLE;
ALTER TABLE ship DISABLE ROW LEVEL SECURITY;

-- the search does not depend on what was taken out: the same with the values still there
SELECT column_name, skipped FROM text2sql.index_values('{ship}');
ALTER EVENT TRIGGER text2sql_withdrawn DISABLE;
SECURITY LABEL FOR text2sql ON COLUMN ship.captain IS 'no_values';
SELECT count(*) FROM text2sql.indexed_value WHERE value = 'Ann Example';
SELECT * FROM found('Ann Example');
SECURITY LABEL FOR text2sql ON COLUMN ship.captain IS NULL;
SELECT * FROM found('Ann Example');
ALTER TABLE ship ENABLE ROW LEVEL SECURITY;
SET ROLE regress_reader;
SELECT * FROM found('Ann Example');
SELECT column_name FROM text2sql.value_index;
RESET ROLE;
ALTER TABLE ship DISABLE ROW LEVEL SECURITY;
ALTER EVENT TRIGGER text2sql_withdrawn ENABLE;


-- a dump holds no value: pg_dump writes what is configured here
SELECT count(*) AS dumped FROM pg_extension, unnest(extconfig) AS t(id)
WHERE extname = 'text2sql' AND id::regclass::text ~ 'indexed';

DROP SCHEMA t_rights CASCADE;
DROP ROLE regress_owner, regress_reader;
