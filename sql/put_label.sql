-- Sets label $4 for column $3 of relation $2 of schema $1, replacing an older one.
INSERT INTO text2sql.label (schema, relation, column_name, label) VALUES ($1, $2, $3, $4)
ON CONFLICT (classoid, objoid, objsubid) DO UPDATE SET label = excluded.label
