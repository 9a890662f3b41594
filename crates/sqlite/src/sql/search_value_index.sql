-- Values whose keys match the FTS5 expression ?1. {schema} is the quoted name of a database.
SELECT e.value, s.table_name, s.column_name, e.place, e.key
FROM {schema}.text2sql_value(?1) AS v
JOIN {schema}.text2sql_value_entry AS e ON e.id = v.rowid
JOIN {schema}.text2sql_value_source AS s ON s.id = e.source
ORDER BY {order} LIMIT 200
