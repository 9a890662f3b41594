-- The same rows on every machine and every PostgreSQL: all choices are made by md5, none by chance.
BEGIN;

-- A whole number from 0 to n - 1, decided by the seed.
CREATE FUNCTION pg_temp.pick(seed text, n integer) RETURNS integer LANGUAGE sql IMMUTABLE AS
$$ SELECT ((('x' || substr(md5(seed), 1, 8))::bit(32)::bigint) % n)::integer $$;

CREATE FUNCTION pg_temp.pick(seed text, choices text[]) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT choices[1 + pg_temp.pick(seed, cardinality(choices))] $$;

INSERT INTO countries VALUES
    ('DE', 'Germany', 'Europe'), ('FR', 'France', 'Europe'), ('NL', 'Netherlands', 'Europe'),
    ('GB', 'United Kingdom', 'Europe'), ('ES', 'Spain', 'Europe'), ('SE', 'Sweden', 'Europe'),
    ('PL', 'Poland', 'Europe'), ('IT', 'Italy', 'Europe'), ('US', 'United States', 'North America'),
    ('CA', 'Canada', 'North America'), ('BR', 'Brazil', 'South America'), ('JP', 'Japan', 'Asia'),
    ('VN', 'Vietnam', 'Asia'), ('CN', 'China', 'Asia'), ('AU', 'Australia', 'Oceania'),
    ('NZ', 'New Zealand', 'Oceania');

-- Who types addresses does not always mind case and blanks.
CREATE TEMP TABLE cities (city_no serial, city text, country_code char(2));
INSERT INTO cities (city, country_code) VALUES
    ('Hamburg', 'DE'), ('Berlin', 'DE'), ('München', 'DE'), ('Paris', 'FR'), ('Lyon', 'FR'),
    ('Amsterdam', 'NL'), ('Rotterdam ', 'NL'), ('London', 'GB'), ('leeds', 'GB'), ('Madrid', 'ES'),
    ('Bilbao', 'ES'), ('Göteborg', 'SE'), ('Gdańsk', 'PL'), ('Milano', 'IT'), ('NEW york', 'US'),
    ('Akiak ', 'US'), ('Boston', 'US'), ('Vancouver', 'CA'), ('São Paulo', 'BR'), ('Osaka', 'JP'),
    ('Hanoi', 'VN'), ('Sydney', 'AU'), ('Wellington', 'NZ');

INSERT INTO customers
SELECT n, first_name, last_name,
       CASE WHEN pg_temp.pick('mail' || n, 20) > 0
            THEN lower(translate(first_name || '.' || last_name, 'éüñöÉ''', 'eunoE')) || n || '@example.com' END,
       CASE WHEN pg_temp.pick('phone' || n, 3) > 0 THEN '+49 40 ' || 100000 + pg_temp.pick('phone no' || n, 900000) END,
       CASE WHEN pg_temp.pick('tax' || n, 4) = 0 THEN lpad(pg_temp.pick('tax no' || n, 1000000000)::text, 11, '0') END,
       CASE WHEN pg_temp.pick('born' || n, 8) > 0 THEN date '1945-01-01' + pg_temp.pick('birthday' || n, 22000) END,
       (ARRAY['Consumer', 'Consumer', 'Consumer', 'Consumer', 'Consumer', 'Business', 'Business', 'Wholesale'])
           [1 + pg_temp.pick('segment' || n, 8)],
       date '2021-01-01' + pg_temp.pick('signed up' || n, 1750),
       pg_temp.pick('newsletter' || n, 5) < 2,
       CASE WHEN n > 100 AND pg_temp.pick('referred' || n, 6) = 0 THEN 1 + pg_temp.pick('referrer' || n, n - 1) END
FROM (
    SELECT n,
           pg_temp.pick('first' || n, ARRAY['Anna', 'Ben', 'Chloé', 'David', 'Elif', 'Finn', 'Grace', 'Hugo', 'Ines',
               'Jonas', 'Karin', 'Liam', 'Maria', 'Noah', 'Olga', 'Paul', 'Quentin', 'Rosa', 'Sven', 'Tara',
               'Ugo', 'Vera', 'Will', 'Xenia', 'Yuki', 'Zoe']) AS first_name,
           pg_temp.pick('last' || n, ARRAY['Albers', 'Berg', 'Costa', 'Duval', 'Ekström', 'Fischer', 'García', 'Hansen',
               'Ito', 'Jansen', 'Kowalski', 'Larsen', 'Müller', 'Nguyen', 'O''Brien', 'Petrov', 'Quinn', 'Rossi',
               'Schmidt', 'Taylor', 'Ueda', 'Visser', 'Walker', 'Young', 'Zimmermann']) AS last_name
    FROM generate_series(1, 5000) n
) names;

