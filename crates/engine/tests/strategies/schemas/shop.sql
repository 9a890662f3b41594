-- A shop: orders with a total, lines with pieces and prices, ratings, stock.
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, joined_on DATE);
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, category TEXT, price REAL, stock INTEGER);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), ordered_on DATE,
    shipping_cost REAL, total_amount REAL, payment_method TEXT);
CREATE TABLE order_items (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(id),
    product_id INTEGER REFERENCES products(id), quantity INTEGER, unit_price REAL);
CREATE TABLE reviews (id INTEGER PRIMARY KEY, product_id INTEGER REFERENCES products(id),
    customer_id INTEGER REFERENCES customers(id), rating INTEGER);
CREATE TABLE rentals (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), days INTEGER);
INSERT INTO rentals VALUES (1,1,3);
INSERT INTO customers VALUES (1,'Ada','Oslo','2024-05-01'),(2,'Ben','Bergen','2025-03-01');
INSERT INTO products VALUES (1,'Garden Hose','Garden',25,10),(2,'Lamp','Home',40,0);
INSERT INTO orders VALUES (1,1,'2025-01-10',5,55,'card'),(2,2,'2025-02-11',0,40,'cash');
INSERT INTO order_items VALUES (1,1,1,2,25),(2,2,2,1,40);
INSERT INTO reviews VALUES (1,1,1,5),(2,2,1,3);
