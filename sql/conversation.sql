-- What the next question of this session may build on. src/memory.rs keeps it.
CREATE VIEW text2sql.conversation AS SELECT * FROM text2sql.turns();
COMMENT ON VIEW text2sql.conversation IS
    'The questions of this session that the next may build on, where text2sql.follow is on';
GRANT SELECT ON text2sql.conversation TO PUBLIC;
