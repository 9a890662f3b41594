-- The database of the example in examples/README.md.
CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    city TEXT
);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    placed_on DATE NOT NULL,
    total REAL NOT NULL
);
INSERT INTO customers VALUES
    (1, 'Ann', 'Oslo'), (2, 'Bob', 'Bergen'), (3, 'Cid', 'Oslo'), (4, 'Dee', NULL);
INSERT INTO orders VALUES
    (1, 1, '2024-01-05', 10.5), (2, 1, '2024-02-07', 4.5), (3, 2, '2024-02-09', 7),
    (4, 3, '2025-01-02', 30), (5, 3, '2025-03-04', 12.5);
