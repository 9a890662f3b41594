CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, city TEXT CHECK (city IN ('Paris', 'Rome')));
CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id REFERENCES customer, total REAL, placed_on DATE);
INSERT INTO customer VALUES (1, 'Ann', 'Paris'), (2, 'Bob', 'Rome');
INSERT INTO orders VALUES (1, 1, 2.5, '2024-01-05'), (2, 2, 7, NULL);
CREATE VIEW a AS SELECT c.name, count(*) AS n FROM orders o JOIN customer c ON c.id = o.customer_id GROUP BY 1;
CREATE VIEW b AS SELECT * FROM a, (SELECT * FROM c);
CREATE VIEW c AS SELECT * FROM b;
CREATE TEMP VIEW d AS SELECT text2sql('how many orders are there') AS answer;
CREATE VIEW e AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;
CREATE VIEW gone AS SELECT missing FROM nowhere
