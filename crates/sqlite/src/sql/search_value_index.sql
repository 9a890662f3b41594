-- Values that share trigrams with the FTS5 expression ?1, most first. {table} is the quoted name.
SELECT value, table_name, column_name FROM {table}('value : (' || ?1 || ')')
ORDER BY rank LIMIT 200
