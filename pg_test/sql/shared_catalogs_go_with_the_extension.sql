-- DROP EXTENSION removes the files of its database, when it is committed and not before.
SET client_min_messages = warning;
CREATE DATABASE regress_drop;
\! psql -X -q -d regress_drop -c 'CREATE EXTENSION text2sql' -c 'CREATE TABLE heron (id int PRIMARY KEY, wingspan int)'
\setenv ASK 'psql -X -q -A -t -d regress_drop -v ON_ERROR_STOP=1 -c'
\setenv ANSWER 'SET text2sql.share_catalog_from = 0; SELECT text2sql($$How many herons are there?$$)'
SELECT 'SELECT count(*) > 0 AS files FROM pg_ls_dir($$text2sql_catalogs$$) AS name WHERE name LIKE $$' || oid || '.%$$' AS files
FROM pg_database WHERE datname = 'regress_drop' \gset
\setenv FILES :files
\! $ASK "$ANSWER" -c "$FILES"
\! psql -X -q -A -t -d demo -c 'SET text2sql.share_catalog_from = 0' -c 'SELECT text2sql($$How many countries are there?$$)'
-- rolled back, as a whole or to a savepoint
\! $ASK 'BEGIN' -c 'DROP EXTENSION text2sql' -c 'ROLLBACK' -c "$FILES" -c 'BEGIN; SAVEPOINT s; DROP EXTENSION text2sql; ROLLBACK TO s; COMMIT' -c "$FILES"
-- something else
\! $ASK 'CREATE SCHEMA other; DROP SCHEMA other' -c "$FILES"
-- dropped and made again: the files say for themselves what is still so
\! $ASK 'BEGIN; DROP EXTENSION text2sql; CREATE EXTENSION text2sql; COMMIT' -c "$FILES"
\! $ASK 'DROP EXTENSION text2sql' -c "$FILES"
-- with a schema
\! $ASK 'CREATE EXTENSION text2sql' -c "$ANSWER" -c "$FILES"
\! psql -X -q -A -t -d regress_drop -c 'SET client_min_messages = warning' -c 'DROP SCHEMA public CASCADE' -c "$FILES"
-- those of other databases stay
SELECT count(*) > 0 AS files FROM pg_ls_dir('text2sql_catalogs') AS name
WHERE name LIKE (SELECT oid FROM pg_database WHERE datname = 'demo') || '.%';
-- where the library is gone
\! psql -X -q -d regress_drop -c 'CREATE SCHEMA public' -c 'CREATE EXTENSION text2sql' -c "UPDATE pg_proc SET probin = 'text2sql_that_is_gone' WHERE oid = 'text2sql.watch_drop()'::regprocedure" -c 'DROP EXTENSION text2sql'
-- where it is there and cannot be loaded
\! psql -X -q -d regress_drop -c 'CREATE EXTENSION text2sql' -c "UPDATE pg_proc SET probin = current_setting('data_directory') WHERE oid = 'text2sql.watch_drop()'::regprocedure" -c 'DROP EXTENSION text2sql'
DROP DATABASE regress_drop;
