-- Foreign keys of table ?1 of database ?2; "to" is NULL where the key only names a table.
SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?1, ?2) ORDER BY id, seq
