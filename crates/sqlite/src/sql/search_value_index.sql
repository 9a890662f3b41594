-- Values whose keys match the FTS5 expression ?1, in the order of {order}. {table} is the quoted name.
SELECT value, table_name, column_name, place FROM {table}('key : (' || ?1 || ')')
ORDER BY {order} LIMIT 200
