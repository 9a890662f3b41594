-- Label what ?1 and ?2 name again, however it was written.
UPDATE {table} SET values_withheld = ?3
WHERE table_name = ?1 COLLATE NOCASE AND coalesce(column_name, '') = ?2 COLLATE NOCASE
