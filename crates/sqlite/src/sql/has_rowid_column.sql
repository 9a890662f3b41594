-- Whether the rowid of table ?1 of database ?2 is a column: INTEGER PRIMARY KEY, and no index for it.
SELECT (SELECT count(*) = 1 AND max(type) = 'INTEGER' COLLATE NOCASE
        FROM pragma_table_info(?1, ?2) WHERE pk > 0)
   AND NOT EXISTS (SELECT 1 FROM pragma_index_list(?1, ?2) WHERE origin = 'pk')
