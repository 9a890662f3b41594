-- Tables and views of all attached databases, without SQLite's own, this library's own and the
-- shadow tables of virtual ones. Tables made by ask_table answer questions; questions are not
-- about them.
SELECT l.schema, l.name, l.type
FROM pragma_table_list AS l
WHERE l.type IN ('table', 'view', 'virtual')
  AND lower(substr(l.name, 1, 7)) <> 'sqlite_'
  AND lower(substr(l.name, 1, 9)) <> 'text2sql_'
  AND NOT (l.schema = 'temp' AND EXISTS (
      SELECT 1 FROM temp.sqlite_schema AS s WHERE s.name = l.name AND s.sql LIKE '%ask_table%'))
ORDER BY l.schema, l.name
