-- Deletes vectors of texts that nothing has any more, and of servers that are gone.
WITH gone AS (
    DELETE FROM text2sql.description_vector v
    WHERE NOT EXISTS (SELECT FROM text2sql.description d WHERE d.description = v.description)
       OR NOT EXISTS (SELECT FROM pg_foreign_server s WHERE s.srvname = v.server)
    RETURNING 1
)
SELECT count(*) FROM gone
