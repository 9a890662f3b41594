-- The columns whose index is valid for their tables: id, relation, column number. A table that was
-- truncated or rewritten since has another file; row security hides rows from some callers; of some not all
-- values are there yet.
SELECT i.id, i.relation::oid, i.number
FROM text2sql.indexed_column i
JOIN pg_class c ON c.oid = i.relation
WHERE c.relfilenode = i.filenode AND NOT c.relrowsecurity AND i.complete
