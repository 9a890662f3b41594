-- Merges additions into the indexes; until then every search scans them as a list.
SELECT sum(gin_clean_pending_list(i.indexrelid))::bigint
FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid
JOIN pg_am m ON m.oid = c.relam AND m.amname = 'gin'
WHERE i.indrelid IN ('text2sql.indexed_value'::regclass, 'text2sql.indexed_word'::regclass)
