-- The settings, their defaults, ranges and who may set them; docs/settings.md is made from this.
LOAD 'text2sql';
\pset format unaligned
SELECT name, boot_val, unit, context, vartype, min_val, max_val, enumvals, extra_desc, short_desc
FROM pg_settings WHERE name LIKE 'text2sql.%' ORDER BY extra_desc NULLS FIRST, name;
\pset format aligned
SET text2sql.strategy = 'magic';
SET text2sql.max_rows = 0;
SET text2sql.query_timeout = '2s';
SHOW text2sql.query_timeout;
-- a misspelt name is refused from PostgreSQL 15 on
SET text2sql.misspelt = 1;
