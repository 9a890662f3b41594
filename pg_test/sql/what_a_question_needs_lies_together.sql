-- In a database of many schemas, most of which have tables of the same names, the first prompt shows
-- the tables that belong together and say what the question asks: with their columns' details, or as
-- lists of columns, within the limit on its size. A stored value says which schema is meant, too.
LOAD 'text2sql';
SET client_min_messages = warning;
SET text2sql.schemas = '';
CREATE FUNCTION pg_temp.shown(question text) RETURNS SETOF text LANGUAGE sql VOLATILE AS $$
    SELECT line FROM text2sql.preview(question, strategy => 'zero_shot') AS p,
        regexp_split_to_table(p.content, '\n') AS line
    WHERE p.role = 'user' AND line ~ '^Table t_branch_(17|23)\.' $$;
DO $do$
BEGIN
    FOR n IN 1..30 LOOP
        EXECUTE format($$
            CREATE SCHEMA t_branch_%1$s;
            CREATE TABLE t_branch_%1$s.customer (id int PRIMARY KEY, name text, town text);
            CREATE TABLE t_branch_%1$s.orders (id int PRIMARY KEY, placed date,
                customer_id int REFERENCES t_branch_%1$s.customer);
            CREATE TABLE t_branch_%1$s.staff (id int PRIMARY KEY, name text, salary numeric);
        $$, n);
    END LOOP;
END $do$;
CREATE TABLE t_branch_17.parcel (id int PRIMARY KEY, weight numeric, order_id int REFERENCES t_branch_17.orders);
INSERT INTO t_branch_23.customer VALUES (1, 'Ada', 'Zanzibar');
ANALYZE t_branch_23.customer;
-- only one schema has parcels: its customers and orders are meant
SELECT * FROM pg_temp.shown('What are the names of the customers who ordered the heaviest parcels?');
-- only one has the value
SELECT * FROM pg_temp.shown('How many orders have the customers in Zanzibar placed?');
SELECT sum(octet_length(content)) < 6000 AS small FROM text2sql.preview('How many orders?', strategy => 'zero_shot');
DO $do$
BEGIN
    FOR n IN 1..30 LOOP
        EXECUTE format('DROP SCHEMA t_branch_%s CASCADE', n);
    END LOOP;
END $do$;
