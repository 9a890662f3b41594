-- Of a partitioned table the parent alone is known: with the rows and statistics of its partitions,
-- and the key that spares a query the rest. That a query reads all of a large one is told.
CREATE SCHEMA t_parts;
CREATE SERVER t_parts FOREIGN DATA WRAPPER text2sql OPTIONS (base_url 'http://127.0.0.1:1/v1', model 'm');
SET search_path = t_parts, public;
SET text2sql.schemas = t_parts;
CREATE TABLE sale (id int, sold_on date NOT NULL, shop text) PARTITION BY RANGE (sold_on);
DO $$ BEGIN
    FOR m IN 0..119 LOOP
        EXECUTE format('CREATE TABLE sale_%s PARTITION OF sale FOR VALUES FROM (%L) TO (%L)', m,
                       date '2014-01-01' + m * 10, date '2014-01-01' + (m + 1) * 10);
    END LOOP;
END $$;
INSERT INTO sale SELECT g, date '2014-01-01' + g % 1200, 'shop ' || g % 3 FROM generate_series(1, 12000) g;
-- as autovacuum does it, which leaves out the parent
DO $$ BEGIN FOR m IN 0..119 LOOP EXECUTE 'ANALYZE sale_' || m; END LOOP; END $$;

-- partitions by an expression, and in two levels
CREATE TABLE visit (place text, visited_at timestamp) PARTITION BY LIST (lower(place));
CREATE TABLE visit_a PARTITION OF visit FOR VALUES IN ('aachen') PARTITION BY HASH (visited_at);
CREATE TABLE visit_a1 PARTITION OF visit_a FOR VALUES WITH (MODULUS 1, REMAINDER 0);

SELECT line FROM text2sql.preview('How many sales and visits are there?', strategy => 'zero_shot', server => 't_parts') p,
     regexp_split_to_table(p.content, '\n') AS line WHERE line LIKE 'Table %';
SELECT column_name, statistics FROM text2sql.search_columns('shop of the sale', 1);
SELECT column_name, statistics FROM text2sql.search_columns('when was it sold on', 1);

SELECT notices FROM text2sql.answer('How many sales are there?', strategy => 'builtin');
SELECT sql, notices FROM text2sql.answer('How many sales were sold in 2015?', strategy => 'builtin');
-- what leaves partitions out while it runs is not told either
SELECT text2sql.remember('How many sales are to come?', 'SELECT count(*) FROM sale WHERE sold_on > current_date');
SELECT sql, notices FROM text2sql.answer('How many sales are to come?');
SELECT reason FROM text2sql.check('SELECT * FROM sale_7');

-- a column of the key that a role may not read is not named to it
CREATE ROLE regress_parts;
GRANT USAGE ON SCHEMA t_parts TO regress_parts;
GRANT SELECT (id, shop) ON sale TO regress_parts;
GRANT USAGE ON FOREIGN SERVER t_parts TO regress_parts;
SET ROLE regress_parts;
SELECT line FROM text2sql.preview('How many sales are there?', strategy => 'zero_shot', server => 't_parts') p,
     regexp_split_to_table(p.content, '\n') AS line WHERE line LIKE 'Table %';
-- nor are statistics of its partitions, which it may read through the parent alone, kept from it
SELECT column_name, statistics FROM text2sql.search_columns('shop of the sale', 1);
RESET ROLE;

-- partitions by inheritance, as the manual makes them; a child with columns of its own is a table
CREATE TABLE payment (id int, paid_on date);
CREATE TABLE payment_1 (CHECK (paid_on < '2023-02-01')) INHERITS (payment);
CREATE TABLE payment_2 (CHECK (paid_on >= '2023-02-01')) INHERITS (payment);
CREATE TABLE payment_by_card (card text) INHERITS (payment);
INSERT INTO payment_1 SELECT g, '2023-01-05' FROM generate_series(1, 9000) g;
INSERT INTO payment_2 SELECT g, '2023-02-05' FROM generate_series(1, 7048) g;
INSERT INTO payment_by_card VALUES (1, '2023-02-05', 'a card');
ANALYZE payment_1, payment_2, payment_by_card;
SELECT line FROM text2sql.preview('How many payments are there?', strategy => 'zero_shot', server => 't_parts') p,
     regexp_split_to_table(p.content, '\n') AS line WHERE line LIKE 'Table payment%' ORDER BY 1;
SELECT * FROM ask('How many payments are there?', strategy => 'builtin');
-- more rows in a child are more rows of the parent
INSERT INTO payment_2 SELECT g, '2023-02-05' FROM generate_series(1, 951) g;
ANALYZE payment_2;
SELECT line FROM text2sql.preview('How many payments are there?', strategy => 'zero_shot', server => 't_parts') p,
     regexp_split_to_table(p.content, '\n') AS line WHERE line LIKE 'Table payment (%';
-- who may read a child and not its parent goes on reading it
GRANT SELECT ON payment_1 TO regress_parts;
SET ROLE regress_parts;
SELECT run FROM text2sql.run('SELECT count(*) FROM payment_1');
RESET ROLE;

DELETE FROM text2sql.verified_question WHERE question = 'How many sales are to come?';
SET client_min_messages = warning;
DROP OWNED BY regress_parts;
DROP ROLE regress_parts;
DROP SCHEMA t_parts CASCADE;
DROP SERVER t_parts;
