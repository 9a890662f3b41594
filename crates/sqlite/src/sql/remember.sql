-- Keep question ?2 with its SQL ?3 under key ?1.
INSERT OR REPLACE INTO main.text2sql_verified_question(key, question, sql) VALUES (?1, ?2, ?3)
