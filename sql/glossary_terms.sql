-- The terms that the caller may read, by the rights and row security of text2sql.glossary: $1 of them at
-- most, and none with more than $2 bytes. A measure says what its expression is computed over; one over
-- a table that is not the caller's to see is left out.
SELECT term, definition
FROM (SELECT term, CASE WHEN expression IS NULL THEN meaning
                        ELSE concat(meaning || '; ', expression, ' (over ', c.oid::regclass, ', where ' || filter, ')')
                   END AS definition
      FROM text2sql.glossary
      LEFT JOIN pg_class c ON c.oid = grain
      WHERE expression IS NULL
         OR has_any_column_privilege(c.oid, 'SELECT')
            AND NOT EXISTS (SELECT FROM text2sql.labelled l
                            WHERE l.label = 'hidden' AND l.objsubid = 0 AND l.objoid IN (c.oid, c.relnamespace))) AS defined
WHERE octet_length(term) <= $2 AND octet_length(definition) <= $2
ORDER BY term LIMIT $1
