-- What people say about tables (column_name '') and columns: SQLite has no COMMENT. {table} is
-- the quoted name.
CREATE TABLE IF NOT EXISTS {table}(
    table_name TEXT NOT NULL COLLATE NOCASE,
    column_name TEXT NOT NULL DEFAULT '' COLLATE NOCASE,
    description TEXT,
    -- 1: the column's values are neither sampled nor shown to a model; -1: they are, even if they
    -- look like secrets; 0: nobody said so
    values_withheld INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (table_name, column_name)
) WITHOUT ROWID
