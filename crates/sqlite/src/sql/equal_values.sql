-- Values whose key is ?1. {schema} is the quoted name of a database.
SELECT e.value, s.table_name, s.column_name, e.place, e.key
FROM {schema}.text2sql_value_entry AS e
JOIN {schema}.text2sql_value_source AS s ON s.id = e.source
WHERE e.key = ?1 LIMIT 200
