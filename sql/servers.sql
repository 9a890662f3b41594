-- A model is a foreign server: GRANT USAGE is the permission to spend, keys live in user
-- mappings, pg_dump and \des know it. There is no handler: no table lies behind it.
CREATE FOREIGN DATA WRAPPER text2sql VALIDATOR text2sql.validate_server_options;

COMMENT ON FOREIGN DATA WRAPPER text2sql IS 'language models that text2sql() and ask() may use';
