-- None of these runs, as an ordinary role, as a superuser, and as a superuser who insists on his
-- rights; and nothing changes: no row, no lock, no setting, no role.
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set shop :abs_srcdir '/fixtures/shop.sql'
\set traps :abs_srcdir '/fixtures/traps.sql'
\set queries :abs_srcdir '/fixtures/attacks.txt'
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_attacks CASCADE;
CREATE SCHEMA t_attacks;
SET search_path = t_attacks, public;
\set ECHO none
\i :shop
\i :traps
\set ECHO all
CREATE TABLE t_attacks.corpus (number int GENERATED ALWAYS AS IDENTITY, query text);
COPY corpus (query) FROM :'queries' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02', ESCAPE E'\x02');
DELETE FROM corpus WHERE query LIKE '#%';
SELECT count(*) >= 150 AS enough FROM corpus;
-- so that their functions are there to be refused
CREATE EXTENSION dblink;
CREATE EXTENSION tablefunc;

CREATE ROLE regress_victim;
GRANT USAGE ON SCHEMA t_attacks TO regress_victim;
GRANT SELECT ON ALL TABLES IN SCHEMA t_attacks TO regress_victim;
GRANT INSERT ON caught TO regress_victim;
GRANT USAGE ON SEQUENCE numbers TO regress_victim;
ALTER TABLE guarded OWNER TO regress_victim;
ALTER FUNCTION array_length(status[], int) OWNER TO regress_victim;
ALTER AGGREGATE max(status) OWNER TO regress_victim;
ALTER FUNCTION trap_told(status) OWNER TO regress_victim;
ALTER FUNCTION trap_setting() OWNER TO regress_victim;
ALTER FUNCTION trap_ending() OWNER TO regress_victim;
ALTER TABLE guarded FORCE ROW LEVEL SECURITY;

CREATE FUNCTION ran() RETURNS TABLE (query text, answer text) LANGUAGE plpgsql AS $$
BEGIN
    FOR query IN SELECT c.query FROM corpus c ORDER BY number LOOP
        BEGIN
            SELECT left(string_agg(r::text, ' '), 40) INTO answer FROM text2sql.run(query) r;
            RETURN NEXT;
        EXCEPTION WHEN OTHERS THEN NULL;
        END;
    END LOOP;
END $$;
CREATE VIEW state AS
SELECT (SELECT count(*) FROM caught) AS caught, (SELECT count(*) FROM customer) AS customers,
       (SELECT count(*) FROM item) AS items, (SELECT last_value FROM numbers) AS number,
       (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') AS locks,
       (SELECT count(*) FROM pg_class WHERE relname = 'stolen') AS stolen,
       (SELECT count(*) FROM pg_largeobject_metadata) AS large_objects,
       current_user, current_setting('statement_timeout') AS timeout,
       current_setting('search_path') AS path, current_setting('transaction_read_only') AS read_only;
GRANT SELECT ON state, numbers TO regress_victim;

SET text2sql.allow_superuser = off;
SET text2sql.query_timeout = 200;
SET text2sql.max_result_size = '1MB';
SET ROLE regress_victim;
-- refused because something does not exist: only what was meant so
SELECT c.query, v.reason FROM corpus c, text2sql.check(c.query) v
WHERE v.sqlstate IN ('42883', '42P01', '42704') ORDER BY c.number;
-- what only the gate, the timer or the byte limit stops; everything else is refused unrun
SELECT c.query FROM corpus c, text2sql.check(c.query) v WHERE v.ok ORDER BY c.number;
SELECT * FROM ran();
SELECT * FROM state;
RESET ROLE;
SELECT * FROM ran();
SELECT * FROM state;
SET text2sql.allow_superuser = on;
SELECT * FROM ran();
SELECT * FROM state;

-- case 8: no program was started, which would have made this file, and none was written
SELECT pg_stat_file('/tmp/attacked', true) IS NULL AS no_file;

DROP SCHEMA t_attacks CASCADE;
DROP OWNED BY regress_victim;
DROP ROLE regress_victim;
