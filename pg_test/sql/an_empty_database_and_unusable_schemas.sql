-- If the caller may read nothing, the error says so, with the command that helps.
SET client_min_messages = warning;
CREATE SCHEMA t_closed;
CREATE TABLE t_closed.secret (id int);
CREATE ROLE regress_nobody;
GRANT SELECT ON t_closed.secret TO regress_nobody;         -- but no USAGE on the schema
SET ROLE regress_nobody;
SET text2sql.schemas = 't_closed';
SELECT text2sql('how many secrets');
SELECT * FROM text2sql.check('SELECT * FROM t_closed.secret');
RESET ROLE;
DROP SCHEMA t_closed CASCADE;
DROP ROLE regress_nobody;
