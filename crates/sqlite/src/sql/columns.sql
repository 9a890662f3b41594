-- Columns of table ?1 of database ?2; hidden columns of virtual tables are no columns. 2 is a
-- generated column that is computed when it is read.
SELECT name, type, "notnull", pk, hidden = 2 FROM pragma_table_xinfo(?1, ?2) WHERE hidden <> 1 ORDER BY cid
