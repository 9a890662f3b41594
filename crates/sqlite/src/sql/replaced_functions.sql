-- Functions that are not SQLite's own, but for those that their maker declares SQLITE_INNOCUOUS
-- (0x200000) and the places that SQLite keeps for what full-text search defines.
SELECT DISTINCT lower(name) FROM pragma_function_list
WHERE NOT builtin AND flags & 0x200000 = 0
  AND (lower(name), narg) NOT IN (VALUES
      ('match', 2), ('bm25', -1), ('highlight', -1), ('snippet', -1), ('fts5_get_locale', -1))
