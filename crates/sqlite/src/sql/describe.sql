-- Say ?3 about column ?2 of table ?1; NULL takes it back.
INSERT INTO {table}(table_name, column_name, description) VALUES (?1, ?2, ?3)
ON CONFLICT DO UPDATE SET description = excluded.description
