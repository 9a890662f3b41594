-- Case 23: a table with row security gives the rows that a direct SELECT gives, and no value of
-- the others is found.
SET client_min_messages = warning;
CREATE SCHEMA t_rls;
SET search_path = t_rls, public;
CREATE TABLE note (id int, owner text, body text);
INSERT INTO note SELECT g, CASE WHEN g % 2 = 0 THEN 'regress_even' ELSE 'other' END, 'body ' || g FROM generate_series(1, 10) g;
ANALYZE note;
CREATE ROLE regress_even;
GRANT USAGE ON SCHEMA t_rls TO regress_even;
GRANT SELECT ON note TO regress_even;
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON note USING (owner = current_user);
SET ROLE regress_even;
SELECT id FROM note ORDER BY id;
SELECT * FROM text2sql.run('SELECT id FROM note ORDER BY id');
SELECT value FROM text2sql.search_values('body 1', k => 20) ORDER BY value;
RESET ROLE;
DROP SCHEMA t_rls CASCADE;
DROP ROLE regress_even;
