-- text2sql.glossary: terms and their meanings; terms that the caller may read are used.
CREATE SCHEMA t_glossary;
SET search_path = t_glossary, public;
CREATE TABLE sale (id int PRIMARY KEY, region text NOT NULL, price numeric NOT NULL, cost numeric NOT NULL, sold_on date NOT NULL);
INSERT INTO sale VALUES (1, 'north', 10, 4, '2024-01-10'), (2, 'south', 20, 15, '2024-02-10'), (3, 'north', 30, 10, '2024-02-11');
CREATE ROLE regress_glossary;
GRANT USAGE ON SCHEMA t_glossary TO regress_glossary;
GRANT SELECT ON sale TO regress_glossary;

-- without a term the words mean nothing
SELECT text2sql('What is the total profit?');

INSERT INTO text2sql.glossary VALUES
    ('profit', 'price - cost'),
    ('big ticket', 'sale.price >= 20'),
    ('turnover', 'total price'),
    ('takings', 'price); DROP TABLE t_glossary.sale; --'),
    ('returns', 'SELECT region FROM t_glossary.sale');
SELECT text2sql('What is the total profit?');
SELECT * FROM ask('What is the total profit per month?');
SELECT text2sql('How many big ticket sales are there?');
SELECT text2sql('What is the turnover?');
-- what is no expression over readable columns defines nothing
SELECT text2sql('What are the takings?');
SELECT text2sql('What are the returns?');

-- a measure is a query over its grain, checked as it is stored, and shown as a definition
INSERT INTO text2sql.glossary (term, expression, grain, filter) VALUES ('net sales', 'sum(price - cost)', 'sale', 'sold_on > ''2024-02-01''');
INSERT INTO text2sql.glossary (term, meaning, expression, grain) VALUES ('mean price', 'per sale', 'avg(price)', 'sale');
SELECT line FROM text2sql.preview('What are the net sales and the mean price?', strategy => 'zero_shot')
CROSS JOIN regexp_split_to_table(content, E'\n') AS line WHERE line ~ '^.?(net sales|mean price)';
INSERT INTO text2sql.glossary (term, expression, grain) VALUES ('broken', 'sum(nothing)', 'sale');
INSERT INTO text2sql.glossary (term, expression, grain) VALUES ('broken', '1) FROM sale; DELETE FROM sale --', 'sale');
INSERT INTO text2sql.glossary (term, expression, grain) VALUES ('broken', 'nextval(''s'')', 'sale');
INSERT INTO text2sql.glossary (term, expression, grain, filter) VALUES ('broken', '1', 'sale', 'price');
INSERT INTO text2sql.glossary (term, expression) VALUES ('broken', '1');
INSERT INTO text2sql.glossary (term) VALUES ('broken');
UPDATE text2sql.glossary SET filter = 'sum(price) > 1' WHERE term = 'net sales';
-- a dump loses no other term for one that is no longer a measure
COPY text2sql.glossary (term, meaning, expression, grain, filter) FROM stdin;
gone	\N	sum(gone)	t_glossary.sale	\N
kept	price * 2	\N	\N	\N
\.
SELECT term FROM text2sql.glossary WHERE term IN ('gone', 'kept');
-- nobody is shown a measure of a table that is not theirs to see
REVOKE SELECT ON sale FROM regress_glossary;
CREATE TABLE other (price numeric);
GRANT SELECT ON other TO regress_glossary;
SET ROLE regress_glossary;
SELECT count(*) FROM text2sql.preview('What is the mean price?', strategy => 'zero_shot') WHERE content ~ 'avg\(price';
RESET ROLE;
DROP TABLE other;
GRANT SELECT ON sale TO regress_glossary;

-- the question's own hint goes first
SELECT text2sql('What is the total profit?', hint => 'profit = price * 2');

-- ordinary rights: only the owner writes, and a role may be kept from reading all or some
SET ROLE regress_glossary;
INSERT INTO text2sql.glossary VALUES ('x', 'y');
SELECT text2sql('What is the total profit?');
RESET ROLE;
ALTER TABLE text2sql.glossary ENABLE ROW LEVEL SECURITY;
CREATE POLICY terms ON text2sql.glossary FOR SELECT USING (term <> 'profit');
SET ROLE regress_glossary;
SELECT text2sql('What is the total profit?');
SELECT text2sql('How many big ticket sales are there?');
RESET ROLE;
DROP POLICY terms ON text2sql.glossary;
ALTER TABLE text2sql.glossary DISABLE ROW LEVEL SECURITY;
REVOKE SELECT ON text2sql.glossary FROM PUBLIC;
SET ROLE regress_glossary;
SELECT text2sql('What is the total profit?');
RESET ROLE;
GRANT SELECT ON text2sql.glossary TO PUBLIC;

-- pg_dump takes the terms along
SELECT 'text2sql.glossary'::regclass = ANY (extconfig) AS dumped FROM pg_extension WHERE extname = 'text2sql';

DELETE FROM text2sql.glossary;
DROP SCHEMA t_glossary CASCADE;
DROP ROLE regress_glossary;
