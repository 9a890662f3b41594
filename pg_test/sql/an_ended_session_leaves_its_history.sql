-- A session that is ended while it runs generated SQL leaves its questions and what was sent for them:
-- those before, and the one that it was about.
\set base_url `echo "$TEXT2SQL_MODEL/ledger/v1"`
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS text2sql;
TRUNCATE text2sql.history_entry RESTART IDENTITY;
CREATE SCHEMA t_ended;
CREATE TABLE t_ended.person (id int PRIMARY KEY, name text, note text);
INSERT INTO t_ended.person VALUES (1, 'Ann', 'x'), (2, 'Bob', 'y');
CREATE FUNCTION t_ended.lazy(int) RETURNS int STABLE LANGUAGE plpgsql AS
    $$ BEGIN FOR i IN 1 .. 1000000000 LOOP END LOOP; RETURN $1; END $$;
CREATE VIEW t_ended.beds AS SELECT t_ended.lazy(id) AS nap FROM t_ended.person;
CREATE SERVER t_ended FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script');
-- ends the session that has run such a query for a second
CREATE FUNCTION t_ended.ends(about text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    other int;
BEGIN
    FOR i IN 1..600 LOOP
        PERFORM pg_stat_clear_snapshot();
        SELECT pid INTO other FROM pg_stat_activity
        WHERE state = 'active' AND query LIKE '%' || about || '%' AND pid <> pg_backend_pid()
          AND clock_timestamp() - query_start > '1 second';
        EXIT WHEN other IS NOT NULL;
        PERFORM pg_sleep(0.05);
    END LOOP;
    IF other IS NULL THEN
        RETURN 'nobody asks';
    END IF;
    PERFORM pg_terminate_backend(other);
    FOR i IN 1..600 LOOP
        PERFORM pg_stat_clear_snapshot();
        IF NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = other) THEN
            RETURN 'ended';
        END IF;
        PERFORM pg_sleep(0.05);
    END LOOP;
    RETURN 'still there';
END $$;
\! (PGOPTIONS='-c search_path=t_ended,public -c text2sql.dry_run_timeout=0 -c text2sql.query_timeout=60000' psql -X -q -d regression -c 'BEGIN' -c "SELECT text2sql('How many persons are there?')" -c "SELECT * FROM ask('Which persons are there?', server => 't_ended', strategy => 'zero_shot')" -c "SELECT * FROM ask('List the nap of all beds')" >/dev/null 2>&1 &)
SELECT t_ended.ends('nap of all beds');
SELECT question, function, outcome, sqlstate, reason, calls FROM text2sql.history ORDER BY asked_at;
SELECT h.question, l.step, l.requests, l.names FROM text2sql.ledger l JOIN text2sql.history h ON h.id = l.history_id;
DROP SERVER t_ended;
DROP SCHEMA t_ended CASCADE;
