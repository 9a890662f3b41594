-- What tables.sql lists, of the database {schema}, called ?1, alone. pragma_table_list prepares every view;
-- where one is too large for that, shadow tables are told by their names.
SELECT ?1, s.name,
       CASE WHEN s.type = 'view' THEN 'view' WHEN s.rootpage = 0 THEN 'virtual' ELSE 'table' END
FROM {schema}.sqlite_schema AS s
WHERE s.type IN ('table', 'view')
  AND lower(substr(s.name, 1, 7)) <> 'sqlite_'
  AND lower(substr(s.name, 1, 9)) <> 'text2sql_'
  AND NOT (?1 = 'temp' AND s.sql LIKE '%ask_table%')
  AND NOT EXISTS (
      SELECT 1 FROM {schema}.sqlite_schema AS v
      WHERE v.type = 'table' AND v.rootpage = 0
        AND lower(substr(s.name, 1, length(v.name) + 1)) = lower(v.name) || '_')
ORDER BY s.name
