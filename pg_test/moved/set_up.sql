-- Everything that the extension keeps, in a database that will be moved to another PostgreSQL.
-- `url` is the model server's; the roles belong to the cluster.
SET client_min_messages = warning;
CREATE EXTENSION pg_trgm;
CREATE EXTENSION text2sql;
CREATE ROLE anna;
CREATE ROLE otto;
CREATE SCHEMA shop;
CREATE TABLE shop.town (gone int, id int PRIMARY KEY, name text NOT NULL);
ALTER TABLE shop.town DROP COLUMN gone;                     -- a restored column has another number
CREATE TABLE shop.person (id int PRIMARY KEY, name text, salary int, phone text, note text, town_id int REFERENCES shop.town);
CREATE TABLE shop.diary (id int PRIMARY KEY, page text);
INSERT INTO shop.town VALUES (1, 'Gdańsk'), (2, 'Bonn');
INSERT INTO shop.person VALUES (1, 'Ann', 4100, '0123', 'tall', 1), (2, 'Bob', 3900, '4567', 'small', 2);
COMMENT ON COLUMN shop.person.salary IS 'Per month';
GRANT USAGE ON SCHEMA shop TO anna, otto;
GRANT SELECT ON ALL TABLES IN SCHEMA shop TO anna;
ANALYZE;

CREATE SERVER words FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'url', model 'script', embedding_model 'vectors');
CREATE USER MAPPING FOR PUBLIC SERVER words OPTIONS (api_key 'sk-embed-0123456789abcdef');
GRANT USAGE ON FOREIGN SERVER words TO anna;

SELECT text2sql.label('shop.person', 'phone', 'hidden');
SELECT text2sql.label('shop.person', 'note', 'no_values');
SELECT text2sql.label('shop.diary', 'hidden');
SELECT text2sql.label_schema('shop', 'values');
INSERT INTO text2sql.glossary VALUES ('pay', 'person.salary'), ('Danzig', 'town.name = ''Gdańsk''');
SELECT text2sql.remember('How are we doing?', 'SELECT count(*) AS people FROM shop.person');
INSERT INTO text2sql.summary VALUES ('shop.person', 42, 'One row a colleague.');
SELECT text2sql.index_values();
SELECT text2sql.create_view('shop.by_town', 'How many persons are there for each town name?');
SELECT text2sql.embed_columns(server => 'words');

SELECT text2sql.revoke('public', 'ask');
SELECT text2sql.grant('anna', 'ask');
SELECT text2sql.grant('otto', 'audit');
SELECT text2sql.grant('otto', 'administer');
INSERT INTO text2sql.quota (role, what, per, max) VALUES ('anna', 'rows', 'query', 50), ('anna', 'questions', 'month', 100);
SET ROLE anna;
SELECT text2sql('How many persons are there?');
SELECT sqlstate FROM text2sql.answer('How many unicorns are there?');
RESET ROLE;
SELECT text2sql.feedback(max(id), 'wrong', 'unicorns are persons') FROM text2sql.history WHERE role = 'anna';
