-- Rights and settings that an administrator changed.
CREATE ROLE clerk;
CREATE ROLE auditor;
DO $$ BEGIN EXECUTE format('ALTER ROLE clerk IN DATABASE %I SET text2sql.ledger = off', current_database()); END $$;
CREATE EXTENSION text2sql VERSION '0.1.0';
REVOKE EXECUTE ON FUNCTION ask(text, text, text, text[], text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ask(text, text, text, text[], text) TO clerk WITH GRANT OPTION;
REVOKE EXECUTE ON FUNCTION text2sql.run(text) FROM PUBLIC;
GRANT SELECT ON text2sql.ledger TO auditor;
GRANT INSERT ON text2sql.hint TO clerk;
