-- Label column ?2 of table ?1 for the first time; 0 needs no row.
INSERT INTO {table}(table_name, column_name, values_withheld)
SELECT ?1, ?2, ?3 WHERE ?3 <> 0 AND NOT EXISTS (
    SELECT 1 FROM {table}
    WHERE table_name = ?1 COLLATE NOCASE AND coalesce(column_name, '') = ?2 COLLATE NOCASE)
