-- The distinct values of text columns, searched by their trigrams. {table} is the quoted name.
CREATE VIRTUAL TABLE IF NOT EXISTS {table} USING fts5(
    value, table_name UNINDEXED, column_name UNINDEXED, tokenize = 'trigram')
