-- :n tables of 10 columns with a primary key, a foreign key, comments and statistics.
-- Without looks at foreign keys: their saved plans make every later CREATE TABLE slower.
SET session_replication_role = replica;
SELECT format('CREATE TABLE %I (id integer PRIMARY KEY, name text, kind text, amount numeric, quantity integer,
           created_at timestamp, changed_at timestamp, active boolean, note text, %I integer REFERENCES %I)',
           name, parent || '_id', parent),
       format('COMMENT ON COLUMN %I.amount IS %L', name, 'Amount of the ' || name || ' in euros'),
       format('INSERT INTO %I SELECT g, ''name '' || g, ''kind '' || g %% 5, g * 1.5, g, now(), now(), true, NULL, g
           FROM generate_series(1, 20) g', name)
FROM (
    SELECT n,
           (ARRAY['order', 'invoice', 'asset', 'claim', 'parcel', 'ticket', 'budget', 'audit', 'lease', 'route'])[1 + n % 10]
               || '_' || n AS name,
           (ARRAY['order', 'invoice', 'asset', 'claim', 'parcel', 'ticket', 'budget', 'audit', 'lease', 'route'])
               [1 + greatest(n / 2, 1) % 10] || '_' || greatest(n / 2, 1) AS parent
    FROM generate_series(1, :n) n
) tables ORDER BY n
\gexec
ANALYZE;
