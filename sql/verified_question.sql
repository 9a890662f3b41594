-- Verified questions. Whoever may run an example's SQL has the question answered by it, whoever kept
-- it; reading, storing and removing them is for the owner and those granted these rights.
CREATE TABLE text2sql.verified_question (
    key text PRIMARY KEY,
    question text NOT NULL,
    sql text NOT NULL,
    verified_by name NOT NULL DEFAULT current_user,
    verified_at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
CREATE INDEX ON text2sql.verified_question (verified_at);
COMMENT ON TABLE text2sql.verified_question IS 'Questions whose SQL somebody vouched for, by text2sql.remember()';
COMMENT ON COLUMN text2sql.verified_question.key IS 'The question without case, repeated blanks and final punctuation';
SELECT pg_catalog.pg_extension_config_dump('text2sql.verified_question', '');
