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
-- types of one's team
CREATE TYPE span AS RANGE (subtype = float8, subtype_diff = float8mi);
CREATE FUNCTION minutes(time, time) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT extract(epoch FROM $1 - $2)::float8 / 60';
CREATE TYPE hours AS RANGE (subtype = time, subtype_diff = minutes);
CREATE TYPE size AS ENUM ('small', 'medium', 'large');
CREATE TYPE place AS (town text, zip int);
CREATE DOMAIN share AS numeric CHECK (VALUE BETWEEN 0 AND 1);
CREATE FUNCTION farther(place, place) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT ($1).zip > ($2).zip';
CREATE OPERATOR ->> (FUNCTION = farther, LEFTARG = place, RIGHTARG = place);
CREATE FUNCTION label(size) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog AS 'SELECT upper($1::text)';
CREATE FUNCTION larger(size, size) RETURNS size LANGUAGE sql IMMUTABLE AS 'SELECT greatest($1, $2)';
CREATE AGGREGATE largest(size) (SFUNC = larger, STYPE = size);
CREATE FUNCTION joined(span, span) RETURNS span LANGUAGE sql IMMUTABLE AS 'SELECT range_merge($1, $2)';
CREATE AGGREGATE hull(span) (SFUNC = joined, STYPE = span, INITCOND = 'empty');
CREATE TABLE shelf AS
SELECT g AS id, span(g, g + 5) AS height, hours(time '08:00' + g * interval '10 minutes', time '18:00') AS open,
       (ARRAY['small', 'medium', 'large']::size[])[1 + g % 3] AS size, enum_range(NULL::size) AS sizes,
       ROW('Town ' || g, 1000 + g)::place AS place, (g / 60.0)::share AS share, ('Label ' || g)::citext AS label,
       ('top.shop.s' || g)::ltree AS path, hstore('colour', 'red') AS props
FROM generate_series(1, 40) g;
ANALYZE shelf;
CREATE INDEX ON shelf USING gist (height);
CREATE INDEX ON shelf USING gist (path);
CREATE INDEX ON shelf USING gin (props);
CREATE INDEX ON shelf (label);
CREATE TABLE public.corpus (number int GENERATED ALWAYS AS IDENTITY, query text);
COPY public.corpus (query) FROM :'queries' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02', ESCAPE E'\x02');
DELETE FROM public.corpus WHERE query LIKE '#%';
-- what 13 itself has not
DELETE FROM public.corpus WHERE current_setting('server_version_num')::int < 140000
    AND query ~ '\m(date_bin|cycle|search depth|unistr|range_agg|\w*multirange)\M';
SELECT count(*) >= 255 AS enough FROM public.corpus;

CREATE ROLE regress_analyst;
CREATE ROLE regress_team;
ALTER FUNCTION net(numeric) OWNER TO regress_team;
ALTER FUNCTION band(numeric) OWNER TO regress_team;
ALTER FUNCTION either(anyelement, anyelement) OWNER TO regress_team;
ALTER FUNCTION orders_of(int) OWNER TO regress_team;
ALTER FUNCTION spent(int) OWNER TO regress_team;
ALTER FUNCTION minutes(time, time) OWNER TO regress_team;
ALTER FUNCTION farther(place, place) OWNER TO regress_team;
ALTER OPERATOR ->> (place, place) OWNER TO regress_team;
ALTER FUNCTION label(size) OWNER TO regress_team;
ALTER FUNCTION larger(size, size) OWNER TO regress_team;
ALTER AGGREGATE largest(size) OWNER TO regress_team;
ALTER FUNCTION joined(span, span) OWNER TO regress_team;
ALTER AGGREGATE hull(span) OWNER TO regress_team;
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
