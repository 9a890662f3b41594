-- Removes columns $2 (numbers) of relations $1 (oids), pairwise; returns how many were indexed.
WITH forgotten AS (
    DELETE FROM text2sql.indexed_column i
    USING unnest($1, $2) AS f(relation, number)
    WHERE i.relation = f.relation AND i.number = f.number
    RETURNING i.id
)
SELECT count(*) FROM forgotten
