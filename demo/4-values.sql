-- The index of stored values, where the server has pg_trgm.
SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') AS trigrams \gset
\if :trigrams
CREATE EXTENSION IF NOT EXISTS pg_trgm;
SELECT table_name, column_name, distinct_values, skipped FROM text2sql.index_values() \g /dev/null
\endif
