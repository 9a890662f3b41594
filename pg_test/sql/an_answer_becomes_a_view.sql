-- text2sql.create_view makes a view of the query that answers a question, with the question as its comment.
SET client_min_messages = notice;
CREATE SCHEMA t_view;
CREATE TABLE t_view.sale (id int PRIMARY KEY, country text, amount numeric);
INSERT INTO t_view.sale VALUES (1, 'FR', 10.5), (2, 'ES', 4), (3, 'FR', 1);
SET text2sql.schemas = 't_view';
SET search_path = t_view, public;
SELECT text2sql.create_view('by_country', 'How many sales per country?');
SELECT * FROM by_country ORDER BY 1;
SELECT obj_description('by_country'::regclass);
-- it holds the query: who reads it asks nobody, and sees rows of today
INSERT INTO sale VALUES (4, 'FR', 2);
SELECT * FROM t_view.by_country ORDER BY 1;
-- one that is there stays, until somebody says otherwise
SELECT text2sql.create_view('total', 'How many sales are there?');
SELECT text2sql.create_view('t_view.total', 'How many sales with an amount above 3 are there?');
SELECT * FROM total;
SELECT text2sql.create_view('t_view.total', 'How many sales with an amount above 3 are there?', replace => true);
SELECT * FROM total;
SELECT obj_description('total'::regclass);
-- names in quotes; a table of that name; no question, no name
SELECT text2sql.create_view('t_view."By Country"', 'How many sales per country?');
SELECT * FROM t_view."By Country" ORDER BY 1;
SELECT text2sql.create_view('sale', 'How many sales per country?');
SELECT text2sql.create_view('not a name', 'How many sales per country?');
SELECT text2sql.create_view('v', NULL) IS NULL, text2sql.create_view(NULL, 'How many sales are there?') IS NULL;
SELECT text2sql.create_view('v', 'How many unicorns are there?');
-- the rights are the caller's
CREATE ROLE t_view_reader;
GRANT USAGE ON SCHEMA t_view TO t_view_reader;
GRANT SELECT ON t_view.sale TO t_view_reader;
SET ROLE t_view_reader;
SELECT text2sql.create_view('t_view.mine', 'How many sales per country?');
RESET ROLE;
DROP SCHEMA t_view CASCADE;
DROP OWNED BY t_view_reader;
DROP ROLE t_view_reader;
