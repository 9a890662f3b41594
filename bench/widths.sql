-- Schemas wide_10, wide_100, wide_1000: 20 tables each, of so many columns.
SELECT format('CREATE SCHEMA wide_%s', n) FROM unnest(ARRAY[10, 100, 1000]) n \gexec
SELECT format('CREATE TABLE wide_%s.reading_%s (id integer PRIMARY KEY, previous_id integer %s, amount numeric, %s)',
           n, t, CASE WHEN t > 1 THEN format('REFERENCES wide_%s.reading_%s', n, t - 1) END,
           (SELECT string_agg(format('measure_%s real', c), ', ') FROM generate_series(1, n - 3) c))
FROM unnest(ARRAY[10, 100, 1000]) n, generate_series(1, 20) t ORDER BY n, t \gexec
SELECT format('INSERT INTO wide_%s.reading_%s (id, amount) VALUES (1, 2.5)', n, t)
FROM unnest(ARRAY[10, 100, 1000]) n, generate_series(1, 20) t \gexec
ANALYZE;