-- Customer n has address n; every third has a second one.
INSERT INTO addresses
SELECT n, 1 + (n - 1) % 5000,
       pg_temp.pick('street' || n, ARRAY['Harbour Road', 'Mill Lane', 'Station Street', 'High Street', 'Quay', 'Park Avenue',
           'Church Street', 'Bridge Street']) || ' ' || 1 + pg_temp.pick('number' || n, 180),
       c.city,
       CASE WHEN pg_temp.pick('postcode' || n, 12) > 0 THEN lpad(pg_temp.pick('code' || n, 100000)::text, 5, '0') END,
       c.country_code
FROM generate_series(1, 5000 + 1666) AS n
JOIN cities c ON c.city_no = 1 + pg_temp.pick('city' || n, 23);

INSERT INTO categories VALUES
    (1, 'Camping', NULL), (2, 'Climbing', NULL), (3, 'Water Sports', NULL), (4, 'Clothing', NULL),
    (5, 'Tents', 1), (6, 'Sleeping Bags', 1), (7, 'Stoves', 1), (8, 'Ropes', 2), (9, 'Harnesses', 2),
    (10, 'Kayaks', 3), (11, 'Life Jackets', 3), (12, 'Jackets', 4), (13, 'Boots', 4), (14, 'Hats', 4);

INSERT INTO suppliers
SELECT n,
       (ARRAY['Alpine', 'Baltic', 'Cedar', 'Delta', 'Everest', 'Fjord', 'Granite', 'Horizon', 'Island', 'Juniper'])
           [1 + (n - 1) % 10] || ' ' || (ARRAY['Works', 'Textiles', 'Trading', 'Outdoor'])[1 + (n - 1) / 10],
       (ARRAY['CN', 'VN', 'DE', 'SE', 'IT', 'US', 'PL', 'JP'])[1 + pg_temp.pick('supplier country' || n, 8)],
       CASE WHEN pg_temp.pick('rated' || n, 8) > 0 THEN (20 + pg_temp.pick('rating' || n, 31)) / 10.0 END,
       7 + pg_temp.pick('lead' || n, 80)
FROM generate_series(1, 40) n;

INSERT INTO products
SELECT n, 'HS-' || lpad(n::text, 4, '0'),
       pg_temp.pick('line' || n, ARRAY['Nordic', 'Summit', 'Drift', 'Pioneer', 'Aurora', 'Ridge', 'Tundra', 'Coral', 'Comet',
           'Meadow']) || ' ' || regexp_replace(c.name, '(?<=ss)es$|s$', '') || ' ' || n,
       c.id, 1 + pg_temp.pick('supplier' || n, 40), price,
       CASE WHEN pg_temp.pick('cost known' || n, 25) > 0 THEN round(price * (40 + pg_temp.pick('margin' || n, 35)) / 100, 2) END,
       CASE WHEN pg_temp.pick('weighed' || n, 15) > 0 THEN (5 + pg_temp.pick('weight' || n, 2500)) / 100.0 END,
       CASE WHEN pg_temp.pick('coloured' || n, 10) > 0
            THEN pg_temp.pick('color' || n, ARRAY['red', 'Blue', 'green', 'Black', 'orange', 'Sand']) END,
       date '2019-03-01' + pg_temp.pick('launched' || n, 2300),
       pg_temp.pick('discontinued' || n, 9) = 0
FROM generate_series(1, 400) n
JOIN categories c ON c.id = 5 + pg_temp.pick('category' || n, 10)
CROSS JOIN LATERAL (SELECT (900 + pg_temp.pick('price' || n, 39000)) / 100.0 AS price) AS priced;

INSERT INTO stores VALUES
    (1, 'Hamburg Harbour', 'Hamburg', 'DE', '2012-04-01', 1400), (2, 'Berlin Mitte', 'Berlin', 'DE', '2014-09-15', 900),
    (3, 'Paris Bastille', 'Paris', 'FR', '2016-05-20', 750), (4, 'Amsterdam Noord', 'Amsterdam', 'NL', '2013-03-08', 1100),
    (5, 'London Bridge', 'London', 'GB', '2017-11-11', 820), (6, 'Madrid Sol', 'Madrid', 'ES', '2018-06-01', NULL),
    (7, 'Göteborg Hamn', 'Göteborg', 'SE', '2015-02-14', 640), (8, 'Gdańsk Old Town', 'Gdańsk', 'PL', '2021-08-30', 500),
    (9, 'Milano Centrale', 'Milano', 'IT', '2020-01-17', 980), (10, 'New York Pier 17', 'New York', 'US', '2022-05-05', 1600),
    (11, 'Vancouver Bay', 'Vancouver', 'CA', '2023-07-01', NULL), (12, 'Sydney Wharf', 'Sydney', 'AU', '2024-03-23', 1250);

