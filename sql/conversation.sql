-- What the next question of this session may build on. src/pg/session_state.rs keeps it.
CREATE VIEW text2sql.conversation AS SELECT * FROM text2sql.turns();
COMMENT ON VIEW text2sql.conversation IS
    'Questions of this session that the next one may build on, if text2sql.follow_ups is on';
GRANT SELECT ON text2sql.conversation TO PUBLIC;
