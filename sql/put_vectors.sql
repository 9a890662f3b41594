-- $1 server, $2 model, $3 texts and $4 their packed vectors: kept where there is none.
INSERT INTO text2sql.description_vector (server, model, description, vector)
SELECT $1, $2, new.description, new.vector
FROM unnest($3, $4) AS new(description, vector)
ON CONFLICT DO NOTHING