-- 1 leads; 2-13 lead a store each; the others work under the head of their store, or under 1.
INSERT INTO employees
SELECT n,
       pg_temp.pick('employee first' || n, ARRAY['Astrid', 'Bruno', 'Carla', 'Dirk', 'Emma', 'Farid', 'Greta', 'Hans', 'Ida',
           'Jorge', 'Kemal', 'Lena', 'Marek', 'Nora', 'Oskar', 'Pia']),
       pg_temp.pick('employee last' || n, ARRAY['Adams', 'Brandt', 'Conti', 'Dijkstra', 'Eriksen', 'Fontaine', 'Gruber', 'Hill',
           'Ivanov', 'Jonsson', 'Keller', 'Lopez', 'Mazur', 'Novak', 'Olsen', 'Perez']),
       title,
       CASE title WHEN 'Chief Executive' THEN 185000 WHEN 'Store Manager' THEN 58000 + 1000 * pg_temp.pick('pay' || n, 20)
           WHEN 'Analyst' THEN 50000 + 500 * pg_temp.pick('pay' || n, 40) ELSE 27000 + 250 * pg_temp.pick('pay' || n, 60) END,
       date '2012-01-15' + pg_temp.pick('hired' || n, 4800),
       CASE WHEN n > 13 AND pg_temp.pick('left' || n, 7) = 0 THEN date '2025-03-31' + pg_temp.pick('left on' || n, 200) END,
       CASE WHEN n = 1 THEN NULL WHEN n <= 13 OR store IS NULL THEN 1 ELSE store + 1 END,
       store
FROM (
    SELECT n,
           CASE WHEN n = 1 THEN 'Chief Executive' WHEN n <= 13 THEN 'Store Manager' WHEN n > 140 THEN 'Analyst'
               ELSE pg_temp.pick('title' || n, ARRAY['Sales Assistant', 'Sales Assistant', 'Cashier', 'Warehouse Clerk']) END AS title,
           CASE WHEN n = 1 OR n > 140 THEN NULL WHEN n <= 13 THEN n - 1 ELSE 1 + pg_temp.pick('works in' || n, 12) END AS store
    FROM generate_series(1, 150) n
) staff;

INSERT INTO promotions
SELECT n, upper(season) || year, season || ' Sale ' || year, 5 * (1 + pg_temp.pick('discount' || n, 6)), starts_on, starts_on + 20
FROM (
    SELECT row_number() OVER (ORDER BY year, month)::integer AS n, season, year, make_date(year, month, 5) AS starts_on
    FROM generate_series(2021, 2025) year, (VALUES ('Spring', 3), ('Summer', 6), ('Autumn', 9), ('Winter', 12)) s(season, month)
) seasons;

-- Orders grow over the years; customers of low number order more often.
INSERT INTO orders
SELECT n, customer, store,
       CASE WHEN store IS NOT NULL THEN (SELECT min(e.id) FROM employees e WHERE e.store_id = store AND e.id >= 14 + pg_temp.pick('served' || n, 60)) END,
       (SELECT p.id FROM promotions p WHERE at::date BETWEEN p.starts_on AND p.ends_on AND pg_temp.pick('promoted' || n, 3) = 0),
       customer,
       CASE WHEN customer <= 1666 AND pg_temp.pick('elsewhere' || n, 3) = 0 THEN customer + 5000 ELSE customer END,
       (CASE WHEN at < '2025-11-01' THEN
            (ARRAY['delivered', 'delivered', 'delivered', 'delivered', 'delivered', 'delivered', 'delivered', 'shipped',
                   'cancelled', 'returned'])[1 + pg_temp.pick('status' || n, 10)]
        ELSE (ARRAY['pending', 'paid', 'shipped', 'delivered', 'cancelled'])[1 + pg_temp.pick('status' || n, 5)] END)::order_status,
       at
