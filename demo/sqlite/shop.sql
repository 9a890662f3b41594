-- Harbour Supply once more, small and by SQL alone: the rows are the same everywhere.
PRAGMA foreign_keys = on;

CREATE TABLE stores (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    city TEXT NOT NULL,
    floor_area INTEGER NOT NULL
);
CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    city TEXT NOT NULL,
    signed_up_on TEXT NOT NULL
);
CREATE TABLE products (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    category TEXT NOT NULL,
    price REAL NOT NULL
);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers,
    store_id INTEGER NOT NULL REFERENCES stores,
    status TEXT NOT NULL,
    ordered_on TEXT NOT NULL
);
CREATE TABLE order_items (
    order_id INTEGER NOT NULL REFERENCES orders,
    product_id INTEGER NOT NULL REFERENCES products,
    quantity INTEGER NOT NULL,
    PRIMARY KEY (order_id, product_id)
);

INSERT INTO stores VALUES
    (1, 'Paris Bastille', 'Paris', 420), (2, 'Vancouver Bay', 'Vancouver', 610),
    (3, 'Gdańsk Old Town', 'Gdańsk', 280), (4, 'New York Pier 17', 'New York', 900);

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO customers
SELECT i,
       substr('Ada  Ben  Cleo Dan  Eva  Finn Gwen Hugo Ines Jon  ', i % 10 * 5 + 1, 5) || 'No. ' || i,
       CASE i % 5 WHEN 0 THEN 'Paris' WHEN 1 THEN 'Vancouver' WHEN 2 THEN 'Gdańsk' WHEN 3 THEN 'New York' ELSE 'Lyon' END,
       date('2022-01-01', '+' || (i * 7 % 900) || ' days')
FROM n;

INSERT INTO products VALUES
    (1, 'Trail Tent', 'Camping', 249.0), (2, 'Sleeping Bag', 'Camping', 119.5), (3, 'Camp Stove', 'Camping', 64.0),
    (4, 'Rain Jacket', 'Clothing', 139.0), (5, 'Wool Hat', 'Clothing', 24.9), (6, 'Sea Kayak', 'Boats', 1190.0),
    (7, 'Paddle', 'Boats', 89.0), (8, 'Headlamp', 'Lights', 39.0);

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
INSERT INTO orders
SELECT i, i * 37 % 300 + 1, i * 13 % 4 + 1,
       CASE WHEN i % 11 = 0 THEN 'cancelled' WHEN i % 3 = 0 THEN 'pending' ELSE 'delivered' END,
       date('2023-01-01', '+' || (i * 17 % 730) || ' days')
FROM n;
INSERT INTO order_items SELECT id, id * 7 % 8 + 1, id % 3 + 1 FROM orders;
INSERT INTO order_items SELECT id, (id * 7 + 3) % 8 + 1, 1 FROM orders WHERE id % 2 = 0;
