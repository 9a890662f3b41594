-- With the library preloaded, SELECT * FROM ask('…') asks the model once per run of the client's own statement: EXPLAIN
-- and PREPARE ask nothing, and no rows pass from one statement to another.
\set base_url `echo "$TEXT2SQL_MODEL/typed/v1"`
SET client_min_messages = warning;
CREATE SCHEMA t_typed_ask;
CREATE TABLE t_typed_ask.parcel (id int PRIMARY KEY);
INSERT INTO t_typed_ask.parcel VALUES (1), (2), (3);
CREATE SERVER t_typed_ask FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script');
\set connection 'dbname=' :DBNAME ' options=''-c session_preload_libraries=text2sql -c text2sql.schemas=t_typed_ask -c text2sql.server=t_typed_ask -c text2sql.strategy=zero_shot -c search_path=t_typed_ask,public -c client_min_messages=notice'''
\c -reuse-previous=on :"connection"

-- EXPLAIN
EXPLAIN (COSTS off) SELECT * FROM ask('Question 1: how many parcels?');
EXPLAIN (COSTS off) CREATE TABLE never AS SELECT * FROM ask('Question 2: it''s how many parcels?', server => 't_typed_ask');
EXPLAIN (COSTS off) SELECT * FROM (SELECT * FROM ask('Question 3: how many parcels?') AS a) AS b;
\set requests `"$TEXT2SQL_TOOLS/model" requests typed`
SELECT json_array_length(:'requests'::json) AS requests;

-- PREPARE, and EXPLAIN of what is prepared
PREPARE parcels AS SELECT * FROM ask('Question 4: how many parcels?');
EXPLAIN (COSTS off) EXECUTE parcels;
\set requests `"$TEXT2SQL_TOOLS/model" requests typed`
SELECT json_array_length(:'requests'::json) AS requests;
EXECUTE parcels;
\set requests `"$TEXT2SQL_TOOLS/model" requests typed`
SELECT json_array_length(:'requests'::json) AS requests;
-- a plan that is made again keeps its columns
SET search_path = public, t_typed_ask;
EXECUTE parcels;
SET search_path = t_typed_ask, public;

-- EXPLAIN ANALYZE runs the function, which asks; its plan is not the same in all versions
\o /dev/null
EXPLAIN ANALYZE SELECT * FROM ask('Question 5: how many parcels?');
\o
\set requests `"$TEXT2SQL_TOOLS/model" requests typed`
SELECT json_array_length(:'requests'::json) AS requests;

-- a view asks when it is made, and not when it is explained or read
CREATE VIEW parcels_view AS SELECT * FROM ask('Question 6: how many parcels?');
EXPLAIN (COSTS off) SELECT * FROM parcels_view;
SELECT * FROM parcels_view;
INSERT INTO parcel VALUES (4);
SELECT * FROM parcels_view;
DELETE FROM parcel WHERE id = 4;
\set requests `"$TEXT2SQL_TOOLS/model" requests typed`
SELECT json_array_length(:'requests'::json) AS requests;

-- a cursor asks when it is declared; its rows are those of that moment
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM ask('Question 7: how many parcels?');
DELETE FROM parcel WHERE id = 3;
FETCH c;
ROLLBACK;
-- a cursor in one message with a change
BEGIN \; DECLARE c CURSOR FOR SELECT * FROM ask('Question 7: how many parcels?') \; DELETE FROM parcel \; FETCH c \; ROLLBACK;
\set requests `"$TEXT2SQL_TOOLS/model" requests typed`
SELECT json_array_length(:'requests'::json) AS requests;

-- functions keep their types, whether their statements are written out or made up
CREATE FUNCTION of_sql() RETURNS SETOF json LANGUAGE sql AS $$ SELECT * FROM ask('Question 8: how many parcels?') $$;
SELECT of_sql();
DO $$
DECLARE r record;
BEGIN
    EXECUTE $q$ SELECT * FROM ask('Question 9: how many parcels?') $q$ INTO r;
    RAISE NOTICE '%', r;
END $$;

-- two calls and a nested one: each is asked once
SELECT a.*, b.*, c.* FROM ask('Question 10: how many parcels?') AS a, ask('Question 11: how many parcels?') AS b,
    LATERAL (SELECT * FROM ask('Question 12: how many parcels?') AS d) AS c;
\set requests `"$TEXT2SQL_TOOLS/model" requests typed`
SELECT json_array_length(:'requests'::json) AS requests;

-- an error between the analysis and the run: the next statement, of equal text, reads its own rows
SELECT * FROM ask('Question 13: how many parcels?') WHERE 1 / (SELECT count(*) FROM parcel WHERE id = 9) = 1;
INSERT INTO parcel VALUES (9);
SELECT * FROM ask('Question 13: how many parcels?') WHERE 1 / (SELECT count(*) FROM parcel WHERE id = 9) = 1;
-- equal text twice in one transaction, and in one message
BEGIN;
SELECT * FROM ask('Question 13: how many parcels?');
DELETE FROM parcel WHERE id = 9;
SELECT * FROM ask('Question 13: how many parcels?');
COMMIT;
SELECT * FROM ask('Question 13: how many parcels?') \; INSERT INTO parcel VALUES (10) \; SELECT * FROM ask('Question 13: how many parcels?');
-- another role in between sees what it may see
CREATE ROLE regress_typed_ask;
GRANT USAGE ON SCHEMA t_typed_ask TO regress_typed_ask;
GRANT USAGE ON FOREIGN SERVER t_typed_ask TO regress_typed_ask;
SELECT * FROM ask('Question 13: how many parcels?') \; SET ROLE regress_typed_ask \; SELECT * FROM ask('Question 13: how many parcels?');
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA t_typed_ask CASCADE;
DROP SERVER t_typed_ask;
DROP ROLE regress_typed_ask;
