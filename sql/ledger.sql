-- What left the database, one row per call to a model: the names, comments and stored values of
-- which tables and columns, but no contents. The owner and superusers read it; nobody else may write it.
CREATE TABLE text2sql.ledger (
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    session_role name NOT NULL DEFAULT session_user,
    role name NOT NULL,
    server name NOT NULL,
    model text NOT NULL,
    step text NOT NULL,
    requests int NOT NULL,
    bytes bigint NOT NULL,
    names text[] NOT NULL,
    comments text[] NOT NULL,
    "values" text[] NOT NULL
);
COMMENT ON TABLE text2sql.ledger IS
    'What calls to models held: the names, comments and values of which tables and columns';
COMMENT ON COLUMN text2sql.ledger.role IS 'Who asked, after SET ROLE';
COMMENT ON COLUMN text2sql.ledger.bytes IS 'Bytes of messages and tools of the requests sent together';
COMMENT ON COLUMN text2sql.ledger.names IS
    'What an earlier call of the same question held is not repeated, here and in the next two';
SELECT pg_catalog.pg_extension_config_dump('text2sql.ledger', '');
