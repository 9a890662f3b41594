-- Columns of table ?1 of database ?2; hidden columns of virtual tables are no columns.
SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?1, ?2) WHERE hidden <> 1 ORDER BY cid
