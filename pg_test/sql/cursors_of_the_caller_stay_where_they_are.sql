-- A plpgsql function can name any cursor of the session: those of the caller are neither moved
-- nor closed, and go on where they were.
SET client_min_messages = warning;
CREATE SCHEMA t_cursors;
SET search_path = t_cursors, public;
CREATE TABLE t AS SELECT g AS id FROM generate_series(1, 9) g;
CREATE FUNCTION fetches(c refcursor) RETURNS int LANGUAGE plpgsql STABLE AS $$ DECLARE x int; BEGIN FETCH c INTO x; RETURN x; END $$;
CREATE FUNCTION moves(c refcursor) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN MOVE FORWARD 3 FROM c; RETURN 0; END $$;
CREATE FUNCTION closes(c refcursor) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN CLOSE c; RETURN 0; END $$;
CREATE FUNCTION uses_its_own() RETURNS int LANGUAGE plpgsql STABLE AS $$ DECLARE c CURSOR FOR SELECT id FROM t_cursors.t ORDER BY id; x int; n int := 0; BEGIN
    OPEN c; MOVE c; FETCH c INTO x; CLOSE c;
    FOR x IN SELECT id FROM t_cursors.t LOOP n := n + x; END LOOP;
    RETURN x * 100 + n;
END $$;
CREATE FUNCTION verdict(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n text;
BEGIN
    SELECT string_agg(r::text, ' ') INTO n FROM text2sql.run(sql) r;
    RETURN 'ran: ' || n;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ': ' || left(SQLERRM, 80);
END $$;
CREATE ROLE regress_cursor;
GRANT USAGE ON SCHEMA t_cursors TO regress_cursor;
GRANT SELECT ON t TO regress_cursor;
SET ROLE regress_cursor;
BEGIN;
DECLARE mine CURSOR FOR SELECT id FROM t ORDER BY id;
DECLARE "kept.over" CURSOR WITH HOLD FOR SELECT id FROM t ORDER BY id;
FETCH mine;
FETCH "kept.over";
SELECT verdict($$SELECT fetches('mine')$$);
SELECT verdict($$SELECT fetches('kept.over')$$);
SELECT verdict($$SELECT moves('mine')$$);
SELECT verdict($$SELECT closes('mine')$$);
SELECT verdict($$SELECT closes('kept.over')$$);
SELECT verdict('SELECT uses_its_own()');
FETCH mine;
FETCH "kept.over";
COMMIT;
SELECT verdict($$SELECT fetches('kept.over')$$);
SELECT verdict($$SELECT closes('kept.over')$$);
FETCH "kept.over";
CLOSE "kept.over";
-- the cursor of a loop around the call
DO $$ DECLARE x int; BEGIN
    FOR x IN SELECT id FROM t_cursors.t ORDER BY id LIMIT 3 LOOP
        RAISE WARNING '% %', x, (SELECT string_agg(regexp_replace(t_cursors.verdict(format('SELECT %s(%L)', f, name)), '\d+>', 'N>'), ' | ')
            FROM pg_cursors, unnest(ARRAY['fetches', 'closes']) f WHERE name LIKE '<unnamed%' AND statement LIKE '%LIMIT 3%');
    END LOOP;
END $$;
RESET ROLE;
DROP SCHEMA t_cursors CASCADE;
DROP OWNED BY regress_cursor;
DROP ROLE regress_cursor;
