-- Keeps, for $1 server and $2 model, $3 texts with $4 their packed vectors where there is none.
INSERT INTO text2sql.description_vector (server, model, description, vector)
SELECT $1, $2, new.description, new.vector
FROM unnest($3, $4) AS new(description, vector)
ON CONFLICT DO NOTHING
