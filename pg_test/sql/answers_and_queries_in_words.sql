-- ask_summary(): the rows in the model's words, every figure taken from the rows; after a made-up figure
-- it is asked once more, then the rows themselves are the answer, as they are without a model and if
-- values must stay. text2sql.describe() and text2sql.fix(): a query described and repaired.
LOAD 'text2sql';
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set shop :abs_srcdir '/fixtures/shop.sql'
\set base_url `echo "$TEXT2SQL_MODEL/words/v1"`
SET client_min_messages = warning;
CREATE SCHEMA t_words;
SET search_path = t_words, public;
\set ECHO none
\i :shop
\set ECHO all
SET text2sql.schemas = 't_words';
SECURITY LABEL FOR text2sql ON COLUMN customer.mail IS 'no_values';
-- without a model
SELECT ask_summary('How many customers are there?');
SELECT ask_summary('Show the 2 most expensive products');
SELECT text2sql.describe('SELECT 1');
CREATE SERVER t_words FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script');
SET text2sql.server = 't_words';
SET text2sql.strategy = 'zero_shot';
-- one figure is wrong at first; another is wrong twice
SELECT ask_summary('How many customers are there per country?');
SELECT ask_summary('How many orders are there in all?');
-- values that must stay are told to the caller and not to the model
SELECT ask_summary('What are the addresses of two customers?');
SET text2sql.send_values = off;
SELECT ask_summary('How many customers are there per country?');
RESET text2sql.send_values;
\set requests `"$TEXT2SQL_TOOLS/model" requests words`
SELECT count(*) FILTER (WHERE r->>'body' LIKE '%query answers it%') AS worded,
       count(*) FILTER (WHERE r->>'body' LIKE '%@example.org%') AS with_addresses
FROM json_array_elements(:'requests'::json) AS r;
SELECT ask_summary(NULL);

SELECT text2sql.describe('SELECT country, count(*) FROM customer GROUP BY country');
SELECT text2sql.describe('DELETE FROM customer');
SELECT text2sql.describe('SELECT nothing FROM customer');
SELECT text2sql.describe(NULL);

SELECT text2sql.fix('SELECT max(pay) FROM employee');
SELECT text2sql.fix('SELECT max(salary) FROM employee');
SELECT text2sql.fix('SELECT avg(salary) FROM employee', 'zeros must not count');
SELECT text2sql.fix('DELETE FROM employee');
SELECT text2sql.fix(NULL);
SELECT count(*) FROM employee;
RESET text2sql.server;
DROP SERVER t_words;
DROP SCHEMA t_words CASCADE;
