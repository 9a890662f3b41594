-- The recipes of README's "Grant": at most three statements give one role the feature and leave
-- another without it: asking, a model's server, vouching, administering.
SET client_min_messages = warning;
CREATE SCHEMA t_grant;
SET search_path = t_grant, public;
CREATE TABLE planet (id int PRIMARY KEY, name text);
INSERT INTO planet VALUES (1, 'Earth'), (2, 'Mars');
CREATE TABLE moon (id int PRIMARY KEY, name text);
CREATE ROLE regress_analyst;
CREATE ROLE regress_lead;
CREATE ROLE regress_owner;
CREATE ROLE regress_visitor;
CREATE ROLE regress_bare;
GRANT USAGE ON SCHEMA t_grant TO PUBLIC;
GRANT SELECT ON planet TO PUBLIC;
CREATE FUNCTION said(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer text;
BEGIN
    EXECUTE command INTO answer;
    RETURN coalesce(answer, 'NULL');
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE TABLE attempt (n int, command text);
GRANT SELECT ON attempt TO PUBLIC;
INSERT INTO attempt VALUES
    (1, $$SELECT text2sql('How many planets are there?')$$),
    (2, $$SELECT * FROM ask('How many planets are there?')$$),
    (3, $$SELECT rows FROM text2sql.answer('How many planets are there?', execute => true)$$),
    (4, $$SELECT * FROM text2sql.run('SELECT count(*) FROM planet')$$),
    (5, $$SELECT text2sql.remember('How is the sky?', 'SELECT count(*) FROM planet')$$),
    (6, $$INSERT INTO text2sql.glossary VALUES ('worlds', 'planet') RETURNING term$$);

-- asking: out of the box everybody may; whom rows belong to is decided by SELECT, as always
SET ROLE regress_visitor;
SELECT n, said(command) FROM attempt ORDER BY n;
RESET ROLE;
SELECT text2sql.revoke('public', 'ask');
SELECT text2sql.grant('regress_analyst', 'ask');
SET ROLE regress_visitor;
SELECT n, said(command) FROM attempt ORDER BY n;
SET ROLE regress_analyst;
SELECT n, said(command) FROM attempt ORDER BY n;
RESET ROLE;

-- a model's server: PostgreSQL's own GRANT
CREATE SERVER t_grant FOREIGN DATA WRAPPER text2sql OPTIONS (base_url 'http://127.0.0.1:1/v1', model 'm', retries '0');
SET ROLE regress_analyst;
SELECT said($$SELECT text2sql('How many planets?', server => 't_grant')$$);
RESET ROLE;
GRANT USAGE ON FOREIGN SERVER t_grant TO regress_analyst;
SET ROLE regress_analyst;
SELECT left(said($$SELECT text2sql('How many planets?', server => 't_grant')$$), 29) AS asked_the_server;
RESET ROLE;

-- vouching
SELECT text2sql.grant('regress_lead', 'vouch');
SET ROLE regress_lead;
SELECT n, said(command) FROM attempt WHERE n >= 4 ORDER BY n;
SELECT said('DELETE FROM text2sql.verified_question RETURNING question');
SET ROLE regress_visitor;
SELECT said('SELECT count(*) FROM text2sql.verified_question');
RESET ROLE;

-- administering, as an owner of the database who is no superuser
SELECT text2sql.grant('regress_owner', 'administer');
ALTER DATABASE regression OWNER TO regress_owner;
SET ROLE regress_owner;
SELECT n, said(command) FROM attempt WHERE n >= 4 ORDER BY n;
ALTER DATABASE regression SET text2sql.max_rows = 500;
ALTER DATABASE regression SET text2sql.allow_superuser = on;
ALTER DATABASE regression RESET text2sql.max_rows;
-- and hands it on
SELECT text2sql.grant('regress_visitor', 'ask');
SET ROLE regress_visitor;
SELECT n, said(command) FROM attempt WHERE n IN (1, 6) ORDER BY n;
SET ROLE regress_owner;
SELECT text2sql.revoke('regress_visitor', 'ask');
SET ROLE regress_visitor;
SELECT said(command) FROM attempt WHERE n = 1;
-- nobody gives what is not theirs
SELECT said($$SELECT text2sql.grant('regress_visitor', 'ask')$$);
SELECT said($$SELECT text2sql.grant('regress_visitor', 'vouch')$$);
RESET ROLE;
SELECT text2sql.revoke('regress_owner', 'administer');
SELECT text2sql.grant('regress_analyst', 'everything');
SELECT text2sql.grant('nobody_of_this_name', 'ask');

-- without the schema, what is granted outside of it works: labels hold, other things are not read
SELECT text2sql.grant('public', 'ask');
INSERT INTO text2sql.glossary VALUES ('sphere', 'planet');
SELECT text2sql.label('moon', 'hidden');
GRANT SELECT ON moon TO PUBLIC;
SET ROLE regress_bare;
SELECT text2sql('How many spheres are there?');
RESET ROLE;
REVOKE USAGE ON SCHEMA text2sql FROM PUBLIC;
SET ROLE regress_bare;
SELECT n, said(command) FROM attempt WHERE n < 4 ORDER BY n;
SELECT said($$SELECT text2sql('How many moons are there?')$$);
SELECT said($$SELECT text2sql('How many spheres are there?')$$);
BEGIN;
SELECT ask_cursor('List the names of all planets', 'planets');
FETCH ALL FROM planets;
COMMIT;
RESET ROLE;
GRANT USAGE ON SCHEMA text2sql TO PUBLIC;

SELECT current_user \gset
ALTER DATABASE regression OWNER TO :current_user;
DELETE FROM text2sql.glossary WHERE term IN ('sphere', 'worlds');
DELETE FROM text2sql.verified_question;
DROP SERVER t_grant;
DROP SCHEMA t_grant CASCADE;
DROP OWNED BY regress_analyst, regress_lead, regress_owner, regress_visitor, regress_bare;
DROP ROLE regress_analyst, regress_lead, regress_owner, regress_visitor, regress_bare;
