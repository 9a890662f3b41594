-- The distinct values of text columns, found by the trigrams of their keys (the stems of their
-- folded words, a blank around each); place is the rowid of a row that has the value. {table} is the quoted name.
CREATE VIRTUAL TABLE IF NOT EXISTS {table} USING fts5(
    key, value UNINDEXED, table_name UNINDEXED, column_name UNINDEXED, place UNINDEXED,
    tokenize = 'trigram')
