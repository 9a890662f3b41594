-- One sentence a table, for the columns whose fingerprint it was written for. {table} is the
-- quoted name.
CREATE TABLE IF NOT EXISTS {table}(
    table_name TEXT PRIMARY KEY COLLATE NOCASE,
    fingerprint INTEGER NOT NULL,
    summary TEXT NOT NULL
) WITHOUT ROWID
