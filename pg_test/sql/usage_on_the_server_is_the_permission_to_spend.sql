-- Every obstacle on the way to a model names the command that removes it, and nothing is sent
-- before all are gone.
\set base_url `echo "$TEXT2SQL_MODEL/answers/v1"`
SET text2sql.cache = off;
CREATE TABLE customer (id int PRIMARY KEY, name text);
CREATE ROLE asker;
GRANT SELECT ON customer TO asker;

-- An error as one line, with the model server's port masked: it is another one each time.
CREATE FUNCTION said(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer text; message text; hint text;
BEGIN
  EXECUTE command INTO answer;
  RETURN answer;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
  RETURN regexp_replace(format('%s %s | %s', SQLSTATE, message, hint), '127.0.0.1:\d+', 'HOST', 'g');
END $$;
CREATE VIEW question AS SELECT $$SELECT text2sql('How many customers?', strategy => 'zero_shot')$$ AS command;
GRANT SELECT ON question TO asker;

SET ROLE asker;
SELECT said(command) FROM question;
SET text2sql.server = 'answers';
SELECT said(command) FROM question;
RESET ROLE;

CREATE SERVER answers FOREIGN DATA WRAPPER text2sql;
SET ROLE asker;
SELECT said(command) FROM question;
RESET ROLE;

GRANT USAGE ON FOREIGN SERVER answers TO asker;
SET ROLE asker;
SELECT said(command) FROM question;
RESET ROLE;

ALTER SERVER answers OPTIONS (ADD model 'm');
SET ROLE asker;
SELECT said(command) FROM question;
RESET ROLE;

\! "$TEXT2SQL_TOOLS/model" status answers
ALTER SERVER answers OPTIONS (ADD base_url :'base_url');
SET ROLE asker;
SELECT said(command) FROM question;
CREATE USER MAPPING FOR CURRENT_USER SERVER answers OPTIONS (api_key 'wrong-key-0123456789');
SELECT said(command) FROM question;
ALTER USER MAPPING FOR CURRENT_USER SERVER answers OPTIONS (SET api_key 'right-key-0123456789');
SELECT said(command) FROM question;
RESET ROLE;

-- the key is its owner's: another role needs one of its own, or one for everybody
SELECT said(command) FROM question;
CREATE USER MAPPING FOR PUBLIC SERVER answers OPTIONS (api_key 'right-key-0123456789');
SELECT said(command) FROM question;
SET ROLE asker;
DROP USER MAPPING FOR CURRENT_USER SERVER answers;
SELECT said(command) FROM question;
RESET ROLE;

-- in a definer's function the definer spends
CREATE ROLE guest;
GRANT SELECT ON question, customer TO guest;
CREATE FUNCTION ask_for_guest() RETURNS text LANGUAGE sql SECURITY DEFINER
  AS $$ SELECT text2sql('How many customers?', strategy => 'zero_shot', server => 'answers') $$;
SET ROLE guest;
SELECT said(command) FROM question;
SELECT ask_for_guest();
RESET ROLE;

-- another kind of server, or none with that name
CREATE FOREIGN DATA WRAPPER other;
CREATE SERVER not_ours FOREIGN DATA WRAPPER other;
SELECT said($$SELECT text2sql('x customers', strategy => 'zero_shot', server => 'not_ours')$$);
SELECT said($$SELECT text2sql('x customers', strategy => 'zero_shot', server => 'Not There')$$);
-- what needs no model needs no server
SET text2sql.server = 'Not There';
SELECT said($$SELECT text2sql('How many customers?', strategy => 'builtin')$$);
RESET text2sql.server;

-- two roles were refused by the wrong key, four calls were answered
\! "$TEXT2SQL_TOOLS/model" status answers

DROP FOREIGN DATA WRAPPER other CASCADE;
DROP SERVER answers CASCADE;
DROP FUNCTION ask_for_guest;
DROP VIEW question;
DROP FUNCTION said;
DROP TABLE customer;
DROP ROLE asker, guest;
