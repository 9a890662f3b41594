-- Harbour Supply, a made-up seller of outdoor goods: stores, a web shop, orders, deliveries.

CREATE TYPE order_status AS ENUM ('pending', 'paid', 'shipped', 'delivered', 'cancelled', 'returned');
CREATE TYPE payment_method AS ENUM ('card', 'transfer', 'cash', 'voucher');

CREATE TABLE countries (
    code char(2) PRIMARY KEY,
    name text NOT NULL UNIQUE,
    continent text NOT NULL
);

CREATE TABLE customers (
    id integer PRIMARY KEY,
    first_name text NOT NULL,
    last_name text NOT NULL,
    email text UNIQUE,
    phone text,
    tax_number text,
    birth_date date,
    segment text NOT NULL,
    signed_up_on date NOT NULL,
    newsletter boolean NOT NULL,
    referred_by integer REFERENCES customers
);
COMMENT ON TABLE customers IS 'People and companies that have an account';
COMMENT ON COLUMN customers.segment IS 'Consumer, Business or Wholesale';
COMMENT ON COLUMN customers.tax_number IS 'Personal data: for invoices only';
COMMENT ON COLUMN customers.referred_by IS 'The customer who brought this one';

CREATE TABLE addresses (
    id integer PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES customers,
    street text NOT NULL,
    city text NOT NULL,
    postcode text,
    country_code char(2) NOT NULL REFERENCES countries
);

CREATE TABLE categories (
    id integer PRIMARY KEY,
    name text NOT NULL,
    parent_id integer REFERENCES categories
);
COMMENT ON COLUMN categories.parent_id IS 'The broader category; null at the top';

CREATE TABLE suppliers (
    id integer PRIMARY KEY,
    name text NOT NULL,
    country_code char(2) NOT NULL REFERENCES countries,
    rating numeric(2, 1),
    lead_time_days integer
);
COMMENT ON COLUMN suppliers.lead_time_days IS 'Days from our order to its arrival';

CREATE TABLE products (
    id integer PRIMARY KEY,
    sku text NOT NULL UNIQUE,
    name text NOT NULL,
    category_id integer NOT NULL REFERENCES categories,
    supplier_id integer NOT NULL REFERENCES suppliers,
    price numeric(10, 2) NOT NULL CHECK (price > 0),
    cost numeric(10, 2),
    weight_kg numeric(6, 2),
    color text,
    launched_on date NOT NULL,
    discontinued boolean NOT NULL DEFAULT false
);
COMMENT ON COLUMN products.price IS 'List price in euros, without tax';
COMMENT ON COLUMN products.cost IS 'What we pay the supplier, in euros';

CREATE TABLE stores (
    id integer PRIMARY KEY,
    name text NOT NULL,
    city text NOT NULL,
    country_code char(2) NOT NULL REFERENCES countries,
    opened_on date NOT NULL,
    floor_area_m2 integer
);

CREATE TABLE employees (
    id integer PRIMARY KEY,
    first_name text NOT NULL,
    last_name text NOT NULL,
    job_title text NOT NULL,
    salary numeric(10, 2) NOT NULL,
    hired_on date NOT NULL,
    left_on date,
    manager_id integer REFERENCES employees,
    store_id integer REFERENCES stores
);
COMMENT ON COLUMN employees.salary IS 'Euros a year';
COMMENT ON COLUMN employees.left_on IS 'Null while employed';
COMMENT ON COLUMN employees.store_id IS 'Null for head office';

CREATE TABLE promotions (
    id integer PRIMARY KEY,
    code text NOT NULL UNIQUE,
    name text NOT NULL,
    discount_percent integer NOT NULL,
    starts_on date NOT NULL,
    ends_on date NOT NULL
);

CREATE TABLE orders (
    id integer PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES customers,
    store_id integer REFERENCES stores,
    employee_id integer REFERENCES employees,
    promotion_id integer REFERENCES promotions,
    billing_address_id integer NOT NULL REFERENCES addresses,
    shipping_address_id integer NOT NULL REFERENCES addresses,
    status order_status NOT NULL,
    ordered_at timestamp NOT NULL
);
COMMENT ON COLUMN orders.store_id IS 'Null for orders of the web shop';
CREATE INDEX ON orders (customer_id);
CREATE INDEX ON orders (ordered_at);

CREATE TABLE order_items (
    order_id integer NOT NULL REFERENCES orders,
    line_no integer NOT NULL,
    product_id integer NOT NULL REFERENCES products,
    quantity integer NOT NULL CHECK (quantity > 0),
    unit_price numeric(10, 2) NOT NULL,
    PRIMARY KEY (order_id, line_no)
);
CREATE INDEX ON order_items (product_id);

CREATE TABLE payments (
    id integer PRIMARY KEY,
    order_id integer NOT NULL REFERENCES orders,
    method payment_method NOT NULL,
    amount numeric(12, 2) NOT NULL,
    paid_at timestamp NOT NULL
);
CREATE INDEX ON payments (order_id);

CREATE TABLE shipments (
    id integer PRIMARY KEY,
    order_id integer NOT NULL REFERENCES orders,
    carrier text NOT NULL,
    shipped_at timestamp NOT NULL,
    delivered_at timestamp,
    shipping_cost numeric(8, 2) NOT NULL
);
COMMENT ON COLUMN shipments.delivered_at IS 'Null while under way or lost';
CREATE INDEX ON shipments (order_id);

CREATE TABLE item_returns (
    id integer PRIMARY KEY,
    order_id integer NOT NULL,
    line_no integer NOT NULL,
    reason text,
    refund numeric(10, 2) NOT NULL,
    returned_on date NOT NULL,
    FOREIGN KEY (order_id, line_no) REFERENCES order_items
);

CREATE TABLE reviews (
    id integer PRIMARY KEY,
    product_id integer NOT NULL REFERENCES products,
    customer_id integer NOT NULL REFERENCES customers,
    stars integer NOT NULL CHECK (stars BETWEEN 1 AND 5),
    title text,
    written_on date NOT NULL
);

CREATE TABLE stock (
    store_id integer NOT NULL REFERENCES stores,
    product_id integer NOT NULL REFERENCES products,
    units integer NOT NULL,
    counted_on date NOT NULL,
    PRIMARY KEY (store_id, product_id)
);
COMMENT ON TABLE stock IS 'Units of a product in a store at the last count';

CREATE TABLE page_views (
    id bigint NOT NULL,
    viewed_at timestamp NOT NULL,
    product_id integer NOT NULL REFERENCES products,
    customer_id integer REFERENCES customers,
    device text NOT NULL,
    PRIMARY KEY (id, viewed_at)
) PARTITION BY RANGE (viewed_at);
COMMENT ON TABLE page_views IS 'Product pages opened in the web shop';
CREATE TABLE page_views_2024 PARTITION OF page_views FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE page_views_2025 PARTITION OF page_views FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');

CREATE VIEW order_totals AS
SELECT o.id AS order_id, o.customer_id, o.ordered_at, o.status, sum(i.quantity * i.unit_price) AS total
FROM orders o JOIN order_items i ON i.order_id = o.id
GROUP BY o.id;
COMMENT ON VIEW order_totals IS 'What each order is worth';

CREATE MATERIALIZED VIEW monthly_sales AS
SELECT date_trunc('month', o.ordered_at)::date AS month, p.category_id,
       sum(i.quantity) AS units, sum(i.quantity * i.unit_price) AS revenue
FROM orders o
JOIN order_items i ON i.order_id = o.id
JOIN products p ON p.id = i.product_id
WHERE o.status <> 'cancelled'
GROUP BY 1, 2
WITH NO DATA;
