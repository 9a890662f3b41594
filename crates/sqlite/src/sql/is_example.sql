SELECT 1 FROM pragma_table_list AS t WHERE t.schema = 'main' AND t.name = 'text2sql_example' AND t.type = 'table'
AND (SELECT count(*) FROM pragma_table_info('text2sql_example', 'main') WHERE name IN ('key', 'question', 'sql')) = 3