FROM (
    SELECT n, at,
           1 + (pg_temp.pick('a' || n, 5000) * pg_temp.pick('b' || n, 1000)) / 1000 AS customer,
           CASE WHEN pg_temp.pick('shop' || n, 5) < 2
                THEN (SELECT s.id FROM stores s WHERE s.id = 1 + pg_temp.pick('store' || n, 12) AND s.opened_on <= at) END AS store
    FROM generate_series(1, 12000) n
    CROSS JOIN LATERAL (SELECT timestamp '2021-01-02 08:00' + make_interval(
        days => (1824 * sqrt(n / 12000.0))::integer, mins => pg_temp.pick('minute' || n, 800)) AS at) AS placed
) o;

UPDATE customers c SET signed_up_on = first_order
FROM (SELECT customer_id, min(ordered_at)::date AS first_order FROM orders GROUP BY 1) o
WHERE o.customer_id = c.id AND first_order < signed_up_on;

INSERT INTO order_items
SELECT o.id, line, p.id, 1 + pg_temp.pick('quantity' || o.id || ' ' || line, 4),
       round(p.price * (100 - coalesce(m.discount_percent, 0)) / 100, 2)
FROM orders o
CROSS JOIN LATERAL generate_series(1, 1 + pg_temp.pick('lines' || o.id, 4)) line
JOIN products p ON p.id = 1 + pg_temp.pick('product' || o.id || ' ' || line, 392)  -- some products are never sold
LEFT JOIN promotions m ON m.id = o.promotion_id;

INSERT INTO payments
SELECT row_number() OVER (ORDER BY order_id), order_id,
       (ARRAY['card', 'card', 'card', 'transfer', 'transfer', 'cash', 'voucher'])[1 + pg_temp.pick('method' || order_id, 7)]::payment_method,
       total, ordered_at + make_interval(hours => pg_temp.pick('paid' || order_id, 96))
FROM order_totals WHERE status NOT IN ('pending', 'cancelled');

INSERT INTO shipments
SELECT row_number() OVER (ORDER BY o.id), o.id,
       pg_temp.pick('carrier' || o.id, ARRAY['DHL', 'UPS', 'FedEx', 'PostNL ', 'dpd']),
       sent, CASE WHEN o.status <> 'shipped' THEN sent + make_interval(hours => 20 + pg_temp.pick('way' || o.id, 200)) END,
       (390 + pg_temp.pick('freight' || o.id, 2100)) / 100.0
FROM orders o
CROSS JOIN LATERAL (SELECT o.ordered_at + make_interval(hours => 5 + pg_temp.pick('sent' || o.id, 90)) AS sent) AS s
WHERE o.status IN ('shipped', 'delivered', 'returned') AND o.store_id IS NULL;

INSERT INTO item_returns
SELECT row_number() OVER (ORDER BY o.id, i.line_no), o.id, i.line_no,
       pg_temp.pick('reason' || o.id || i.line_no, ARRAY['Wrong size', 'Damaged', 'Changed my mind', 'Arrived late', NULL]),
       i.quantity * i.unit_price, o.ordered_at::date + 7 + pg_temp.pick('returned' || o.id, 30)
FROM orders o JOIN order_items i ON i.order_id = o.id
WHERE o.status = 'returned' AND (i.line_no = 1 OR pg_temp.pick('also' || o.id || i.line_no, 3) = 0);

INSERT INTO reviews
SELECT n, 1 + pg_temp.pick('reviewed' || n, 392), 1 + pg_temp.pick('reviewer' || n, 5000),
       (ARRAY[1, 2, 3, 3, 4, 4, 4, 5, 5, 5])[1 + pg_temp.pick('stars' || n, 10)],
       CASE WHEN pg_temp.pick('titled' || n, 4) > 0
            THEN pg_temp.pick('title' || n, ARRAY['Great', 'Does the job', 'Not for me', 'Broke after a week', 'Love it']) END,
       date '2021-03-01' + pg_temp.pick('written' || n, 1700)
FROM generate_series(1, 4000) n;

INSERT INTO stock
SELECT s.id, p.id, greatest(0, pg_temp.pick('units' || s.id || ' ' || p.id, 60) - 8), date '2025-11-30' - pg_temp.pick('counted' || s.id, 20)
FROM stores s CROSS JOIN products p
WHERE NOT p.discontinued;

INSERT INTO page_views
SELECT n, timestamp '2024-01-01' + make_interval(mins => n * 50), 1 + pg_temp.pick('viewed' || n, 400),
       CASE WHEN pg_temp.pick('known' || n, 3) > 0 THEN 1 + pg_temp.pick('viewer' || n, 5000) END,
       pg_temp.pick('device' || n, ARRAY['mobile', 'mobile', 'desktop', 'Tablet'])
FROM generate_series(1, 20000) n;

COMMIT;

REFRESH MATERIALIZED VIEW monthly_sales;
VACUUM ANALYZE;
