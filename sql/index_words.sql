-- The trigram index of the words; {trgm} is the schema of pg_trgm.
CREATE INDEX indexed_word_trigrams
    ON text2sql.indexed_word USING gin (word {trgm}.gin_trgm_ops)
