-- A noun that names a table which the caller may not read, or which a label hides, is refused as one
-- that nothing is called, never answered by a key that refers to it; whatever the strategy.
\set base_url `echo "$TEXT2SQL_MODEL/ledger/v1"`
SET client_min_messages = warning;
CREATE SCHEMA t_conceal;
SET search_path = t_conceal, public;
SET text2sql.schemas = 't_conceal';
CREATE TABLE shipment (id int PRIMARY KEY, carrier text);
CREATE TABLE clients (id int PRIMARY KEY, email text);
CREATE TABLE item (id int PRIMARY KEY, shipment_id int REFERENCES shipment, clients int REFERENCES clients, title text, depot text);
CREATE TABLE depot (id int PRIMARY KEY);
CREATE TABLE "OrderNotes" (id int PRIMARY KEY);
INSERT INTO shipment VALUES (1, 'a'), (2, 'b');
INSERT INTO clients VALUES (1, 'c');
INSERT INTO item VALUES (1, 1, 1, 'lamp', 'north'), (2, 1, 1, 'chair', 'south'), (3, NULL, NULL, 'invoices', 'south');
CREATE TABLE invoices (id int PRIMARY KEY);
CREATE ROLE regress_conceal;
GRANT USAGE ON SCHEMA t_conceal TO regress_conceal;
GRANT SELECT ON item, shipment TO regress_conceal;
CREATE SERVER t_conceal FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script', retries '0');
GRANT USAGE ON FOREIGN SERVER t_conceal TO regress_conceal;
CREATE FUNCTION came(question text, strategy text DEFAULT 'builtin', hint text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce(sql, concat_ws('|', sqlstate, reason, words::text, suggestion))
    FROM text2sql.answer(question, strategy => strategy, hint => hint) $$;
-- the owner may read all of them
SELECT came(q) FROM unnest('{How many shipments are there?,How many clients are there?,How many order notes are there?}'::text[]) AS q;
SELECT text2sql.label('shipment', 'hidden');
SELECT came('How many shipments are there?');
SET ROLE regress_conceal;
SELECT q, came(q) FROM unnest('{How many zeppelins are there?,How many shipments are there?,How many clients are there?,How many order notes are there?,Show the clients with their titles}'::text[]) AS q;
-- nor by a model, which is not asked
SET text2sql.server = 't_conceal';
SELECT s, came('How many shipments are there?', s) FROM unnest('{adaptive,zero_shot,gsr,mag,interactive}'::text[]) AS s;
RESET ROLE;
SELECT count(*) AS requests FROM text2sql.ledger WHERE role = 'regress_conceal';
SET ROLE regress_conceal;
SELECT * FROM text2sql.preview('How many shipments are there?', strategy => 'zero_shot');
RESET text2sql.server;
-- what else the word is, may be asked: a column, a stored value, a word that somebody defined
SELECT came('List the depot of all items'), came('How many items have the title invoices?');
SELECT came('How many shipments are there?', hint => 'shipments = items');
RESET ROLE;
SELECT text2sql.label('shipment', NULL);
SET ROLE regress_conceal;
SELECT came('How many shipments are there?');
RESET ROLE;
DROP SERVER t_conceal CASCADE;
DROP SCHEMA t_conceal CASCADE;
DROP OWNED BY regress_conceal;
DROP ROLE regress_conceal;
