-- $1 role, $2 server, $3 model, $4 step, $5 requests, $6 bytes, $7 names, $8 comments, $9 values
INSERT INTO text2sql.ledger (role, server, model, step, requests, bytes, names, comments, "values")
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
