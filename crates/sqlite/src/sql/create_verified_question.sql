-- Questions whose SQL somebody vouched for; key is the question without case and outer blanks.
CREATE TABLE IF NOT EXISTS main.text2sql_verified_question(
    key TEXT PRIMARY KEY,
    question TEXT NOT NULL,
    sql TEXT NOT NULL
)
