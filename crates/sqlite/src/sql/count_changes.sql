-- ?1 rows more, which are then deleted: SQLite lets nobody set changes() otherwise.
INSERT INTO {schema}.text2sql_value_change(table_name, place)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT '', i FROM n LIMIT ?1
