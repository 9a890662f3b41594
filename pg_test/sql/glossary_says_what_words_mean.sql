-- text2sql.hint: terms and their meanings; terms that the caller may read are used.
CREATE SCHEMA t_glossary;
SET search_path = t_glossary, public;
CREATE TABLE sale (id int PRIMARY KEY, region text NOT NULL, price numeric NOT NULL, cost numeric NOT NULL, sold_on date NOT NULL);
INSERT INTO sale VALUES (1, 'north', 10, 4, '2024-01-10'), (2, 'south', 20, 15, '2024-02-10'), (3, 'north', 30, 10, '2024-02-11');
CREATE ROLE regress_glossary;
GRANT USAGE ON SCHEMA t_glossary TO regress_glossary;
GRANT SELECT ON sale TO regress_glossary;

-- without a term the words mean nothing
SELECT text2sql('What is the total profit?');

INSERT INTO text2sql.hint VALUES
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

-- the question's own hint goes first
SELECT text2sql('What is the total profit?', hint => 'profit = price * 2');

-- ordinary rights: only the owner writes, and a role may be kept from reading all or some
SET ROLE regress_glossary;
INSERT INTO text2sql.hint VALUES ('x', 'y');
SELECT text2sql('What is the total profit?');
RESET ROLE;
ALTER TABLE text2sql.hint ENABLE ROW LEVEL SECURITY;
CREATE POLICY terms ON text2sql.hint FOR SELECT USING (term <> 'profit');
SET ROLE regress_glossary;
SELECT text2sql('What is the total profit?');
SELECT text2sql('How many big ticket sales are there?');
RESET ROLE;
DROP POLICY terms ON text2sql.hint;
ALTER TABLE text2sql.hint DISABLE ROW LEVEL SECURITY;
REVOKE SELECT ON text2sql.hint FROM PUBLIC;
SET ROLE regress_glossary;
SELECT text2sql('What is the total profit?');
RESET ROLE;
GRANT SELECT ON text2sql.hint TO PUBLIC;

-- pg_dump takes the terms along
SELECT 'text2sql.hint'::regclass = ANY (extconfig) AS dumped FROM pg_extension WHERE extname = 'text2sql';

DELETE FROM text2sql.hint;
DROP SCHEMA t_glossary CASCADE;
DROP ROLE regress_glossary;
