-- Over-blocking is a defect: what analysts write passes the guard and runs, as an ordinary role
-- and as a superuser whose rights are dropped.
\set abs_srcdir `echo "$PG_ABS_SRCDIR"`
\set shop :abs_srcdir '/fixtures/shop.sql'
\set queries :abs_srcdir '/fixtures/legitimate.txt'
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_legitimate CASCADE;
CREATE SCHEMA t_legitimate;
SET search_path = t_legitimate, public;
\set ECHO none
\i :shop
\set ECHO all
-- extensions of contrib, and functions of one's team
CREATE EXTENSION pg_trgm;
CREATE EXTENSION hstore;
CREATE EXTENSION intarray;
CREATE EXTENSION cube;
CREATE EXTENSION earthdistance;
CREATE EXTENSION fuzzystrmatch;
CREATE EXTENSION unaccent;
CREATE EXTENSION citext;
CREATE EXTENSION ltree;
CREATE FUNCTION net(numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT round($1 / 1.19, 2)';
CREATE FUNCTION band(numeric) RETURNS text LANGUAGE plpgsql STABLE AS $$ BEGIN IF $1 > 20 THEN RETURN 'high'; END IF; RETURN 'low'; END $$;
CREATE FUNCTION either(anyelement, anyelement) RETURNS anyelement LANGUAGE sql IMMUTABLE AS 'SELECT coalesce($1, $2)';
CREATE FUNCTION orders_of(int) RETURNS SETOF orders LANGUAGE sql STABLE AS 'SELECT * FROM orders WHERE customer_id = $1';
CREATE FUNCTION spent(customer int) RETURNS numeric LANGUAGE plpgsql STABLE AS $$ DECLARE amount numeric; BEGIN
    SELECT sum(i.quantity * p.price) INTO amount FROM orders o JOIN item i ON i.order_id = o.id JOIN product p ON p.id = i.product_id WHERE o.customer_id = customer;
    RETURN amount;
END $$;
CREATE TABLE public.corpus (number int GENERATED ALWAYS AS IDENTITY, query text);
COPY public.corpus (query) FROM :'queries' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02', ESCAPE E'\x02');
DELETE FROM public.corpus WHERE query LIKE '#%';
-- what 13 itself has not
DELETE FROM public.corpus WHERE current_setting('server_version_num')::int < 140000
    AND query ~ '\m(date_bin|cycle|search depth|unistr|range_agg)\M';
SELECT count(*) >= 225 AS enough FROM public.corpus;

CREATE ROLE regress_analyst;
CREATE ROLE regress_team;
ALTER FUNCTION net(numeric) OWNER TO regress_team;
ALTER FUNCTION band(numeric) OWNER TO regress_team;
ALTER FUNCTION either(anyelement, anyelement) OWNER TO regress_team;
ALTER FUNCTION orders_of(int) OWNER TO regress_team;
ALTER FUNCTION spent(int) OWNER TO regress_team;
GRANT USAGE ON SCHEMA t_legitimate TO regress_analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA t_legitimate TO regress_analyst;
GRANT SELECT ON public.corpus TO regress_analyst;

-- what the guard or the execution refuses; nothing
CREATE FUNCTION public.refused() RETURNS TABLE (query text, message text) LANGUAGE plpgsql AS $$
BEGIN
    FOR query IN SELECT c.query FROM public.corpus c ORDER BY number LOOP
        BEGIN
            PERFORM count(*) FROM text2sql.run(query);
        EXCEPTION WHEN OTHERS THEN
            message := SQLERRM;
            RETURN NEXT;
        END;
    END LOOP;
END $$;
SELECT * FROM public.refused();
SET ROLE regress_analyst;
SELECT * FROM public.refused();
SELECT c.query, v.reason FROM public.corpus c, text2sql.check(c.query) v WHERE NOT v.ok;

RESET ROLE;
DROP SCHEMA t_legitimate CASCADE;
DROP FUNCTION public.refused();
DROP TABLE public.corpus;
DROP OWNED BY regress_analyst;
DROP ROLE regress_analyst;
DROP ROLE regress_team;
