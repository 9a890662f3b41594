SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND name = 'text2sql_hint' AND type = 'table'
